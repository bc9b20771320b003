"""How are objects learnt from motion, without reward? By predicting the next frame from one, as that frame warped.

Every pixel belongs to the ground, which moves with the camera, or to one of some slots. A slot has a distribution of
displacements. So the memberships that the encoder sees in a frame predict where each pixel will be found in the next;
the loss is minus the log likelihood of the next frame, summed over all displacements (the best possible flow encoder is
the posterior, so none is trained). A pixel can only join a slot if it moves in another way than the ground, and it
joins the slot whose displacements it shows.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from mohs.agents.deep.front_end.front_end import MOTION, FrontEnd
from mohs.agents.deep.front_end.matching import Bytes, dominant_shifts, likelihoods
from mohs.agents.deep.front_end.network import Encoder
from mohs.agents.deep.threads import one_thread
from mohs.core.errors import UsageError
from mohs.core.seeding import child, seed_of

VERSION = 1  # of the training: another one makes other front-ends


@dataclass(frozen=True)
class Motion:
    """Settings of the training. `slots` is the number of masks, `reach` the largest displacement of an object."""

    slots: int = 8
    width: int = 16
    steps: int = 800
    batch_size: int = 16
    learning_rate: float = 1e-2
    flow_rate: float = 0.05  # learning rate of the slots' displacements
    reach: int = 8
    camera: int = 8  # the largest shift of the camera
    sigma: float = 0.012
    floor: float = 1e-6  # the likelihood of any colour of a pixel of the ground
    surprise: float = 0.02  # the same where a pixel of a slot is not found again: it is hidden, or has changed
    rest: float = 0.2  # how often what belongs to a slot moves like the ground
    cost: float = 2.0  # the evidence, in nats, that a pixel must give to belong to a slot
    doubt: float = 1.0  # how much the encoder's own opinion counts as evidence, at most, for the ground
    trust: float = 4.0  # and for a slot
    variety: float = 2.0  # weight of the information that slots have on figures
    lean: float = 0.85  # nats for slots in the end: what moves in three frames of ten is a figure


def train(before: Bytes, after: Bytes, seed: int = 0, settings: Motion | None = None) -> FrontEnd:
    """Learns masks from pairs of successive frames [n, height, width, 3]."""
    c = settings or Motion()
    _check(before, after)
    shifts = dominant_shifts(before, after, c.camera)
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed_of(child(seed, "front_end", "weights")))
        encoder = _fitted(before, after, shifts, np.random.default_rng(child(seed, "front_end", "batches")), c)
    about = {"version": VERSION, "seed": seed, "pairs": len(before), **asdict(c)}
    return FrontEnd(MOTION, encoder.arrays(), about)


def _fitted(
    before: Bytes, after: Bytes, shifts: npt.NDArray[np.int64], draws: np.random.Generator, c: Motion
) -> Encoder:
    encoder, still = Encoder(c.slots, c.width), (2 * c.reach + 1) * c.reach + c.reach
    flows = nn.Parameter(0.5 * torch.randn(c.slots, (2 * c.reach + 1) ** 2 + 1))
    with torch.no_grad():
        flows[:, -1] = float(np.log(flows.shape[1]))  # as likely as all displacements together
    rests = torch.zeros(flows.shape[1], dtype=torch.bool)
    rests[still] = True
    groups: list[dict[str, Any]] = [
        {"params": [*encoder.parameters()]},
        {"params": [flows], "lr": c.flow_rate},
    ]
    adam = torch.optim.Adam(groups, lr=c.learning_rate)
    for step in range(c.steps):
        adam.param_groups[0]["lr"] = c.learning_rate * min(1.0, 2 * (1 - step / c.steps))
        at = draws.integers(0, len(before), c.batch_size)
        first, second, shift = before[at], after[at], shifts[at]
        if step % 2:  # what moved then also moves if time runs backwards
            first, second, shift = second, first, -shift
        found, seen = likelihoods(first, second, shift, c.reach, c.sigma, c.floor)
        logits = encoder(pixels(first))
        loss = _loss(logits, torch.from_numpy(found), torch.from_numpy(seen), flows, rests, still, c)
        adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()
    with torch.no_grad():
        bias = encoder.get_parameter("fine.bias")
        bias[0] -= c.lean
    return encoder


def pixels(frames: Bytes) -> Tensor:
    """Frames as the encoder takes them."""
    return torch.from_numpy(np.moveaxis(frames, -1, 1).astype(np.float32)) / 127.5 - 1


def _loss(logits: Tensor, found: Tensor, seen: Tensor, flows: Tensor, rests: Tensor, still: int, c: Motion) -> Tensor:
    """Minus the log likelihood of the next frame, less the information of the slots on what pixels of figures show."""
    flow = (1 - c.rest) * flows.masked_fill(rests, -torch.inf).softmax(1) + c.rest * rests
    n, _, height, width = found.shape
    of_slots = torch.matmul(flow[:, :-1], found.flatten(2)).view(n, -1, height, width)
    of_slots = of_slots + c.surprise * flow[:, -1, None, None]
    evidence = torch.cat([found[:, still, None], of_slots], 1).log()
    with torch.no_grad():
        opinion = (logits - logits[:, :1]).clamp(-c.doubt, c.trust)
        opinion[:, 1:] -= c.cost + float(np.log(c.slots))
        belongs = (evidence + opinion).softmax(1)
    unlikely = -(belongs * (evidence + logits.log_softmax(1))).sum(1)
    unlikely = (unlikely * seen).sum() / seen.sum().clamp(min=1)
    probs = logits.softmax(1)
    figure = probs[:, 1:].sum(1, keepdim=True) + 1e-6
    weight = (figure.square() / figure.square().sum()).detach()
    around = functional.avg_pool2d(probs[:, 1:], 3, 1, 1)  # so that what lies side by side shares a slot
    within = around / (around.sum(1, keepdim=True) + 1e-6)
    used = (weight * within).sum((0, 2, 3))
    information = _entropy(used, 0).sum() - (weight * _entropy(within, 1)).sum()
    return unlikely - c.variety * figure.mean().detach() * information


def _entropy(probs: Tensor, over: int) -> Tensor:
    return -(probs * (probs + 1e-9).log()).sum(over, keepdim=True)


def _check(before: Bytes, after: Bytes) -> None:
    pictures = before.ndim == 4 and before.shape[3] == 3 and before.dtype == np.uint8
    if not pictures or before.shape != after.shape or after.dtype != np.uint8 or not len(before):
        raise UsageError(
            f"frames are {before.dtype} {before.shape} and {after.dtype} {after.shape}, but must be pairs of coloured "
            "pictures, uint8 [n, height, width, 3]."
        )
    if min(before.shape[1:3]) < 8:
        raise UsageError(f"frames of {before.shape[1]} × {before.shape[2]} pixels are too small: 8 × 8 is the least.")
