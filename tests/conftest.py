"""Property tests have no deadline (kernels compile on first use) and are the same every time in CI.

Windows are opened without a screen. Diagnoses that several folders draw are made once.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from mohs.protocols.diagnose.verdict import Diagnosis

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
settings.register_profile("mohs", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("mohs")


@pytest.fixture(scope="session")
def whole() -> Diagnosis:
    from drawn_diagnoses import diagnosis

    return diagnosis()


@pytest.fixture(scope="session")
def holed() -> Diagnosis:
    """All of delay 8 is missing, and some of delay 2."""
    from drawn_diagnoses import diagnosis

    return diagnosis(keep=lambda task, seed: task["delay"] != 8 and not (task["delay"] == 2 and seed < 2))


@pytest.fixture(scope="session")
def single() -> Diagnosis:
    """One seed only."""
    from drawn_diagnoses import diagnosis

    return diagnosis(seeds=1)
