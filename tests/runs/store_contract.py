"""What every store must do. A subclass gives the fixture `url` of a store that does not exist yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from fake_learner import cell, plan

from mohs.core.cell import Agent, Cell
from mohs.core.errors import StoreError, UsageError
from mohs.runs.plan import Plan, Track
from mohs.runs.status import failures, find, status
from mohs.runs.store import CellStatus, MissingStoreError, Store, check_store, left_to_run, open_store

PENDING, DONE, FAILED = CellStatus
CURVES = {
    "train/return": (np.array([10, 2**40]), np.array([5e-324, np.nan])),
    "eval/return": (np.array([5]), np.array([-np.inf])),
    "eval/length": (np.array([5]), np.array([-0.0])),
    "empty": (np.array([], dtype=np.int64), np.array([])),
}


class StoreContract:
    @pytest.fixture
    def store(self, url: str) -> Iterator[Store]:
        with open_store(url) as opened:
            yield opened

    def test_a_store_that_does_not_exist_is_created_only_where_asked(self, url: str) -> None:
        made = plan(2, 1)
        for _ in range(2):
            with pytest.raises(MissingStoreError):
                open_store(url, create=False)
            assert left_to_run(made, url) == list(made.cells)
        with open_store(url) as store:
            store.add(made)
            store.write(done={made.cells[0].key: CURVES})
        with open_store(url, create=False) as store:
            assert store.runs(made.key) == list(made.runs)
        assert left_to_run(made, url) == [made.cells[1]]

    def test_a_study_comes_back(self, store: Store) -> None:
        made = plan(3, 2)
        store.add(made)
        store.add(made)
        (study,) = store.studies()
        assert (study.key, study.name, study.protocol, study.options) == (made.key, "test", "none", made.options)
        assert study.agents == ("fake",)
        assert store.study(made.key) == study
        assert store.runs(made.key) == list(made.runs)
        assert [Cell.from_json(record.json) for record in store.cells(made.key)] == list(made.cells)
        assert set(store.statuses(made.runs).values()) == {PENDING}
        assert store.statuses(["unknown"]) == {}
        with pytest.raises(UsageError, match="unknown study 'none'"):
            store.study("none")

    def test_a_label_makes_another_study_of_the_same_cells(self, store: Store) -> None:
        plain = plan(2, 1)
        labelled = plain.labelled("mine")
        assert (labelled.runs, labelled.key != plain.key) == (plain.runs, True)
        assert plain.labelled("").key == plain.key
        store.add(plain)
        store.write(done={plain.cells[0].key: CURVES})
        store.add(labelled)
        assert [study.label for study in store.studies()] == ["", "mine"]
        assert [(s.cells, s.done) for s in status(store)] == [(2, 1), (2, 1)]
        assert find(store, "mine").key == labelled.key
        assert [record.key for record in store.cells(plain.key, 1)] == [plain.runs[0]]

    def test_status_tells_what_was_run(self, store: Store) -> None:
        tracks = (Track("a", "vanilla"), Track("a", "delay 3"))
        cells = tuple(cell(seed, delay=delay) for seed in range(3) for delay in (0, 3))
        store.add(Plan("tracks", "none", {}, cells, tracks))
        (found,) = status(store)
        assert (found.about.envs, found.about.seeds) == (("toy/discrete",), 3)
        assert (found.about.budget, found.about.versions) == ((cells[0].steps,), ())

    def test_a_cell_that_several_tracks_share_is_stored_once(self, store: Store) -> None:
        shared, other = cell(0), cell(0, delay=3)
        tracks = (Track("a", "vanilla"), Track("a", "delay 3"), Track("a", "noise 0"))
        made = Plan("tracks", "none", {}, (shared, other, shared), tracks)
        store.add(made)
        assert store.study(made.key).tracks == tracks
        assert store.runs(made.key) == [shared.key, other.key, shared.key]
        assert len(store.cells()) == 2
        store.write(failed={shared.key: "ValueError: no"})
        assert [record.key for record in store.failures(made.key)] == [shared.key]
        assert store.counts(made.key).cells == {PENDING: 1, DONE: 0, FAILED: 1}

    def test_studies_share_cells(self, store: Store) -> None:
        small, large = plan(2, 1), plan(4, 1)
        store.add(small)
        store.write(done={small.cells[0].key: CURVES})
        store.add(large)
        assert [record.key for record in store.cells()] == sorted(c.key for c in large.cells)
        assert [(s.cells, s.done, s.steps_done) for s in status(store)] == [(2, 1, 200), (4, 1, 200)]
        assert [s.key for s in store.studies()] == [small.key, large.key]

    def test_a_checkpoint_replaces_the_one_before(self, store: Store) -> None:
        made = plan(2, 1)
        store.add(made)
        first, second = made.runs
        store.write(checkpoints={first: (10, b"one"), second: (10, b"two")})
        store.write(checkpoints={first: (20, b"three")})
        assert store.checkpoint_steps([first, second, "unknown"]) == {first: 20, second: 10}
        assert store.checkpoints([first]) == {first: b"three"}
        assert store.counts(made.key).saved == 30

    def test_a_cell_that_is_over_has_no_checkpoint(self, store: Store) -> None:
        made = plan(2, 1)
        store.add(made)
        first, second = made.runs
        store.write(checkpoints={first: (10, b"one"), second: (10, b"two")})
        store.write(done={first: CURVES}, failed={second: "Traceback\nValueError: no"})
        assert store.checkpoints([first, second]) == {}
        assert store.statuses([first, second]) == {first: DONE, second: FAILED}
        assert [(r.status, r.error) for r in store.cells(made.key)] == [
            (DONE, ""),
            (FAILED, "Traceback\nValueError: no"),
        ]

    def test_curves_come_back_bit_for_bit_in_the_order_of_the_keys(self, store: Store) -> None:
        made = plan(600, 1)
        store.add(made)
        store.write(done=dict.fromkeys(made.runs[:-1], CURVES))
        backwards = made.runs[::-1]
        found = dict(store.results(backwards))
        assert list(found) == list(backwards[1:])
        curves = found[made.runs[0]]
        assert list(curves) == sorted(CURVES)
        for metric, (steps, values) in CURVES.items():
            assert curves[metric][0].tolist() == steps.tolist()
            assert curves[metric][1].tobytes() == values.tobytes()

    def test_failed_cells_are_listed_and_can_be_retried(self, store: Store) -> None:
        made = plan(3, 1)
        store.add(made)
        store.write(failed=dict.fromkeys(made.runs[1:], "Traceback\nValueError: no"))
        assert [record.key for record in store.failures(made.key)] == list(made.runs[1:])
        (failure,) = failures(store, made.key, limit=1)
        assert (failure.cell, failure.agent, failure.reason) == (made.runs[1], "fake", "ValueError: no")
        store.retry(made.runs[1:])
        assert store.failures(made.key) == []
        assert set(store.statuses(made.runs).values()) == {PENDING}

    def test_any_text_can_be_the_reason_of_a_failure(self, store: Store) -> None:
        made = plan(1, 1)
        store.add(made)
        store.write(failed={made.runs[0]: "Error: \0 \udcff é"})
        assert store.failures(made.key)[0].error == "Error: \N{REPLACEMENT CHARACTER} ? é"
        assert store.damaged(made.runs) == []

    def test_a_study_is_found_by_its_name_or_the_beginning_of_its_key(self, store: Store) -> None:
        made = plan(1, 1)
        store.add(made)
        assert find(store, "test").key == find(store, made.key[:6]).key == made.key
        with pytest.raises(UsageError, match="Did you mean 'test'"):
            find(store, "tset")
        for nothing in ("", made.key[:3]):
            with pytest.raises(UsageError, match="unknown study"):
                find(store, nothing)

    def test_a_study_is_found_by_its_agent_the_first_one_before_the_others(self, store: Store) -> None:
        alone = Plan("fake lr=1", "none", {}, (cell(0),))
        second = replace(cell(1), agent=Agent.make("other"))
        baseline = Cell(Agent.make("random"), 1, (replace(cell(1).segments[0], steps=0),))
        both = Plan("both quick", "none", {"name": "both"}, (baseline, second, cell(1)))
        for made in (alone, both):
            store.add(made)
        assert find(store, "fake").key == alone.key
        assert find(store, "other").key == find(store, "both").key == both.key
        assert store.study(both.key).agents == ("other", "fake")

    def test_a_beginning_that_several_keys_share_is_refused(self, store: Store, monkeypatch) -> None:
        made = [plan(seeds, 1) for seeds in (1, 2)]
        for each in made:
            store.add(each)
        listed = [replace(s, key=f"abcd{s.key}", name=f"n{i}") for i, s in enumerate(store.studies())]
        monkeypatch.setattr(store, "studies", lambda: listed)
        with pytest.raises(UsageError, match=r"several studies begin with 'abcd': abcd\w{8} \(n1\), abcd\w{8} \(n0\)"):
            find(store, "abcd")
        assert find(store, listed[0].key[:30]) == listed[0]

    def test_a_check_creates_nothing(self, url: str) -> None:
        check_store(url)
        with pytest.raises(MissingStoreError):
            open_store(url, create=False)
        with open_store(url) as store:
            store.add(plan(1, 1))
        check_store(url)

    def test_a_transaction_that_breaks_leaves_nothing(self, store: Store) -> None:
        made = plan(2, 1)
        store.add(made)
        first, second = made.runs
        store.write(checkpoints={first: (10, b"one")})
        with pytest.raises(TypeError):
            store.write(done={first: CURVES, second: {"train/return": None}})  # type: ignore[dict-item]
        assert dict(store.results(made.runs)) == {}
        assert store.statuses(made.runs) == {first: PENDING, second: PENDING}
        assert store.checkpoints(made.runs) == {first: b"one"}

    def test_one_run_writes_at_a_time_while_others_read(self, store: Store, url: str) -> None:
        store.add(plan(1, 1))
        with open_store(url) as other:
            with store.sole_writer():
                assert len(other.studies()) == 1
                with pytest.raises(StoreError, match="in use by another run"), other.sole_writer():
                    pass
            with other.sole_writer():  # it is free again
                pass
