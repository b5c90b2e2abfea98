"""Passwords and keys by the word before them: `password: ...` in many languages, in tables, code and commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from memkit.text.redact.randomness import looks_chosen, looks_random
from memkit.text.redact.tree import any_of
from memkit.text.redact.view import as_read
from memkit.text.spans import Span

# What stands after one of these words is a secret, whatever it looks like.
PASSWORDS = """
password passwords passwd passphrase passcode passwort kennwort lösenord pwd contraseña contrasenya senha wachtwoord
adgangskode kodeord passord salasana jelszó şifre пароль парол гасло
パスワード 暗証番号 密码 密碼 口令 비밀번호 패스워드
"""
SENTENCES = ("mot de passe", "palavra-passe", "palavra passe", "parola d'ordine", "pass phrase", "pass word")
# These mean other things, too, or are a part of other words: what follows has to look like a secret.
UNSURE = "pass pin parola hasło heslo κωδικός kode kod"
SHORT = "pw"
# After these stands a long text that nobody would read.
KEYS = "key apikey token secret auth authorization credential credentials signature sig cookie"


def _words(names: str) -> list[str]:
    return [as_read(name).text.lower() for name in names.split()]


_ANY_PASSWORD = any_of([*_words(PASSWORDS), *(as_read(name).text.lower() for name in SENTENCES)])
_PASSWORD_WORD = rf"(?:{_ANY_PASSWORD}|(?<![^\W_]){SHORT}(?![^\W_]))"
_OPTION_WORD = rf"(?:{_ANY_PASSWORD}|{SHORT})"
_UNSURE_WORD = rf"(?<![^\W_])(?:{any_of(_words(UNSURE))})(?![^\W_])"
_KEY_WORD = (
    rf"(?:(?<![A-Za-z])(?i:{any_of(_words(KEYS))})"
    rf"|(?<=[a-z0-9])(?:{any_of([one.title() for one in _words(KEYS)])}))s?(?![^\W_])"
)

# Quotes, and the marks with which Markdown sets a word off.
_MARKS = r"[\"'`*_~\])}]{0,4}"
_OPENS = r"[\"'`*_~]{0,4}"
_IS = r"\b(?:is|ist|est|es|er|ar|e)\b"  # as without accents: är, é, è
_CODE = r"\w{1,12}[ \t]*\n"  # the language of a block of code: its first word is no value
_SIGN = (
    rf"{_MARKS}\s{{0,3}}(?::=|=>|[:=]|->|→|{_IS}){_OPENS}\s{{0,4}}"
    rf"(?:```(?:text|txt)?\s|>\s)?(?!```{_CODE})(?:Bearer |Basic )?{_OPENS}"
)
_CELL = rf"[ \t]?{_MARKS}[ \t]*\|[ \t]*{_OPENS}"
_TAG = r">\s*"
_VALUE = r"(?P<value>[^\s\"'`,;|<>&]{4,256})"
_LONG = r"(?P<value>[A-Za-z0-9+/=_.~\-]{12,512})"

_PHRASE = (
    r"(?i:(?:passphrase|mnemonic|(?:seed|recovery|backup|secret)[ \-]?(?:phrase|words)|wiederherstellungs\w{3,8}"
    r"|phrase de recup\w{3,8}|frase (?:semilla|seme)|助记词|リカバリーフレーズ)"
)
# Commands and files that give a password without naming it.
_COMMANDS = (
    r"(?:\b(?:machine|default)\b.{0,200}?\bpassword\s{1,4}"
    r"|\bcurl\b[^\n]{0,300}?\s(?:-u|--(?:proxy-)?user)[ =]?[\"']?[^\s:\"']{1,64}:"
    r"|\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n]{0,200}?\s-p"
    r"|\bsshpass\s+-p\s*[\"']?|\b(?:docker|podman|helm)\b[^\n]{0,40}?\blogin\b[^\n]{0,200}?\s-p[ =]?[\"']?"
    r"|\bredis-cli\b[^\n]{0,200}?\s-a\s+[\"']?"
    r"|(?i:\b(?:login|user(?:name)?|benutzer|usuario)\s?[/&+]\s?(?:password|pass|pw|passwort)"
    r"\s{0,2}[:=]\s{0,2}[^\s/]{1,64}\s{0,2}/\s{0,2}))"
    r"(?P<value>[^\s\"'`;|]{3,128})"
)
_PGPASS = r":(?<=[\w*]:)(?:\d{4,5}|\*):[\w*\-]{1,64}:[\w.\-]{1,64}:(?P<value>[^\s\"'`;|]{3,128})"
_TABLE = re.compile(
    r"^(?P<head>[^\n|]*\|[^\n]*)\n[ \t>]*\|?[ \t]*:?-+[-:| \t]*\n(?P<rows>(?:[^\n]*\|[^\n]*(?:\n|\Z))+)", re.MULTILINE
)
_NAMES_PASSWORD = re.compile(rf"(?i:{_PASSWORD_WORD}|{_UNSURE_WORD})[ \t*_`]*\Z")
_NAMES_KEY = re.compile(rf"{_KEY_WORD}[ \t*_`]*\Z")
_CELLS = re.compile(r"(?:\\.|[^|\n\\])*")
_WHAT = re.compile(r"[ \t*_`]*(?P<value>[^\s|`]+)[ \t*_`]*")

# What stands for a value is none: $NAME, ${NAME}, <your password>, {{ password }}, ****, xxxx, ... Nor is code that
# goes on ($_POST["password"], $cgi->param), a file, or the type of a value.
_PLACEHOLDER = re.compile(
    r"(?i:string|str\)?|(?:your|my|the)?[_\-]?(?:password|passwd|pass|secret|token|key))|(?:~?/[\w.\-]+)+/?|\$\{?[A-Z_][A-Z0-9_]*\}?|\$\w+(?:\[.*|-)|\$\(.*|<.*|\{.*|[\w\-]+\.(?:csv|docx?|env|ini|json|kdbx|md|pdf|py|sh|txt|xlsx?|ya?ml)|\[.*|%\(?\w+\)?[s%]?|[*•.xX_\-]+"
)


def _given(value: str) -> bool:
    return _PLACEHOLDER.fullmatch(value) is None


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern with the group `value`, what a value has to be, and words (in lower case) without which none matches.

    The words are looked for first: that takes a tenth of the time of the pattern, and most texts have none.
    """

    pattern: re.Pattern[str]
    hints: tuple[str, ...]
    right: Callable[[str], bool] = _given


