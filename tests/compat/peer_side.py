"""What does MDP Playground itself do? Run by the Python that has it installed: one JSON list of cases in, one out.

A case is {"config", "start" (or none), "actions"}; its answer holds what was generated and, for every step, the state,
the reward and whether the episode is over. With "ask" it is one of the questions below instead.
"""

import contextlib
import io
import json
import sys
import warnings

import gymnasium
import numpy as np

warnings.simplefilter("ignore")
with contextlib.redirect_stdout(io.StringIO()):
    from mdp_playground.envs import GymEnvWrapper, RLToyEnv


def made(config):
    config = {name: _array(value) for name, value in config.items()}
    with contextlib.redirect_stdout(io.StringIO()):
        return RLToyEnv(**config)


def _array(value):
    """Lists of lists are arrays there; the plain lists of other keys stay."""
    return np.array(value) if isinstance(value, list) and value and isinstance(value[0], list) else value


def play(case):
    config = case["config"]
    env = made(config)
    kind, start = config["state_space_type"], case.get("start")
    if start is not None:
        state = np.array(start, dtype=env.dtype_s)
        history = [[np.nan] * len(start)] * (env.augmented_state_length - 1) + [start]
        rest = [np.zeros_like(state) for _ in range(getattr(env, "dynamics_order", 0))]
        at = {
            "curr_state": state,
            "curr_obs": state,
            "augmented_state": history,
            "state_derivatives": [state.copy(), *rest],
        }
        env.set_markov_state(at)
    answer = {"start": np.array(env.curr_state).tolist(), "states": [], "rewards": [], "over": []}
    if hasattr(env, "rewardable_sequences"):
        answer["sequences"] = [[list(map(int, s)), float(r)] for s, r in env.rewardable_sequences.items()]
        answer["transitions"] = env.transition_matrix.astype(int).tolist()
        answer["terminals"] = np.array(env.config["terminal_states"]).astype(int).tolist()
    for action in case["actions"]:
        action = np.array(action, dtype=np.float32) if kind == "continuous" else action
        state, reward, over, _, _ = env.step(action)
        answer["states"].append(np.array(state).tolist())
        answer["rewards"].append(float(reward))
        answer["over"].append(bool(over))
        if over:
            break
    return answer


def left_the_next_set(config, steps):
    """How many steps led into another set than the next one."""
    env, size, sets = made(config), config["action_space_size"], config["diameter"]
    wrong = 0
    for _ in range(steps):
        before = int(env.augmented_state[-1]) // size
        wrong += int(env.step(0)[0]) // size != (before + 1) % sets
    return wrong


def repeats_after_reseeding(config, steps):
    env = made(config)

    def states():
        return [int(env.reset(seed=5)[0]), *(int(env.step(1)[0]) for _ in range(steps))]

    return states() == states()


def starts(config, count):
    env = made(config)
    return sorted({tuple(np.array(env.reset()[0]).tolist()) for _ in range(count)})


def failure(attempt):
    try:
        attempt()
    except Exception as error:
        return type(error).__name__
    return None


def wrapped_until_terminated():
    with contextlib.redirect_stdout(io.StringIO()):
        env = GymEnvWrapper(gymnasium.make("CartPole-v1"), state_space_type="discrete", seed=0)
    env.reset(seed=0)
    while not env.step(0)[2]:
        pass


def pushed(config):
    """Positions under transition noise that is always (1, 0), without any action."""
    env = made(config)
    env.transition_noise = lambda state, action, rng: np.array([1.0, 0.0], dtype=np.float32)
    env.set_markov_state(np.zeros(2, dtype=np.float32))
    return [env.step(np.zeros(2, dtype=np.float32))[0].tolist() for _ in range(3)]


QUESTIONS = {
    "left_the_next_set": left_the_next_set,
    "repeats_after_reseeding": repeats_after_reseeding,
    "starts": starts,
    "terminals": lambda config: int(made(config).num_terminal_states),
    "unknown_key": lambda config: failure(lambda: made(config)),
    "delayed_grid": lambda config: failure(lambda: made(config).step([1, 0])),
    "wrapper": lambda: failure(wrapped_until_terminated),
    "vectorised_images": lambda config: failure(lambda: gymnasium.vector.SyncVectorEnv([lambda: made(config)])),
    "pushed": pushed,
}


def answer(case):
    return QUESTIONS[case["ask"]](*case.get("of", [])) if "ask" in case else play(case)


if __name__ == "__main__":
    print(json.dumps([answer(case) for case in json.load(sys.stdin)]))
