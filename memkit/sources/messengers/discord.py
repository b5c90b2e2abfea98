"""Discord loader: a channel as JSON, by DiscordChatExporter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import Conversation, as_dict, as_list, conversation, each_chat, edited
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

Record = dict[str, Any]

_FILES = r".*\.json"  # in the zip
_SPOKEN = ("Default", "Reply", "ChatInputCommand", "ContextMenuCommand", "0", "19", "20", "23")
_DIRECT = "Direct Messages"


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of each channel. Calls, pins and who joined are left out."""
    return each_chat(path, options, _FILES, _channel)


def _channel(path: Path, found: Record, options: ReadOptions) -> Iterator[Draft | Failure]:
    guild, channel = as_dict(found.get("guild")), as_dict(found.get("channel"))
    server = str(guild.get("name") or "")
    title = " / ".join(str(name) for name in (server if server != _DIRECT else "", channel.get("name")) if name)
    source = f"discord:{channel.get('id')}" if channel.get("id") else path.as_posix()
    about = {"server": server, "category": channel.get("category"), "topic": channel.get("topic")}
    chat = conversation(path, source, title, options, meta=about, whole=False)
    for message in map(as_dict, found["messages"]):
        yield from _turn(chat, message, options)


def _turn(chat: Conversation, message: Record, options: ReadOptions) -> Iterator[Draft | Failure]:
    author = as_dict(message.get("author"))
    speaker = chosen_name(str(author.get("nickname") or author.get("name") or "Deleted User"))
    if str(message.get("type", "Default")) not in _SPOKEN:
        if not options.include_system:
            return
        speaker = "system"
    attached = ", ".join(_attachments(message))
    yield from chat.turn(
        speaker,
        "\n\n".join(filter(None, (str(message.get("content") or ""), *_embeds(message)))) or attached,
        id=message.get("id"),
        at=message.get("timestamp"),
        reply_to=as_dict(message.get("reference")).get("messageId"),
        edited=edited(message.get("timestampEdited")),
        bot=True if author.get("isBot") else None,
        attachment=attached or None,
    )


def _attachments(message: Record) -> Iterator[str]:
    for file in map(as_dict, as_list(message.get("attachments"))):
        if name := file.get("fileName"):
            yield str(name)
    for sticker in map(as_dict, as_list(message.get("stickers"))):
        yield f"sticker {sticker.get('name') or ''}".strip()


def _embeds(message: Record) -> Iterator[str]:
    """What a bot says in its boxes; the preview of a link, which the message has already, is none of it."""
    said = str(message.get("content") or "")
    for embed in map(as_dict, as_list(message.get("embeds"))):
        if embed.get("url") and str(embed["url"]) in said:
            continue
        fields = map(as_dict, as_list(embed.get("fields")))
        named = (f"{field.get('name')}: {field.get('value')}" for field in fields)
        text = "\n".join(filter(None, (str(embed.get("title") or ""), str(embed.get("description") or ""), *named)))
        if text:
            yield text


def _matches(sample: Sample) -> bool:
    return any(one.has_keys("guild", "channel", "messages") for one in sample.inside(_FILES))


FORMAT = Format("discord", "Discord's channels as JSON, by DiscordChatExporter", read, _matches, ("*.json", "*.zip"))
