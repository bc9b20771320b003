"""A front-end is the same alone and in a batch, as a file, and in an agent that sees through it."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from gymnasium import spaces

from mohs import Agent, Cell, Probe, Segment, Task, UsageError
from mohs.agents.deep.front_end import files, generic, motion, network, pretrain
from mohs.agents.deep.front_end.front_end import GENERIC, MOTION, FrontEnd
from mohs.agents.deep.front_end.motion import Motion
from mohs.agents.deep.front_end.observed import with_front_end
from mohs.agents.deep.spaces import observations
from mohs.agents.registry import agent, check_plays, config, learner

FRAMES = np.random.default_rng(0).integers(0, 256, (9, 24, 24, 3), dtype=np.uint8)


def random_encoder(slots=8, width=16, scale=3.0):
    with torch.random.fork_rng():
        torch.manual_seed(0)
        encoder = network.Encoder(slots, width)
        with torch.no_grad():
            for parameter in encoder.parameters():
                parameter.mul_(scale)
    return encoder


def front_end(slots=8):
    return FrontEnd(MOTION, random_encoder(slots).arrays(), {"seed": 0})


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setattr(files, "folder", lambda: tmp_path / "front_ends")
    files.named.cache_clear()
    yield
    files.named.cache_clear()


@pytest.mark.parametrize("shape", [(24, 24), (20, 32), (64, 64)])
@pytest.mark.parametrize("slots", [1, 8])
def test_the_kernel_computes_what_torch_does(shape, slots):
    encoder = random_encoder(slots)
    frames = np.random.default_rng(1).integers(0, 256, (3, *shape, 3), dtype=np.uint8)
    with torch.no_grad():
        wanted = 255 * encoder(motion.pixels(frames)).softmax(1)[:, 1:].numpy()
    found = network.masks(encoder.arrays(), frames)
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).max() < 0.51
    assert found.max() > 100


def test_odd_frames_are_those_with_their_last_row_and_column_again():
    odd = FRAMES[:, :23, :21]
    even = np.pad(odd, ((0, 0), (0, 1), (0, 1), (0, 0)), mode="edge")
    np.testing.assert_array_equal(front_end().masks(odd), front_end().masks(even)[:, :, :23, :21])


@pytest.mark.parametrize("made", [front_end(), FrontEnd(GENERIC, {})], ids=["motion", "generic"])
def test_masks_of_a_frame_do_not_depend_on_the_others(made):
    whole = made.masks(FRAMES)
    assert whole.shape == (9, made.channels, 24, 24)
    np.testing.assert_array_equal(whole[::-1], made.masks(FRAMES[::-1].copy()))
    for i in range(len(FRAMES)):
        np.testing.assert_array_equal(whole[i : i + 1], made.masks(FRAMES[i : i + 1]))


def test_the_generic_front_end_sees_edges_and_opponent_colours():
    frames = np.zeros((2, 24, 24, 3), np.uint8)
    frames[0, :, 12:] = 200  # an upright edge
    frames[1, 12:, :, 0] = 200  # red below a level edge
    upright, level, red, blue = range(4)
    masks = generic.masks(frames).astype(int)
    for first in (0, 4):
        assert masks[0, first + upright].max() > 60 > masks[0, first + level].max() == 0
        assert masks[1, first + level].max() > 20 > masks[1, first + upright].max() == 0
    assert masks[1, red, 20, 5] > masks[0, red, 20, 5] == 128 > masks[1, blue, 20, 5]


def test_a_file_brings_back_every_bit(tmp_path):
    made = front_end()
    files.save(made, tmp_path / "objects.npz")
    again = files.load(tmp_path / "objects.npz")
    assert (again.kind, again.about, again.name) == (made.kind, made.about, made.name)
    assert all((again.arrays[name] == made.arrays[name]).all() for name in made.arrays)
    np.testing.assert_array_equal(again.masks(FRAMES), made.masks(FRAMES))


class Evil:
    def __reduce__(self):
        return print, ("executed",)


def changed(**arrays):
    header = np.frombuffer(b'{"about":{},"kind":"motion"}', np.uint8)
    return {"header": header, **random_encoder().arrays(), **arrays}


HOSTILE = {
    "no archive": None,
    "pickle": changed(one_bias=np.array([Evil()], dtype=object)),
    "another shape": changed(two_weight=np.zeros((16, 16, 3, 4), np.float32)),
    "too few filters": changed(one_bias=np.zeros(3, np.float32)),
    "not finite": changed(fine_bias=np.full(9, np.nan, np.float32)),
    "too large": changed(one_weight=np.zeros(2**23, np.float32)),
    "more arrays": changed(other=np.zeros(3)),
    "no weights": {"header": changed()["header"]},
    "no header": random_encoder().arrays(),
    "a header that is no object": changed(header=np.frombuffer(b"[]", np.uint8)),
    "a header that is no text": changed(header=np.full(9, 255, np.uint8)),
    "a deep header": changed(header=np.frombuffer(b"[" * 60000, np.uint8)),
    "another kind": changed(header=np.frombuffer(b'{"about":{},"kind":"clip"}', np.uint8)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_front_end_is_refused_in_one_sentence(name, tmp_path, capsys):
    path = tmp_path / "hostile.npz"
    if HOSTILE[name] is None:
        path.write_bytes(b"PK\x03\x04 and nothing more")
    else:
        np.savez(path, **HOSTILE[name])
    with pytest.raises(UsageError, match=r"^\S+hostile.npz is not a front-end: [^\n]+\.$"):
        files.load(path)
    assert "executed" not in capsys.readouterr().out


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"absent\.npz cannot be read"):
        files.load(tmp_path / "absent.npz")


def test_an_agent_is_named_by_the_contents_of_the_file(tmp_path):
    path = tmp_path / "objects.npz"
    files.save(front_end(), path)
    first = agent("ppo", front_end=str(path))
    assert dict(first.params)["front_end"] == front_end().name == files.keep(front_end())
    assert agent("ppo", front_end=front_end().name) == first
    files.save(front_end(slots=4), path)
    assert agent("ppo", front_end=str(path)) != first
    assert config(first).front_end == front_end().name
    assert agent("ppo", front_end="generic").params == (("front_end", "generic"),)


def test_names_without_contents_are_refused(tmp_path):
    with pytest.raises(UsageError, match="front_end is 'objects'"):
        agent("ppo", front_end="objects")
    with pytest.raises(UsageError, match=r"front_end is .x\.npz., but must be"):
        config(Agent.make("ppo", front_end="x.npz"))
    with pytest.raises(UsageError, match=r"is not in .*: pretrain it again"):
        files.named("motion@0123456789abcdef")
    files.save(front_end(), files.folder() / "motion@0123456789abcdef.npz")
    with pytest.raises(UsageError, match="instead of motion@0123456789abcdef"):
        files.named("motion@0123456789abcdef")


def test_masks_are_stored_beside_the_pixels():
    sees = with_front_end(observations(spaces.Box(0, 255, (24, 24, 3), np.uint8)), files.keep(front_end()))
    stored = sees.store(FRAMES)
    assert stored.shape == (9, *sees.stored[0]) == (9, 11, 24, 24)
    np.testing.assert_array_equal(stored[:, :3], np.moveaxis(FRAMES, -1, 1))
    np.testing.assert_array_equal(stored[:, 3:], front_end().masks(FRAMES))
    next_ = np.concatenate([FRAMES[:4], FRAMES[:5]])  # some are the same as before, and their masks are not made again
    np.testing.assert_array_equal(sees.store(next_)[:, 3:], front_end().masks(next_))
    np.testing.assert_array_equal(sees.store(FRAMES[:2])[:, 3:], front_end().masks(FRAMES[:2]))


def test_only_coloured_pictures_have_a_front_end():
    with pytest.raises(UsageError, match="needs coloured pictures"):
        check_plays(agent("ppo", front_end="generic"), Task.make("toy/discrete"))


TASK = Task.make("arcade/chase", num_levels=20)
QUICK = {"num_envs": 2, "n_steps": 8, "hidden": (8,), "filters": ((8, 4, 4), (8, 2, 1))}
OF_DQN = {"hidden": (8,), "filters": ((8, 4, 4), (8, 2, 1)), "learning_starts": 16, "batch_size": 8}


def cells(name, seeds, front_end, **params):
    made = agent(name, front_end=front_end, **params)
    probe = Probe("eval", TASK, (0, 64), episodes=2)
    return [Cell(made, seed, (Segment(TASK, 64),), (probe,)) for seed in seeds]


def weights(pack, i):
    parts = pack._algorithm.parts
    return {name: parts[name].save(i) for name in ("network", "online") if name in parts}


def assert_same(first, second):
    for name, state in first.items():
        for key, value in state.items():
            np.testing.assert_array_equal(value, second[name][key])


@pytest.mark.parametrize(
    ("name", "params"),
    [("ppo", {**QUICK, "batch_size": 8}), ("a2c", QUICK), ("dqn", OF_DQN)],
    ids=["ppo", "a2c", "dqn"],
)
def test_an_agent_is_the_same_alone_in_a_pack_and_after_an_interruption(name, params):
    known = files.keep(front_end())
    whole = learner(cells(name, range(3), known, **params))
    whole.train(64)
    scores = whole.evaluate(0)["return"]
    alone = learner(cells(name, [1], known, **params))
    alone.train(40)
    states = alone.save()
    resumed = learner(cells(name, [1], known, **params))
    resumed.load(states)
    resumed.train(24)
    assert_same(weights(whole, 1), weights(resumed, 0))
    assert resumed.evaluate(0)["return"][0] == scores[1]
    assert not whole.failed


def test_another_front_end_makes_another_agent():
    without = learner(cells("ppo", [0], "", **QUICK, batch_size=8))
    with_masks = learner(cells("ppo", [0], "generic", **QUICK, batch_size=8))
    first = [pack._algorithm.network.sees.convolutions.weights[0].shape[2] for pack in (without, with_masks)]
    assert first == [3, 11]


def test_pretraining_is_done_once(monkeypatch):
    settings = Motion(steps=3)
    first = pretrain.pretrain(TASK, frames=64, settings=settings)
    monkeypatch.setattr(motion, "train", None)
    assert pretrain.pretrain(TASK, frames=64, settings=settings).name == first.name
    files.named.cache_clear()
    index = next(files.folder().glob("*.json"))
    assert json.loads(index.read_text()) == first.name
    assert files.named(first.name).about["task"] == TASK.replace(view="pixels").to_json()


def test_pretraining_on_what_may_change_is_done_once_in_a_process(monkeypatch):
    monkeypatch.setattr(pretrain, "_lasting", lambda task: False)
    settings = Motion(steps=3)
    first = pretrain.pretrain(TASK, frames=64, settings=settings)
    monkeypatch.setattr(motion, "train", None)
    assert pretrain.pretrain(TASK, frames=64, settings=settings).name == first.name
    assert not list(files.folder().glob("*.json"))


def test_frames_of_a_pair_follow_each_other_in_one_episode():
    before, after = pretrain.play(TASK, 200, seed=1)
    again, _ = pretrain.play(TASK, 200, seed=1)
    np.testing.assert_array_equal(before, again)
    assert before.shape == after.shape == (200, 24, 24, 3)
    first, later = pretrain.play(TASK, 200, seed=1, gap=3)
    np.testing.assert_array_equal(first[:32], before[:32])  # of 32 environments
    np.testing.assert_array_equal(later[:32], after[64:96])


def test_the_iou_of_the_truth_is_one_and_that_of_nothing_is_zero():
    class Known:
        def __init__(self, truth):
            self.truth = iter(truth)

        def masks(self, frames):
            return (255 * next(self.truth))[:, None]

    _, truth = pretrain.screens(TASK, levels=4, frames=6)
    assert 0 < truth.mean() < 0.5
    assert pretrain.object_iou(Known(truth), TASK, levels=4, frames=6).value == 1
    assert pretrain.object_iou(Known(0 * truth), TASK, levels=4, frames=6).value == 0
    with pytest.raises(UsageError, match="no views"):
        pretrain.object_iou(front_end(), Task.make("toy/discrete"))
