"""Identifying numbers: telephones, payment cards (Luhn), IBANs, network addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from ipaddress import ip_address

from memkit.core.errors import BadQuestion, NeedsPackage
from memkit.text.spans import Span

# ---------------------------------------------------------------------------------------------- telephones

_BETWEEN = r"[ .\-/]{0,2}"
_DIGITS = rf"(?:{_BETWEEN}\(?\d\)?)"
_PHONE = re.compile(
    rf"(?<![\w.,])(?:\+{_DIGITS}{{7,15}}|00{_DIGITS}{{8,14}}|\(?0\d{_DIGITS}{{6,11}}"
    rf"|\(\d{{3}}\){_BETWEEN}\d{{3}}{_BETWEEN}\d{{4}}|(?:1[ .\-])?\d{{3}}[ .\-]\d{{3}}[ .\-]\d{{4}}"
    rf"|1[3-9]\d(?:[ \-]?\d{{4}}){{2}})(?![\w]|[.,]\d|\.\.[0-9a-f]{{7}})"  # `0869989..a4de429` are ids of git
)
_NAMED_PHONE = re.compile(
    rf"(?i:\b(?:tel|tele?phone|phone|mobile|mob|fax|call|ring|handy|mobil|sms|whatsapp|telefon)(?:\.|\b)[ \t]{{0,8}}"
    rf"(?:no\.?|nr\.?|number|at|on|is|:)?[ \t:]{{0,8}})(?P<number>\(?\d\)?{_DIGITS}{{4,14}})(?!\w)"
)
_DATE = re.compile(r"\d{1,2}([ .\-/])\d{1,2}\1(?:\d{4}|\d{2})|\d{4}([ .\-/])\d{2}\2\d{2}")

# A day, perhaps with a time, as programs name their files: `2023-03-03 15.13.38`, `03.05.2019, 17.05`.
_MOMENT = re.compile(
    r"(?<![\d+])(?<!\d[ .\-/])(?:(?:19|20)\d\d([.\-/_]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])"
    r"|(?:0?[1-9]|[12]\d|3[01])([.\-/])(?:0?[1-9]|1[0-2])\2(?:19|20)\d\d)(?![.\-/]?\d)"
    r"(?:(?:,? |_| at )(?:[01]\d|2[0-3])([.\-])[0-5]\d(?:\3[0-5]\d)?(?!\d|[.\-]\d))?"
)


def phones(text: str) -> Iterator[Span]:
    """The spans of telephone numbers: international, national with a leading 0, American, or after `tel:` and so on."""
    # A number may stand right behind a day: no part of that is dialled.
    for match in _PHONE.finditer(_MOMENT.sub(lambda moment: " " * len(moment[0]), text)):
        if _may_be_dialled(match[0].strip("( )")):
            yield match.span()
    for match in _NAMED_PHONE.finditer(text):
        if _may_be_dialled(match["number"]):
            yield match.span("number")


def _may_be_dialled(number: str) -> bool:
    """Whether digits are neither a date nor all zeros."""
    return set(filter(str.isdigit, number)) != {"0"} and not _DATE.fullmatch(number)


class RegionalPhones:
    """Finds telephone numbers that are valid in some regions (two-letter codes), with the package phonenumbers.

    Raises NeedsPackage if it is not installed, BadQuestion for an unknown region.
    """

    def __init__(self, regions: Sequence[str]):
        try:
            import phonenumbers
        except ImportError as error:
            raise NeedsPackage("phonenumbers", "Telephone numbers of a region", "'datasette-memkit[redact]'") from error
        if unknown := sorted(set(regions) - phonenumbers.SUPPORTED_REGIONS):
            raise BadQuestion(f"{unknown[0]!r} is not a region of telephone numbers. Give two letters, such as 'SE'.")
        self._matcher, self._regions = phonenumbers.PhoneNumberMatcher, tuple(regions)

    def __call__(self, text: str) -> Iterator[Span]:
        if sum(character.isdigit() for character in text) < 5:
            return
        for region in self._regions:
            yield from ((match.start, match.end) for match in self._matcher(text, region))


# ---------------------------------------------------------------------------------------------- cards and accounts

_CARD = re.compile(r"(?<![\w.])[2-6]\d{3}(?:[ \-]?\d){8,14}\d(?![\w]|[.,]\d)")
# Groups apart by more than a space or a dash: only as they are printed on a card, with the first digits of an issuer,
# because columns of numbers and years would match, too.
_APART = r"(?:\.|[ \t]?[\-–][ \t]?|[ \t]|[ \t]{0,4}\r?\n[ \t>]{0,4})"
_CARD_GROUPS = re.compile(
    rf"(?<![\w.])(?:(?:[45]\d{{3}}|222[1-9]|2[3-7]\d\d|3[0568]\d\d|6\d{{3}}){_APART}\d{{4}}{_APART}\d{{4}}{_APART}\d{{1,7}}"
    rf"|3[47]\d{{2}}{_APART}\d{{6}}{_APART}\d{{5}})(?![\w]|[.,]\d)"
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:(?:[ \-]|[ \t]?\r?\n[ \t>]{0,4})?[A-Za-z0-9]){11,30}")
# The length of each country's IBANs (registry of SWIFT).
_IBAN_LENGTHS = dict(
    re.findall(
        r"([A-Z]{2})(\d\d)",
        "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 "
        "FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 "
        "LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 "
        "SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20",
    )
)


# A time as the id of a note, from year to second: no card begins so that has fourteen digits.
_TIME = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d[0-5]\d")


def cards(text: str) -> Iterator[Span]:
    """The spans of payment card numbers with a correct check digit, without times, of which one in ten has one."""
    for pattern in (_CARD, _CARD_GROUPS):
        for match in pattern.finditer(text):
            digits = re.sub(r"\D", "", match[0])
            if luhn(digits) and not _TIME.fullmatch(digits):
                yield match.span()


def luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of those before it (ISO/IEC 7812-1)."""
    doubled = [int(digit) * (1 + at % 2) for at, digit in enumerate(reversed(digits))]
    return sum(number - 9 * (number > 9) for number in doubled) % 10 == 0


def ibans(text: str) -> Iterator[Span]:
    """The spans of IBANs with the length of their country and correct check digits."""
    for match in _IBAN.finditer(text):
        end = _iban_end(match[0])
        if end:
            yield match.start(), match.start() + end


def _iban_end(candidate: str) -> int:
    """The end of the IBAN at the start of a text, 0 if there is none (ISO 13616: the number mod 97 is 1)."""
    length = int(_IBAN_LENGTHS.get(candidate[:2].upper(), 0))
    places = [at for at, character in enumerate(candidate) if character.isalnum()][:length]
    if not length or len(places) < length:
        return 0
    compact = "".join(candidate[at] for at in places).upper()
    number = "".join(str(int(character, 36)) for character in compact[4:] + compact[:4])
    return places[-1] + 1 if int(number) % 97 == 1 else 0


# ---------------------------------------------------------------------------------------------- the network

_IP4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_IP6 = re.compile(r"(?<![\w:.])(?=[0-9A-Fa-f]{0,4}:)[0-9A-Fa-f:]{5,39}(?:\.\d{1,3}){0,3}(?![\w:])")


def addresses(text: str) -> Iterator[Span]:
    """The spans of IPv4 and IPv6 addresses, without loopback (127.0.0.1) and unspecified ones."""
    for pattern in (_IP4, _IP6):
        for match in pattern.finditer(text):
            if _is_address(match[0]):
                yield match.span()


def _is_address(text: str) -> bool:
    try:
        address = ip_address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)
