"""What junk in a graph costs recall: the same questions with and without planted junk, and with the graph off.

    python bench/junk.py GARDEN                     a folder of notes, asked by halves of their own sentences
    python bench/junk.py GARDEN --questions FILE    or by questions in the form that `memkit eval` reads
    python bench/junk.py SET SET                    evaluation sets: folders with corpus.jsonl and queries.jsonl
    python bench/junk.py GARDEN --each              every kind of junk alone, too

The kinds are those of real gardens: an alias or a title that is a common word (the commonest words of the questions
are taken), a hub that links to every note, an address in the footer of each note, a day that every note links to,
housekeeping properties, and pages called "user" and "assistant". Nothing is written beside the sources.

`pushed out` counts wanted memories that were among the first five and are not with the junk: of all hits, and of
those of a recall without the graph. Junk also changes what words find (a footer is text), so the second is the floor.
`above words` counts first-five places that a page of junk holds, which the question's words and sentences support less
than a wanted memory that it pushed out.
"""

# ruff: noqa: T201  (printing is what a benchmark is for)

from __future__ import annotations

import argparse
import json
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memkit import MemoryDatabase
from memkit.retrieval.registry import strategy
from memkit.text.words import STOP_WORDS, cjk_pairs, cjk_runs, content_words, has_cjk, sentences, words

PLACES = 5  # of a hit
COMMON = 30  # words that junk takes as names
FOLDER = "planted"  # the folder of the pages of junk
DAY = "2023-03-14"
KINDS = ("alias", "title", "hub", "footer", "day", "property", "role")


# ------------------------------------------------------------------------------------------------ what is planted


def common_words(texts: Iterable[str], questions: Iterable[str]) -> list[str]:
    """The content words of the questions that most of the texts have: of CJK text, pairs of characters."""
    asked = {word for question in questions for word in _terms(question) if len(word) > 1} - STOP_WORDS
    counts = Counter(word for text in texts for word in set(_terms(text)) & asked)
    return [word for word, _ in counts.most_common(COMMON)]


def _terms(text: str) -> list[str]:
    pairs = [pair.strip('"') for pair in cjk_pairs(text)] if has_cjk(text) else []
    return pairs + [word for word in words(text) if not has_cjk(word)]


def pages(kinds: Iterable[str], common: list[str], titles: list[str]) -> dict[str, str]:
    """The pages of junk: file name to text."""
    made: dict[str, str] = {}
    if "alias" in kinds:
        for n in range(0, len(common), 3):
            names = ", ".join(common[n : n + 3])
            made[f"Film {n}.md"] = f"---\naliases: [{names}]\n---\n\nSeen in 19{50 + n}, in the back row.\n"
    if "title" in kinds:
        made |= {f"{word.replace('/', ' ')}.md": "More will come here.\n" for word in common}
    if "hub" in kinds:
        links = "\n".join(f"- [[{title}]]" for title in titles)
        made |= {"Hub.md": f"# Hub\n\n{links}\n", "Index.md": f"up:: [[Hub]]\n\n{links}\n"}
    if "day" in kinds:
        made[f"{DAY}.md"] = "[[Hub]]\n"
    if "role" in kinds:
        made |= {"user.md": "---\naliases: [I, me, my]\n---\n\nA page.\n", "assistant.md": "See [[user]].\n"}
    return made


def soiled(text: str, kinds: Iterable[str], common: list[str]) -> str:
    """The text of a note with the junk that stands in every note."""
    added = []
    if "property" in kinds:
        added += ["type:: [[note]]", f"status:: [[{common[0]}]]" if common else "status:: [[draft]]"]
    if "day" in kinds:
        added.append(f"[[{DAY}]]")
    if "footer" in kinds:
        path = "/".join(word for word in common[:3] if word.isascii())
        added.append(f'<a href="https://garden.example/{path}">Home</a> [me](https://people.example/@me/{path})')
    return text + "\n\n" + "\n".join(added) + "\n" if added else text


# ------------------------------------------------------------------------------------------------ what is asked


@dataclass(frozen=True)
class Question:
    """A question, the things that answer it, and the project to search."""

    text: str
    wanted: frozenset[str]
    project: str | None = None


