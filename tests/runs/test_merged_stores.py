"""Shards of a study, merged, are the study; a cell with two results is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from fake_learner import FACTORY, cell, plan
from hypothesis import given
from hypothesis import strategies as st

from mohs.cli import main
from mohs.core.errors import StoreError, UsageError
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.export import export_csv
from mohs.runs.status import status
from mohs.runs.store import CellStatus, Store, merge, open_store


def mohs(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(words)
    return int(ended.value.code or 0)


def export(store: Store, path: Path) -> bytes:
    export_csv(store, path)
    return path.read_bytes()


@given(st.integers(1, 50), st.integers(0, 2**128 - 1))
def test_every_cell_is_in_one_shard(shards: int, number: int) -> None:
    key = f"{number:032x}"
    assert sum(Execution(shard=f"{i + 1}/{shards}").has(key) for i in range(shards)) == 1


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "a/b", "1/0", "1/2/3", "-1/2"])
def test_what_is_no_shard_is_refused(shard: str) -> None:
    with pytest.raises(UsageError, match="shard is"):
        Execution(shard=shard).check()


def test_shards_have_files_of_their_own() -> None:
    with pytest.raises(UsageError, match="by --enqueue and mohs work"):
        Execution("postgresql://localhost/mohs", shard="1/2").check()


def test_shards_that_are_merged_have_the_bytes_of_one_run(tmp_path: Path) -> None:
    made, urls = plan(5, 2, bad_seed=3), []
    for i in (1, 2, 3):
        settings = Execution(f"sqlite:///{tmp_path}/all.db", workers=0, progress="silent", shard=f"{i}/3")
        urls.append(settings.url)
        with open_store(settings.url) as store:
            summary = execute(made, store, settings, factory=FACTORY)
            assert summary.done + summary.failed == summary.cells < len(made.cells)
    with open_store(f"sqlite:///{tmp_path}/one.db") as one:
        execute(made, one, Execution(workers=0, progress="silent"), factory=FACTORY)
        whole, counted = export(one, tmp_path / "one.csv"), status(one)[0]
    out = f"sqlite:///{tmp_path}/merged.db"
    for _ in range(2):  # again changes nothing
        found = merge(out, urls)
        assert (found.studies, found.damaged) == (1, 0)
        assert found.cells == {CellStatus.DONE: 8, CellStatus.FAILED: 2, CellStatus.PENDING: 0}
    with open_store(out) as merged:
        assert export(merged, tmp_path / "merged.csv") == whole
        (study,) = status(merged)
        assert (study.done, study.failed, study.places) == (counted.done, counted.failed, counted.places)
        assert len(study.places) == 1
        assert not merged.damaged(c.key for c in made.cells)
        again = execute(made, merged, Execution(workers=0, progress="silent"), factory=FACTORY, retry_failed=False)
        assert (again.steps, again.done, again.failed) == (0, 8, 2)


def test_what_is_further_wins(tmp_path: Path) -> None:
    made = plan(4, 1)
    keys = [c.key for c in made.cells]
    curves = {"eval/return": (np.array([0, 100]), np.array([np.nan, 0.1]))}
    urls = [f"sqlite:///{tmp_path}/{name}.db" for name in "ab"]
    with open_store(urls[0]) as a, open_store(urls[1]) as b:
        for store in (a, b):
            store.add(made)
        a.write(
            done={keys[0]: curves}, failed={keys[1]: "why"}, checkpoints={keys[2]: (50, b"50"), keys[3]: (10, b"10")}
        )
        b.write(done={keys[0]: curves, keys[1]: curves}, checkpoints={keys[2]: (20, b"20"), keys[3]: (30, b"30")})
    out = f"sqlite:///{tmp_path}/out.db"
    for order in (urls, urls[::-1]):
        (tmp_path / "out.db").unlink(missing_ok=True)
        assert merge(out, order).cells == {CellStatus.DONE: 2, CellStatus.FAILED: 0, CellStatus.PENDING: 2}
        with open_store(out) as merged:
            assert merged.checkpoints(keys) == {keys[2]: b"50", keys[3]: b"30"}
            assert not merged.damaged(keys)


def test_two_results_of_one_cell_are_refused(tmp_path: Path) -> None:
    made, urls = plan(1, 1), []
    for i in range(2):
        urls.append(f"sqlite:///{tmp_path}/{i}.db")
        with open_store(urls[-1]) as store:
            store.add(made)
            store.write(done={made.cells[0].key: {"eval/return": (np.array([100]), np.array([float(i)]))}})
    with pytest.raises(StoreError, match=f"the cell {made.cells[0].key} has other results in .*1.db than in"):
        merge(f"sqlite:///{tmp_path}/out.db", urls)
    with pytest.raises(StoreError, match="into itself"):
        merge(urls[0], urls[:1])


def test_places_stand_beside_results_and_say_where_they_differ(tmp_path: Path) -> None:
    from dataclasses import replace

    from mohs.runs.places import differences, this_place

    here = this_place()
    one, two = cell(0).key, cell(1).key
    with open_store(f"sqlite:///{tmp_path}/a.db") as store:
        made = plan(2, 1)
        store.add(made)
        before = export(store, tmp_path / "a")
        store.write(ran={one: [here], two: [here, replace(here, cpu="8086", packages=(("torch", "1.0"),))]})
        assert store.places([one, two])[two][1].cpu == "8086"
        assert export(store, tmp_path / "a") == before
        said = status(store)[0].to_json()["places_differ"]
        assert said == differences(store.places_of(made.key))
        assert any("2 types of processor" in text for text in said)
        assert any("versions of torch" in text for text in said)


STUDY = [
    "diagnose",
    "q_learning",
    "--dials",
    "delay",
    "--seeds",
    "2",
    "--budget",
    "300",
    "--keep-going",
    "--workers",
    "0",
]


def test_the_report_on_merged_shards_is_that_of_one_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert mohs(*STUDY, "--out", "whole", "--store", "sqlite:///whole.db", "--json") == 0
    capsys.readouterr()
    for i in ("1/2", "2/2"):
        assert mohs(*STUDY, "--shard", i) == 0
        shown = capsys.readouterr()
        assert not shown.out
        assert f"cells of the shard {i} are in sqlite:///mohs.shard-" in shown.err
    assert mohs("merge", "mohs.db", "mohs.shard-1-of-2.db", "mohs.shard-2-of-2.db", "--json") == 0
    assert json.loads(capsys.readouterr().out)["cells"]["pending"] == 0
    assert mohs("report", "--out", "merged") == 0
    for name in ("verdict.json", "frame.csv"):
        assert (tmp_path / "merged" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
