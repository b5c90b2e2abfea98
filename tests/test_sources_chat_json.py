"""Chats as JSON: LM Studio, LibreChat, Le Chat, and others that keep messages with roles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chat_files import drafts, written

from memkit.core.errors import BadSource
from memkit.sources import ReadOptions, detect


def told(path: Path, options: ReadOptions | None = None) -> list[tuple[str | None, str | None, str]]:
    return [(one.speaker, one.happened_at, one.text) for one in drafts(path, options)]


def words(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}]


def test_lm_studio_says_the_version_that_was_chosen_without_thinking(tmp_path: Path) -> None:
    asked = {"type": "singleStep", "role": "user", "content": words("Where?")}
    steps = [
        {"type": "contentBlock", "stepIdentifier": "1736789990000-0.5", "style": {"type": "thinking"},
         "content": words("Hm.")},
        {"type": "debugInfoBlock", "debugInfo": "Conversation naming technique: 'prompt'"},
        {"type": "contentBlock", "stepIdentifier": "1736789991000-0.1", "content": [
            *words("By the wall."), {"type": "toolCallRequest", "name": "find", "parameters": {}}]},
    ]  # fmt: skip
    other = {
        "type": "multiStep",
        "role": "assistant",
        "steps": [{"type": "contentBlock", "content": words("In the bed.")}],
    }
    answered = {"type": "multiStep", "role": "assistant", "senderInfo": {"senderName": "qwen"}, "steps": steps}
    chat = {
        "name": "Quince", "pinned": False, "createdAt": 1736789912980, "systemPrompt": "Be kind.", "messages": [
            {"versions": [asked], "currentlySelected": 0},
            {"versions": [other, answered], "currentlySelected": 1}],
    }  # fmt: skip
    path = written(tmp_path / "1736789912980.conversation.json", chat)
    assert detect(path) == "chat-json"
    said = [("user", "2025-01-13T17:38:32Z", "Where?"), ("assistant", "2025-01-13T17:39:50Z", "By the wall.")]
    assert told(path) == said
    assert drafts(path)[0].title == "Quince"
    assert told(path, ReadOptions(include_thinking=True))[1][2] == "Hm.\n\nBy the wall."


def libre(id: str, parent: str, mine: bool, at: str, **said: Any) -> dict[str, Any]:
    root = "00000000-0000-0000-0000-000000000000"
    return {
        "messageId": id, "parentMessageId": parent or root, "conversationId": "c1", "isCreatedByUser": mine,
        "sender": "User" if mine else "Forge", "createdAt": f"2025-01-01T10:00:{at}Z", "text": "", **said,
    }  # fmt: skip


def test_librechat_is_read_along_the_branch_that_was_written_last(tmp_path: Path) -> None:
    answer = [{"type": "think", "think": "Hm."}, {"type": "text", "text": {"value": "By the wall."}}]
    messages = [
        libre("a", "", True, "00", text="Where?"),
        libre("b", "a", False, "01", text="In the bed."),
        libre("c", "a", False, "02", content=answer),
    ]
    chat = {"conversationId": "c1", "title": "Quince", "exportAt": "10:00", "branches": True, "messages": messages}
    path = written(tmp_path / "quince.json", chat)
    assert detect(path) == "chat-json"
    assert told(path) == [
        ("user", "2025-01-01T10:00:00Z", "Where?"),
        ("assistant", "2025-01-01T10:00:02Z", "By the wall."),
    ]
    below = {**chat, "recursive": True, "messages": [{**messages[0], "children": messages[1:]}]}
    assert told(written(tmp_path / "recursive.json", below)) == told(path)


def test_a_chat_of_mistral_is_a_list_of_messages(tmp_path: Path) -> None:
    about = {"chatId": "k1", "version": 0, "contentChunks": None, "reaction": "neutral"}
    messages = [
        {"id": "1", "role": "user", "content": "Where?", "createdAt": "2025-01-01T10:00:00Z", **about},
        {"id": "2", "role": "assistant", "content": "", "createdAt": "2025-01-01T10:00:01Z", **about,
         "contentChunks": words("By the wall.")},
    ]  # fmt: skip
    path = written(tmp_path / "chat-k1.json", messages)
    assert detect(path) == "chat-json"
    assert told(path) == [
        ("user", "2025-01-01T10:00:00Z", "Where?"),
        ("assistant", "2025-01-01T10:00:01Z", "By the wall."),
    ]
    assert drafts(path)[0].document.source == "chat:k1"


def test_several_chats_with_prompts_of_the_system(tmp_path: Path) -> None:
    system = {"role": "system", "content": "Be kind."}
    chats = [
        {"title": "One", "messages": [system, {"role": "user", "content": "Where?"}]},
        {
            "title": "Two",
            "messages": [{"role": "user", "content": "When?"}, {"role": "assistant", "content": "In March."}],
        },
    ]
    path = written(tmp_path / "chats.json", chats)
    assert detect(path) == "chat-json"
    assert told(path) == [("user", None, "Where?"), ("user", None, "When?"), ("assistant", None, "In March.")]
    assert len({one.document.source for one in drafts(path)}) == 2


@pytest.mark.parametrize(
    "value",
    [
        {"title": "Garden", "messages": [{"sender_name": "Rosa", "content": "the role of a user"}]},
        {"model": "gpt-9", "messages": [{"role": "user", "content": "Where?"}]},
        [{"role": "user", "content": "Where?"}],
    ],
)
def test_messages_without_roles_and_requests_without_a_title_are_none(tmp_path: Path, value: Any) -> None:
    with pytest.raises(BadSource, match="of a shape that memkit does not know"):
        detect(written(tmp_path / "x.json", value))
