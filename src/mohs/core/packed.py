"""How is a state kept as bytes that cannot execute anything? A JSON header, then raw arrays.

A state is plain data: None, booleans, numbers, text, bytes, lists, tuples, dictionaries and NumPy arrays without
objects, of exactly these types. What comes back is equal in value and type. Reading calls nothing that the bytes name,
and allocates no more than they declare, which is bounded.

`Foreign` marks bytes that only code can read, such as a pickle. They travel as they are; `is_plain` says whether a
state is free of them.

The layout: `MAGIC`, the sizes of header and arrays as they stand and as they are once inflated (four unsigned 64-bit
numbers), the header and the arrays, each deflated. The arrays stand in the order in which the header names them.
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mohs.core.errors import MohsError

MAGIC = b"\xffmohs\x01\r\n"  # no pickle begins with this byte
QUICK = 1  # the level of compression
DEEPEST = 100  # lists in lists
LARGEST_HEADER = 2**26  # bytes of JSON
LARGEST_STATE = 2**36  # bytes of arrays; a replay buffer of a million Atari frames has 2**33
_SIZES = struct.Struct("<4Q")


class PackedError(MohsError, ValueError):
    """A state that cannot be packed, or bytes that are not a packed state."""


@dataclass(frozen=True)
class Foreign:
    """Bytes whose reading may run code."""

    data: bytes


def pack(state: Any) -> bytes:
    """The bytes of a state.

    Raises:
        PackedError: A value is of a type that is not plain data.

    Example:
        >>> unpack(pack({"step": 3, "weights": np.zeros(2)}))
        {'step': 3, 'weights': array([0., 0.])}
    """
    deflate, short, long = zlib.compressobj(QUICK), bytearray(), 0

    def keep(raw: Any) -> int:
        nonlocal long
        size = memoryview(raw).nbytes
        long += size
        short.extend(deflate.compress(raw))
        return size

    header = json.dumps(_described(state, keep, 0), separators=(",", ":")).encode("utf-8", "surrogatepass")
    short.extend(deflate.flush())
    small = zlib.compress(header, QUICK)
    if len(header) > LARGEST_HEADER or long > LARGEST_STATE:
        raise PackedError(f"a state of {len(header) + long:,} bytes is too large to be kept.")
    return b"".join((MAGIC, _SIZES.pack(len(small), len(header), len(short), long), small, short))


def unpack(packed: bytes) -> Any:
    """The state that `pack` packed.

    Raises:
        PackedError: The bytes are not a packed state.
    """
    header, short, long = _opened(packed)
    body = memoryview(_inflated(short, long))
    at = 0

    def take(size: int) -> memoryview:
        nonlocal at
        at += size
        if size < 0 or at > long:
            raise PackedError("this packed state is malformed: its arrays are larger than it is.")
        return body[at - size : at]

    try:
        state = _restored(header, take, 0)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, SyntaxError) as error:
        raise PackedError(f"this packed state is malformed: {_brief(error)}.") from error
    if at != long:
        raise PackedError("this packed state is malformed: its arrays are smaller than it is.")
    return state


def is_plain(packed: bytes) -> bool:
    """Whether bytes are a packed state in which nothing is foreign. Other bytes are not plain."""
    try:
        header, _, _ = _opened(packed)
        return not any("foreign" in node for node in _nodes(header))
    except PackedError:
        return False


def holds_bytes(state: Any) -> bool:
    """Whether there are bytes or foreign bytes in a state."""
    if isinstance(state, bytes | Foreign):
        return True
    if isinstance(state, dict):
        return any(holds_bytes(key) or holds_bytes(value) for key, value in state.items())
    return isinstance(state, list | tuple) and any(map(holds_bytes, state))


def _described(value: Any, keep: Any, depth: int) -> Any:
    """A value as JSON. Arrays and bytes are handed to `keep`, which returns their size."""
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if depth > DEEPEST:
        raise PackedError(f"a state is nested more than {DEEPEST} levels deep.")
    if kind is list:
        return [_described(each, keep, depth + 1) for each in value]
    if kind is tuple:
        return {"tuple": [_described(each, keep, depth + 1) for each in value]}
    if kind is dict:
        pairs = [[_described(k, keep, depth + 1), _described(v, keep, depth + 1)] for k, v in value.items()]
        return {"dict": pairs}
    if kind is bytes:
        return {"bytes": keep(value)}
    if kind is Foreign:
        return {"foreign": keep(value.data)}
    if kind is np.ndarray or isinstance(value, np.generic):
        if value.dtype.hasobject:
            raise PackedError("an array of Python objects is no plain data.")
        form = _form(value.dtype)
        keep(np.ascontiguousarray(value).tobytes() if value.dtype.names or value.nbytes == 0 else _raw(value))
        return {"array": form, "shape": list(value.shape)} if kind is np.ndarray else {"scalar": form}
    raise PackedError(f"a value of type {kind.__name__} is no plain data.")


def _raw(value: Any) -> memoryview:
    """The bytes of an array in the order of its rows, without a copy where they lie so."""
    return np.ascontiguousarray(value).reshape(-1).view(np.uint8).data


def _form(dtype: np.dtype[Any]) -> Any:
    """A type of numbers as JSON; padding between the fields of a record is kept."""
    if dtype.names is None:
        return dtype.str
    fields = [[name, _form(dtype[name].base), list(dtype[name].shape), dtype.fields[name][1]] for name in dtype.names]  # type: ignore[index]
    return {"fields": fields, "size": dtype.itemsize, "aligned": dtype.isalignedstruct}


_NUMBERS = re.compile(r"[<>|=]([biufcSUV]\d{1,9}|[mM]8(\[\d{0,9}\w{1,2}\])?)")


def _dtype(form: Any) -> np.dtype[Any]:
    if isinstance(form, str):
        if not _NUMBERS.fullmatch(form):
            raise ValueError("unknown type of numbers")
        return np.dtype(form)
    fields = [
        (str(name), _dtype(base), tuple(map(_size, shape)), _size(at)) for name, base, shape, at in form["fields"]
    ]
    names, bases, shapes, offsets = zip(*fields, strict=True)
    formats = [(base, shape) if shape else base for base, shape in zip(bases, shapes, strict=True)]
    described: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": _size(form["size"])}
    found: np.dtype[Any] = np.dtype(described, align=bool(form["aligned"]))
    return found


def _size(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= LARGEST_STATE:
        raise ValueError("a size is out of range")
    return value


def _restored(node: Any, take: Any, depth: int) -> Any:
    """The value that `_described` described; `take` gives its next bytes."""
    if node is None or type(node) in (bool, int, float, str):
        return node
    if depth > DEEPEST:
        raise ValueError("it is nested too deep")
    if type(node) is list:
        return [_restored(each, take, depth + 1) for each in node]
    if "tuple" in node:
        return tuple(_restored(each, take, depth + 1) for each in node["tuple"])
    if "dict" in node:
        return {_restored(key, take, depth + 1): _restored(value, take, depth + 1) for key, value in node["dict"]}
    if "bytes" in node:
        return bytes(take(_size(node["bytes"])))
    if "foreign" in node:
        return Foreign(bytes(take(_size(node["foreign"]))))
    dtype = _dtype(node["scalar"] if "scalar" in node else node["array"])
    if dtype.hasobject:
        raise ValueError("it holds objects")
    shape = () if "scalar" in node else tuple(map(_size, node["shape"]))
    count = 1
    for length in shape:
        count = min(count * length, LARGEST_STATE + 1) if count else 0
    size = count * dtype.itemsize
    array = np.empty(shape, dtype) if size == 0 else np.frombuffer(take(size), dtype).reshape(shape).copy()
    return array[()] if "scalar" in node else array


def _opened(packed: bytes) -> tuple[Any, memoryview, int]:
    """The header, the deflated arrays and how many bytes these have once inflated."""
    start = len(MAGIC) + _SIZES.size
    if packed[: len(MAGIC)] != MAGIC or len(packed) < start:
        raise PackedError("these bytes are no packed state.")
    small, header, short, long = _SIZES.unpack_from(packed, len(MAGIC))
    if len(packed) != start + small + short or header > LARGEST_HEADER or long > LARGEST_STATE:
        raise PackedError("this packed state is cut off, or larger than is allowed.")
    view = memoryview(packed)
    try:
        return json.loads(_inflated(view[start : start + small], header)), view[start + small :], long
    except (ValueError, RecursionError) as error:
        raise PackedError(f"the header of this packed state is malformed: {_brief(error)}.") from error


def _inflated(short: memoryview, size: int) -> bytes | bytearray:
    """Exactly so many bytes; memory grows with what is there, not with what is declared."""
    inflate, found = zlib.decompressobj(), bytearray()
    try:
        for start in range(0, len(short), 2**20):
            left = bytes(short[start : start + 2**20])
            while left and len(found) <= size:
                found += inflate.decompress(left, size - len(found) + 1)
                left = inflate.unconsumed_tail
    except zlib.error as error:
        raise PackedError(f"this packed state is damaged: {error}.") from error
    if len(found) != size or not inflate.eof or inflate.unused_data:
        raise PackedError("this packed state is damaged: it is longer or shorter than it says.")
    return found


def _nodes(node: Any) -> Iterator[dict[str, Any]]:
    """All objects of a header, whatever their depth."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield one
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


def _brief(error: BaseException) -> str:
    return " ".join((str(error) or type(error).__name__).split())[:200].rstrip(".")
