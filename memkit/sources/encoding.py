"""Text encodings: the text of a file that does not say in which encoding it is."""

from __future__ import annotations

import codecs
from collections import Counter
from unicodedata import category

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark is its beginning
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# What people's files are in, where they are not in UTF-8. Of a short text, all others would be guesses.
_COMMON = """
    utf-16 utf-16-le utf-16-be gb18030 big5hkscs cp932 euc_jis_2004 cp949 euc_kr cp874 cp1250 cp1251 cp1252 cp1253
    cp1254 cp1255 cp1256 cp1257 cp1258 iso8859-1 iso8859-2 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-9
    iso8859-15 koi8-r koi8-u cp500 cp866 cp437 cp850 cp852 mac-roman
""".split()
# What programs write where an encoding has fewer signs: the same letters, and more. Not ISO 8859-2, of which Windows
# has some letters (`ą`, `ś`) at other places.
_LARGER = {
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
EXAMINED = 100_000  # bytes from which the encoding is guessed
_FIRST = 200  # bytes that tell UTF-16
_SPACING = dict.fromkeys(map(ord, "\t\n\r\f\v"))  # which may stand in a text, though nobody sees them
_LEAST_LIKE = 0.002  # chardet's confidence, which is .004 for the single word `Łódź`, .01 to .1 for some, then more
_NO_TEXT = ("Cc", "Cn", "Co", "Cs")  # Unicode's categories of control, unassigned and private characters
_MOST_OTHERS = 0.01  # of a text's characters that may be of these


def marked(data: bytes) -> str | None:
    """The encoding that the first bytes of a text show: by a byte order mark, or as UTF-16 without one; else None."""
    by_mark = next((name for mark, name in _MARKS.items() if data.startswith(mark)), None)
    return by_mark or _unmarked_utf16(data[:_FIRST])


def _unmarked_utf16(data: bytes) -> str | None:
    """UTF-16 without a mark, by the zero that it has beside each Western letter; None if these bytes are none."""
    even, odd = data[::2].count(0), data[1::2].count(0)
    if max(even, odd) < max(3, len(data) // 3) or (even and odd):
        return None
    name = "utf-16-le" if odd else "utf-16-be"
    letters = data[: len(data) // 2 * 2].decode(name, "replace").translate(_SPACING)
    return name if letters.isprintable() else None


def encoding(data: bytes) -> str:
    """The name of the encoding: of its byte order mark, else UTF-8, else what the bytes look like (GBK, Latin-1, ...).

    Raises ValueError with the number of the line if it is no text of any encoding.
    """
    if name := marked(data):
        return name
    try:
        data.decode()
        return "utf-8"
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        start = data.rfind(b"\n", 0, max(0, error.start - EXAMINED // 2)) + 1
    if _is_damaged(data):
        raise ValueError(f"line {line} is not valid UTF-8")
    if name := guessed(data[start : start + EXAMINED]):
        return name
    raise ValueError(f"line {line} is not valid UTF-8, and no other encoding fits")


def _is_damaged(data: bytes) -> bool:
    """Whether it is UTF-8 in which some bytes are wrong: to read it as anything else would spoil the others."""
    text = data.decode("utf-8", "replace")
    return sum(letter > "\x7f" for letter in text) >= 2 * text.count("\ufffd") > 0


def guessed(data: bytes) -> str | None:
    """The encoding in which these bytes are most like text of some language, if they are any in it."""
    from chardet import detect  # only for files that need it

    found = detect(data, max_bytes=len(data), prefer_superset=False, compat_names=False, include_encodings=_COMMON)
    if found["encoding"] is None or found["confidence"] < _LEAST_LIKE:
        return None
    name = codecs.lookup(found["encoding"]).name
    larger = _LARGER.get(name, name)
    name = larger if "\ufffd" not in data.decode(larger, "replace") else name
    seen = Counter(data.decode(name, "replace").translate(_SPACING))
    others = sum(count for letter, count in seen.items() if category(letter) in _NO_TEXT)
    return name if others <= _MOST_OTHERS * sum(seen.values()) else None


def decoded(data: bytes, name: str | None = None) -> str:
    """The text of these bytes in their `encoding`, without a byte order mark. Raises ValueError if it is no text."""
    name = name or encoding(data)
    try:
        return data.decode(name)
    except UnicodeDecodeError as error:  # of what was not examined, or after a byte order mark
        raise ValueError(f"not valid {name.upper()} at byte {error.start + 1}") from None
