"""How fast large exports are read, and in how much memory: `python bench/sources.py [--size 100] [FORMAT...]`.

Writes so many megabytes in the shape of each format (a mailbox, a chat of WhatsApp, a workspace of Slack as a zip, a
folder of rollouts of Codex), reads each in a process of its own, and prints a row of a Markdown table: what was read,
the seconds, megabytes a second, and the peak of the memory beside that of a process that has only imported memkit. To
see that memory does not grow with the file, compare two sizes. What is written down here is read, not stored: for that
see bench/ingest.py.
"""

# ruff: noqa: T201  (printing is what a benchmark is for)

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import zipfile
from base64 import b64encode
from collections.abc import Iterator
from datetime import datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from time import perf_counter

from ingest import PEOPLE, Speech

from memkit.core.types import Draft
from memkit.sources import ReadLimits, ReadOptions, read

MEGABYTE = 1_000_000
START = datetime(2015, 1, 1, 8)
SENTENCES = 5_000  # different ones; they are combined anew for each message
ROLLOUT = 5 * MEGABYTE  # bytes in a rollout; a new one is begun after that
DAY = 400  # messages of a day of a channel


class Talk:
    """Messages without end: who says what, and when."""

    def __init__(self) -> None:
        speech = Speech(7)
        self.random, self.sentences = random.Random(7), [speech.sentence() for _ in range(SENTENCES)]

    def said(self, least: int = 1, most: int = 4) -> str:
        """A text of so many sentences."""
        return " ".join(self.random.choices(self.sentences, k=self.random.randint(least, most)))

    def messages(self) -> Iterator[tuple[int, datetime, str, str]]:
        """Number, time, speaker and text of each message, one or two minutes apart."""
        at, number = START, 0
        while True:
            number, at = number + 1, at + timedelta(minutes=self.random.randint(1, 2))
            yield number, at, self.random.choice(PEOPLE), self.said()


def mbox(path: Path, size: int) -> None:
    """A mailbox: answers with quotes, every fourth mail with HTML beside the text, every tenth with a picture."""
    talk = Talk()
    picture = b64encode(bytes(range(256)) * 40).decode()
    with path.open("w", encoding="utf-8") as file:
        for number, at, who, text in talk.messages():
            if file.tell() > size:
                return
            body = f"{text}\n\n{talk.said(4, 12)}\n"
            quoted = "".join(f"> {line}\n" for line in talk.said(2, 6).split(". "))
            body += f"\nOn {at:%d %b %Y} {who} wrote:\n{quoted}\n-- \n{who}\nGarden street {number % 90}\n"
            boundary, kind = f"=_{number}", "alternative" if number % 4 == 0 else "mixed"
            more = ""
            if number % 4 == 0:
                html = "".join(f"<p>{line}.</p>\n" for line in body.split(". "))
                more = f"--{boundary}\nContent-Type: text/html; charset=utf-8\n\n<html><body>{html}</body></html>\n"
            elif number % 10 == 0:
                lines = "\n".join(picture[at : at + 76] for at in range(0, len(picture), 76))
                more = (
                    f'--{boundary}\nContent-Type: image/png; name="{number}.png"\n'
                    f"Content-Transfer-Encoding: base64\nContent-Disposition: attachment\n\n{lines}\n"
                )
            plain = "Content-Type: text/plain; charset=utf-8\n\n" + body
            if more:
                plain = f'Content-Type: multipart/{kind}; boundary="{boundary}"\n\n--{boundary}\n{plain}\n{more}'
                plain += f"--{boundary}--\n"
            file.write(
                f"From {who.lower()}@example.org {at:%a %b %d %H:%M:%S %Y}\n"
                f"Received: from mx.example.org by mail.example.org with ESMTP id {number:x}; {format_datetime(at)}\n"
                f"Message-ID: <{number}@example.org>\nIn-Reply-To: <{max(1, number - 3)}@example.org>\n"
                f"From: {who} <{who.lower()}@example.org>\nTo: Otto <otto@example.org>, garden@example.org\n"
                f"Subject: Re: {text[:40]}\nDate: {format_datetime(at)}\nMIME-Version: 1.0\n{plain}\n"
            )


def whatsapp(path: Path, size: int) -> None:
    """A chat of a group, as a phone with Android writes it; every ninth message has two lines."""
    with path.open("w", encoding="utf-8") as file:
        file.write("01/01/2015, 08:00 - Messages and calls are end-to-end encrypted.\n")
        for number, at, who, text in Talk().messages():
            if file.tell() > size:
                return
            line = "\nand more of it" if number % 9 == 0 else ""
            file.write(f"{at:%d/%m/%Y, %H:%M} - {who}: {text}{line}\n")


