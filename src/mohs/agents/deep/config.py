"""Where do the configs of deep agents come from? From the same place as all."""

from mohs.agents.hyperparameters import Config, setting

__all__ = ["Config", "setting"]
