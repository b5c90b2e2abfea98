"""Where a mail begins that another one quotes: the line that announces it, its head, or the rule above its head.

Mail programs write the moment and, in brackets, an address there: that is the same in all languages. The words of some
languages are known beside it, for lines that have no address.
"""

from __future__ import annotations

import re

from memkit.core.patterns import pattern

_WROTE = pattern(
    r"(?:wrote|writes|said|a écrit|schrieb|schreibt|escribió|escreveu|ha scritto|scrisse|schreef|skrev|kirjoitti|"
    r"napisał(?:\(a\)|a)?|пишет|написала?|写道|寫道|のメール|님이 작성)\b[^\n]{0,40}[:：]\s*\Z",
    re.IGNORECASE,
)
_ENDS = pattern(r"(?:[:：][*_]*|-{3,})\s*\Z")
_ADDRESS = pattern(r"[<(\[]\s*(?:mailto:)?[^\s<>()\[\]]+@[^\s<>()\[\]]+")
_MAYBE_BARE = pattern(r"[^\s<>()\[\]:;,]+@[\w-]+\.[\w.-]+")
_TIME = pattern(r"\d\s?[:.h]\s?\d\d(?!\d)|\d/\d\d?/\d\d")
_YEAR = pattern(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_ORIGINAL = pattern(
    r"\s*-{2,}\s*(?:Original (?:Message|Appointment)|Ursprüngliche Nachricht|Originalnachricht|Message d'origine|"
    r"Message original|Mensaje original|Mensagem original|Messaggio originale|Oorspronkelijk bericht|"
    r"Исходное сообщение|原始邮件|原始郵件)\s*-{2,}\s*",
    re.IGNORECASE,
)
# The head of a quoted mail as Outlook writes it: who, and when.
_FROM = pattern(
    r"[\s*_]*(?:From|Von|Absender|De|De la|Expéditeur|Remitente|Da|Mittente|Van|Afzender|Från|Fra|Lähettäjä|Feladó|Od|"
    r"Kimden|От|Отправитель|Від|Από|מאת|من|Dari|Từ|送信元|送信者|差出人|发件人|寄件者|寄件人|보낸 사람)"
    r"[*_]*\s?(?::[*_]*\s|：)\s*\S",
    re.IGNORECASE,
)
_SENT = pattern(
    r"[\s*_]*(?:Sent|Date|Gesendet|Datum|Envoyé|Enviad[oa]|Inviato|Verzonden|Skickat|Sendt|Lähetetty|Wysłano|Odesláno|"
    r"Elküldve|Gönderilen|Отправлено|Надіслано|送信日時|发送时间|寄件日期|보낸 날짜)(?: (?:le|el|em))?[*_]*\s?[:：]",
    re.IGNORECASE,
)
_FIELD = pattern(r"[\s*_]*[^\W\d_][^:：\n]{0,30}[:：]")
_FORWARD_LINE = pattern(
    r"(?:-{3,}(?!-).*(?:forward|weitergeleitet|transféré|reenviado|inoltrat).*|Begin forwarded message:)", re.IGNORECASE
)
_ATTACHED = pattern(r"Forwarded: .*\(.*\)")  # a mail in a mail, as `message.py` writes it
_TITLED = pattern(r"\s*-{2,}\s?[^\W\d_][^\n]{1,60}?\s?-{2,}(.*)")  # `-------- Videresendt meddelelse --------`
_MARK = pattern(r"[^\W\d_]{1,20}>(?=[\s>])")  # `Rosa> Who has the key?`
_RULE = pattern(r"\s*(?:_{20,}|-{20,}|={20,})\s*")
_LONGEST_ANNOUNCEMENT = 300  # characters
_MOST_LINES = 3  # of an announcement
_NEAR = 10  # lines before a quote in which it is announced
_HEAD = 5  # lines of a head that are looked at


def answered_mail(lines: list[str]) -> int | None:
    """Where a mail is quoted as a whole, down to the end; None if there is none, or one that is sent on."""
    at = quoted_mail(lines)
    return None if at is None or any(_sends_on(lines, near) for near in (at, at + 1) if near < len(lines)) else at


def quoted_mail(lines: list[str]) -> int | None:
    """Where a mail begins that is quoted as a whole or sent on; None if there is none."""
    for at, line in enumerate(lines):
        if _ORIGINAL.fullmatch(line) or _sends_on(lines, at) or _heads(lines, at) or _announces(lines, at):
            return at - 1 if at and _RULE.fullmatch(lines[at - 1]) else at
    return None


def quote_marks(lines: list[str]) -> tuple[str, ...]:
    """With what quoted lines begin: `>`, and `Rosa>` where a line announces the first of them."""
    found = {">"}
    for at, line in enumerate(lines):
        if (
            (mark := _MARK.match(line))
            and mark[0] not in found
            and _announced(lines[max(0, at - _NEAR) : at]) is not None
        ):
            found.add(mark[0])
    return tuple(found)


def drop_announcement(kept: list[str]) -> None:
    """Takes away the one to three lines at the end that say whose words come now."""
    if (start := _announced(kept)) is not None:
        del kept[start:]


def _announced(kept: list[str]) -> int | None:
    """Where the one to three lines at the end begin that say whose words come now; None if there are none."""
    end = len(kept)
    while end and not kept[end - 1].strip():
        end -= 1
    for start in range(end - 1, max(-1, end - 1 - _MOST_LINES), -1):
        if not kept[start].strip():
            return None
        text = " ".join(kept[start:end])
        after_words = start > 0 and kept[start - 1].strip()  # then a program wrote it only if it has all
        if _is_announcement(text) if after_words else _WROTE.search(text) or _says_whose(text):
            return start
    return None


def _says_whose(text: str) -> bool:
    """Whether a line before quoted lines says whose they are."""
    return _ENDS.search(text) is not None and (
        _MAYBE_BARE.search(text) is not None or (_TIME.search(text) is not None and _YEAR.search(text) is not None)
    )


def _is_announcement(text: str) -> bool:
    """Whether a program says in a text who wrote what follows, and when."""
    return "@" in text and None not in (_ENDS.search(text), _ADDRESS.search(text), _TIME.search(text))


def _announces(lines: list[str], at: int) -> bool:
    """Whether lines that begin here announce a mail whose lines are not marked as quoted.

    Where nothing stands before them and other lines are marked, the rest is what the sender wrote below.
    """
    if not lines[at].strip() or (at and lines[at - 1].strip() and not _RULE.fullmatch(lines[at - 1])):
        return False
    for end in range(at + 1, min(len(lines), at + _MOST_LINES) + 1):
        text = " ".join(lines[at:end])
        if len(text) > _LONGEST_ANNOUNCEMENT or not lines[end - 1].strip():
            return False
        if _is_announcement(text):
            return not any(line.startswith(">") for line in (lines[end:] if at == 0 else _next_lines(lines, end)[:1]))
    return False


def _heads(lines: list[str], at: int) -> bool:
    """Whether a head begins here: who, then when, and an address where the word for `when` is not known."""
    if not _FROM.match(lines[at]):
        return False
    head = _next_lines(lines, at + 1)
    if any(_SENT.match(line) for line in head[:3]):
        return True
    fields = [line for line in head if _FIELD.match(line)]
    return any(_TIME.search(line) for line in fields) and any(map(_MAYBE_BARE.search, [lines[at], *fields]))


def _sends_on(lines: list[str], at: int) -> bool:
    """Whether a rule with words begins a mail that is sent on: in any language, if a head with an address follows."""
    line = lines[at].strip()
    if _FORWARD_LINE.fullmatch(line) or _ATTACHED.fullmatch(line):
        return True
    if not line.startswith("--") or _ORIGINAL.fullmatch(line) or not (titled := _TITLED.fullmatch(line)):
        return False
    head = [titled[1], *(line for line in _next_lines(lines, at + 1) if _FIELD.match(line))]
    return (bool(titled[1]) or len(head) > 2) and any(map(_MAYBE_BARE.search, head))


def _next_lines(lines: list[str], at: int) -> list[str]:
    """The next lines that are not empty."""
    return [line for line in lines[at : at + 2 * _HEAD] if line.strip()][:_HEAD]