def slack(path: Path, size: int) -> None:
    """A workspace: ten channels, `DAY` messages in each file of a day."""
    users = [{"id": f"U{number}", "name": who.lower(), "real_name": who} for number, who in enumerate(PEOPLE)]
    ids = {one["real_name"]: one["id"] for one in users}
    channels = [{"id": f"C{number}", "name": f"channel-{number}", "members": [*ids.values()]} for number in range(10)]
    written, days = 0, 0
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("users.json", json.dumps(users))
        archive.writestr("channels.json", json.dumps(channels))
        day: list[dict[str, object]] = []
        for number, at, who, text in Talk().messages():
            block = {"type": "rich_text", "elements": [{"type": "text", "text": text}]}
            day.append(
                {
                    "type": "message", "user": ids[who], "text": f"<@U{number % 8}> {text}", "blocks": [block],
                    "ts": f"{at.timestamp():.6f}", "team": "T1", "user_team": "T1", "reactions": [],
                }
            )  # fmt: skip
            if len(day) == DAY:
                data = json.dumps(day, indent=4)
                date = (START + timedelta(days=days // 10)).date()
                archive.writestr(f"channel-{days % 10}/{date}.json", data)
                written, days, day = written + len(data), days + 1, []
                if written > size:
                    return


def codex(path: Path, size: int) -> None:
    """A folder of rollouts: what was asked and answered, between calls of tools and events that repeat it."""
    written, talk = 0, Talk()
    messages = talk.messages()
    while written < size:
        lines: list[str] = []
        start = len(lines) + written
        session = f"{start:032x}"
        name = path / f"rollout-{session}.jsonl"
        name.parent.mkdir(exist_ok=True)
        with name.open("w", encoding="utf-8") as file:
            meta = {
                "id": session,
                "timestamp": START.isoformat() + "Z",
                "cwd": "garden",
                "instructions": "x" * 900,
            }
            file.write(_line("session_meta", START, meta))
            for number, at, _, text in messages:
                role = "assistant" if number % 2 else "user"
                kind = "output_text" if number % 2 else "input_text"
                said = {
                    "type": "message",
                    "role": role,
                    "content": [{"type": kind, "text": f"{text} {talk.said(2, 9)}"}],
                }
                file.write(_line("response_item", at, said))
                file.write(_line("event_msg", at, {"type": f"{role}_message", "message": text}))
                call = {"type": "function_call_output", "call_id": str(number), "output": talk.said(10, 40)}
                file.write(_line("response_item", at, call))
                if file.tell() > min(ROLLOUT, size - written):
                    break
            written += file.tell()


def _line(kind: str, at: datetime, payload: dict[str, object]) -> str:
    return json.dumps({"timestamp": at.isoformat() + "Z", "type": kind, "payload": payload}) + "\n"


MADE = {"mbox": mbox, "whatsapp": whatsapp, "slack": slack, "codex": codex}
ENDINGS = {"mbox": ".mbox", "whatsapp": ".txt", "slack": ".zip", "codex": ""}


def measured(path: Path) -> dict[str, float]:
    """Reads a source to its end."""
    before = _peak()
    options = ReadOptions(limits=ReadLimits(seconds=86_400, records=10**9))
    started, drafts, others = perf_counter(), 0, 0
    for one in read(path, options=options):
        drafts, others = drafts + isinstance(one, Draft), others + (not isinstance(one, Draft))
    return {"drafts": drafts, "others": others, "seconds": perf_counter() - started, "before": before, "peak": _peak()}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help=f"of {', '.join(MADE)}; all if none is given")
    parser.add_argument("--size", type=int, default=100, help="megabytes of each, unpacked")
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read:
        print(json.dumps(measured(arguments.read)))
        return
    print("| format | MB | memories | s | MB/s | memories/s | peak MB | before MB |\n|---|---|---|---|---|---|---|---|")
    for name in arguments.formats or MADE:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"source{ENDINGS[name]}"
            MADE[name](path, arguments.size * MEGABYTE)
            command = [sys.executable, __file__, "--read", str(path)]
            found = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout)
        assert not found["others"], found
        seconds, drafts = found["seconds"], found["drafts"]
        print(
            f"| {name} | {arguments.size:,} | {drafts:,} | {seconds:.0f} | {arguments.size / seconds:.1f} "
            f"| {drafts / seconds:,.0f} | {found['peak']:.0f} | {found['before']:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
