"""A packed state comes back with the same bits. Garbage is one sentence: nothing is executed or allocated for it."""

from __future__ import annotations

import json
import math
import pickle
import struct
import tracemalloc
import zlib
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mohs.core import packed
from mohs.core.packed import MAGIC, Foreign, PackedError, holds_bytes, is_plain, pack, unpack

RECORD = np.dtype([("a", np.int8), ("b", np.float64), ("c", np.int32, (2, 3))], align=True)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**140), 2**140), st.floats(), st.text(), st.binary(),
    st.floats(width=32).map(np.float32), st.integers(0, 2**63).map(np.uint64), st.booleans().map(np.bool_),
)  # fmt: skip
arrays = hnp.arrays(
    st.sampled_from(["u1", "i8", "<f4", "f8", "?", "c16", "S3", "U2", ">i4"]),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)
keys = st.one_of(st.text(), st.integers(), st.tuples(st.integers(), st.text()), st.floats(allow_nan=False))
states = st.recursive(
    scalars | arrays | st.builds(Foreign, st.binary()),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(keys, inner),
    max_leaves=12,
)


def same(a: Any, b: Any) -> bool:
    """Equal in type and in every bit."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray | np.generic):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, float):
        return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))
    return bool(a == b)


@given(states)
def test_what_comes_back_is_the_same(state: Any) -> None:
    assert same(unpack(pack(state)), state)
    assert is_plain(pack(state)) == (not any(isinstance(leaf, Foreign) for leaf in leaves(state)))
    assert holds_bytes(state) == any(isinstance(leaf, bytes | Foreign) for leaf in leaves(state))


def leaves(state: Any) -> list[Any]:
    inner = [*state, *state.values()] if isinstance(state, dict) else state
    if isinstance(state, dict | list | tuple):
        return [leaf for each in inner for leaf in leaves(each)]
    return [state]


def test_records_come_back_with_their_padding_and_may_be_written() -> None:
    records = np.frombuffer(np.random.default_rng(0).bytes(4 * RECORD.itemsize), dtype=RECORD)
    again = unpack(pack({"all": records, "one": records[2]}))
    assert again["all"].dtype == RECORD
    assert again["all"].tobytes() == records.tobytes()
    assert again["one"].dtype == RECORD
    assert all(np.array_equal(again["one"][name], records[2][name], equal_nan=True) for name in RECORD.names)
    again["all"]["b"][:] = 0.0


def test_arrays_that_lie_otherwise_in_memory_come_back_by_rows() -> None:
    whole = np.arange(24).reshape(4, 6)
    for view in (whole.T, whole[::-2, ::3], np.broadcast_to(np.arange(3.0), (2, 3)), np.asfortranarray(whole)):
        assert np.array_equal(unpack(pack(view)), view)


@pytest.mark.parametrize("value", [object(), {1, 2}, np.array([None]), lambda: 0, range(3), 1j, bytearray(2), RECORD])
def test_other_values_are_refused(value: Any) -> None:
    with pytest.raises(PackedError, match="no plain data"):
        pack([value])


def test_states_that_contain_themselves_are_refused() -> None:
    state: list[Any] = []
    state.append(state)
    with pytest.raises(PackedError, match="levels deep"):
        pack(state)


@settings(max_examples=300)
@given(st.binary(max_size=200), st.integers(0, 400), st.integers(0, 255))
def test_damaged_bytes_are_one_sentence(garbage: bytes, place: int, value: int) -> None:
    """Every byte may be wrong; what is read then is either refused or plain data."""
    whole = pack({"weights": np.arange(30.0), "names": ["a", ("b", 3)], "blob": b"123", "record": np.zeros(2, RECORD)})
    at = place % len(whole)
    for damaged in (garbage, MAGIC + garbage, whole[:at], whole[:at] + bytes([value]) + whole[at + 1 :], whole + b"x"):
        with suppress(PackedError):
            unpack(damaged)


def test_a_pickle_is_never_opened() -> None:
    for state in (pickle.dumps(print), zlib.compress(pickle.dumps(print)), b"", b"\x80"):
        assert not is_plain(state)
        with pytest.raises(PackedError, match="no packed state"):
            unpack(state)
    with pytest.raises(pickle.UnpicklingError):
        pickle.loads(pack({"step": 3}))


def forged(header: Any, body: bytes = b"", *, declared: int | None = None, text: bytes | None = None) -> bytes:
    """A packed state with any header."""
    raw = json.dumps(header).encode() if text is None else text
    small, short = zlib.compress(raw), zlib.compress(body)
    sizes = struct.pack("<4Q", len(small), len(raw), len(short), len(body) if declared is None else declared)
    return MAGIC + sizes + small + short


def record(form: str, at: int) -> dict[str, Any]:
    """The description of an array of one record with one field."""
    return {"array": {"fields": [["a", form, [], at]], "size": 8, "aligned": False}, "shape": [1]}


LIES = {
    "a larger shape": forged({"array": "<f8", "shape": [2**30]}, bytes(8)),
    "a negative shape": forged({"array": "<f8", "shape": [-1]}, bytes(8)),
    "an overflowing shape": forged({"array": "<f8", "shape": [2**33, 2**33, 2**33]}, bytes(8)),
    "a shape with no items": forged({"array": "<f8", "shape": [0, 2**80]}),
    "objects": forged({"array": "|O", "shape": [1]}, bytes(8)),
    "objects in a record": forged(record("|O", 0), bytes(8)),
    "a type as code": forged({"array": "__import__('os')", "shape": [1]}, bytes(8)),
    "types in a row": forged({"array": "<f8,<f8", "shape": [1]}, bytes(16)),
    "a field outside": forged(record("<f8", 99), bytes(8)),
    "a deep header": forged(None, text=b"[" * 200_000 + b"]" * 200_000),
    "a deep state": forged(None, text=b"[" * 500 + b"]" * 500),
    "a key that cannot be one": forged({"dict": [[{"array": "<f8", "shape": [1]}, 1]]}, bytes(8)),
    "an unknown node": forged({"import": "os"}),
    "pairs that are none": forged({"dict": [[1, 2, 3]]}),
    "a size that is text": forged({"bytes": "3"}, bytes(3)),
    "more arrays than named": forged(None, bytes(8)),
    "more than it declares": forged({"bytes": 8}, bytes(2**22), declared=8),
    "less than it declares": forged({"bytes": 2**33}, bytes(8), declared=2**33),
    "more than is allowed": forged({"bytes": 2**62}, bytes(8), declared=2**62),
    "no JSON": forged(None, text=b"\x00\xff"),
}  # fmt: skip


@pytest.mark.parametrize("name", LIES)
def test_lies_are_refused_without_memory_for_them(name: str) -> None:
    tracemalloc.start()
    with pytest.raises(PackedError):
        unpack(LIES[name])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**24


def test_a_state_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "LARGEST_STATE", 1000)
    with pytest.raises(PackedError, match="too large"):
        pack(np.zeros(1000))
