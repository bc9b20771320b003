"""The searches as plain Python: numpy, a single environment, one step at a time, from the formulas of the papers."""

from __future__ import annotations

import itertools

import numpy as np
from gymnasium import spaces

import mohs
from mohs.agents.registry import config
from mohs.agents.streams import keys, seeds
from mohs.engines.draws import as_normal, bits, nth


def normals(key, generation, number, count):
    x = np.uint64(bits(np.uint64(key), generation, number, 0))
    return np.array([as_normal(np.uint64(nth(x, j))) for j in range(count)])


def one_hot(space, observation):
    if isinstance(space, spaces.Discrete):
        return np.eye(space.n)[observation - space.start]
    if isinstance(space, spaces.MultiDiscrete):
        return np.concatenate([np.eye(n)[value] for n, value in zip(space.nvec, observation, strict=True)])
    return np.asarray(observation, dtype=np.float64).ravel()


class Normaliser:
    """Keeps every observation; mean and deviation are those of all of them up to the last generation."""

    def __init__(self, width):
        self.kept, self.mean, self.factor = [], np.zeros(width), np.ones(width)

    def __call__(self, inputs):
        self.kept.append(inputs)
        return (inputs - self.mean) * self.factor

    def renew(self):
        self.mean, deviation = np.mean(self.kept, 0), np.std(self.kept, 0)
        self.factor = np.where(deviation > 1e-7, 1 / np.where(deviation > 1e-7, deviation, 1), 0)


def action_of(c, space, widths, weights, inputs):
    """The layers of a policy, its weights cut from one row."""
    place, x = 0, inputs
    for layer, (a, b) in enumerate(itertools.pairwise(widths)):
        rows = weights[place : place + (a + c.has_bias) * b].reshape(a + c.has_bias, b)
        place += rows.size
        x = np.concatenate([[1.0], x] if c.has_bias else [x]) @ rows
        if layer < len(widths) - 2:
            x = np.maximum(x, 0) if c.activation == "relu" else np.tanh(x)
    if isinstance(space, spaces.Discrete):
        return int(space.start) + int(x.argmax())
    if isinstance(space, spaces.MultiDiscrete):
        return np.array([part.argmax() for part in np.split(x, np.cumsum(space.nvec)[:-1])])
    low, high = space.low.ravel(), space.high.ravel()
    scaled = low + (np.tanh(x) + 1) / 2 * (high - low) if c.squash_output else x
    return np.clip(scaled.astype(np.float32), low, high).reshape(space.shape)


def ars(c, state, drawn, returns):
    """Algorithm 2 of Mania et al. (2018), lines 6 and 7, with step α / (b σ_R)."""
    plus, minus = np.array(returns).reshape(2, -1)
    b = c.n_top or c.n_delta
    used = np.argsort(-np.maximum(plus, minus), kind="stable")[:b]
    deviation = np.concatenate([plus[used], minus[used]]).std()
    if deviation > 0:
        total = sum((plus[k] - minus[k]) * drawn[k] for k in used)
        state["mean"] = state["mean"] + c.learning_rate / (b * deviation) * total


def cem(c, state, drawn, returns):
    """Mean and variance of the elite; the standard deviation of the noise falls linearly (Szita and Lőrincz 2006)."""
    elite = max(1, round(c.elite_fraction * c.population_size))
    best = np.argsort(-np.array(returns), kind="stable")[:elite]
    weights = np.array([state["mean"] + state["std"] * drawn[k] for k in best])
    noise = c.noise_std * max(0.0, 1 - state["generation"] / c.noise_generations) if c.noise_generations else 0.0
    state["mean"], state["std"] = weights.mean(0), np.sqrt(weights.var(0) + noise**2)


def hill_climbing(c, state, drawn, returns):
    if returns[0] >= state["best"]:
        state["mean"], state["best"] = state["mean"] + state["std"] * drawn[0], returns[0]
        state["std"] = np.maximum(state["std"] / c.noise_factor, c.min_noise_std)
    else:
        state["std"] = np.minimum(state["std"] * c.noise_factor, c.max_noise_std)


IMPROVE = {"ars": ars, "cem": cem, "hill_climbing": hill_climbing}


def candidates(name, c, state, key, count):
    """The weights of all candidates of a generation, and the normals of their directions."""
    if name == "ars":
        drawn = [normals(key, state["generation"], k, count) for k in range(c.n_delta)]
        return [state["mean"] + sign * c.delta_std * delta for sign in (1, -1) for delta in drawn], drawn
    drawn = [normals(key, state["generation"], k, count) for k in range(c.population_size if name == "cem" else 1)]
    return [state["mean"] + state["std"] * delta for delta in drawn], drawn


def searched(cell):
    """The mean after training, and (step, return, length) of every episode that ended."""
    name, c = cell.agent.name, config(cell.agent)
    (key,), (seed,) = keys([cell], "agent"), seeds([cell], 1, "environment", 0)
    env = mohs.make(cell.segments[0].source)
    width = len(one_hot(env.observation_space, env.observation_space.sample()))
    played = env.action_space
    outputs = (
        played.n
        if isinstance(played, spaces.Discrete)
        else (played.nvec.sum() if isinstance(played, spaces.MultiDiscrete) else np.prod(played.shape))
    )
    widths = [width, *c.layers, int(outputs)]
    count = sum((a + c.has_bias) * b for a, b in itertools.pairwise(widths))
    state = {"mean": np.zeros(count), "std": c.first_std(count), "best": -np.inf, "generation": 0}
    normalise = Normaliser(width)
    episodes, step = [], 0
    observation, _ = env.reset(seed=seed)
    while True:
        returns = []
        weights, drawn = candidates(name, c, state, key, count)
        for candidate in weights:
            score = 0.0
            for _ in range(c.n_eval_episodes):
                total, length, over = 0.0, 0, False
                while not over:
                    if step == cell.steps:
                        return state["mean"], episodes
                    inputs = one_hot(env.observation_space, observation)
                    inputs = normalise(inputs) if c.normalize_observations else inputs
                    action = action_of(c, played, widths, candidate, inputs)
                    observation, reward, terminated, truncated, _ = env.step(action)
                    total, length, step, over = total + reward, length + 1, step + 1, terminated or truncated
                episodes.append((step, total, length))
                score += (total + c.alive_bonus_offset * length) / c.n_eval_episodes
                observation, _ = env.reset()
            returns.append(score)
        IMPROVE[name](c, state, drawn, returns)
        state["generation"] += 1
        if c.normalize_observations:
            normalise.renew()
