"""Further public sets in the form of the evaluation sets, from clones of the repositories that publish them.

    git clone https://github.com/emorynlp/FriendsQA          clones/FriendsQA      (and so on, see READERS)
    python bench/more_sets.py CLONES OUT [SET...]

For each repository in the folder CLONES, one set in OUT: a folder with corpus.jsonl and queries.jsonl.
`memkit ingest SET.db corpus.jsonl` and `memkit eval SET.db queries.jsonl` measure recall on it.

    FriendsQA   turns of a television series, by speaker, and questions with the turn that answers (emorynlp, 2019)
    QMSum       meetings, and questions with at most 15 turns that answer (Yale-LILY, 2021)
    BEAM        20 long chats with an assistant, and questions about them (mohammadtavakoli78, 2025)
    RHELM       a year of chats of ten invented people with an assistant (microsoft, 2026)
    REALTALK    ten chats of three weeks, and questions with the turns that answer (danny911kr, 2025)
    Molweni     chats about Ubuntu in which many speak, and questions, some without an answer (HIT-SCIR, 2020)
    DREAM       short dialogues from English exams, and questions; any turn of the dialogue is wanted (nlpdata, 2019)
    xquad       paragraphs of Wikipedia and questions in twelve languages, a set each (google-deepmind, 2019)
"""

# ruff: noqa: T201  (printing is what a benchmark is for)

from __future__ import annotations

import argparse
import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

Row = dict[str, Any]
MOST_TURNS, MOST_EVIDENCE = 15, 8  # a question with more places than this asks for a summary
UNSCORED = {"abstention", "summarization", "instruction_following", "event_ordering"}  # BEAM: no one place answers
LANGUAGES = tuple("ar de el en es hi ro ru th tr vi zh".split())


def friends(folder: Path) -> Iterator[tuple[str, Row]]:
    """FriendsQA: a season is a group."""
    for part in ("dev", "tst"):
        for scene in json.loads((folder / f"dat/friendsqa_{part}.json").read_text("utf-8"))["data"]:
            name, group = scene["title"], f"season {scene['title'][:3]}"
            for paragraph in scene["paragraphs"]:
                for turn in paragraph["utterances:"]:
                    speaker = ", ".join(turn["speakers"])
                    id = f"{name}:{turn['uid']}"
                    yield (
                        "corpus",
                        {"id": id, "text": turn["utterance"], "speaker": speaker, "session": name, "group": group},
                    )
                for asked in paragraph["qas"]:
                    places = sorted({f"{name}:{answer['utterance_id']}" for answer in asked["answers"]})
                    yield "queries", {"id": asked["id"], "text": asked["question"], "relevant": places, "group": group}


def meetings(folder: Path) -> Iterator[tuple[str, Row]]:
    """QMSum: a meeting is a group."""
    for part in ("val", "test"):
        for number, line in enumerate((folder / f"data/ALL/jsonl/{part}.jsonl").read_text("utf-8").splitlines()):
            meeting, group = json.loads(line), f"{part} {number}"
            for place, turn in enumerate(meeting["meeting_transcripts"]):
                one = {"id": f"{group}:{place}", "text": turn["content"], "speaker": turn["speaker"]}
                yield "corpus", {**one, "session": group, "group": group}
            for place, asked in enumerate(meeting["specific_query_list"]):
                spans = [range(int(first), int(last) + 1) for first, last in asked["relevant_text_span"]]
                turns = [f"{group}:{at}" for span in spans for at in span]
                if 0 < len(turns) <= MOST_TURNS:
                    yield (
                        "queries",
                        {"id": f"{group}?{place}", "text": asked["query"], "relevant": turns, "group": group},
                    )


def beam(folder: Path) -> Iterator[tuple[str, Row]]:
    """BEAM, the chats of 100,000 tokens: a chat is a group."""
    for chat in sorted(file.parent for file in (folder / "chats/100K").glob("*/chat.json")):
        group, ids = f"chat {chat.name}", set()
        for batch in json.loads((chat / "chat.json").read_text("utf-8")):
            for turn in (turn for exchange in batch["turns"] for turn in exchange):
                id, text = f"{group}:{turn['id']}", re.sub(r"\s*->->.*$", "", turn["content"]).strip()
                if text and id not in ids:
                    ids.add(id)
                    session = f"{group}, {batch['batch_number']}"
                    yield (
                        "corpus",
                        {"id": id, "text": text, "speaker": turn["role"], "session": session, "group": group},
                    )
        questions = json.loads((chat / "probing_questions/probing_questions.json").read_text("utf-8"))
        for kind, several in questions.items():
            for place, asked in enumerate(several if kind not in UNSCORED else ()):
                turns = sorted({f"{group}:{number}" for number in _numbers(asked.get("source_chat_ids"))} & ids)
                if 0 < len(turns) <= MOST_EVIDENCE:
                    id = f"{group}:{kind}:{place}"
                    yield "queries", {"id": id, "text": asked["question"], "relevant": turns, "group": group}


def year(folder: Path) -> Iterator[tuple[str, Row]]:
    """RHELM: a person is a group; what answers is what the person said on a day, in a turn."""
    ids = set()
    for path in sorted((folder / "data/conversations").glob("*/*.json")):
        group, day = path.parent.name, path.stem.removeprefix("conversation_").replace("_", "-")
        for turn in json.loads(path.read_text("utf-8"))["conversation"]:
            for role in ("user", "assistant"):
                id = f"{group} {day}:{turn['turn']} {role}"
                ids.add(id)
                said = {"id": id, "text": turn[role], "speaker": role, "timestamp": turn["timestamp"]}
                yield "corpus", {**said, "session": f"{group} {day}", "group": group}
    for path in sorted((folder / "data/QA_final").glob("*.jsonl")):
        group = path.stem.removeprefix("low_score_qa_").removesuffix("_all_validated")
        for asked in map(json.loads, path.read_text("utf-8").splitlines()):
            turns = {f"{group} {place} user" for place in asked.get("supporting_evidence") or ()}
            if 0 < len(turns) <= MOST_EVIDENCE and turns <= ids:
                one = {"id": f"{group} {asked['id']}", "text": asked["question"], "relevant": sorted(turns)}
                yield "queries", {**one, "timestamp": asked["question_date"], "group": group}


