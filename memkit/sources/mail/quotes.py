"""Quotes in mails: what its sender did not write is folded away: quoted mails, signatures, footers of lists."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from memkit.core.patterns import pattern
from memkit.sources.chat import quotation

_WROTE = pattern(
    r"(?:wrote|writes|said|a écrit|schrieb|schreibt|escribió|escreveu|ha scritto|scrisse|schreef|skrev|kirjoitti|"
    r"napisał(?:\(a\)|a)?|пишет|написала?|写道|寫道|のメール|님이 작성)\b[^\n]{0,40}[:：]\s*\Z",
    re.IGNORECASE,
)
_ORIGINAL = pattern(
    r"\s*-{2,}\s*(?:Original (?:Message|Appointment)|Ursprüngliche Nachricht|Originalnachricht|Message d'origine|"
    r"Message original|Mensaje original|Mensagem original|Messaggio originale|Oorspronkelijk bericht|"
    r"Исходное сообщение)\s*-{2,}\s*",
    re.IGNORECASE,
)
# The head of a quoted mail as Outlook writes it: who, and when.
_FROM = pattern(r"[*_]*(?:From|Von|De|Da|Van|Från|От)[*_]*\s?:[*_]*\s\S", re.IGNORECASE)
_SENT = pattern(
    r"[*_]*(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado|Inviato|Verzonden|Skickat|Отправлено)[*_]*\s?:", re.IGNORECASE
)
_FORWARDED = pattern(r"\s*(?:fwd?|wg|tr|rv|enc|i)\s*:", re.IGNORECASE)
_FORWARD_LINE = pattern(
    r"(?:-{3,}(?!-).*(?:forward|weitergeleitet|transféré|reenviado|inoltrat).*|Begin forwarded message:)", re.IGNORECASE
)
_ATTACHED = pattern(r"Forwarded: .*\(.*\)")  # a mail in a mail, as `message.py` writes it
_RULE = pattern(r"\s*(?:_{20,}|-{40,}|={40,})\s*")
_RULES = ("--", "__", "==")
_OF_A_LIST = pattern(r"mailing list|unsubscribe|listinfo|subscribed|google groups|archives?:|lists?\.", re.IGNORECASE)
_SENT_FROM = pattern(
    r"(?:Sent from (?:my|Mail for|Yahoo)|Get Outlook for|Von meinem \S+ gesendet|Envoyé (?:de mon|depuis mon)|"
    r"Enviado desde mi|Enviado do meu|Inviato da(?:l mio)? i?Phone|Verstuurd vanaf mijn)\b.{0,60}",
    re.IGNORECASE,
)
_NEXT_PART = "-------------- next part --------------"
_LONGEST_SIGNATURE = 12  # lines
_LONGEST_FOOTER = 10
_MOST_FOOTERS = 3
_QUOTED_CLASSES = (
    "gmail_quote",
    "gmail_signature",
    "moz-cite-prefix",
    "moz-signature",
    "yahoo_quoted",
    "protonmail_quote",
)


@dataclass(frozen=True)
class Folding:
    """How the texts of a mail with this subject are folded: one that forwards another keeps it."""

    subject: str

    @cached_property
    def forwards(self) -> bool:
        """Whether the mail forwards another one."""
        return _FORWARDED.match(self.subject) is not None

    def hides(self, tag: str, attributes: dict[str, str]) -> bool:
        """Whether an element of HTML holds what its sender did not write."""
        if self.forwards:
            return False
        classes = attributes.get("class", "")
        return (tag == "blockquote" and attributes.get("type", "").lower() == "cite") or any(
            one in classes for one in _QUOTED_CLASSES
        )

    def folded(self, text: str) -> str:
        """The text without what its sender did not write; the whole text if nothing else is in it."""
        whole = text.replace("\r\n", "\n").replace("\r", "\n").strip()
        lines = whole.split("\n")
        for fold in (without_footer, without_signature, self._without_quotes, without_signature):
            lines = fold(lines)
        return "\n".join(lines).strip() or whole

    def _without_quotes(self, lines: list[str]) -> list[str]:
        return lines if self.forwards else without_quoted_lines(lines[: _quoted_mail(lines)])


def quoted_forward(text: str) -> str:
    """The text with the mail that it forwards as a quotation, line by line: `I` in it is not who sent it on."""
    lines = text.split("\n")
    at = next((at for at in range(len(lines)) if _begins_forward(lines, at)), len(lines))
    return "\n".join([*lines[:at], quotation("\n".join(lines[at:]))]) if at < len(lines) else text


def _begins_forward(lines: list[str], at: int) -> bool:
    line = lines[at].strip()
    return any(mark.fullmatch(line) for mark in (_FORWARD_LINE, _ORIGINAL, _ATTACHED)) or _heads_mail(lines, at)


def _heads_mail(lines: list[str], at: int) -> bool:
    """Whether a quoted mail begins here as Outlook writes it."""
    return bool(_FROM.match(lines[at])) and any(_SENT.match(near) for near in lines[at + 1 : at + 4])


def without_footer(lines: list[str]) -> list[str]:
    """The lines without what a mailing list, and one that it is in, adds to each mail."""
    for _ in range(_MOST_FOOTERS):
        lines = lines[: _footer(lines)]
    return lines


def _footer(lines: list[str]) -> int | None:
    """Where the footer of a list begins; None if there is none."""
    for at in range(max(0, len(lines) - 4 * _LONGEST_FOOTER), len(lines)):
        line = lines[at].strip()
        if not line.startswith(_RULES):
            continue
        scrubbed = line == _NEXT_PART
        if not (scrubbed or lines[at].rstrip() == "--" or _RULE.fullmatch(line)):
            continue
        rest = [line for line in lines[at + 1 :] if line.strip()]
        if scrubbed and any("scrubbed" in line for line in rest[:2]):
            return at
        if not scrubbed and len(rest) <= _LONGEST_FOOTER and any(map(_OF_A_LIST.search, rest)):
            return at
    return None


def without_signature(lines: list[str]) -> list[str]:
    """The lines without the signature, which begins with a line of two hyphens, and without `Sent from my phone`."""
    for at in range(len(lines) - 1, max(0, len(lines) - 1 - 2 * _LONGEST_SIGNATURE), -1):
        if lines[at].rstrip() == "--" and sum(map(bool, map(str.strip, lines[at:]))) <= _LONGEST_SIGNATURE:
            return lines[:at]
    last = next((at for at in range(len(lines) - 1, -1, -1) if lines[at].strip()), None)
    return lines[:last] if last is not None and _SENT_FROM.fullmatch(lines[last].strip()) else lines


def _quoted_mail(lines: list[str]) -> int | None:
    """Where a mail is quoted as a whole, down to the end, as Outlook does it; None if there is none."""
    for at, line in enumerate(lines):
        if _FORWARD_LINE.fullmatch(line.strip()):
            return None  # what follows is forwarded
        if _ORIGINAL.fullmatch(line):
            return at
        if _heads_mail(lines, at):
            return at - 1 if at and _RULE.fullmatch(lines[at - 1]) else at
    return None


def without_quoted_lines(lines: list[str]) -> list[str]:
    """The lines without those that begin with `>`, and without `On Monday Rosa wrote:` before them."""
    if not any(line.startswith(">") and not line.startswith(">>>") for line in lines):
        return lines  # no quote, or one of another kind: `>>> 1 + 1`
    kept: list[str] = []
    quoting = False
    for line in lines:
        if line.startswith(">"):
            if not quoting:
                _drop_attribution(kept)
            quoting = True
        elif line.strip() or not quoting:
            quoting = False
            kept.append(line)
    return kept


def _drop_attribution(kept: list[str]) -> None:
    """Takes away the one to three lines that say whose words come now."""
    end = len(kept)
    while end and not kept[end - 1].strip():
        end -= 1
    for start in range(end - 1, max(-1, end - 4), -1):
        if not kept[start].strip():
            return
        if _WROTE.search(" ".join(kept[start:end])) and (start == 0 or not kept[start - 1].strip()):
            del kept[start:]
            return
