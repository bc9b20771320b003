"""Are screens shown as they are seen, masks of front-ends beside the true figures, and is pretraining announced?"""

from __future__ import annotations

import io

import numpy as np
import pytest
from planted_games import results, study

from mohs.agents.deep.front_end import files, motion, pretrain
from mohs.agents.deep.front_end.front_end import FrontEnd
from mohs.agents.deep.front_end.motion import Motion
from mohs.agents.deep.front_end.pictures import COLOURS, PANELS, panels
from mohs.core.task import members
from mohs.core.views import View
from mohs.protocols.conduct import planned
from mohs.protocols.lcd.conditions import held_out
from mohs.protocols.lcd.figures.screens import COLOURS as CLASS_COLOURS
from mohs.protocols.lcd.figures.screens import GROUND, _coloured, masks, screen
from mohs.protocols.lcd.verdict import verdict
from mohs.runs.execution import Execution
from mohs.runs.progress import choose

GAMES = ("arcade/chase", "arcade/dig")


@pytest.fixture(autouse=True)
def quick(monkeypatch, tmp_path):
    """Pretraining of one step, kept in a cache of its own."""
    monkeypatch.setattr(files, "folder", lambda: tmp_path / "front_ends")
    files.named.cache_clear()
    play, train = pretrain.play, motion.train
    monkeypatch.setattr(pretrain, "play", lambda task, _, *rest: play(task, 64, *rest))
    monkeypatch.setattr(motion, "train", lambda before, after, seed, _: train(before, after, seed, Motion(steps=1)))
    yield
    files.named.cache_clear()


class Said(io.StringIO):
    @property
    def lines(self) -> list[str]:
        return self.getvalue().splitlines()


def test_masks_are_shown_beside_the_true_figures(monkeypatch, tmp_path) -> None:
    asked = study(games=GAMES, seeds=3, remedies=["motion"])
    found = verdict(asked, results(asked))
    front_ends = {name: pretrain.pretrained(task) for name, task in asked.games}
    shown = masks(found)
    assert shown.games == GAMES
    assert shown.columns == PANELS
    for (name, task), (frame, together, largest, true) in zip(asked.games, shown.pictures, strict=True):
        held = members(held_out(task))[0][0]
        assert np.array_equal(frame, screen(held, View.PIXELS))
        seen = front_ends[name].masks(frame[None])[0].sum(0, dtype=int).clip(0, 255)
        assert np.array_equal(together, np.stack([seen] * 3, -1))
        assert largest.shape == frame.shape
        assert np.array_equal(true > 0, screen(held, View.FIGURE_GROUND) != np.array(GROUND))
    assert len(found.figures()["masks"].data) == 8
    assert "Masks learnt from motion" in found.page().body
    plain = study(games=GAMES, seeds=3)
    assert masks(verdict(plain, results(plain))) is None
    monkeypatch.setattr(files, "folder", lambda: tmp_path / "elsewhere")
    assert masks(found) is None  # nothing is pretrained for a picture


def test_the_largest_mask_has_the_colour_of_its_slot() -> None:
    class Two(FrontEnd):
        def masks(self, frames):
            seen = np.zeros((1, 3, 2, 2), dtype=np.uint8)
            seen[0, 1, 0, 0], seen[0, 2, 0, 1], seen[0, 0, 0, 1] = 255, 100, 20
            return seen

    frame, figure = np.full((2, 2, 3), 7, dtype=np.uint8), np.array([[True, False], [False, False]])
    first, together, largest, true = panels(Two("motion", {}), frame, figure)
    assert np.array_equal(first, frame)
    assert together[..., 0].tolist() == [[255, 120], [0, 0]]
    assert largest[0].tolist() == [COLOURS[1].tolist(), (COLOURS[2] * 120 // 255).tolist()]
    assert true[..., 1].tolist() == [[255, 0], [0, 0]]


def test_classes_have_colours_as_far_as_they_cover_a_pixel() -> None:
    shares = np.zeros((3, 1, 3))
    shares[0, 0, 0], shares[2, 0, 1], shares[2, 0, 0] = 0.75, 1.0, 0.25
    one, other = map(np.array, CLASS_COLOURS[:2])
    expected = [0.75 * one + 0.25 * other, other, GROUND]
    assert np.abs(_coloured(shares)[0] - np.array(expected)).max() <= 0.5


def test_pretraining_is_announced_once_and_not_where_silence_is_asked_for(tmp_path) -> None:
    store = f"sqlite:///{tmp_path}/r.db"
    asked = study(games=("arcade/chase",), seeds=2, remedies=["motion"])
    said = Said()
    planned(asked, Execution(store, progress=choose("plain", said)))
    assert said.lines == ["mohs: pretraining a front-end on arcade/chase (about 30 s)"]
    planned(asked, Execution(store, progress=choose("plain", said)))
    assert len(said.lines) == 1  # it is kept


@pytest.mark.parametrize("mode", ["live", "silent"])
def test_other_kinds_of_progress(mode: str, tmp_path, capsys) -> None:
    asked, said = study(games=("arcade/chase",), seeds=2, remedies=["motion"]), Said()
    planned(asked, Execution(f"sqlite:///{tmp_path}/r.db", progress=choose(mode, said)))
    assert [line for line in said.lines if "pretraining" in line] == said.lines
    assert len(said.lines) == (mode == "live")
    assert "pretraining" not in capsys.readouterr().err
