"""What people type to see, build and verify the MDPs of the challenge."""

from __future__ import annotations

import json

import pytest

from mohs.cli import main
from mohs.tables.challenge import cache
from mohs.tables.challenge.catalogue import catalogue, catalogue_entry, challenge


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # for the processes that build
    monkeypatch.setattr(cache, "user_cache", lambda: tmp_path / "mohs")
    cache.stored.cache_clear()
    yield tmp_path
    cache.stored.cache_clear()


def run(*words):
    with pytest.raises(SystemExit) as ended:
        main(("challenge", *words))
    return ended.value.code


def test_the_list_names_every_mdp(place, capsys):
    assert run("list") == 0
    shown = capsys.readouterr().out
    assert all(mdp.id in shown for mdp in challenge())
    assert run("list", "--all", "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert [mdp["id"] for mdp in data] == [mdp.id for mdp in catalogue()]
    assert not any(mdp["built"] for mdp in data)


def test_tables_are_built_once_and_verified(place, capsys):
    assert run("verify", "hanoi-3") == 0
    assert "not built" in capsys.readouterr().out
    assert run("build", "hanoi-3", "hanoi-4", "--workers", "1") == 0
    shown = capsys.readouterr()
    assert "hanoi-4: 81 states" in shown.err
    assert "2 of them new" in shown.out
    assert run("build", "hanoi-3", "hanoi-4") == 0
    assert "0 of them new" in capsys.readouterr().out
    assert run("verify", "hanoi-3", "hanoi-4", "--rebuild", "--json") == 0
    assert json.loads(capsys.readouterr().out) == dict.fromkeys(["hanoi-3", "hanoi-4"], "same, rebuilt: same")


def test_a_table_that_differs_is_found_out(place, capsys):
    cache.make("hanoi-3")
    path = cache.directory("hanoi-3") / "cells.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"\x07")
    assert run("verify", "hanoi-3") == 1
    assert "differs" in capsys.readouterr().out


def test_an_mdp_is_shown_with_its_start(place, capsys):
    assert run("show", "sokoban-1", "--out", "start.png") == 0
    shown = capsys.readouterr().out
    assert "#@. $ #" in shown
    assert f"{catalogue_entry('sokoban-1').states:,}" in shown
    assert (place / "start.png").stat().st_size > 1000
    assert run("show", "sokoban-1", "--json") == 0
    assert json.loads(capsys.readouterr().out)["source"] == "sokoban"


def test_the_card_of_an_mdp_is_that_of_its_table(place, capsys):
    assert run("card", "hanoi-3", "--json", "--runs", "10") == 0
    card = json.loads(capsys.readouterr().out)
    assert (card["states"], card["optimal_return"]) == (27, 1.0)
    assert card["p_opt"] == pytest.approx(catalogue_entry("hanoi-3").p_opt)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "hanoi-33"), "hanoi-3"),
        (("build", "hanoi-3", "--workers", "0"), "workers"),
        (("build", "--smallest", "0"), "smallest"),
        (("verify", "nothing"), "unknown MDP"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(place, capsys, words, said):
    assert run(*words) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1
