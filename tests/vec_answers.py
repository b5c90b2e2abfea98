"""The answers of the real sqlite-vec, from whichever Python here has a SQLite that loads extensions.

    python tests/vec_answers.py > tests/data/vec_answers.json     writes the frozen answers anew

Run as a process, `-` as its argument, it is the one that answers: a line of JSON for each question. It needs nothing
but Python's own sqlite3 and the path of sqlite-vec's library, so it can run on a Python without memkit's packages.
"""

from __future__ import annotations

import json
import platform
import random
import sqlite3
import struct
import subprocess
import sys
from itertools import product
from typing import Any

PYTHONS = (sys.executable, "/usr/bin/python3", "/opt/homebrew/bin/python3", "python3")
CAN_LOAD = "import sqlite3; sqlite3.connect(':memory:').enable_load_extension(True)"

FUNCTIONS = (
    "vec_distance_cosine(?, ?)",
    "vec_distance_l2(?, ?)",
    "vec_distance_l1(?, ?)",
    "vec_distance_hamming(vec_bit(?), vec_bit(?))",
    "vec_quantize_binary(?)",
)
REFUSED = "refused"
NO_VECTORS = [None, 7, 1.5, b"", b"abcde", "", "nonsense", "[]", "{}", '["a"]', "[1, null]"]


def python() -> str | None:
    """A Python whose SQLite loads extensions; None if there is none here."""
    for one in PYTHONS:
        try:
            subprocess.run([one, "-c", CAN_LOAD], check=True, capture_output=True)
            return one
        except (OSError, subprocess.CalledProcessError):
            continue
    return None


class Oracle:
    """sqlite-vec itself, in a process that runs until this is closed."""

    def __init__(self, python: str, library: str):
        self._process = subprocess.Popen(
            [python, __file__, "-", library], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __call__(self, expression: str, *arguments: Any) -> Any:
        """What the expression gives for the arguments; `REFUSED` if that is an error."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([expression, [packed(one) for one in arguments]]), file=self._process.stdin, flush=True)
        return unpacked(json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()


def packed(value: Any) -> Any:
    """A value of SQLite as JSON: BLOBs as an object with their bytes in hexadecimal."""
    return {"blob": value.hex()} if isinstance(value, bytes) else value


def unpacked(value: Any) -> Any:
    """The value again."""
    return bytes.fromhex(value["blob"]) if isinstance(value, dict) and "blob" in value else value


def vector(*numbers: float) -> bytes:
    """Numbers as float32."""
    return struct.pack(f"<{len(numbers)}f", *numbers)


def answers(library: str) -> None:
    """Answers one question for each line of the input."""
    conn = sqlite3.connect(":memory:")
    conn.enable_load_extension(True)
    conn.load_extension(library)
    for line in sys.stdin:
        expression, arguments = json.loads(line)
        try:
            answer = packed(conn.execute(f"select {expression}", [unpacked(one) for one in arguments]).fetchone()[0])
        except sqlite3.Error:
            answer = REFUSED
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()


def values() -> list[Any]:
    """What the frozen answers are about: ordinary vectors, extreme ones, codes, and what is none of these."""
    draw = random.Random(13)
    nan, endless = float("nan"), float("inf")
    odd = [vector(*numbers) for numbers in ([0.0] * 8, [nan] * 8, [endless] * 8, [1e30] * 8, [1e-30] * 8, [-0.0] * 8)]
    usual = [vector(*(draw.gauss(0, 10.0**power) for _ in range(8))) for power in (-3, 0, 0, 3)]
    long = [vector(*(draw.gauss(0, 1) for _ in range(dims))) for dims in (1, 1, 256, 256, 256)]
    return [*odd, *usual, *long, "[1, 2, 3]", "[3,2,1]", " [0.5, -1e-3, 2E2]", "[1e400, 1, 1]", *NO_VECTORS]


def main() -> None:
    """Prints the frozen answers: what was asked, and what sqlite-vec said."""
    from memkit.storage.driver import vec_path

    found, library = python(), vec_path()
    if found is None or library is None:
        sys.exit("No Python here has a SQLite that loads extensions.")
    oracle = Oracle(found, library)
    given = values()
    seen = {
        expression: [
            [*places, packed(oracle(expression, *(given[place] for place in places)))]
            for places in product(range(len(given)), repeat=expression.count("?"))
        ]
        for expression in FUNCTIONS
    }
    version = oracle("vec_version()")
    oracle.close()
    frozen = {"sqlite-vec": version, "machine": platform.machine(), "values": [*map(packed, given)], "answers": seen}
    sys.stdout.write(f"{json.dumps(frozen, separators=(',', ':'))}\n")


if __name__ == "__main__":
    answers(sys.argv[2]) if sys.argv[1:2] == ["-"] else main()
