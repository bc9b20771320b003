"""Does a context set the physics of a third-party environment, with all that follows, and does it stay?"""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given, settings
from hypothesis import strategies as st

import mohs
from mohs import Family, Task, UsageError
from mohs.envs.keeping import pickled

POSITIVE = st.floats(0.05, 20.0)
CHEETAH = {"gravity": -5.0, "mass.torso": 9.457, "friction": 0.1, "friction.floor": 0.9}


def made(env: str, **context: Any) -> Any:
    return mohs.make(env, context=context)


@settings(max_examples=50, deadline=None)
@given(
    POSITIVE,
    POSITIVE,
    POSITIVE,
    st.lists(st.floats(-0.1, 0.1, allow_subnormal=False), min_size=4, max_size=4),
    st.integers(0, 1),
)
def test_cartpole_moves_as_the_compiled_one_with_these_parameters(
    masscart: float, masspole: float, length: float, state: list[float], action: int
) -> None:
    """Two realisations of one law: derived masses that did not follow would tell."""
    physics = {"masscart": masscart, "masspole": masspole, "length": length}
    theirs, ours = made("CartPole-v1", **physics), mohs.make("control/cartpole", **physics)
    theirs.reset(seed=0)
    theirs.unwrapped.state = np.array(state)
    ours.reset(seed=0, options={"state": state})
    np.testing.assert_allclose(theirs.step(action)[0], ours.step(action)[0], rtol=1e-6)


def test_what_a_constructor_derives_follows() -> None:
    assert made("CartPole-v1", masspole=0.5, length=2).unwrapped.polemass_length == 1.0
    car = made("MountainCarContinuous-v0", max_speed=0.1, max_action=2).unwrapped
    np.testing.assert_array_equal(car.high_state, np.array([0.6, 0.1], dtype=np.float32))
    assert made("MountainCar-v0", max_speed=0.1).unwrapped.low[1] == np.float32(-0.1)


def test_the_actions_follow_the_torque() -> None:
    """A policy that cannot choose more torque would not notice that there is more."""
    env = made("Pendulum-v1", max_torque=5)
    assert env.action_space == spaces.Box(-5.0, 5.0, (1,), np.float32)
    env.reset(seed=0)
    env.unwrapped.state = np.zeros(2)
    assert env.step(np.array([5.0], dtype=np.float32))[0][2] == pytest.approx(3 * 5 * 0.05)


def test_fields_of_a_model_are_set_and_constants_follow() -> None:
    model = made("HalfCheetah-v5", **CHEETAH).unwrapped.model
    plain: Any = gymnasium.make("HalfCheetah-v5").unwrapped
    torso = model.body("torso").id
    assert model.opt.gravity.tolist() == [0.0, 0.0, -5.0]
    assert model.body_mass[torso] == 9.457
    added = 9.457 - plain.model.body_mass[torso]
    assert model.body_subtreemass[0] == pytest.approx(plain.model.body_subtreemass[0] + added)  # of mj_setConst
    factor = 9.457 / plain.model.body_mass[torso]
    np.testing.assert_allclose(model.body_inertia[torso], factor * plain.model.body_inertia[torso])
    frictions = {model.geom(i).name: model.geom_friction[i, 0] for i in range(model.ngeom)}
    assert frictions.pop("floor") == 0.9
    assert set(frictions.values()) == {0.1}


def test_sizes_are_those_of_an_edited_xml(tmp_path: Any) -> None:
    """The reference is the environment that Gymnasium makes of a file in which the size was replaced by hand."""
    ours = made("Swimmer-v5", **{"size.mid": 0.15})
    plain: Any = gymnasium.make("Swimmer-v5").unwrapped
    text = Path(plain.fullpath).read_text()
    before = '<geom density="1000" fromto="0 0 0 -1 0 0" size="0.1" type="capsule"/>'
    assert text.index(before) < text.index('<body name="back"')
    file = tmp_path / "swimmer.xml"
    file.write_text(text.replace(before, before.replace("0.1", "0.15", 1), 1))
    theirs = gymnasium.make("Swimmer-v5", xml_file=str(file))
    ours.reset(seed=3), theirs.reset(seed=3)
    for _ in range(20):
        action = theirs.action_space.sample()
        np.testing.assert_array_equal(ours.step(action)[0], theirs.step(action)[0])


def test_walker_takes_sizes_by_name() -> None:
    sizes = made("Walker2d-v5", **{"size.thigh_geom": 0.08}).unwrapped.model.geom("thigh_geom").size
    assert sizes[0] == 0.08


@pytest.mark.parametrize(
    ("env", "context"),
    [("CartPole-v1", {"length": 2.0}), ("HalfCheetah-v5", CHEETAH), ("Swimmer-v5", {"size.torso": 0.05})],
)
def test_a_context_stays_after_reset_copy_and_pickle(env: str, context: dict[str, Any]) -> None:
    first = made(env, **context)
    first.reset(seed=1)
    actions = [first.action_space.sample() for _ in range(10)]
    found = []
    for one in (first, copy.deepcopy(first), pickle.loads(pickle.dumps(first))):
        one.reset(seed=7)
        found.append([one.step(action)[0] for action in actions])
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    plain = gymnasium.make(env)
    plain.reset(seed=7)
    assert not np.allclose(found[0], [plain.step(action)[0] for action in actions], atol=1e-9)


