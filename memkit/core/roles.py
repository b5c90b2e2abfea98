"""Roles: the words by which chats name their sides, where they do not name people."""

from __future__ import annotations

import re

USERS = frozenset(("user", "human", "me"))  # the person whose chat it is
ASSISTANTS = frozenset("assistant ai bot model chatbot agent".split())  # who answers
ROLES = USERS | ASSISTANTS | frozenset("system tool function developer".split())


# What stands where a program knows no name.
NOBODY = frozenset(
    ("unknown", "deleted user", "deleted account", "facebook user", "linkedin member", "(알수없음)", "(알 수 없음)")
)

# How programs that write down what they hear call a voice without a name: another one in each recording.
_VOICE = (
    "speaker|spk|participant|sprecher(?:in)?|teilnehmer(?:in)?|locuteur|intervenant|hablante|orador|participante|parlante"
    "|interlocutore|spreker|deelnemer|mówca|спикер|говорящий|话者|話者|说话人|說話人|发言人|發言人|화자|발화자|참석자"
)
_UNNAMED_VOICE = re.compile(
    rf"(?:unknown|unidentified|unbekannte[rs]?) (?:{_VOICE})|(?:{_VOICE})(?:[ _#-]{{0,2}}(?:\d{{1,3}}|[a-z]))?"
)


# Kinds of documents whose texts without a speaker are the user's own, and those in which they may be.
OWN = frozenset(("", "memory", "table", "chat", "log"))
MAYBE_OWN = OWN | {"note", "notebook"}


def is_role(speaker: str) -> bool:
    """Whether a speaker is only a side of a chat, such as `user` or `assistant`, and no person of this name."""
    return speaker.strip().casefold() in ROLES


def is_user(speaker: str) -> bool:
    """Whether a speaker is the side of a chat whose memory this is."""
    return speaker.strip().casefold() in USERS


def is_nobody(speaker: str) -> bool:
    """Whether a speaker is only what a program writes where it knows no name: `Unknown`, `Speaker 1`."""
    name = speaker.strip().casefold()
    return name in NOBODY or _UNNAMED_VOICE.fullmatch(name) is not None


def chosen_name(name: str) -> str:
    """A name that somebody chose for himself, so that it is never taken for a side of a chat: `Me` is `Me (name)`.

    Whoever writes a mail or speaks in a group may call himself `user`; what he says of himself is not the user's word.
    """
    return f"{' '.join(name.split(','))} (name)" if any(map(is_role, name.split(","))) else name
