"""Is a verdict the same from a table as from the runs, and do shipped tables hold what they say?"""

from __future__ import annotations

import itertools
import json
from collections import Counter

import numpy as np
import pytest
from planted_families import cartpoles, results

from mohs.core.cell import Agent
from mohs.core.errors import UsageError
from mohs.protocols.family.ranks import FamilyRanks, family_ranks
from mohs.protocols.family.study import FamilyStudy
from mohs.protocols.family.tables import read_table
from mohs.protocols.family.verdict import verdict


def test_a_table_gives_the_same_verdict(tmp_path) -> None:
    study = FamilyStudy.make((Agent.make("dqn"), Agent.make("ppo")), cartpoles(), "carts", steps=1000, budget=32)
    found = verdict(study, results(study, lambda m, p, s: 100.0 + 50 * (m == "ppo") + len(p.name) + s))
    found.save_table(tmp_path / "models.parquet")
    again = read_table(tmp_path / "models.parquet")
    assert again.sentences == found.sentences
    assert again.study.to_json() == study.to_json()


def test_the_shipped_cartpoles_are_complete() -> None:
    found = read_table("cartpole")
    assert len(found.used) == len(found.study.members) == 576
    assert found.missing == 0
    assert set(found.study.labels) >= {"ppo", "dqn", "ars", "cem"}
    ppo = next(r for r in found.results if r.name == "ppo")
    assert ppo.default.value == pytest.approx(1.0, abs=0.05)  # solved at the default point,
    assert ppo.overall.value < 0.8  # and far from it over the family: the paper's observation


@pytest.mark.parametrize(("name", "said"), [("cartpol", "cartpole"), ("nowhere.parquet", "there is no")])
def test_unknown_tables_are_refused(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_table(name)


def table_of(methods: tuple[str, ...], seed: int, lengths: int):
    study = FamilyStudy.make(tuple(map(Agent.make, methods)), cartpoles(lengths, 3), f"carts {seed}", steps=1000)
    rng = np.random.default_rng(seed)
    return verdict(study, results(study, lambda m, p, s: float(rng.uniform(50, 450))))


def test_ranks_over_families_are_those_of_all_combinations() -> None:
    both = [table_of(("dqn", "ppo", "a2c"), 0, 6), table_of(("ppo", "a2c", "trpo"), 1, 7)]
    found = family_ranks(both)
    assert found.names == ("ppo", "a2c")
    scores = [[v.scores[v.study.labels.index(name)] for name in found.names] for v in both]
    first = Counter(
        a[0][i] + b[0][j] > a[1][i] + b[1][j]
        for a, b in [scores]
        for i, j in itertools.product(range(len(a[0])), range(len(b[0])))
    )
    assert found.combinations == first.total() == 18 * 21
    assert found.shares[0, 0] == pytest.approx(first[True] / first.total())
    assert json.loads(json.dumps(found.to_json()))["combinations"] == 378
    assert found.page().figures.keys() == {"ranks"}
    assert len(found.frame()) == 4


def test_ranks_need_common_methods_and_normalised_scores() -> None:
    with pytest.raises(UsageError, match="two methods"):
        family_ranks([table_of(("dqn", "ppo"), 0, 6), table_of(("a2c", "ppo"), 1, 6)])
    with pytest.raises(UsageError, match="swimmer has raw returns"):
        family_ranks([read_table("swimmer"), read_table("swimmer")])


@pytest.mark.parametrize(("low", "said"), [(0.95, "One method leads"), (0.35, "ppo ranks first in")])
def test_one_method_leads_only_where_that_is_sure(low: float, said: str) -> None:
    shares, lows, highs = np.array([[0.96, 0.04], [0.04, 0.96]]), np.array([[low, 0.0]] * 2), np.ones((2, 2))
    lows[1] = 0.0
    found = FamilyRanks(("a", "b"), (5, 5), ("ppo", "cem"), shares, lows, highs)
    (text,) = found.sentences
    assert text.startswith(said)
    assert "of the 25 combinations" in text
