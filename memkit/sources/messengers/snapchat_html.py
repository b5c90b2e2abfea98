"""Snapchat's pages: what `My Data` shows of chats, friends and the account, as its files of JSON would have it."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

_MESSAGE = re.compile(r'<div style="background: ?#f2f2f2[^"]{0,100}"><span>')
_WHO = re.compile(r"<h4[^<>]{0,100}>([^<]{0,300})</h4>")
_KIND = re.compile(r'<span style="[^"]{0,200}padding-top: 13px;">([A-Z]{1,40})</span>')
_SAID = re.compile(r"<hr[^<>]{0,100}>\s{0,20}<p>")  # up to the end of the paragraph
_SENT = re.compile(r"<h6[^<>]{0,200}>(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC)</h6>")
_HEADING = re.compile(r"<h1>\s*(?:Chat|Snap) history with (.{1,300}?)</h1>", re.IGNORECASE)
_SNAPS = ("IMAGE", "VIDEO")  # they have no words
_ROW = re.compile(r"<tr><td>([^<]{1,200})</td><td>([^<]{0,200})</td>")
_ABOUT = re.compile(r"<th><b>(Username|Name):</b></th><th>([^<]{0,200})</th>")


def is_page(text: str) -> bool:
    """Whether a page shows the messages of a chat: who, which kind, and when."""
    return 'class="ghost"' in text and all(one.search(text) for one in (_MESSAGE, _KIND, _SENT))


def page_messages(page: str, id: str) -> list[dict[str, Any]]:
    """The messages of a chat, the oldest first. `id` is that of the chat: a group has a title beside it."""
    heading = _HEADING.search(page)
    title = unescape(heading[1]).strip() if heading else ""
    found = []
    for part in _MESSAGE.split(page)[1:]:
        who, kind, said, sent = (one.search(part) for one in (_WHO, _KIND, _SAID, _SENT))
        if sent and not (kind and kind[1] in _SNAPS):
            found.append({
                "From": unescape(who[1]).strip() if who else "",
                "Media Type": kind[1] if kind else "TEXT",
                "Created": sent[1],
                "Content": _words(part[said.end() :].partition("</p>")[0]) if said else "",
                "Conversation Title": title if title != id else None,
                "IsSender": None,
            })  # fmt: skip
    return found[::-1]


def _words(html: str) -> str:
    return re.sub(r"<[^<>]{0,200}>", "", re.sub(r"<br ?/?>", "\n", html))


def page_friends(page: str) -> dict[str, Any]:
    """The names that friends show, by those of their accounts."""
    rows = ({"Username": unescape(name), "Display Name": unescape(shown)} for name, shown in _ROW.findall(page))
    return {"Friends": list(rows)}


def page_account(page: str) -> dict[str, Any]:
    """Whose account it is."""
    about = {key: unescape(value).strip() for key, value in _ABOUT.findall(page)}
    return {"Basic Information": about}