@dataclass(frozen=True)
class Garden:
    """A folder of notes, and what is asked: `named` tells what a hit is called in `wanted`."""

    folder: Path
    questions: list[Question]
    by_text: bool

    @property
    def notes(self) -> list[Path]:
        return sorted(path for path in self.folder.rglob("*.md") if path.is_file())

    def texts(self) -> list[str]:
        return [path.read_text(errors="replace") for path in self.notes]

    def fill(self, db: MemoryDatabase, kinds: Iterable[str], common: list[str], place: Path) -> None:
        target = place / "garden"
        for path in self.notes:
            copy = target / path.relative_to(self.folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(soiled(path.read_text(errors="replace"), kinds, common))
        _write(target / FOLDER, pages(kinds, common, [path.stem for path in self.notes]))
        db.ingest(target)

    def named(self, hit: Any, question: Question) -> set[str]:
        if not self.by_text:
            return {hit.memory.source_id} & question.wanted
        return {wanted for wanted in question.wanted if wanted in hit.memory.text}


@dataclass(frozen=True)
class Set:
    """An evaluation set."""

    folder: Path
    rows: list[dict[str, Any]]
    questions: list[Question]

    def texts(self) -> list[str]:
        return [row["text"] for row in self.rows]

    def fill(self, db: MemoryDatabase, kinds: Iterable[str], common: list[str], place: Path) -> None:
        rows = [{**row, "text": soiled(row["text"], kinds, common)} for row in self.rows]
        corpus = place / "corpus.jsonl"
        corpus.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        db.ingest(corpus)
        titles = list(dict.fromkeys(row["title"] for row in self.rows if row.get("title")))
        made = pages(kinds, common, titles)
        for n, project in enumerate(sorted({row.get("group") or "" for row in self.rows}) if made else ()):
            _write(place / f"{n}" / FOLDER, made)
            db.ingest(place / f"{n}", project=project or None)

    def named(self, hit: Any, question: Question) -> set[str]:
        return {hit.memory.source_id} & question.wanted


def _write(folder: Path, made: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        (folder / name).write_text(text)


def opened(folder: Path, questions: Path | None, most: int) -> Garden | Set:
    """The source in a folder."""
    if (folder / "corpus.jsonl").exists():
        return Set(folder, _rows(folder / "corpus.jsonl"), _asked(folder / "queries.jsonl")[:most])
    if questions:
        return Garden(folder, _asked(questions)[:most], by_text=False)
    garden = Garden(folder, [], by_text=True)
    return Garden(folder, halves(garden.texts(), most), by_text=True)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def _asked(path: Path) -> list[Question]:
    rows = [row for row in _rows(path) if row["relevant"]]
    return [Question(row["text"], frozenset(map(str, row["relevant"])), row.get("group")) for row in rows]


def halves(texts: list[str], most: int) -> list[Question]:
    """Half of the words of sentences of the notes, each of a note of its own; of CJK sentences, half of the runs."""
    chance = random.Random(0)
    asked = []
    for text in chance.sample(texts, len(texts)):
        plain = [text[start:end] for start, end in sentences(text)]
        fit = [one for one in plain if 40 <= len(one) * (3 if has_cjk(one) else 1) <= 240 and "[" not in one]
        if fit:
            said = chance.choice(fit)
            parts = cjk_runs(said) if has_cjk(said) else content_words(said)
            kept = sorted(chance.sample(range(len(parts)), (len(parts) + 1) // 2))
            asked.append(Question(" ".join(parts[n] for n in kept), frozenset([said])))
    return asked[:most]


# ------------------------------------------------------------------------------------------------ what comes of it


@dataclass(frozen=True)
class Answers:
    """For each question: what of the wanted is in the first five, and how many of these are pages of junk that the
    question supports less than a wanted memory after them."""

    found: list[set[str]]
    above: int
    recall: float


def support(why: Any) -> float:
    """What words and meaning contributed to a score."""
    return sum(finding.contribution for channel, finding in why.items() if channel != "graph")


def asked(db: MemoryDatabase, source: Garden | Set, graph: bool) -> Answers:
    """The answers of a database."""
    chosen = strategy("memkit") if graph else strategy("memkit").replace(graph=None)
    found, above, share = [], 0, 0.0
    for question in source.questions:
        scope: dict[str, Any] = {"project": question.project, "only_project": True} if question.project else {}
        answer = db.recall(question.text, k=30, strategy=chosen, **scope)
        first, rest = answer.hits[:PLACES], answer.hits[PLACES:]
        found.append({name for hit in first for name in source.named(hit, question)})
        late = max((support(hit.why) for hit in rest if source.named(hit, question)), default=0.0)
        above += sum(FOLDER in (hit.memory.source_id or "") and support(hit.why) < late for hit in first)
        share += len(found[-1]) / len(question.wanted)
    return Answers(found, above, share / max(len(source.questions), 1))


def measured(source: Garden | Set, kinds: tuple[str, ...], common: list[str]) -> tuple[Answers, Answers]:
    """The answers with these kinds of junk: with the graph and without."""
    with tempfile.TemporaryDirectory(prefix="memkit-junk-") as place:
        db = MemoryDatabase(str(Path(place) / "memory.db"))
        source.fill(db, kinds, common, Path(place))
        answers = asked(db, source, graph=True), asked(db, source, graph=False)
        db.close()
        shutil.rmtree(Path(place), ignore_errors=True)
        Path(place).mkdir(exist_ok=True)
    return answers


def pushed(before: Answers, after: Answers) -> int:
    """The wanted memories that are no longer among the first."""
    return sum(len(old - new) for old, new in zip(before.found, after.found, strict=True))


def report(name: str, source: Garden | Set, chosen: list[tuple[str, ...]], say: Callable[[str], None]) -> None:
    """A line for the source as it is, and one for each choice of junk."""
    common = common_words(source.texts(), (question.text for question in source.questions))
    whole, words_only = measured(source, (), common)
    say(f"| {name} | none | {whole.recall:.4f} | {words_only.recall:.4f} | | | |")
    for kinds in chosen:
        soiled_whole, soiled_words = measured(source, kinds, common)
        losses = f"{pushed(whole, soiled_whole)} | {pushed(words_only, soiled_words)} | {soiled_whole.above}"
        kind = "all" if kinds == KINDS else kinds[0]
        say(f"| {name} | {kind} | {soiled_whole.recall:.4f} | {soiled_words.recall:.4f} | {losses} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--most", type=int, default=200, help="questions to ask of each source")
    parser.add_argument("--each", action="store_true")
    options = parser.parse_args()
    chosen = [KINDS, *((kind,) for kind in KINDS)] if options.each else [KINDS]
    print("| source | junk | R@5 | R@5, graph off | pushed out | pushed out, graph off | above words |")
    print("|---|---|---|---|---|---|---|")
    for folder in options.folders:
        source = opened(folder, options.questions, options.most)
        report(folder.name, source, chosen, lambda line: print(line, flush=True))


if __name__ == "__main__":
    main()