def real(folder: Path) -> Iterator[tuple[str, Row]]:
    """REALTALK: a chat is a group."""
    for path in sorted((folder / "data").glob("Chat_*.json")):
        chat, group, ids = json.loads(path.read_text("utf-8")), path.stem, set()
        for session in (name for name in chat if re.fullmatch(r"session_\d+", name)):
            for turn in chat[session]:
                id, said = f"{group}:{turn['dia_id']}", datetime.strptime(turn["date_time"], "%d.%m.%Y, %H:%M:%S")
                ids.add(id)
                one = {"id": id, "text": turn["clean_text"], "speaker": turn["speaker"], "timestamp": said.isoformat()}
                yield "corpus", {**one, "session": f"{group} {session}", "group": group}
        for place, asked in enumerate(chat["qa"]):
            turns = sorted({f"{group}:{turn}" for turn in re.findall(r"D\d+:\d+", str(asked.get("evidence")))} & ids)
            if turns:
                one = {"id": f"{group}?{place}", "text": asked["question"], "relevant": turns, "group": group}
                yield "queries", one


def channels(folder: Path) -> Iterator[tuple[str, Row]]:
    """Molweni: every fifth dialogue is of the same group; an answer is told by its place in the whole dialogue."""
    dialogues = json.loads((folder / "MRC(withDiscourse)/test.json").read_text("utf-8"))["data"]["dialogues"]
    for number, dialogue in enumerate(dialogues):
        group, ends = f"channel {number % 5}", [0]
        for place, turn in enumerate(dialogue["edus"]):
            one = {"id": f"{number}:{place}", "text": turn["text"], "speaker": turn["speaker"]}
            yield "corpus", {**one, "session": f"{number}", "group": group}
            ends.append(ends[-1] + len(f"{turn['speaker']}: {turn['text']} "))
        for asked in dialogue["qas"]:
            turns = {f"{number}:{bisect_right(ends, answer['answer_start']) - 1}" for answer in asked["answers"]}
            one = {"id": asked["id"], "text": asked["question"], "relevant": sorted(turns), "group": group}
            yield "queries", one


def exams(folder: Path) -> Iterator[tuple[str, Row]]:
    """DREAM: every twelfth dialogue is of the same group."""
    for number, (turns, several, name) in enumerate(json.loads((folder / "data/test.json").read_text("utf-8"))):
        group, ids = f"week {number % 12}", [f"{name}:{place}" for place in range(len(turns))]
        for id, (speaker, _, text) in zip(ids, (turn.partition(": ") for turn in turns), strict=True):
            yield "corpus", {"id": id, "text": text, "speaker": speaker, "session": name, "group": group}
        for place, asked in enumerate(several):
            yield "queries", {"id": f"{name}?{place}", "text": asked["question"], "relevant": ids, "group": group}


def wikipedia(folder: Path, language: str) -> Iterator[tuple[str, Row]]:
    """XQuAD in one language: three questions to each paragraph."""
    for article in json.loads((folder / f"xquad.{language}.json").read_text("utf-8"))["data"]:
        for place, paragraph in enumerate(article["paragraphs"]):
            id = f"{article['title']} {place}"
            yield "corpus", {"id": id, "text": paragraph["context"], "title": article["title"]}
            for asked in paragraph["qas"][:3]:
                yield "queries", {"id": asked["id"], "text": asked["question"], "relevant": [id]}


def _numbers(nested: Any) -> Iterator[int]:
    """All whole numbers in lists and objects."""
    if isinstance(nested, int):
        yield nested
    for one in nested.values() if isinstance(nested, dict) else nested if isinstance(nested, list) else ():
        yield from _numbers(one)


READERS = {
    "FriendsQA": friends,
    "QMSum": meetings,
    "BEAM": beam,
    "RHELM": year,
    "REALTALK": real,
    "Molweni": channels,
    "DREAM": exams,
}


def sets(clones: Path) -> Iterator[tuple[str, Iterator[tuple[str, Row]]]]:
    """The name and the rows of each set whose repository is there."""
    for name, reader in READERS.items():
        if (clones / name).is_dir():
            yield name, reader(clones / name)
    for language in LANGUAGES if (clones / "xquad").is_dir() else ():
        yield f"xquad_{language}", wikipedia(clones / "xquad", language)


def main() -> None:
    """Writes the sets, and says how large they are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("names", nargs="*", metavar="SET")
    given = parser.parse_args()
    for name, rows in sets(given.clones):
        if given.names and name not in given.names:
            continue
        folder = given.out / name
        folder.mkdir(parents=True, exist_ok=True)
        counts = {"corpus": 0, "queries": 0}
        files = {part: (folder / f"{part}.jsonl").open("w", encoding="utf-8") for part in counts}
        for part, row in rows:
            if row["text"].strip():
                files[part].write(json.dumps(row, ensure_ascii=False) + "\n")
                counts[part] += 1
        for file in files.values():
            file.close()
        print(f"{name}: {counts['corpus']:,} memories, {counts['queries']:,} questions")


if __name__ == "__main__":
    main()
