"""Every deep agent is described, can be set, says what it cannot play, and has a suitable pack size."""

from __future__ import annotations

from dataclasses import fields

import pytest

from mohs import Task, UsageError
from mohs.agents.deep import packs
from mohs.agents.entries import ENTRIES
from mohs.agents.hyperparameters import domain_of
from mohs.agents.registry import check_plays, config, config_class
from mohs.core.cell import Agent

DEEP = [entry.name for entry in ENTRIES if entry.lifelong]
CONTINUOUS = ("ddpg", "td3", "sac")
SIGNALS = ("idqn", "ippo", "mplight", "mplight_star")  # test_signal_learners.py
BOTH = ("ppo", "ppg", "trpo", "a2c", "recurrent_ppo")


@pytest.mark.parametrize("name", DEEP)
def test_defaults_and_presets_lie_in_their_domains(name):
    declared = config_class(name)
    for f in fields(declared):
        assert domain_of(f).parse(f.name, f.default) == f.default
        assert f.metadata["text"]
    for preset, values in declared.presets().items():
        made = config(Agent.make(name, preset=preset))
        for given, value in values.items():
            assert getattr(made, given) == domain_of(_field(declared, given)).parse(given, value)


def _field(declared, name):
    return next(f for f in fields(declared) if f.name == name)


@pytest.mark.parametrize("name", DEEP)
def test_what_is_given_comes_before_the_preset(name):
    declared = config_class(name)
    for preset in declared.presets():
        assert config(Agent.make(name, preset=preset, gamma=0.125)).gamma == 0.125


@pytest.mark.parametrize("name", [name for name in DEEP if name not in SIGNALS])
def test_an_agent_refuses_actions_it_cannot_play(name):
    fits = {"toy/discrete": name not in CONTINUOUS, "toy/continuous": name in CONTINUOUS + BOTH}
    for env, plays in fits.items():
        if plays:
            check_plays(Agent.make(name), Task.make(env))
        else:
            with pytest.raises(UsageError, match=f"{name} plays .*, but the action space is"):
                check_plays(Agent.make(name), Task.make(env))


def test_images_that_are_too_small_for_the_filters_are_refused():
    task = Task.make("toy/discrete", image_representations=True, image_width=80, image_height=60)
    check_plays(Agent.make("dqn"), task)
    with pytest.raises(UsageError, match="60 × 80 pixels are too small for filters"):
        check_plays(Agent.make("dqn", filters=[[8, 64, 1]]), task)


def test_packs_of_larger_networks_are_smaller():
    sizes = [packs.pack_size(Agent.make("dqn", hidden=[w, w]), False) for w in (8, 64, 256, 1024, 4096)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == packs.LARGEST
    assert sizes[2] < sizes[1]
    assert sizes[-1] >= 1
    assert packs.pack_size(Agent.make("dqn"), True) < sizes[1]


def test_a_device_that_is_not_there_is_refused_with_those_that_are():
    packs.check_device("cpu")
    with pytest.raises(UsageError, match="device is 'gpu', but torch has only cpu"):
        packs.check_device("gpu")