def test_a_run_resumes_within_an_episode() -> None:
    env = made("HalfCheetah-v5", **CHEETAH)
    env.reset(seed=0)
    env.step(np.ones(6, dtype=np.float32))
    again = pickle.loads(pickled(env) or b"")
    np.testing.assert_array_equal(*(one.step(np.zeros(6, dtype=np.float32))[0] for one in (env, again)))


def test_unlike_contexts_share_a_vector_environment_and_a_pack() -> None:
    tasks = [point.task for point in Family.grid("Pendulum-v1", g=[9, 10], m=[1, 2])]
    assert len({task.environment.realisation("spaces")(task) for task in tasks}) == 1
    envs: Any = mohs.make_vec("Pendulum-v1", tasks=tasks)
    assert [(one.unwrapped.g, one.unwrapped.m) for one in envs.envs] == [(9, 1), (9, 2), (10, 1), (10, 2)]
    stronger = Task.make("Pendulum-v1", context={"max_torque": 3})
    assert stronger.environment.realisation("spaces")(stronger) != tasks[0].environment.realisation("spaces")(tasks[0])


def test_dials_lie_above_a_context() -> None:
    env = mohs.make("HalfCheetah-v5", context={"gravity": -2}, time_unit=2.0, action_space_max=2.0, delay=1)
    env.reset(seed=0)
    again: Any = pickle.loads(pickle.dumps(env))
    assert again.unwrapped.model.opt.gravity[2] == -2
    assert again.unwrapped.model.actuator_ctrlrange.max() == 2.0


def test_a_context_is_data() -> None:
    task = Task.make("Pendulum-v1", context={"m": 2.0, "l": np.float64(0.5)})
    assert task == Task.from_json(task.to_json()) == Task.make("Pendulum-v1", context=[("l", 0.5), ("m", 2)])
    assert Task.make("Pendulum-v1", context={}).key == Task.make("Pendulum-v1").key  # stored results keep their names


class Stubborn(gymnasium.Env[Any, Any]):
    """Its reset sets one attribute anew; another has no setter."""

    observation_space, action_space = spaces.Discrete(2), spaces.Discrete(2)
    speed, gains, on, kind = 1.0, [1.0, 2.0], True, "fast"

    @property
    def limit(self) -> int:
        return 3

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.speed = 1.0
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return 0, self.gains[0], not self.on, False, {}


def test_custom_environments_have_contexts() -> None:
    env: Any = mohs.make(Stubborn, context={"gains": [3, 4], "on": False}, max_episode_steps=5)
    env.reset(seed=0)
    assert env.step(0)[1:3] == (3.0, True)
    with pytest.raises(UsageError, match=r"speed .* cannot be in a context: reset\(\) sets it anew"):
        mohs.make(Stubborn, context={"speed": 2}).reset(seed=0)


@pytest.mark.parametrize(
    ("env", "context", "message"),
    [
        ("Pendulum-v1", {"mm": 1}, "unknown attribute of Pendulum-v1 'mm'. Did you mean 'm'?"),
        ("CartPole-v1", {"total_mass": 1}, "follow from masspole, masscart, length: set those"),
        ("CartPole-v1", {"kinematics_integrator": 1}, "must be a number, a flag or a list of numbers"),
        ("CartPole-v1", {"length": True}, "length of CartPole-v1 is True, but must be a finite number"),
        ("CartPole-v1", {"length": [1, 2]}, "must be a finite number"),
        ("CartPole-v1", {"length": "long"}, "a mapping of names to numbers"),
        ("CartPole-v1", {"length": float("nan")}, "a finite number"),
        ("CartPole-v1", 3, "a mapping of names to numbers"),
        ("HalfCheetah-v5", {"mass.torsso": 1}, "Did you mean 'mass.torso'?"),
        ("HalfCheetah-v5", {"mass.torso": 0}, "mass.torso of HalfCheetah-v5 is 0, but must be a number > 0"),
        ("HalfCheetah-v5", {"friction": -1}, "must be a number ≥ 0"),
        (Stubborn, {"gains": [1]}, "must be a list of 2 numbers"),
        (Stubborn, {"on": 1}, "must be true or false"),
        (Stubborn, {"limit": 1}, "cannot be in a context"),
    ],
)
def test_a_bad_context_is_one_sentence(env: Any, context: Any, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        mohs.make(env, context=context)
    assert message in str(caught.value)


def test_gymnasiums_vector_environments_refuse_a_context() -> None:
    with pytest.raises(UsageError, match="take no context"):
        mohs.make_vec("CartPole-v1", num_envs=2, vectorization_mode="vector_entry_point", context={"length": 2})


def test_lunar_lander_has_gravity_and_wind() -> None:
    pytest.importorskip("Box2D", reason="the extra box2d is not installed")
    family = Family.grid("LunarLander-v3", gravity=[-10.0, -5.0], enable_wind=True, wind_power=[5.0, 15.0])
    assert mohs.effects(family).distinct == 4


def test_atari_has_modes_and_difficulties() -> None:
    pytest.importorskip("ale_py")
    family = Family.grid("atari/Breakout", mode=[0, 4], difficulty=[0, 1])
    assert len({point.task.environment.realisation("spaces")(point.task) for point in family}) == 1
    found = mohs.effects(family)
    found.check()  # mode 0 and difficulty 0 are what the game has by itself
    assert found.distinct == 4
