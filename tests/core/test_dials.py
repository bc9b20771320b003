"""The catalogue of dials and the environments agree."""

from __future__ import annotations

import pytest

import mohs
from mohs.core.dial import NO_OFF
from mohs.core.dials import DIALS
from mohs.core.registry import environment


def test_a_dial_is_a_parameter_wherever_it_says_it_applies():
    parameters = environment("toy/discrete").parameters
    assert {d.name for d in DIALS.values() if "discrete toy" in d.applies} <= set(parameters)
    for dial in DIALS.values():
        assert parameters[dial.name].default == dial.vanilla
        assert parameters[dial.name].domain is dial.domain


@pytest.mark.parametrize("dial", DIALS.values(), ids=list(DIALS))
def test_vanilla_and_off_are_in_the_domain(dial):
    assert dial.domain.parse(dial.name, dial.vanilla) == dial.vanilla
    if dial.off is not NO_OFF:
        assert dial.domain.parse(dial.name, dial.off) == dial.off


@pytest.mark.parametrize("dial", DIALS.values(), ids=list(DIALS))
def test_a_dial_that_has_a_table_changes_nothing_there_when_off(dial):
    if dial.off is NO_OFF or dial.vanilla != dial.off:
        return
    assert mohs.Task.make("toy/discrete", **{dial.name: dial.off}) == mohs.Task.make("toy/discrete")
