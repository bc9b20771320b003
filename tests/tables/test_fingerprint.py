"""A digest is the same for the same state, and another one for any other."""

from __future__ import annotations

import copy
import functools
import random
import threading
import types
from collections import deque
from enum import IntEnum

import numpy as np
import pytest
from gymnasium.utils import EzPickle
from hypothesis import given
from hypothesis import strategies as st

from mohs.tables.gymnasium.fingerprint import positions, read, stir

ATOMS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
DATA = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
        | st.frozensets(st.integers(0, 5), max_size=3)
    ),
    max_leaves=8,
)


class Colour(IntEnum):
    RED = 0
    BLUE = 1


class Slotted:
    __slots__ = ("colour",)

    def __init__(self):
        self.colour = Colour.RED


class Keyed(EzPickle):
    """Pickles the arguments of its constructor alone."""

    def __init__(self, size):
        EzPickle.__init__(self, size)
        self.moves = 0


def add(amount):
    """A function that encloses state."""
    box = [amount]
    return lambda x: x + box[0]


class World:
    """State in every form that is read."""

    def __init__(self):
        self.number, self.text, self.nothing = 3, "a", None
        self.cells = [[0, 1], [2, 3]]
        self.place = (1, np.int64(2))
        self.bag = {"key", "lamp"}
        self.names = {"x": 1, "y": 2}
        self.grid = np.zeros((2, 3))
        self.row = self.grid[0]
        self.mixed = np.array([1, "a", None], dtype=object)
        self.slotted = Slotted()
        self.keyed = Keyed(3)
        self.last = deque([1, 2], maxlen=2)
        self.rule = add(1)
        self.later = functools.partial(max, 1)
        self.method = self.turn
        self.one = self.other = [0]
        self.raw = bytearray(b"a")
        self.me = self
        self.random = np.random.default_rng(0)
        self.dice = random.Random(0)

    def turn(self):
        return None


def change(world, how):
    exec(how, {"world": world, "np": np, "add": add, "Colour": Colour, "deque": deque, "max": max})


def test_the_same_state_has_the_same_digest():
    world = World()
    assert not read(world).hidden
    assert read(world).digest == read(world).digest == read(World()).digest


@pytest.mark.parametrize(
    "how",
    [
        "world.number = 4",
        "world.number = 3.0",
        "world.text = 'b'",
        "world.nothing = 0",
        "world.new = None",
        "del world.nothing",
        "world.cells[1][0] = 9",
        "world.cells = ((0, 1), (2, 3))",
        "world.place = (1, np.int64(3))",
        "world.bag.remove('key')",
        "world.bag = frozenset(world.bag)",
        "world.names['x'] = 2",
        "world.names = {'y': 2, 'x': 1}",
        "world.grid[1, 1] = 1",
        "world.grid = world.grid.reshape(3, 2)",
        "world.grid = world.grid.copy()",  # no longer changes with its row
        "world.row = world.grid[1]",
        "world.mixed[1] = 'b'",
        "world.slotted.colour = Colour.BLUE",
        "world.keyed.moves = 1",
        "world.last.append(3)",
        "world.last = deque([1, 2])",
        "world.rule = add(2)",
        "world.rule.__closure__[0].cell_contents[0] = 2",
        "world.rule = max",
        "world.later = None",
        "world.method = world.__init__",
        "world.other = [0]",  # no longer one and the same
        "world.raw[0] = 0",
        "world.me = None",
    ],
)
def test_another_state_has_another_digest(how):
    world = World()
    before = read(world)
    change(world, how)
    assert read(world).digest != before.digest
    assert not read(world).hidden


@given(DATA, DATA)
def test_digests_of_data_are_the_same_if_the_data_are(one, other):
    assert (read(one).digest == read(other).digest) == (repr(one) == repr(other))
    assert read(copy.deepcopy(one)).digest == read(one).digest


def test_sets_have_no_order():
    one, other = {8, 0}, {0, 8}
    assert list(one) != list(other)
    assert read(one).digest == read(other).digest


def test_a_pickled_copy_that_forgets_is_told():
    world = Keyed(3)
    world.moves = 1
    assert read(copy.deepcopy(world)).digest != read(world).digest


def test_random_generators_are_no_state():
    world = World()
    before = read(world)
    assert len(before.generators) == 2
    at = positions(before.generators)
    world.random.random()
    assert read(world).digest == before.digest
    assert positions(before.generators) != at
    for generator in (np.random.default_rng(0), np.random.RandomState(0), random.Random(0), np.random.PCG64(0)):
        at = positions([generator])
        stir([generator], 1)
        moved = positions([generator])
        stir([generator], 1)
        assert at != moved == positions([generator])


def test_attributes_can_be_left_out():
    one, other = World(), World()
    other.text = "b"
    assert (
        read(one, lambda _, name, __: name != "text").digest == read(other, lambda _, name, __: name != "text").digest
    )


@pytest.mark.parametrize(
    "hidden",
    [threading.Lock(), iter([1, 2]), (i for i in range(2)), memoryview(b"a")],
    ids=["lock", "iterator", "generator", "view"],
)
def test_what_compiled_code_keeps_is_hidden(hidden):
    reading = read(types.SimpleNamespace(deep=[hidden], bag={1}))
    assert len(reading.hidden) == 1
    assert reading.hidden[0].startswith(".deep[0]: ")


def test_a_class_derived_from_a_compiled_one_is_hidden():
    class Held(BaseException):
        pass

    assert read(Held("state")).hidden


def test_what_is_nested_too_deeply_is_hidden():
    chain = []
    for _ in range(100_000):
        chain = [chain]
    assert "nested" in read(chain).hidden[0]
    while chain:  # taken apart, because Python would recurse to free it
        chain = chain.pop()
