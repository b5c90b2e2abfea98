"""CAR files: the blocks of a repository (AT Protocol), and what they hold in DAG-CBOR, a strict form of CBOR."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

_CBOR = 0x71  # the kind of a block, in its address
_DEEPEST = 100
_SIZES = {24: 1, 25: 2, 26: 4, 27: 8}  # bytes in which a number follows
_SIMPLE: dict[int, Any] = {20: False, 21: True, 22: None}
_ADDRESS = 42  # the tag of a link to another block


def blocks(data: bytes) -> Iterator[tuple[str, Any]]:
    """The address of each block of a CAR file, and its value. Raises ValueError where it is none, or is cut off."""
    try:
        size, at = _varint(data, 0)
        at += size  # the header
        while at < len(data):
            size, at = _varint(data, at)
            end = at + size
            if not size or end > len(data):
                raise ValueError("it is cut off")
            address, kind, start = _address(data, at)
            if kind == _CBOR:
                value, _ = _value(data[start:end], 0, 0)
                yield address, value
            at = end
    except (IndexError, struct.error, UnicodeDecodeError) as error:
        raise ValueError("a block is broken") from error


def _address(data: bytes, at: int) -> tuple[str, int, int]:
    """An address as hexadecimal text, the kind of its block, and where it ends."""
    start = at
    version, at = _varint(data, at)
    kind, at = _varint(data, at)
    _, at = _varint(data, at)  # how the hash is made
    size, at = _varint(data, at)
    if version != 1:
        raise ValueError("its addresses are of a version that is not known")
    return data[start : at + size].hex(), kind, at + size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number in bytes of seven bits each, and where it ends."""
    value = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        value, at = value | (byte & 127) << shift, at + 1
        if byte < 128:
            return value, at
    raise ValueError("a number is too long")


def _value(data: bytes, at: int, depth: int) -> tuple[Any, int]:
    """The value that begins here, and where it ends."""
    if depth > _DEEPEST:
        raise ValueError("its values are too deep")
    major, more = data[at] >> 5, data[at] & 31
    if major == 7:
        if more == 27:
            return struct.unpack(">d", data[at + 1 : at + 9])[0], at + 9
        if more not in _SIMPLE:
            raise ValueError("a value of an unknown kind")
        return _SIMPLE[more], at + 1
    number, at = _number(data, at, more)
    if major in (0, 1):
        return (number if major == 0 else -1 - number), at
    if major in (2, 3):
        if at + number > len(data):
            raise ValueError("it is cut off")
        told = data[at : at + number]
        return (told if major == 2 else told.decode("utf-8")), at + number
    if major == 6:
        told, at = _value(data, at, depth + 1)
        return (told[1:].hex() if number == _ADDRESS and isinstance(told, bytes) else told), at
    if number > len(data):  # each value takes a byte
        raise ValueError("it is cut off")
    found = []
    for _ in range(number * (2 if major == 5 else 1)):
        one, at = _value(data, at, depth + 1)
        found.append(one)
    return (dict(zip(map(str, found[::2]), found[1::2], strict=True)) if major == 5 else found), at


def _number(data: bytes, at: int, more: int) -> tuple[int, int]:
    if more < 24:
        return more, at + 1
    if (size := _SIZES.get(more)) is None:
        raise ValueError("a number of an unknown size")
    if at + 1 + size > len(data):
        raise ValueError("it is cut off")
    return int.from_bytes(data[at + 1 : at + 1 + size], "big"), at + 1 + size
