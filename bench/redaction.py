"""How many secrets redaction finds, what it takes out of notes without any, and how long it takes.

    python bench/redaction.py                          made-up secrets: how many of each group stay
    python bench/redaction.py --missed                 and each text in which one stays
    python bench/redaction.py --notes FOLDER           what is taken out of the Markdown files of a folder, by rule
    python bench/redaction.py --notes FOLDER --shown   and each place

The secrets are made by `tests/made_secrets.py`. To compare two versions, run both with the PYTHONPATH of each.
"""

# ruff: noqa: T201  (printing is what a benchmark is for)

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from made_secrets import made

from memkit.text.redact import Redactor


def secrets(missed: bool) -> None:
    """Prints how many of the planted secrets are found, by group."""
    redactor, count, found = Redactor(), Counter[str](), Counter[str]()
    for one in made():
        text = redactor.redact(one.text).text
        kept = [secret for secret in one.secrets if secret in text]
        count[one.group] += 1
        found[one.group] += not kept
        if kept and missed:
            print(f"{one.group} | {one.place} | {one.text!r}")
    print("| group | texts | found | % |\n|---|---|---|---|")
    for group, many in [*count.items(), ("all", count.total())]:
        hit = found.total() if group == "all" else found[group]
        print(f"| {group} | {many:,} | {hit:,} | {100 * hit / many:.1f} |")


def notes(folder: Path, shown: bool) -> None:
    """Prints what is taken out of real notes."""
    redactor, rules, size, texts = Redactor(), Counter[str](), 0, 0
    texts_of = [path.read_text("utf-8", "replace") for path in sorted(folder.rglob("*.md"))]
    pieces = [piece for text in texts_of for piece in text.split("\n\n") if piece.strip()]
    begin = time.perf_counter()
    for piece in pieces:
        size += len(piece)
        texts += 1
        for one in redactor.redact(piece).replacements:
            rules[one.rule] += 1
            if shown:
                print(f"{one.rule} | {one.original[:80]!r} | {one.context!r}")
    seconds = time.perf_counter() - begin
    print(f"{texts:,} passages, {size:,} characters, {seconds:.1f} s: {dict(rules.most_common())}")


def main() -> None:
    """Reads the arguments, and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--missed", action="store_true", help="print each text in which a secret stays")
    parser.add_argument("--notes", type=Path, help="a folder of Markdown files")
    parser.add_argument("--shown", action="store_true", help="print each place in the notes")
    given = parser.parse_args()
    if given.notes:
        notes(given.notes, given.shown)
    else:
        secrets(given.missed)


if __name__ == "__main__":
    main()
