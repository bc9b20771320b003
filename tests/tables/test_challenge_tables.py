"""The grid of the challenge, its list, and the tables that are kept."""

from __future__ import annotations

import dataclasses
import json
import math
import re

import numpy as np
import pytest

from mohs.core.errors import UsageError
from mohs.exact.lookahead import qvi
from mohs.exact.measures.distances import distances
from mohs.exact.values import solve
from mohs.tables.challenge import cache
from mohs.tables.challenge.build import LIMIT, build
from mohs.tables.challenge.building import build_all
from mohs.tables.challenge.catalogue import Status, catalogue, catalogue_entry, challenge
from mohs.tables.challenge.grid import INSTANCES, Kind, candidate, candidates

GYM_NAME = re.compile(r"^[\w:.-]+$")
BUDGET = 10_000_000
SMALLEST = [mdp.id for mdp in sorted(challenge(), key=lambda mdp: mdp.states)[:10]]


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "user_cache", lambda: tmp_path)
    cache.stored.cache_clear()
    yield tmp_path
    cache.stored.cache_clear()


def test_candidates_have_names_of_their_own_and_short_episodes():
    ids = [one.id for one in candidates()]
    assert len(set(ids)) == len(ids)
    assert all(GYM_NAME.match(id) for id in ids)
    assert all(one.horizon <= 100 for one in candidates())
    assert {one.kind for one in candidates()} == {Kind.PLANNING, Kind.GAME}


def test_an_unknown_id_names_the_nearest():
    with pytest.raises(UsageError, match="hanoi-6"):
        candidate("hanoi-66")
    with pytest.raises(UsageError, match="hanoi-6"):
        catalogue_entry("hanoi-66")


def test_the_list_has_every_candidate_in_order():
    assert [mdp.id for mdp in catalogue()] == [one.id for one in candidates()]


def test_enough_is_left_of_all_sources():
    left = challenge()
    assert len(left) >= 43
    assert sum(mdp.kind == Kind.GAME for mdp in left) >= 28
    assert sum(mdp.kind == Kind.PLANNING for mdp in left) >= 15
    assert {mdp.source for mdp in left} == {one.source for one in candidates()}


def test_the_grid_is_no_wider_than_it_must_be():
    """With one instance fewer, too little would have been left."""
    kept = [mdp for mdp in challenge() if _instance(mdp.id) < INSTANCES - 1]
    games = sum(mdp.kind == Kind.GAME for mdp in kept)
    assert INSTANCES == 1 or len(kept) < 43 or games < 28 or len(kept) - games < 15


def _instance(id):
    params = dict(candidate(id).params)
    return params.get("seed", params.get("number", 0))


@pytest.mark.parametrize("mdp", catalogue(), ids=lambda mdp: mdp.id)
def test_what_is_listed_holds_together(mdp):
    left = mdp.status == Status.CHALLENGE
    if left:
        assert mdp.states < LIMIT
        assert mdp.guess_steps >= BUDGET
        assert mdp.gorp_steps is None or mdp.gorp_steps > BUDGET
        assert mdp.checksum is not None
        assert mdp.kind == Kind.PLANNING or mdp.optimal_return == 1.0
    if mdp.p_opt:
        assert mdp.guess_steps == pytest.approx(mdp.horizon * math.log(2) / mdp.p_opt)
    if mdp.status == "guessed":
        assert mdp.guess_steps < BUDGET
    if mdp.status == "gorp":
        assert mdp.gorp_steps <= BUDGET
    if mdp.status == "no win":
        assert mdp.optimal_return is None or mdp.optimal_return < 1.0
    if mdp.effective_horizon is not None and mdp.gorp_steps is not None:
        charged = mdp.horizon**2 * mdp.actions**mdp.effective_horizon
        assert charged == pytest.approx(mdp.gorp_steps, rel=1e-4)
        assert mdp.effective_horizon >= mdp.effective_horizon_low - 1e-6


@pytest.mark.parametrize("id", SMALLEST)
def test_a_rebuilt_table_is_the_listed_one(id):
    """The same bits as where the list was made; closed, with the facts that were listed."""
    mdp, entry = build(candidate(id)), catalogue_entry(id)
    assert cache.checksum(*cache.packed(id, mdp), mdp.cells) == entry.checksum
    table = mdp.table
    assert table.states == entry.states
    assert table.succ.min() >= 0
    assert table.succ.max() < table.states
    assert np.all(distances(table)[~table.terminal] >= 0)
    assert solve.values(table, "best")[mdp.start] == pytest.approx(entry.optimal_return, abs=1e-5)
    assert solve.values(table, "mean")[mdp.start] == pytest.approx(entry.random_return, abs=1e-5)
    assert qvi.p_opt(table) == pytest.approx(entry.p_opt)
    live = mdp.cells[~table.terminal]
    assert len(np.unique(live, axis=0)) == len(live)  # what is seen tells the state


