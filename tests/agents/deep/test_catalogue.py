"""Every deep agent is described, can be set, says what it cannot play, and has a suitable pack size."""

from __future__ import annotations

from dataclasses import fields

import pytest

from mohs import Task, UsageError
from mohs.agents.deep import catalogue
from mohs.agents.hyperparameters import domain_of
from mohs.core.cell import Agent
from mohs.runs.learners import check_plays

CONTINUOUS = ("ddpg", "td3", "sac")
BOTH = ("ppo", "a2c", "recurrent_ppo")


@pytest.mark.parametrize("name", catalogue.AGENTS)
def test_defaults_and_presets_lie_in_their_domains(name):
    config = catalogue.config_class(name)
    for f in fields(config):
        assert domain_of(f).parse(f.name, f.default) == f.default
        assert f.metadata["text"]
    for preset, values in config.presets().items():
        made = catalogue.config(Agent.make(name, preset=preset))
        for given, value in values.items():
            assert getattr(made, given) == domain_of(_field(config, given)).parse(given, value)


def _field(config, name):
    return next(f for f in fields(config) if f.name == name)


@pytest.mark.parametrize("name", catalogue.AGENTS)
def test_what_is_given_comes_before_the_preset(name):
    config = catalogue.config_class(name)
    for preset in config.presets():
        assert catalogue.config(Agent.make(name, preset=preset, gamma=0.125)).gamma == 0.125


@pytest.mark.parametrize("name", catalogue.AGENTS)
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
    sizes = [catalogue.pack_size(Agent.make("dqn", hidden=[w, w]), False) for w in (8, 64, 256, 1024, 4096)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == catalogue.LARGEST
    assert sizes[2] < sizes[1]
    assert sizes[-1] >= 1
    assert catalogue.pack_size(Agent.make("dqn"), True) < sizes[1]


def test_a_device_that_is_not_there_is_refused_with_those_that_are():
    catalogue.check_device("cpu")
    with pytest.raises(UsageError, match="device is 'gpu', but torch has only cpu"):
        catalogue.check_device("gpu")
