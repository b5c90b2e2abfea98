"""Roles: the words by which chats name their sides, where they do not name people."""

from __future__ import annotations

USERS = frozenset(("user", "human", "me"))  # the person whose chat it is
ASSISTANTS = frozenset("assistant ai bot model chatbot agent".split())  # who answers
ROLES = USERS | ASSISTANTS | frozenset("system tool function developer".split())


def is_role(speaker: str) -> bool:
    """Whether a speaker is only a side of a chat, such as `user` or `assistant`, and no person of this name."""
    return speaker.strip().casefold() in ROLES


def is_user(speaker: str) -> bool:
    """Whether a speaker is the side of a chat whose memory this is."""
    return speaker.strip().casefold() in USERS
