"""How often memkit tells in which encoding of before UTF-8 a text is: XQuAD's paragraphs, cut to some lengths.

    python bench/encodings.py CLONES [--texts 60]

CLONES is the folder of clones of `bench/more_sets.py`, with `xquad` in it. A text counts as right if all of its letters
are. What has no letter but those of ASCII, or is UTF-8 by chance, is left out. Prints a Markdown table for
bench/RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from memkit.sources.encoding import encoding

ENCODINGS = {
    "ar": ("cp1256", "iso8859-6"),
    "de": ("cp1252", "cp850", "mac-roman"),
    "el": ("cp1253", "iso8859-7"),
    "es": ("cp1252", "cp850", "mac-roman"),
    "ro": ("cp1250",),
    "ru": ("cp1251", "koi8-r", "cp866"),
    "th": ("cp874",),
    "tr": ("cp1254",),
    "vi": ("cp1258",),
    "zh": ("gb18030", "big5"),
}
LENGTHS = (12, 20, 40, 150, 600)


def beginnings(path: Path, name: str, length: int) -> Iterator[bytes]:
    """The first characters of each paragraph in an encoding, without those that it does not have."""
    articles = json.loads(path.read_text(encoding="utf-8"))["data"]
    for paragraph in (paragraph for article in articles for paragraph in article["paragraphs"]):
        data = paragraph["context"][:length].encode(name, "ignore")
        if not data.isascii() and "\ufffd" in data.decode("utf-8", "replace"):
            yield data


def is_right(data: bytes, name: str) -> bool:
    """Whether the text of these bytes is told as it is."""
    try:
        return data.decode(encoding(data)) == data.decode(name)
    except ValueError:
        return False


def main() -> None:
    """Reads the arguments, measures, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", type=Path)
    parser.add_argument("--texts", type=int, default=60, help="of each language, encoding and length, at most")
    given = parser.parse_args()
    lines = []
    for language, names in ENCODINGS.items():
        for name in names:
            shares = []
            for length in LENGTHS:
                some = list(
                    islice(beginnings(given.clones / "xquad" / f"xquad.{language}.json", name, length), given.texts)
                )
                shares.append(sum(is_right(data, name) for data in some) / len(some))
            lines.append((f"{language}, {name}", *shares))
    means = [sum(column) / len(lines) for column in list(zip(*lines, strict=True))[1:]]
    head = f"| characters | {' | '.join(map(str, LENGTHS))} |\n|---|{'---|' * len(LENGTHS)}"
    rows = [
        f"| {name} | {' | '.join(f'{share:.2f}' for share in shares)} |" for name, *shares in [*lines, ("mean", *means)]
    ]
    sys.stdout.write("\n".join([head, *rows, ""]))


if __name__ == "__main__":
    main()
