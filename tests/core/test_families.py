"""Is a family data: sampled, marked, weighted, written to a file and read again?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mohs
from mohs import Family, Point, Range, Task, UsageError
from mohs.core.data_files import shipped
from mohs.core.family_files import SHIPPED, describe
from mohs.core.ranges import axis
from mohs.core.registry import environments

# The environment of Gymnasium with the same axes, for those that have one.
TWINS = {
    "control/cartpole": "CartPole-v1",
    "control/pendulum": "Pendulum-v1",
    "control/mountain_car_continuous": "MountainCarContinuous-v0",
}
SIZES = {
    "cartpole": 576, "half_cheetah": 120, "mountain_car": 100, "pendulum": 180, "pendulum_points": 5, "quad": 5,
    "salt_lake": 164, "swimmer": 5,
}  # fmt: skip
POINTS = [name for name, size in SIZES.items() if size == 5]


def engine(name: str) -> str | None:
    """The file's own environment, where it is registered, or else its twin."""
    env = describe(name).env
    known = {entry.id for entry in environments()}
    return None if env in known or not env.startswith("control/") else TWINS.get(env)


def test_the_shipped_families_have_the_sizes_of_the_paper() -> None:
    assert {name: len(describe(name).rows) for name in shipped(SHIPPED)} == SIZES


@pytest.mark.parametrize("name", SIZES)
def test_a_shipped_family_reads_as_it_is_described(name: str, tmp_path: Path) -> None:
    file = describe(name)
    assert "Jayawardana" in file.source
    if file.env == "control/quad" and file.env not in {entry.id for entry in environments()}:
        pytest.skip("needs the engine of the quadcopter")
    family = mohs.read_family(name, engine(name))
    assert len(family.members) == SIZES[name]
    assert family.axes == file.axes
    assert tuple(family.features) == file.axes
    assert all(np.isfinite(values).all() for values in family.features.values())
    family.to_csv(tmp_path / "points.csv")
    again = Family.from_csv(tmp_path / "points.csv")  # what is the same at all points is a column, so an axis there
    assert again.axes == (*family.axes, *file.params)
    assert [(p.name, p.task, p.weight, p.marks) for p in again] == [(p.name, p.task, p.weight, p.marks) for p in family]
    (tmp_path / "points.json").write_text(json.dumps(family.to_json()))
    assert mohs.read_family(tmp_path / "points.json") == family


@pytest.mark.parametrize("name", ["cartpole", "half_cheetah", "mountain_car", "pendulum", "swimmer"])
def test_the_default_point_is_the_environment_as_it_is_made(name: str) -> None:
    from mohs.envs.effects import equal_dynamics

    default = mohs.read_family(name, engine(name)).default
    assert default is not None
    assert default.weight == (0.0 if name in ("cartpole", "half_cheetah") else 1.0)
    assert len(equal_dynamics(list({default.task, Task.make(default.task.env)}))) == 1


def test_salt_lake_has_the_moments_of_the_paper() -> None:
    """Within 8% of Table 4, whose mean inflow is taken for 735."""
    family = mohs.read_family("salt_lake")
    wanted = {
        "lanes": (3.8, 1.37), "speed": (32.6, 5.4), "length": (260.8, 193), "inflow": (735, 774),
        "left_lanes": (0.229, 0.496), "right_lanes": (0.1, 0.298),
    }  # fmt: skip
    assert sum(p.weight for p in family.members) == 345
    for name, (mean, deviation) in wanted.items():
        values = np.repeat(family.features[name], [int(p.weight) for p in family])
        assert values.mean() == pytest.approx(mean, rel=0.08)
        assert values.std(ddof=1) == pytest.approx(deviation, rel=0.08)


@pytest.mark.parametrize("name", POINTS)
def test_the_generic_point_is_the_mean_of_the_others(name: str) -> None:
    """As the paper defines it (appendix B.1)."""
    rows = describe(name).rows
    (generic,) = (row for row in rows if "generic" in row.get("marks", ()))
    for one in describe(name).axes:
        others = [row[one] for row in rows if row is not generic]
        assert generic[one] == pytest.approx(np.mean(others))
    assert sum("simplified" in row.get("marks", ()) for row in rows) == 1


