"""Small Gymnasium environments with known tables, each with something that could mislead a search."""

from __future__ import annotations

import random
import threading

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle


class Played(gymnasium.Env):
    """Plays a deterministic table, and shows its observations."""

    def __init__(self, table, first_action=0):
        self.rows = list(zip(table.succ.tolist(), table.reward.tolist(), strict=True))
        self.seen, self.over = table.observation.tolist(), table.terminal.tolist()
        self.first = int(np.argmax(table.initial))
        self.observation_space = spaces.Discrete(max(self.seen) + 1)
        self.action_space = spaces.Discrete(table.actions, start=first_action)
        self.state = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = self.first
        return self.seen[self.state], {}

    def step(self, action):
        assert self.action_space.contains(action)
        self.state, reward = self.rows[self.state * int(self.action_space.n) + action - int(self.action_space.start)]
        return self.seen[self.state], reward, self.over[self.state], False, {}


class Lock(gymnasium.Env):
    """Opens after `code`; a wrong digit starts it anew. Nothing is seen but the digit that was entered last."""

    code = (1, 0, 1)

    def __init__(self):
        self.observation_space = spaces.Box(0, 1, (2,))
        self.action_space = spaces.Discrete(2)
        self.entered = 0

    def seen(self, digit):
        return np.array([digit, 0], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.entered = 0
        return self.seen(0), {}

    def step(self, action):
        self.entered = self.entered + 1 if action == self.code[self.entered] else 0
        over = self.entered == len(self.code)
        return self.seen(action), float(over), over, False, {}


class Forgetful(Lock, EzPickle):
    """Copies are fresh ones."""

    def __init__(self):
        EzPickle.__init__(self)
        super().__init__()


class ForgetfulUnseeded(Forgetful):
    """Copies are fresh ones, and there is no random generator that would be missed in them."""

    def reset(self, *, seed=None, options=None):
        self.entered = 0
        return self.seen(0), {}


class LongLock(Lock):
    """Random play never opens it, and nothing is seen."""

    code = (0, 1) * 20

    def seen(self, digit):
        return np.zeros(2, dtype=np.float32)


class Uncopied(Lock):
    def __deepcopy__(self, memo):
        raise RuntimeError("there can be only one")


class SharedMemory(Lock):
    """Writes through one array and reads through another, which a copy would part."""

    def __init__(self):
        super().__init__()
        self.written = np.zeros(2, dtype=np.int64)
        self.read = self.written[1:]

    @property
    def entered(self):
        return int(self.read[0]) if hasattr(self, "read") else 0

    @entered.setter
    def entered(self, value):
        if hasattr(self, "written"):
            self.written[1] = value


class SharedState(Lock):
    """All copies act on one and the same list."""

    class Cell(list):
        def __deepcopy__(self, memo):
            return self

    def __init__(self):
        self.cell = SharedState.Cell([0])
        super().__init__()

    @property
    def entered(self):
        return self.cell[0]

    @entered.setter
    def entered(self, value):
        self.cell[0] = value


class SharedSwitch(SharedState):
    """Action 0 switches all copies on, and to do it twice makes no difference; action 1 pays if it is on."""

    def step(self, action):
        if action == 0:
            self.entered = 1
        return self.seen(0), float(action * self.entered), False, False, {}


class Unreadable(Lock):
    def __init__(self):
        super().__init__()
        self.guard = threading.Lock()


class Counting(Lock):
    """Counts its steps, ends after five, and pays less the later it opens if `hurried`."""

    def __init__(self, hurried=False, steps=5):
        super().__init__()
        self.steps, self.limit, self.hurried = 0, steps, hurried

    def reset(self, *, seed=None, options=None):
        self.steps = 0
        return super().reset(seed=seed)

    def step(self, action):
        self.steps += 1
        seen, reward, over, _, info = super().step(action)
        if self.hurried:
            reward *= 1 - self.steps / 10
        return seen, reward, over, self.steps >= self.limit, info


class CountsEpisodes(Lock):
    episodes = 0

    def reset(self, *, seed=None, options=None):
        self.episodes += 1
        return super().reset(seed=seed)


class CountsEpisodesUncopied(CountsEpisodes, Uncopied):
    pass


class Slippery(Lock):
    """Now and then a digit is not taken; chance comes from where `source` says."""

    def __init__(self, source="gymnasium", chance=0.2):
        super().__init__()
        self.source, self.chance = source, chance
        self.own = np.random.RandomState(0) if source == "own" else None

    def drawn(self):
        sources = {
            "gymnasium": lambda: self.np_random.random(),
            "own": lambda: self.own.random_sample(),
            "global": np.random.random,
            "module": random.random,
        }
        return sources[self.source]()

    def step(self, action):
        return super().step(0 if self.drawn() < self.chance else action)


class RareReward(Slippery):
    """Draws, too, but only for what opening it pays."""

    def step(self, action):
        seen, reward, over, *rest = Lock.step(self, action)
        return seen, reward * (1 + (self.drawn() < 0.5)), over, *rest


class AnyStart(Lock):
    """Begins anywhere, whatever the seed."""

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.entered = random.randrange(3)
        return self.seen(self.entered % 2), {}


class AnyView(Lock):
    """Shows anything at first, whatever the seed; nothing depends on it."""

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.seen(random.random()), {}


class SeededStart(Lock):
    """Begins with some digits entered, as many as the seed says."""

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.entered = seed % 3
        return self.seen(seed % 3), {}


class EveryOther(gymnasium.Wrapper):
    """Pays double every other step, so it has a state of its own."""

    odd = False

    def reset(self, **options):
        self.odd = False
        return super().reset(**options)

    def step(self, action):
        self.odd = not self.odd
        seen, reward, *rest = super().step(action)
        return seen, reward * (1 + self.odd), *rest


class Named(Unreadable):
    """Names its own state."""

    def state_key(self):
        return self.entered


class Cloned(Unreadable):
    def clone_state(self):
        return {"entered": self.entered}
