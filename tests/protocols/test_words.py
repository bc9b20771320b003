"""Words of the command line become data."""

from __future__ import annotations

import pytest

from mohs import UsageError
from mohs.protocols.words import doses, names, pairs, read_value, settings


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(1,2)", [1, 2]), ("(64, 64)", [64, 64]), ("(64,)", [64]), ("((8, 4), (16, 3))", [(8, 4), (16, 3)]),
        ("(1, None)", [1, None]), ("[1, 2]", [1, 2]), ("(1", "(1"), ("(a, b)", "(a, b)"), ("(1)", "(1)"),
        ("yes", True), ("4x4", "4x4"),
    ],
)  # fmt: skip
def test_values_are_read_as_json_or_as_python_writes_them(text, value):
    assert read_value(text) == value


def test_names_pairs_settings_and_doses():
    assert names("delay, reward_noise,") == ["delay", "reward_noise"]
    assert pairs("a:b,c:d") == [("a", "b"), ("c", "d")]
    assert settings("--set", ["gamma=0.9", "hidden=(64, 64)"]) == {"gamma": 0.9, "hidden": [64, 64]}
    assert doses(["delay=0,4", 'image_transforms=["shift,flip", ""]']) == {
        "delay": (0, 4),
        "image_transforms": ("shift,flip", ""),
    }


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda: pairs("a"), "--pairs is 'a', but must be two dials as a:b"),
        (lambda: settings("--set", ["gamma"]), "--set is 'gamma', but must be name=value"),
        (lambda: settings("--set", ["g=1", "g=2"]), "--set sets g twice"),
        (lambda: doses(["=3"]), "--doses is '=3', but must be name=v1,v2"),
    ],
)
def test_words_that_say_nothing(read, message):
    with pytest.raises(UsageError, match=message):
        read()