def test_marks_are_kept_and_checked() -> None:
    task = Task.make("toy/discrete")
    family = Family((), (Point("a", task, marks=("default", "simplified")), Point("b", task, weight=0.0)))
    assert Family.from_json(json.dumps(family.to_json())) == family
    assert "marks" not in Point("b", task).to_json()  # data from before marks reads, and keeps its hash
    assert family.marked("simplified") == (family.default,) == family.members
    with pytest.raises(UsageError, match=r"unknown mark of the point 'c' 'defualt'. Did you mean 'default'"):
        Point("c", task, marks=("defualt",))
    with pytest.raises(UsageError, match="at most one default"):
        Family((), (Point("a", task, marks=("default",)), Point("b", task, marks=("default",))))
    with pytest.raises(UsageError, match="unknown mark 'x'"):
        family.marked("x")


def test_names_find_parameters_context_and_agent() -> None:
    family = Family.grid("Pendulum-v1", g=[9], m=[2], delay=1, max_speed=6, **{"agent.gamma": 0.9})
    assert family[0].task == Task.make("Pendulum-v1", g=9, delay=1, context={"m": 2, "max_speed": 6})
    more = family.product(l=[1, 2])
    assert more[1].task["context"] == (("l", 2), ("m", 2), ("max_speed", 6))
    assert [point.name for point in Family.sweep("Pendulum-v1", m=[2], l=[3])] == ["vanilla", "m=2", "l=3"]


@given(st.floats(0.01, 100), st.floats(0.01, 100), st.floats(0, 1, allow_subnormal=False), st.booleans())
def test_a_range_stays_in_its_ends(a: float, b: float, share: float, log: bool) -> None:
    low, high = sorted((float(f"{a:.5g}"), float(f"{b:.5g}")))
    if low < high:
        one = Range(low, high, log)
        assert low <= one.at(share) <= high
        assert (one.at(0), one.at(1)) == pytest.approx((low, high))


