"""What can be set of every deep agent? How it sees images, and what it does when the task changes."""

from __future__ import annotations

from dataclasses import dataclass, fields

from mohs.agents.deep.front_end.files import NAMES
from mohs.agents.deep.lifelong.new_tasks import LifelongConfig
from mohs.agents.hyperparameters import setting
from mohs.core.domain import Choice, Each, Integer


@dataclass(frozen=True)
class DeepConfig(LifelongConfig):
    """What all deep agents have."""

    encoder: str = setting(
        "cnn", Choice(("cnn", "impala")), "encoder of images: plain convolutions, or the residual network of IMPALA"
    )
    filters: tuple[tuple[int, ...], ...] = setting(
        ((16, 8, 4), (32, 4, 2)),
        Each(Each(Integer(1), 3)),
        "convolutions of encoder=cnn: [channels, kernel, stride] of each layer",
    )
    impala_channels: tuple[int, ...] = setting((16, 32, 32), Each(Integer(1)), "channels of each stage of IMPALA")
    impala_blocks: int = setting(2, Integer(0), "residual blocks of each stage of IMPALA")
    impala_width: int = setting(256, Integer(1), "width of IMPALA's last layer")
    front_end: str = setting("", NAMES, "pretrained front-end, whose masks are seen beside the pixels; empty: none")

    @classmethod
    def shared(cls) -> tuple[str, ...]:
        return tuple(f.name for f in fields(DeepConfig))
