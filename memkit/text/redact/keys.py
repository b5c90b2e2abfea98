"""Secret detection: keys, tokens and passwords are found by their form and their randomness."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from math import log2

Span = tuple[int, int]

# Keys that are recognised by their first letters.
_KNOWN = re.compile(
    r"(?<![A-Za-z0-9])(?:sk-(?:ant-|proj-)?[\w\-]{16,}|[srp]k_(?:live|test)_\w{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}"
    r"|glpat-[\w\-]{16,}|xox[abeoprs]-[\w\-]{10,}|A(?:KIA|SIA|ROA|IDA)[A-Z0-9]{16}|AIza[\w\-]{30,}|ya29\.[\w\-]{20,}"
    r"|hf_\w{20,}|npm_\w{30,}|pypi-\w[\w\-]{30,}|SG\.[\w\-]{16,}\.[\w\-]{16,}|dop_v1_\w{32,}|eyJ[\w\-]{8,4000}\.[\w\-]{8,}"
    r"(?:\.[\w\-]*)?)"
)
_BLOCK = re.compile(
    r"-----BEGIN (?P<what>(?:[A-Z0-9]+ ){0,4})PRIVATE KEY(?P<block>(?: BLOCK)?)-----"
    r"(?:.{0,20000}?-----END (?P=what)PRIVATE KEY(?P=block)-----|[A-Za-z0-9+/=:,\-\s]*)",
    re.DOTALL,
)
_IN_URL = re.compile(r"(?<=:)//[^\s/:@]{0,64}:(?P<value>[^\s/@]{1,128})(?=@)")
_SIGN = r"[\"']?\s{0,3}(?::=|=>|[:=]|\bis\b)\s{0,3}(?:Bearer |Basic )?[\"'`]?"
_PASSWORD = re.compile(
    rf"(?i:\b\w{{0,32}}?(?:password|passwd|passphrase|passwort|lösenord|losenord|pwd){_SIGN})(?P<value>[^\s\"'`,;]{{4,256}})"
)
_TOKEN = re.compile(
    rf"(?i:\b(?:[\w\-]{{0,32}}[_\-])?(?:key|apikey|token|secret|auth|authorization|credentials?|signature|cookie){_SIGN})"
    r"(?P<value>[A-Za-z0-9+/=_.~\-]{12,512})"
)
_BEARER = re.compile(r"(?i:\bbearer )(?P<value>[A-Za-z0-9+/=_.~\-]{12,512})")

RANDOM = 3.0  # a value with more bits per character looks random: words have 2.5 to 3, hex keys 3.5 and more


def keys(text: str) -> Iterator[Span]:
    """The spans of keys of known services, private key blocks, and values after `password=`, `key=` or `token=`."""
    for pattern in (_KNOWN, _BLOCK):
        yield from (match.span() for match in pattern.finditer(text))
    for pattern in (_IN_URL, _PASSWORD):
        yield from (match.span("value") for match in pattern.finditer(text))
    for pattern in (_TOKEN, _BEARER):
        yield from (match.span("value") for match in pattern.finditer(text) if looks_random(match["value"]))


def looks_random(value: str) -> bool:
    """Whether a value has a digit and the entropy of a key: more than RANDOM bits per character (Shannon)."""
    return any(character.isdigit() for character in value) and entropy(value) > RANDOM


def entropy(text: str) -> float:
    """The Shannon entropy of a text in bits per character; 0 for an empty text."""
    counts = Counter(text).values()
    return -sum(count / len(text) * log2(count / len(text)) for count in counts)