def _rule(pattern: str, hints: Iterable[str], right: Callable[[str], bool] = _given, flags: int = 0) -> Rule:
    return Rule(re.compile(pattern, flags), tuple(hints), right)


def _hints(words: Iterable[str]) -> tuple[str, ...]:
    """The words without those in which another one stands."""
    each = set(words)
    return tuple(sorted(word for word in each if not any(other in word for other in each - {word})))


_PASSWORD_HINTS = _hints([SHORT, *_words(PASSWORDS), *SENTENCES])
_KEY_HINTS = tuple(_words("key token secret auth credential sig cookie"))
RULES = (
    _rule(rf"(?i:{_PASSWORD_WORD}(?:{_SIGN}|{_TAG}){_VALUE})", _PASSWORD_HINTS),
    _rule(rf"(?i:{_PASSWORD_WORD}{_CELL}{_VALUE}[*_`]{{0,4}}[ \t]*(?:\||$))", _PASSWORD_HINTS, flags=re.MULTILINE),
    _rule(rf"(?i:(?<!\w)--?[\w.\-]{{0,32}}?{_OPTION_WORD}[ =]{_OPENS}{_VALUE})", _PASSWORD_HINTS),
    _rule(rf"(?i:{_UNSURE_WORD}(?:{_SIGN}|{_TAG}|{_CELL}){_VALUE})", _hints(_words(UNSURE)), looks_chosen),
    _rule(rf"{_KEY_WORD}(?:{_SIGN}|{_CELL}|{_TAG}){_LONG}", _KEY_HINTS, looks_random),
    _rule(rf"(?<!\w)--?[\w.\-]{{0,32}}?{_KEY_WORD}[ =]{_OPENS}{_LONG}", _KEY_HINTS, looks_random),
    _rule(r"(?i:\bbearer )(?P<value>[A-Za-z0-9+/=_.~\-]{12,512})", ("bearer",), looks_random),
    _rule(r"(?<=:)//[^\s/:@]{0,64}:(?P<value>[^\s/@]{1,128})(?=@)", ("://",), bool),
    _rule(
        rf"{_PHRASE}(?:{_SIGN}|{_CELL}))(?P<value>[a-z0-9]{{3,12}}(?:[ ,\-\n]{{1,2}}[a-z0-9]{{3,12}}){{3,23}})"
        r"(?=[ \t*_`|]*$)",
        ("phrase", "mnemonic", "words", "wiederherstellungs", "frase", "助记词", "リカバリー"),
        flags=re.MULTILINE,
    ),
    _rule(
        _COMMANDS,
        (
            "password",
            "curl",
            "mysql",
            "mariadb",
            "login",
            "redis-cli",
            "sshpass",
            "user/",
            "user /",
            "benutzer",
            "usuario",
        ),
        flags=re.DOTALL,
    ),
    _rule(_PGPASS, (":",)),
)


# Looking for words takes longer than most patterns, so rules with the same words look once.
_BY_HINTS = {one.hints: [rule for rule in RULES if rule.hints == one.hints] for one in RULES}


def named(text: str) -> Iterator[Span]:
    """The spans of values that a word before them, a command or the head of a table calls a password or a key."""
    has = text.lower().__contains__
    for hints, rules in _BY_HINTS.items():
        if any(map(has, hints)):
            for rule in rules:
                for match in rule.pattern.finditer(text):
                    # What brackets follow is called: `password = base64_decode(...)`.
                    if text[match.end("value") : match.end("value") + 1] != "(" and rule.right(match["value"]):
                        yield match.span("value")
    if "|" in text:
        yield from _columns(text)


def _columns(text: str) -> Iterator[Span]:
    """The cells below a head of a Markdown table that names a password or a key."""
    for table in _TABLE.finditer(text):
        chosen = {at: rule for at, (head, _) in enumerate(_split(table["head"])) if (rule := _rule_of(head))}
        place = table.start("rows")
        for row in table["rows"].splitlines(keepends=True) if chosen else ():
            for at, (cell, start) in enumerate(_split(row.rstrip("\r\n"))):
                what = _WHAT.fullmatch(cell) if at in chosen else None
                if what and _given(what["value"]) and chosen[at](what["value"]):
                    yield place + start + what.start("value"), place + start + what.end("value")
            place += len(row)


def _rule_of(head: str) -> Callable[[str], bool] | None:
    """What a cell below this head has to be."""
    if _NAMES_PASSWORD.search(head):
        return lambda value: len(value) > 2
    return looks_random if _NAMES_KEY.search(head) else None


def _split(row: str) -> list[tuple[str, int]]:
    """The cells of a row, each with its offset; the same number with and without a bar at the start."""
    cells, at = [], len(row) - len(row.lstrip(" \t>"))
    at += row[at : at + 1] == "|"
    while at <= len(row):
        cell = _CELLS.match(row, at)
        end = cell.end() if cell else len(row)
        cells.append((row[at:end], at))
        at = end + 1
    return cells
