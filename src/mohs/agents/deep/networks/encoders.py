"""What comes before the layers of an agent? Nothing where it sees numbers or states, convolutions for images."""

from __future__ import annotations

from torch import Tensor

from mohs.agents.deep.config import DeepConfig
from mohs.agents.deep.networks.convolutions import Cnn, Impala
from mohs.agents.deep.networks.layers import Generators, Network
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
    def __init__(self, convolutions: Cnn | Impala) -> None:
        super().__init__(convolutions.outputs)
        self.convolutions = convolutions

    def forward(self, x: Tensor) -> Tensor:
        features: Tensor = self.convolutions(x)
        return features


def encoder(init: Generators, sees: Observations, config: DeepConfig) -> Encoder:
    c = config
    if not isinstance(sees, Image):
        return Encoder(sees.width)
    if c.encoder == "impala":
        if not c.impala_channels:
            raise UsageError("encoder=impala needs at least one stage: impala_channels must not be empty.")
        return ImageEncoder(Impala(init, sees.shape, c.impala_channels, c.impala_blocks, c.impala_width, top=sees.top))
    _, height, width = sees.shape
    for _, kernel, stride in c.filters:
        if min(height, width) < kernel:
            raise UsageError(
                f"images of {sees.shape[1]} × {sees.shape[2]} pixels are too small for filters {c.filters}; "
                "give smaller ones, such as --set filters=[[16,4,2],[32,3,1]]."
            )
        height, width = (height - kernel) // stride + 1, (width - kernel) // stride + 1
    return ImageEncoder(Cnn(init, sees.shape, c.filters, top=sees.top))
