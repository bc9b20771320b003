"""The catalogue of dials and the environments agree."""

from __future__ import annotations

import pytest

import mohs
from mohs.core.dial import NO_OFF
from mohs.core.dials import DIALS
from mohs.core.registry import environment

ENVIRONMENTS = {
    "challenge": "challenge",
    "continuous toy": "toy/continuous",
    "discrete toy": "toy/discrete",
    "grid toy": "toy/grid",
}


@pytest.mark.parametrize("where", ENVIRONMENTS)
def test_a_dial_is_a_parameter_wherever_it_says_it_applies(where):
    parameters = environment(ENVIRONMENTS[where]).parameters
    applying = [d.at(where) for d in DIALS.values() if where in d.applies]
    for dial in applying:
        assert parameters[dial.name].default == dial.vanilla
        assert parameters[dial.name].domain == dial.domain
    assert not {name for name in parameters if name in DIALS} - {d.name for d in applying}


@pytest.mark.parametrize("dial", DIALS.values(), ids=list(DIALS))
def test_vanilla_and_off_are_in_the_domain(dial):
    for where in dial.applies:
        read = dial.at(where)
        assert read.domain.parse(dial.name, read.vanilla) == read.vanilla
        if dial.off is not NO_OFF:
            assert read.domain.parse(dial.name, dial.off) == dial.off


@pytest.mark.parametrize("where", ENVIRONMENTS)
def test_a_dial_that_is_off_is_the_plain_task(where):
    for dial in DIALS.values():
        if where in dial.applies and dial.off is not NO_OFF and dial.at(where).vanilla == dial.off:
            assert mohs.Task.make(ENVIRONMENTS[where], **{dial.name: dial.off}) == mohs.Task.make(ENVIRONMENTS[where])
