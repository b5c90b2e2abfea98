"""Chats of QQ, as the program for computers exports them: one, or all in a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from chat_files import drafts

from memkit import MemoryDatabase
from memkit.core.types import Draft
from memkit.sources import ReadOptions, detect, read

UTC = ReadOptions(timezone="UTC")
LINE = "=" * 64
BEGIN = "\ufeff消息记录（此消息记录为文本格式，不支持重新导入）\n\n"


def chat(group: str, whom: str, *messages: str) -> str:
    return f"{LINE}\n消息分组:{group}\n{LINE}\n消息对象:{whom}\n{LINE}\n\n" + "".join(f"{one}\n\n" for one in messages)


GROUP = chat(
    "我的QQ群", "花园",
    "2016-07-19 15:27:15 云-小明(271147505)\n开花了\n\n第二段\r第三段",
    "2016-07-19 9:27:19 小红<xiaohong@qq.com>\n[图片]",
    "2016-07-19 15:30:00 系统消息(10000)\n小刚加入本群。",
    "2016-07-19 15:31:00 小红<xiaohong@qq.com>\n",
    "2016-07-19 8:43:38 PM 小红<xiaohong@qq.com>\n晚上好",
)  # fmt: skip
FRIEND = chat(
    "我的好友", "Rosa", "2024-01-15 10:30:00 Rosa\n你好\n2024-01-15 10:30:01 no head", "2024-01-15 10:31:00 \n在"
)
TOLD = [
    ("花园", "云-小明", "2016-07-19T15:27:15Z", "开花了\n\n第二段\n第三段"),
    ("花园", "小红", "2016-07-19T09:27:19Z", "[图片]"),
    ("花园", "小红", "2016-07-19T20:43:38Z", "晚上好"),
    ("Rosa", "Rosa", "2024-01-15T10:30:00Z", "你好\n2024-01-15 10:30:01 no head"),
    ("Rosa", "unknown", "2024-01-15T10:31:00Z", "在"),
]


def written(path: Path, text: str) -> Path:
    path.write_bytes(text.replace("\n", "\r\n").encode())
    return path


def told(path: Path) -> list[tuple[str | None, str | None, str | None, str]]:
    return [(one.title, one.speaker, one.happened_at, one.text) for one in drafts(path, UTC)]


def test_all_chats_in_a_file(tmp_path: Path) -> None:
    path = written(tmp_path / "全部消息记录.txt", BEGIN + GROUP + FRIEND)
    assert detect(path) == "qq"
    assert told(path) == TOLD


@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "utf-16"])
def test_a_file_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "全部消息记录.txt"
    path.write_bytes((BEGIN + GROUP + FRIEND).removeprefix("\ufeff").encode(encoding))
    assert detect(path) == "qq"
    assert told(path) == TOLD


def test_a_chat_without_the_first_line(tmp_path: Path) -> None:
    path = written(tmp_path / "Rosa.txt", FRIEND.removeprefix(f"{LINE}\n"))
    assert detect(path) == "qq"
    assert told(path) == TOLD[3:]


def test_what_the_program_tells_comes_when_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", BEGIN + GROUP)
    found = read(path, options=ReadOptions(timezone="UTC", include_system=True))
    assert [one.text for one in found if isinstance(one, Draft) and one.speaker == "system"] == ["小刚加入本群。"]


def test_exports_that_overlap_give_each_message_once(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", BEGIN + GROUP)
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(path, timezone="UTC").added == 3
        renamed = GROUP.replace("小红<", "红<") + "2016-07-20 10:00:00 红<xiaohong@qq.com>\n早\n\n"
        report = db.ingest(written(tmp_path / "b.txt", BEGIN + renamed), timezone="UTC")
        assert (report.added, report.removed) == (1, 0)
        assert len(db) == 4


def test_notes_that_speak_of_messages_are_notes(tmp_path: Path) -> None:
    assert detect(written(tmp_path / "a.txt", "消息记录（二）\n\n今天没有消息。")) == "markdown"
