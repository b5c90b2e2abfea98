"""Quotes in mails: what its sender did not write is folded away: quoted mails, signatures, footers of lists."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from memkit.core.patterns import pattern
from memkit.sources.chat import quotation
from memkit.sources.mail.quoted_mails import answered_mail, drop_announcement, quote_marks, quoted_mail

_FORWARDED = pattern(
    r"\s*(?:fwd?|wg|tr|rv|enc|i|vb|vl|vs|pd|ilt|doorst|továbbítás|转发|轉寄|転送)\s*[:：]", re.IGNORECASE
)
_RULE = pattern(r"\s*(?:_{20,}|-{40,}|={40,}|#{40,})\s*")
_RULES = ("--", "__", "==", "##")
_OF_A_LIST = pattern(r"mailing list|unsubscribe|listinfo|subscribed|google groups|archives?:|lists?\.", re.IGNORECASE)
_SENT_FROM = pattern(
    r"[\W_]*(?:Sent from (?:my|Mail for)\b.{0,60}"
    r"|(?:Sent (?:from|via|by)|Get(?=\W+Outlook)|Gesendet von|Diese Nachricht wurde von|Von meine[mr]|Envoyé|Obtenez|"
    r"Enviado|Obtener|Inviato|Scarica|Verstuurd|Verzonden|Sendt|Skickat|Hämta|Lähetetty|Wysłane|Odesláno|Odoslané|"
    r"Poslano|Küldve|Trimis|Отправлено|Надіслано)(?!\w).{0,25}?(?<![^\W_])(?:i(?:Phone|Pad)\w*|Android|Samsung|Galaxy|"
    r"Huawei|Xiaomi|Outlook|BlackBerry|Windows|Mobil\w*|Mailbox|K-9|Yahoo).{0,60}"
    r"|(?:发自|發自)我的.{1,30}"
    r"|.{0,9}(?:iPhone|iPad|Android|Outlook).{0,15}(?:から送信|에서 보냄|傳送|发送|gönderildi))",
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
        return lines if self.forwards else without_quoted_lines(lines[: answered_mail(lines)])


def quoted_forward(text: str) -> str:
    """The text with the mail that it forwards as a quotation, line by line: `I` in it is not who sent it on."""
    lines = text.split("\n")
    at = quoted_mail(lines)
    return text if at is None else "\n".join([*lines[:at], quotation("\n".join(lines[at:]))])


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


def without_quoted_lines(lines: list[str]) -> list[str]:
    """The lines without quoted ones, which begin with `>`, and without `On Monday Rosa wrote:` before them.

    Some programs write `Rosa>` or `RL>`: whoever is announced so is known by it in the rest of the mail.
    """
    marks = quote_marks(lines)
    if not any(line.startswith(marks) and not line.startswith(">>>") for line in lines):
        return lines  # no quote, or one of another kind: `>>> 1 + 1`
    kept: list[str] = []
    quoting = False
    for line in lines:
        if line.startswith(marks):
            if not quoting:
                drop_announcement(kept)
            quoting = True
        elif line.strip() or not quoting:
            quoting = False
            kept.append(line)
    return kept
