"""Levels are read as the usual text format says, and what is none is refused with its line."""

from __future__ import annotations

import pytest

from mohs import UsageError
from mohs.tables.puzzles.levels import parse, read, shipped

SMALL = "#####\n#@$.#\n#####"


def test_a_file_of_several_levels(tmp_path):
    path = tmp_path / "levels.txt"
    path.write_text(
        f"; a collection\n\n; First\n{SMALL}\n; Second\n####\n#.-##\n#_*@#\n#$  #\n#   #\n#####\n\n\n{SMALL}\n"
    )
    first, second, third = read(path)
    assert [level.title for level in (first, second, third)] == ["First", "Second", ""]
    assert [level.line for level in (first, second, third)] == [4, 8, 16]
    assert first.rows == third.rows == ("#####", "#@$.#", "#####")
    assert second.rows == ("#### ", "#. ##", "# *@#", "#$  #", "#   #", "#####")
    assert second.players == [(2, 3)]
    assert second.boxes == [(2, 2), (3, 1)]
    assert second.goals == [(1, 1), (2, 2)]
    assert len(second.floor) == 11


def test_the_player_may_stand_on_a_goal():
    (level,) = parse("#####\n#+$ #\n#####")
    assert level.players == level.goals == [(1, 1)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no level"),
        ("; only a title\n\n", "there is no level"),
        ("#####\n# $.#\n#####", "the level in line 1 has no players"),
        ("; Pair\n#####\n#@$.#\n#@  #\n#####", "the level 'Pair' has 2 players"),
        ("#####\n#@$ #\n#####", "has 1 boxes and 0 goals"),
        ("#####\n#@* #\n#####", "has no box that is not on a goal yet"),
        ("#####\n#@  #\n#####", "has no box"),
        ("\n\n#####\n#@$. \n#####", "the level in line 3 is open: the player can leave the board in line 4"),
        ("## ##\n#@$.#\n# ###\n###", "is open: the player can leave the board in line 1"),
        ("#######\n#@ #$.#\n#######", "a box or a goal behind walls in line 2"),
        ("#####\n#@$.#\n#ab #\n#####", "line 3 has 'a', but levels are made of"),
        ("#####\n#@$.#\n#\t  #\n#####", r"line 3 has '\\t'"),
    ],
)
def test_levels_that_are_none(text, message):
    with pytest.raises(UsageError, match=message):
        parse(text)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        read(tmp_path / "none.txt")


def test_levels_grow():
    levels = shipped()
    assert len(levels) >= 12
    boxes = [len(level.boxes) for level in levels]
    assert boxes == sorted(boxes)
    assert set(boxes) == {2, 3, 4, 5}
    assert len({level.title for level in levels}) == len({level.rows for level in levels}) == len(levels)
