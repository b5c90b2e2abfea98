"""JSON that is read at once: exports, arrays of rows, notebooks, and what stands in a cell of a database."""

from __future__ import annotations

import json
from typing import Any

from memkit.sources.limits import OverLimit, ReadLimits

# NaN and Infinity become null: they are not valid JSON, and SQLite could not read them.
_DECODER = json.JSONDecoder(parse_constant=lambda _: None)
decode, decode_next = _DECODER.decode, _DECODER.raw_decode


class BrokenJSON(ValueError):
    """A file is not JSON. `line` is where."""

    def __init__(self, reason: str, line: int):
        self.line = line
        super().__init__(reason)


def is_json(data: bytes) -> bool:
    """Whether a file begins as an object or a list does, and not as a page of HTML."""
    return data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def load_json(data: bytes, limits: ReadLimits) -> Any:
    """The value in a file of JSON. Raises BrokenJSON, and OverLimit for a file with too many values.

    A value takes up to thirty times as much memory as it takes in a file, so a file of brackets could fill it all.
    """
    # No more values than these; those in texts are counted too, which costs less than to look where they are.
    if sum(map(data.count, (b"[", b"{", b","))) > limits.json_values:
        raise OverLimit("json_values", limits, "brackets and commas")
    try:
        return decode(text := data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BrokenJSON("not valid UTF-8", data.count(b"\n", 0, error.start) + 1) from None
    except json.JSONDecodeError as error:
        ends = error.msg.startswith("Unterminated") or not text[error.pos :].strip()
        what = "it ends too early, as after a download that was not finished" if ends else error.msg
        raise BrokenJSON(f"broken JSON: {what}", error.lineno) from None
    except RecursionError:
        raise BrokenJSON("broken JSON: nested too deeply", 1) from None
    except ValueError as error:  # a number of thousands of digits
        raise BrokenJSON(f"broken JSON: {error}", 1) from None


def json_within(value: object, limits: ReadLimits) -> Any:
    """The value of JSON that stands in a cell or a text, as text or bytes; None if it is none. Raises OverLimit."""
    data = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
    try:
        return load_json(data, limits)
    except BrokenJSON:
        return None
