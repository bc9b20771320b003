"""Files that are garbled, too large, too deep or no files at all are refused in a sentence, at once."""

from __future__ import annotations

import io
import os
import re
import sqlite3
import struct
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mohs
from mohs import UsageError
from mohs.agents.deep.front_end import files as front_ends
from mohs.compat.ctgraph import ctgraph_task
from mohs.core import reading
from mohs.core.data_files import read_table
from mohs.protocols.words import read_value
from mohs.runs.sql import blobs
from mohs.tables.puzzles import levels

QUICK = 5.0  # seconds, where reading would take hours or for ever


@contextmanager
def refused(words: str = "") -> Iterator[None]:
    began = time.monotonic()
    with pytest.raises(UsageError) as caught:
        yield
    assert re.search(words, str(caught.value))
    assert time.monotonic() - began < QUICK
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


READERS: dict[str, Callable[[Path], Any]] = {
    ".toml": read_table,
    ".yaml": read_table,
    ".json": read_table,
    ".csv": lambda path: mohs.Family.from_csv(path, "toy/discrete"),
    ".npz": mohs.Table.load,
    ".npy": lambda path: mohs.make(
        "toy/discrete", image_representations=True, image_style="images", image_directory=str(path)
    ),
    ".txt": levels.read,
    "/": lambda path: mohs.make(
        "toy/discrete", image_representations=True, image_style="images", image_directory=str(path.parent)
    ).reset(),
    ".front.npz": front_ends.load,
    ".graph.json": lambda path: ctgraph_task(path),
}


@pytest.mark.parametrize("ending", READERS)
def test_a_pipe_is_not_waited_for(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a{ending.rstrip('/')}"
    os.mkfifo(path)
    for more in range(8) if ending == "/" else ():
        os.mkfifo(tmp_path / f"b{more}")
    with refused():
        READERS[ending](path)


@pytest.mark.parametrize("ending", [".toml", ".yaml", ".json", ".graph.json"])
def test_what_is_nested_too_deep_is_refused(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a{ending}"
    deep = "[" * 20_000 + "]" * 20_000
    path.write_text(f"a = {deep}" if ending == ".toml" else f'{{"a": {deep}}}')
    with refused("nested too deep|cannot be read"):
        READERS[ending](path)
    for read in (mohs.Task.from_json, mohs.Agent.from_json, mohs.Cell.from_json, mohs.Family.from_json):
        with refused("JSON"):
            read(deep)
    assert read_value(deep) == deep
    assert read_value("(" * 5000) == "(" * 5000


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(["a0: &a0 [x]", *(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 40))]),
        "\n".join(["a0: &a0 {x: 1}", *(f"a{i}: &a{i} {{k: [{', '.join([f'*a{i - 1}'] * 9)}]}}" for i in range(1, 40))]),
        "\n".join(
            ["a0: &a0 {x: 1}", *(f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 9)}]}}" for i in range(1, 40))]
        ),
    ],
    ids=["lists", "mappings", "merges"],
)
def test_aliases_of_yaml_are_not_written_out(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.yaml").write_text(text)
    with refused("aliases stand for more than"):
        read_table(tmp_path / "a.yaml")


def test_an_alias_to_itself_is_refused_and_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: &a [*a]")
    with refused("part of itself"):
        read_table(tmp_path / "a.yaml")
    (tmp_path / "a.yaml").write_text("a: &a [1, 2]\nb: *a\nc: {d: *a}")
    assert read_table(tmp_path / "a.yaml") == {"a": [1, 2], "b": [1, 2], "c": {"d": [1, 2]}}


def test_a_text_that_is_too_large_says_how_to_read_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.json").write_text('{"a": 1}' + " " * 100)
    monkeypatch.setattr(reading, "LARGEST_TEXT", 50)
    with refused("MOHS_LARGEST_TEXT"):
        read_table(tmp_path / "a.json")
    monkeypatch.setenv("MOHS_LARGEST_TEXT", "200")
    assert read_table(tmp_path / "a.json") == {"a": 1}
    monkeypatch.setenv("MOHS_LARGEST_TEXT", "much")
    with refused("must be a number of bytes"):
        read_table(tmp_path / "a.json")


def npy(shape: tuple[int, ...], form: str = "<f8", data: bytes = b"") -> bytes:
    """A file of an array that says what it likes of itself."""
    header = f"{{'descr': '{form}', 'fortran_order': False, 'shape': {shape}}}".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header) + 1) + header + b"\n" + data