def test_what_is_kept_is_what_was_built(own_cache):
    mdp = build(candidate("hanoi-3"))
    cache.write("hanoi-3", mdp)
    found = cache.stored("hanoi-3")
    assert cache.is_sound(found)
    assert [path.name for path in cache.directory("hanoi-3").parent.iterdir()] == ["hanoi-3"]
    np.testing.assert_array_equal(found.cells, mdp.cells)
    table = found.table()
    for name in ("succ", "reward", "terminal", "initial"):
        np.testing.assert_array_equal(getattr(table, name), getattr(mdp.table, name))
    assert (table.horizon, table.actions, table.action_names) == (100, 3, mdp.table.action_names)
    assert (found.start, found.shape, found.codes) == (mdp.start, mdp.shape, mdp.codes)


def test_an_mdp_is_built_when_it_is_first_asked_for(own_cache, capsys):
    assert cache.stored("hanoi-4").states == 81
    assert "building hanoi-4" in capsys.readouterr().err
    cache.stored.cache_clear()
    cache.stored("hanoi-4")
    assert not capsys.readouterr().err


def test_a_table_that_was_written_twice_is_kept_once(own_cache):
    for _ in range(2):
        cache.make("hanoi-3")
    assert cache.is_sound(cache.stored("hanoi-3"))
    assert len(list(cache.directory("hanoi-3").parent.iterdir())) == 1


def test_a_damaged_table_is_found_out(own_cache):
    cache.make("hanoi-3")
    path = cache.directory("hanoi-3") / "entries.npy"
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)
    assert not cache.is_sound(cache.read("hanoi-3"))
    path.write_bytes(data[:-40])
    with pytest.raises(UsageError, match="remove it"):
        cache.read("hanoi-3")
    cache.make("hanoi-4")
    entries = np.load(cache.directory("hanoi-4") / "entries.npy")
    entries["next"][5] = 2**30
    np.save(cache.directory("hanoi-4") / "entries.npy", entries)
    with pytest.raises(UsageError, match="is inconsistent"):  # a kernel would read memory that is not its own
        cache.read("hanoi-4")
    facts = cache.directory("hanoi-3") / "facts.json"
    facts.write_text(json.dumps({"id": "hanoi-3"}))
    with pytest.raises(UsageError, match="remove it"):
        cache.read("hanoi-3")


def test_a_table_is_read_under_its_own_name_only(own_cache):
    cache.make("hanoi-4")
    cache.directory("hanoi-4").rename(cache.directory("hanoi-3"))
    with pytest.raises(UsageError, match="remove it"):
        cache.read("hanoi-3")


def test_a_table_by_other_rules_is_built_anew(own_cache):
    cache.make("hanoi-3")
    facts = cache.directory("hanoi-3") / "facts.json"
    facts.write_text(facts.read_text().replace(catalogue_entry("hanoi-3").checksum, "of other rules"))
    assert not cache.is_stored("hanoi-3")
    assert cache.stored("hanoi-3").checksum == catalogue_entry("hanoi-3").checksum


def test_what_is_left_of_a_table_is_built_over(own_cache):
    cache.make("hanoi-3")
    (cache.directory("hanoi-3") / "facts.json").unlink()
    assert cache.stored("hanoi-3").states == 27


def test_a_place_that_cannot_be_written_is_said_in_a_sentence(own_cache):
    (own_cache / "challenge").write_text("in the way")
    with pytest.raises(UsageError, match="cannot be written"):
        cache.make("hanoi-3")


def test_workers_build_what_is_missing_and_tell(own_cache, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(own_cache))
    monkeypatch.setattr(cache, "user_cache", lambda: own_cache / "mohs")
    cache.make("hanoi-3")
    events = list(build_all(["hanoi-3", "hanoi-4", "hanoi-5"], 1))
    assert [event.id for event in events if event.done] == ["hanoi-4", "hanoi-5"]
    assert events[-1].count == 243
    assert all(event.memory > 10**6 for event in events)
    assert cache.is_stored("hanoi-5")
    assert list(build_all(["hanoi-3", "hanoi-4", "hanoi-5"], 1)) == []


def test_checksums_depend_on_every_part():
    mdp = build(candidate("hanoi-3"))
    facts, entries = cache.packed("hanoi-3", mdp)
    sums = {cache.checksum(facts, entries, mdp.cells)}
    sums.add(cache.checksum(dataclasses.replace(facts, horizon=99), entries, mdp.cells))
    changed = mdp.cells.copy()
    changed[0, 0] += 1
    sums.add(cache.checksum(facts, entries, changed))
    entries["reward"][0] += 1
    sums.add(cache.checksum(facts, entries, mdp.cells))
    assert len(sums) == 4