def test_a_sample_fills_its_ranges_evenly() -> None:
    family = Family.sample("Pendulum-v1", n=256, seed=1, m=Range(0.1, 10, log=True), l=(0.5, 4.5), max_speed=[4, 8])
    features = family.features
    shares = np.stack([np.log10(features["m"]) / 2 + 0.5, (features["l"] - 0.5) / 4])
    for row in shares:  # a Sobol sequence has one point in each of 256 equal parts, up to rounding at their ends
        np.testing.assert_allclose(np.sort(row), (np.arange(256) + 0.5) / 256, atol=0.6 / 256)
    assert (features["max_speed"] == 4).sum() == 128
    assert family.points[:32] == Family.sample("Pendulum-v1", n=32, seed=1, m=Range(0.1, 10, log=True), l=(0.5, 4.5),
                                               max_speed=[4, 8]).points  # fmt: skip
    assert family != Family.sample("Pendulum-v1", n=256, m=Range(0.1, 10, log=True), l=(0.5, 4.5), max_speed=[4, 8])
    assert len(Family.sample("control/cartpole", n=5, length=(0.1, 1.0))) == 5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("m=0.4:4", ("m", Range(0.4, 4))),
        ("m = 0.1 : 10 : log", ("m", Range(0.1, 10, log=True))),
        ("mass.torso=0.5,2", ("mass.torso", [0.5, 2])),
        ("m=[1, 2.5]", ("m", [1, 2.5])),
        ("enable_wind=true,False", ("enable_wind", [True, False])),
        ("gravity=-2:-1e-1", ("gravity", Range(-2, -0.1))),
        ("mode=easy,hard", ("mode", ["easy", "hard"])),
        ("m=3", ("m", [3])),
        ("m=.3,-.5,6.", ("m", [0.3, -0.5, 6.0])),
        ("m=.3:.6", ("m", Range(0.3, 0.6))),
    ],
)
def test_an_axis_is_read_as_it_is_typed(text: str, expected: Any) -> None:
    assert axis(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("m", "'m' is no axis: write NAME=LOW:HIGH"),
        ("=1", "is no axis"),
        ("m=4:1", "the lower one first"),
        ("m=1:2:3", "is no range"),
        ("m=a:2", "its ends must be numbers"),
        ("m=0:2:log", "must be above 0"),
        ("m=0:inf", "finite ends"),
        ("m=[]", "'m' has no values"),
    ],
)
def test_a_bad_axis_is_one_sentence(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        axis(text)
    assert message in str(caught.value)


def test_levels_have_structure_seeds() -> None:
    family = Family.levels("toy/discrete", range(3), delay=2)
    assert [(point.task.seed, point.task["delay"]) for point in family] == [(0, 2), (1, 2), (2, 2)]
    assert Family.levels("ctgraph", [5])[0].task.seed == 5
    for env in ("CartPole-v1", "toy/grid", "control/cartpole"):
        with pytest.raises(UsageError, match=f"{env} generates no levels"):
            Family.levels(env, range(3))


def test_weights_in_a_file_are_shares_up_to_rounding_or_counts(tmp_path: Path) -> None:
    file, family = tmp_path / "points.csv", Family.grid("Pendulum-v1", m=[1, 2, 3])
    for weights in ([0.333, 0.333, 0.333], [7, 2, 0], [0.25, 0.25, 0.5]):
        rows = "".join(f"m={m},{w}\n" for m, w in zip((1, 2, 3), weights, strict=True))
        file.write_text(f"name,weight\n{rows}")
        assert family.weighted_by(file).weights.tolist() == pytest.approx([w / sum(weights) for w in weights])
    family.weighted([0.5, 1.2, 3.4]).to_csv(file)  # in Python any numbers will do
    assert Family.from_csv(file).weights.tolist() == pytest.approx([x / 5.1 for x in (0.5, 1.2, 3.4)])


def test_a_csv_of_contexts_and_weights(tmp_path: Path) -> None:
    file = tmp_path / "points.csv"
    file.write_text("name,m,l,weight,stratum,marks,feature:size\na,0.4,,3,light,default generic,1.5\nb,4,2,1,heavy,,\n")
    family = Family.from_csv(file, "Pendulum-v1", g=9)
    assert family["a"].task == Task.make("Pendulum-v1", g=9, context={"m": 0.4})
    assert (family["a"].stratum, family["a"].marks) == ("light", ("default", "generic"))
    np.testing.assert_equal(family.features, {"size": np.array([1.5, np.nan])})
    assert family.weights.tolist() == [0.75, 0.25]
    family.to_csv(tmp_path / "again.csv")
    again = Family.from_csv(tmp_path / "again.csv")
    assert [(p.task, p.weight, p.features, p.marks) for p in again] == [
        (p.task, p.weight, p.features, p.marks) for p in family
    ]
    weights = tmp_path / "weights.csv"
    weights.write_text("name,weight\nb,9\na,1\n")
    assert family.weighted_by(weights).weights.tolist() == [0.1, 0.9]


def test_values_of_all_kinds_survive_csv(tmp_path: Path) -> None:
    levels = Family.levels("toy/discrete", [3, 4], delay=2)
    levels.to_csv(tmp_path / "levels.csv")
    assert [p.task for p in Family.from_csv(tmp_path / "levels.csv")] == [p.task for p in levels]
    sample = Family.sample("control/cartpole", n=16, length=(0.1, 3.0), masspole=[0.1, 1])
    sample.to_csv(tmp_path / "sample.csv")
    assert Family.from_csv(tmp_path / "sample.csv") == sample
    agents = Family.grid("control/cartpole", length=[0.5, 1.0], **{"agent.hidden": [[64, 64], [8]]})
    agents.to_csv(tmp_path / "agents.csv")
    assert Family.from_csv(tmp_path / "agents.csv") == agents


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,m\n", "has no rows"),
        ("m,m\n1,2\n", "different names"),
        ("m\n1,2\n", "different names in its header, and a name for every column"),
        ("mm\n1\n", "points.csv: unknown attribute of Pendulum-v1 'mm'. Did you mean 'm'"),
        ("m,weight\n1,-1\n", "the weight of 'm=1' is -1, but must be a finite number ≥ 0"),
        ("m,weight\n1,x\n", "the weight of 'm=1' is 'x'"),
        ("m,weight\n1,0\n2,0\n", "the weights are all 0"),
        ("m,weight\n1,0.7\n2,0.5\n", "the weights sum to 1.2: they must sum to 1, or be counts"),
        ("m\n1\n1\n", "'m=1' occurs twice"),
        ("m,marks\n1,best\n", "unknown mark"),
        ("m,feature:size\n1,big\n", "the feature size is 'big', but must be a number"),
    ],
)
def test_a_bad_csv_is_one_sentence(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "points.csv"
    file.write_text(text)
    with pytest.raises(UsageError) as caught:
        Family.from_csv(file, "Pendulum-v1")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,weight\nm=1,1\n", "1 points have no weight, the first of which is 'm=2'"),
        ("name,weight\nm=1,1\nm=3,1\n", "unknown point of the family 'm=3'"),
        ("name,share\nm=1,1\n", "the columns must be name and weight"),
        ("name,weight\nm=1,0\nm=2,0\n", "the weights are all 0"),
        ("name,weight\nm=1,0.5\nm=2,0.49\n", "the weights sum to 0.99: they must sum to 1, or be counts"),
    ],
)
def test_bad_weights_are_one_sentence(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "weights.csv"
    file.write_text(text)
    with pytest.raises(UsageError) as caught:
        Family.grid("Pendulum-v1", m=[1, 2]).weighted_by(file)
    assert message in str(caught.value)


BASE = 'env = "Pendulum-v1"\n'
AXES = BASE + "axes = {m = [1, 2], l = [1]}\n"


def test_a_file_has_weights_strata_and_parameters(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        AXES + 'params = {g = 9}\nweights = {"m=2 l=1" = 3}\nstrata = {light = {m = [1]}}\ndefault = {m = 1}'
    )
    family = mohs.read_family(file)
    assert family.weights.tolist() == [0.25, 0.75, 0.0]
    assert [point.stratum for point in family] == ["light", "", ""]
    assert family.default == Point(
        "default", Task.make("Pendulum-v1", g=9, context={"m": 1}), (("m", 1),), 0.0, marks=("default",)
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BASE, "mine.toml: a family must have either axes or points"),
        ("axes = {m = [1]}", "env is missing"),
        (AXES + "wieghts = {}", "unknown key 'wieghts'. Did you mean 'weights'"),
        (AXES + "weights = {x = 1}", "unknown point in weights 'x'"),
        (AXES + 'weights = {"m=1 l=1" = -1}', "the weight of 'm=1 l=1' is -1"),
        (AXES + "strata = {heavy = {m = [5]}}", "the stratum 'heavy' is empty: no point has its values"),
        (AXES + "strata = {heavy = {k = [5]}}", "unknown axis in the stratum 'heavy' 'k'"),
        (AXES + "strata = {heavy = {m = 5}}", "strata.heavy.m is 5, but must be a list of values"),
        (AXES + "default = {k = 5}", "unknown axis in default 'k'"),
        (AXES + "scores = {evaluated = {g = 9}}", "unknown key in scores 'evaluated'. Did you mean 'evaluate'"),
        (AXES + "scores = {evaluate = 3}", "evaluate is 3, but must be a table"),
        (BASE + "axes = {m = 3}", "axes.m is 3, but must be a list of values"),
        (BASE + "points = [1]", "points is [1], but must be a list of tables"),
        (BASE + "axes = {mm = [1]}", "unknown attribute of Pendulum-v1 'mm'. Did you mean 'm'"),
    ],
)
def test_a_bad_file_is_one_sentence(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(UsageError) as caught:
        mohs.read_family(file)
    assert message in str(caught.value)


def test_an_unknown_family_is_named_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"unknown family 'pendlum'. Did you mean 'pendulum'"):
        mohs.read_family("pendlum")
    with pytest.raises(UsageError, match=r"unknown attribute of CartPole-v1 'delya'. Did you mean 'delay'"):
        Family.grid("CartPole-v1", delya=[1])
    with pytest.raises(UsageError, match="the dial time_unit does not apply to CartPole-v1"):
        Family.grid("CartPole-v1", time_unit=[2.0])


def test_weights_of_the_members_are_enough() -> None:
    """A default that is no member needs none."""
    family = mohs.read_family("cartpole")
    found = family.weighted([2.0] * 575 + [4.0])
    assert found.default is not None
    assert found.default.weight == 0
    assert found.members[-1].weight == 4.0
    with pytest.raises(UsageError, match="3 weights were given for 576 points, or 577 with those of the weight 0"):
        family.weighted([1.0] * 3)
