"""Documents of Word 97 to 2003 (MS-DOC), made of paragraphs and what formats say of them."""

from __future__ import annotations

import struct

from compound_files import compound

BEGINS = 3 * 512  # of the text, behind the head and a page of formats for letters and one for paragraphs

Runs = list[tuple[str, bytes]]  # texts, each with what formats say of its letters
Paragraphs = list[tuple[Runs, int, bytes]]  # those of a paragraph, its style, and what formats say of it


def page(starts: list[int], end: int, said: list[bytes], size: int) -> bytes:
    """A page of formats: where each begins, and at its end what they say, each with its length before it."""
    made, at, places = bytearray(512), 510, []
    for one in said:
        at -= len(one) + len(one) % 2
        made[at : at + len(one)] = one
        places.append(at // 2)
    head = struct.pack(f"<{len(starts) + 1}I", *starts, end)
    made[: len(head)] = head
    for number, place in enumerate(places):
        made[len(head) + size * number] = place
    made[511] = len(starts)
    return bytes(made)


def document(paragraphs: Paragraphs, notes: int = 0, *, one_byte: bool = False, flags: int = 0x0200) -> bytes:
    """A document of these paragraphs, each with its end; the last `notes` letters are the footnotes."""
    width, codec = (1, "cp1252") if one_byte else (2, "utf-16-le")
    text, at = "", BEGINS
    letters, of_letters, of_paragraphs, starts = list[int](), list[bytes](), list[bytes](), list[int]()
    for runs, style, said in paragraphs:
        starts.append(at)
        body = struct.pack("<H", style) + said
        body += b"" if len(body) % 2 else b"\0"
        of_paragraphs.append(bytes([(len(body) + 1) // 2]) + body)
        for words, formats in runs:
            letters.append(at)
            of_letters.append(bytes([len(formats)]) + formats)
            text, at = text + words, at + width * len(words)
    plc = struct.pack("<III", BEGINS, at, 1), struct.pack("<III", BEGINS, at, 2)
    place = BEGINS * 2 | 0x40000000 if one_byte else BEGINS
    pieces = struct.pack("<II", 0, len(text)) + struct.pack("<HIH", 0, place, 0)
    parts = [*plc, b"\1\x02\x00ab" + b"\2" + struct.pack("<I", len(pieces)) + pieces]
    head = bytearray(512)
    struct.pack_into("<6H", head, 0, 0xA5EC, 193, 0, 0, 0, flags)
    struct.pack_into("<2I", head, 0x4C, len(text) - notes, notes)
    for where, part, offset in zip((0xFA, 0x102, 0x1A2), parts, (0, 12, 24), strict=True):
        struct.pack_into("<II", head, where, offset, len(part))
    pages = page(letters, at, of_letters, 1) + page(starts, at, of_paragraphs, 13)
    return compound({"WordDocument": bytes(head) + pages + text.encode(codec), "1Table": b"".join(parts)})


def plain(*texts: str) -> Paragraphs:
    return [([(text, b"")], 0, b"") for text in texts]
