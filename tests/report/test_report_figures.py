"""Themes, axes and numbers: what the figures of all protocols share."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mohs.report import numbers
from mohs.report.figures.dose_axis import dose_axis
from mohs.report.theme import DARK, LIGHT, roles


def test_themes_have_one_colour_per_role() -> None:
    light = roles(LIGHT)
    assert len(set(light.values())) == len(light), "an exchange of colours needs each light colour to be unique"
    assert roles(DARK).keys() == light.keys()


@pytest.mark.parametrize(
    ("doses", "kind"),
    [((0, 1, 8), "linear"), ((0.01, 1.0, 100.0), "log"), ((False, True), "category"), ((-1.0, 0.0, 100.0), "linear")],
)
def test_axes_fit_their_doses(doses: tuple[float, ...], kind: str) -> None:
    axis = dose_axis("dial", "", doses)
    assert axis.kind == kind
    low, high = axis.span()
    at = np.log10(axis.places) if kind == "log" else np.array(axis.places)
    assert (low < at).all()
    assert (at < high).all()


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.72, "0.720"), (-0.0512, "−0.0512"), (12.345, "12.3"), (999.9, "1,000"), (0.0, "0"), (-1e-17, "0"),
     (math.nan, "–"), (math.inf, "∞"), (123.4, "123"), (20000, "20,000"), (1e-5, "1.00e-05")],
)  # fmt: skip
def test_numbers_have_three_significant_digits(value: float, text: str) -> None:
    assert numbers.number(value) == text
