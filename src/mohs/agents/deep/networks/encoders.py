"""What comes before the layers of an agent? Nothing where it sees numbers or states, convolutions for images."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from mohs.agents.deep.networks.layers import Cnn, Generators, Network
from mohs.agents.deep.spaces import Image, Observations
from mohs.core.errors import UsageError


class Encoder(Network):
    """Features as they are."""

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.outputs = outputs

    def forward(self, x: Tensor) -> Tensor:
        return x


class ImageEncoder(Encoder):
    def __init__(self, init: Generators, shape: Sequence[int], filters: Sequence[Sequence[int]], top: int) -> None:
        convolutions = Cnn(init, shape, filters, top=top)
        super().__init__(convolutions.outputs)
        self.convolutions = convolutions

    def forward(self, x: Tensor) -> Tensor:
        features: Tensor = self.convolutions(x)
        return features


def encoder(init: Generators, sees: Observations, filters: Sequence[Sequence[int]]) -> Encoder:
    if not isinstance(sees, Image):
        return Encoder(sees.width)
    _, height, width = sees.shape
    for _, kernel, stride in filters:
        if min(height, width) < kernel:
            raise UsageError(
                f"images of {sees.shape[1]} × {sees.shape[2]} pixels are too small for filters {filters}; "
                "give smaller ones, such as --set filters=[[16,4,2],[32,3,1]]."
            )
        height, width = (height - kernel) // stride + 1, (width - kernel) // stride + 1
    return ImageEncoder(init, sees.shape, filters, sees.top)