def npz(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return file.getvalue()


LIES = {
    "a larger shape": npy((10**6, 10**6), data=bytes(8)),
    "a smaller shape": npy((1,), data=bytes(80)),
    "a negative shape": npy((-1,), data=bytes(8)),
    "a shape beyond numbers": npy((2**62, 2**62), data=bytes(8)),
    "objects": npy((1,), "|O", bytes(8)),
    "code": npy((1,), "__import__('os')", bytes(8)),
    "a text": b"hello",
    "nothing": b"",
    "a deep header": b"\x93NUMPY\x01\x00" + struct.pack("<H", 60_000) + b"(" * 60_000,
}


@pytest.mark.parametrize("lie", LIES)
def test_arrays_that_lie_are_refused_before_memory_is_asked_for(tmp_path: Path, lie: str) -> None:
    for name, data in {"a.npz": npz(succ=LIES[lie]), "a.npy": LIES[lie]}.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ValueError, match=r".+"):
            (reading.arrays if name == "a.npz" else reading.array)(tmp_path / name)
    with refused("cannot be read as a table"):
        mohs.Table.load(tmp_path / "a.npz")


def test_an_archive_that_expands_to_gigabytes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGEST_ARRAYS", 2**20)
    (tmp_path / "a.npz").write_bytes(npz(succ=npy((2**18,), data=bytes(2**21))))
    assert (tmp_path / "a.npz").stat().st_size < 2**13
    with refused("MOHS_LARGEST_ARRAYS"):
        mohs.Table.load(tmp_path / "a.npz")
    (tmp_path / "a.npz").write_bytes(npz(**{f"x{i}": b"" for i in range(2000)}))
    with refused("2,000 arrays"):
        mohs.Table.load(tmp_path / "a.npz")


@pytest.mark.parametrize("seed", range(20))
def test_a_garbled_table_is_one_sentence(tmp_path: Path, seed: int) -> None:
    mohs.table("toy/discrete").save(tmp_path / "whole.npz")
    whole, rng = bytearray((tmp_path / "whole.npz").read_bytes()), np.random.default_rng(seed)
    for place in rng.integers(len(whole), size=30):
        whole[place] = rng.integers(256)
    (tmp_path / "a.npz").write_bytes(whole)
    with refused():
        mohs.Table.load(tmp_path / "a.npz")


def png(width: int, height: int) -> bytes:
    """A picture that is black, and says to be large."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress(bytes(2**20))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    "data",
    [
        png(60_000, 60_000),
        png(10_000, 10_000),
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\nshowpage\n",
        b"\x89PNG",
    ],
    ids=["bomb", "large", "postscript", "cut"],
)
def test_images_that_are_bombs_or_programs_are_refused(tmp_path: Path, data: bytes) -> None:
    for number in range(8):
        (tmp_path / f"{number}.png").write_bytes(data)
    with refused("cannot be read as an image"):
        READERS["/"](tmp_path / "0.png")


def test_a_curve_that_expands_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    curve = np.zeros(2**12)
    assert np.array_equal(blobs.unpack_floats(blobs.pack_floats(curve)), curve)
    packed = blobs.pack_floats(curve)
    monkeypatch.setattr(blobs, "MOST_POINTS", 2**7)
    with pytest.raises(ValueError, match="more than"):
        blobs.unpack_floats(packed)
    with pytest.raises(ValueError, match="cut off"):
        blobs.unpack_floats(blobs.pack_floats(np.zeros(8))[:-2])


def test_such_a_curve_in_a_store_is_not_read(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/mohs.db"
    mohs.diagnose("random", dials=["delay"], seeds=1, budget=300, workers=0, progress="silent", store=store)
    with closing(sqlite3.connect(tmp_path / "mohs.db")) as db, db:
        db.execute("drop table mohs_seal")
        db.execute("update mohs_meta set value = '1' where name = 'schema'")
        db.execute('update mohs_curve set "values" = ?', (b"z" + zlib.compress(bytes(8 * blobs.MOST_POINTS + 8)),))
    assert mohs.load(store).empty
