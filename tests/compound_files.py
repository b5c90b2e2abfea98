"""Compound files (MS-CFB), as Outlook saves a mail: made of named streams, and taken apart again."""

from __future__ import annotations

import io
import struct

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
SECTOR = 512


def streams_of(data: bytes) -> dict[str, bytes]:
    """The streams in a compound file, by `folder/name`, without the bytes that `compound` fills them up with."""
    import olefile

    with olefile.OleFileIO(io.BytesIO(data)) as file:
        return {"/".join(name): file.openstream(name).read().rstrip(b"\0") for name in file.listdir()}


def compound(streams: dict[str, bytes]) -> bytes:
    """A compound file with these streams (`folder/name`), each in sectors of its own."""
    folders = sorted({name.rpartition("/")[0] for name in streams if "/" in name})
    names = [*folders, *streams]
    # Streams of less than 4,096 bytes would be kept elsewhere.
    data = [streams[name].ljust(4_096, b"\0") if name in streams else b"" for name in names]
    sizes = [-(-len(one) // SECTOR) for one in data]
    entries = -(-(len(names) + 1) // 4)  # sectors of the directory
    fats = -(-(sum(sizes) + entries + 20) // 127)
    chains = [0xFFFFFFFD] * fats + [*range(fats + 1, fats + entries), 0xFFFFFFFE]
    starts = []
    for size in sizes:
        starts.append(len(chains) if size else 0)
        chains += [*range(len(chains) + 1, len(chains) + size), 0xFFFFFFFE] if size else []
    kids: dict[str, list[int]] = {}
    for number, name in enumerate(names, 1):
        kids.setdefault(name.rpartition("/")[0] if name in streams else "", []).append(number)

    def entry(name: str, kind: int, right: int, child: int, start: int, size: int) -> bytes:
        coded = name.encode("utf-16-le").ljust(64, b"\0")
        head = struct.pack("<HBBIII", 2 * len(name) + 2, kind, 1, 0xFFFFFFFF, right, child)
        return coded + head + b"\0" * 36 + struct.pack("<IQ", start, size)

    def first(name: str) -> int:
        return kids.get(name, [0xFFFFFFFF])[0]

    table = [entry("Root Entry", 5, 0xFFFFFFFF, first(""), 0xFFFFFFFE, 0)]
    for number, name in enumerate(names, 1):
        row = next(row for row in kids.values() if number in row)
        right = next((later for later in row if later > number), 0xFFFFFFFF)
        short, stream = name.rpartition("/")[2], name in streams
        child = 0xFFFFFFFF if stream else first(name)
        table.append(entry(short, 2 if stream else 1, right, child, starts[number - 1], len(data[number - 1])))
    directory = b"".join(table).ljust(entries * SECTOR, b"\0")
    fat = b"".join(struct.pack("<I", one) for one in chains).ljust(fats * SECTOR, b"\xff")
    start = MAGIC + b"\0" * 16 + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + b"\0" * 6
    start += struct.pack("<IIIIIIIII", 0, fats, fats, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0)
    start += b"".join(struct.pack("<I", number if number < fats else 0xFFFFFFFF) for number in range(109))
    return (
        start
        + fat
        + directory
        + b"".join(one.ljust(size * SECTOR, b"\0") for one, size in zip(data, sizes, strict=True))
    )
