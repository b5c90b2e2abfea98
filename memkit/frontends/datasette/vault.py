"""Where a memory comes from, as its owner can open it: a note in Obsidian, a chat, an image that lies beside a note.

Only the owner is offered a note, a chat or an image: paths and addresses of chats are private. An image is a file in
the folder of its note or below the folder that was ingested, by what is in it and not by its name alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlencode

from memkit.core.source_files import file_of, name_in
from memkit.core.types import Memory

MOST_BYTES = 20_000_000
CHATS = {"chatgpt": "https://chatgpt.com/c/{}", "claude": "https://claude.ai/chat/{}"}
# Where programs for notes put images, beside the notes or at the top of the vault.
ATTACHMENTS = frozenset(("attachments", "assets", "images", "img", "media", "files", "_resources"))
# By the first bytes of a file. SVG is none of them: it can hold scripts.
IMAGES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
}


def image(source: str | None, target: str, roots: Iterable[str]) -> Path | None:
    """The file that an image of a note is in; None if there is none, or if it lies elsewhere than the notes.

    `source` is the path of the note, `target` the image as the note names it, `roots` the ingested folders.
    """
    note = Path(file_of(source or ""))
    target = unquote(target).split("?")[0]
    if not note.is_absolute() or not target or "\0" in target:
        return None
    above = [Path(root) for root in roots if note.is_relative_to(root)]
    try:
        above += _vaults(note)
        if not note.is_file():
            return None
        for folder in _attached(note.parent, *above):
            found = (folder / target.lstrip("/")).resolve()
            inside = any(found.is_relative_to(one.resolve()) for one in (note.parent, *above))
            if inside and found.is_file() and _type(found):
                return found
    except (OSError, ValueError):  # a name that no file can have
        pass
    return None


def image_of(one: Memory, target: str, roots: Iterable[str]) -> Path | None:
    """The file that an image of a memory's note is in, as `image` finds it, also below the folder ingested with it."""
    return image(one.source, target, [*roots, *_ingested(one)])


def _ingested(one: Memory) -> Iterator[str]:
    """The folder that was ingested: what is left of the path of a note without the name that it had there."""
    path = file_of(one.source or "")
    if name := name_in(path, one.source_id or ""):
        yield path.removesuffix(name)


def _attached(*folders: Path) -> Iterator[Path]:
    """These folders, then the folders for attachments in them."""
    yield from folders
    for folder in folders:
        yield from (one for one in sorted(folder.iterdir()) if one.name.lower() in ATTACHMENTS and one.is_dir())


def content(path: Path) -> tuple[bytes, str] | None:
    """The bytes and the media type of an image; None if the file is none, or is too large."""
    kind = _type(path)
    return (path.read_bytes(), kind) if kind else None


def _type(path: Path) -> str | None:
    if path.stat().st_size > MOST_BYTES:
        return None
    with path.open("rb") as file:
        head = file.read(12)
    kind = next((kind for first, kind in IMAGES.items() if head.startswith(first)), None)
    return kind if kind != "image/webp" or head[8:] == b"WEBP" else None


def images(one: Memory, roots: Callable[[], list[str]], url: Callable[..., str]) -> Callable[[str], str | None]:
    """What gives an image of this memory its address; None for an image that cannot be shown."""

    def address(target: str) -> str | None:
        found = image_of(one, target, roots())
        return url("image", one.id, urlencode({"name": target})) if found else None

    return address


def origin(source: str | None) -> dict[str, str] | None:
    """Where the owner can open a document: `url` and what to call it; None if only memkit has it."""
    kind, _, id = (source or "").partition(":")
    if kind in CHATS and id:
        return {"url": CHATS[kind].format(quote(id)), "label": "The chat where it was"}
    if kind in ("http", "https"):
        return {"url": str(source), "label": "The page that it is from"}
    if source and _in_obsidian(Path(file_of(source))):
        return {"url": "obsidian://open?" + urlencode({"path": source}, quote_via=quote), "label": "Open in Obsidian"}
    return None


def _in_obsidian(note: Path) -> bool:
    try:
        return note.is_absolute() and bool(_vaults(note))
    except (OSError, ValueError):
        return False


def _vaults(note: Path) -> list[Path]:
    """The vault of Obsidian that a note is in, if it is in one."""
    return [folder for folder in note.parents if (folder / ".obsidian").is_dir()][:1]


def folders(memory: Any) -> list[str]:
    """The folders that belong to a database."""
    return [one.path for one in memory.sources()]
