"""How fast are stable-baselines3 and sb3-contrib? Runs inside the peers' own virtual environment, on tasks of mohs.

Reads one request per line from standard input and answers with one line. {"case", "env", "params", "algorithm",
"policy", "settings", "warm", "steps"} trains a model, which is made and trained for `warm` steps at the first request
of a case, and answers with the CPU seconds and the steps taken. With "memory" it trains two new models instead and
answers with the resident bytes that the second one added.
"""

import importlib
import json
import os
import sys
import time

import torch
from sb3_contrib import ARS, TRPO
from stable_baselines3 import DQN, PPO, SAC
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import DummyVecEnv
from torch import nn

import mohs

torch.set_num_threads(1)
ALGORITHMS = {"DQN": DQN, "PPO": PPO, "SAC": SAC, "ARS": ARS, "TRPO": TRPO}


class SmallCnn(BaseFeaturesExtractor):
    """Convolutions (channels, kernel, stride), each with a ReLU, and nothing after them."""

    def __init__(self, observation_space, filters):
        layers, channels = [], observation_space.shape[0]
        for made, kernel, stride in filters:
            layers += [nn.Conv2d(channels, made, kernel, stride), nn.ReLU()]
            channels = made
        convolutions = nn.Sequential(*layers, nn.Flatten())
        with torch.no_grad():
            width = convolutions(torch.zeros(1, *observation_space.shape)).shape[1]
        super().__init__(observation_space, width)
        self.convolutions = convolutions

    def forward(self, observations):
        return self.convolutions(observations)


def resolved(value):
    """Classes by module:name."""
    if isinstance(value, dict):
        return {key: resolved(part) for key, part in value.items()}
    if isinstance(value, str) and ":" in value:
        module, _, name = value.partition(":")
        return getattr(importlib.import_module(module), name)
    return value


def build(request):
    """Without a Monitor around the environment and without logs: the peer's fastest setting."""
    settings = resolved(request["settings"])
    if "filters" in request:
        network = settings["policy_kwargs"]
        network |= {"features_extractor_class": SmallCnn, "features_extractor_kwargs": {"filters": request["filters"]}}
    env = DummyVecEnv([lambda: mohs.make(request["env"], **request["params"])])
    return ALGORITHMS[request["algorithm"]](request["policy"], env, seed=0, device="cpu", **settings)


def train(model, steps):
    """Whole rollouts may be more steps than asked for."""
    before = model.num_timesteps
    start = time.process_time()
    model.learn(steps, log_interval=None, reset_num_timesteps=False)
    return {"seconds": time.process_time() - start, "count": model.num_timesteps - before}


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def memory(request):
    models = []
    for _ in range(2):
        before = resident()
        models.append(build(request))
        train(models[-1], request["steps"])
    return {"bytes": resident() - before}


def answer(request, models):
    if request.get("memory"):
        return memory(request)
    case = request["case"]
    if case not in models:
        models[case] = build(request)
        train(models[case], request["warm"])
    return train(models[case], request["steps"])


def main():
    models = {}
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), models)), flush=True)


if __name__ == "__main__":
    main()
