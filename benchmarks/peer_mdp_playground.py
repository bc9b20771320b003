"""How fast is mdp-playground 1.0.0? Runs inside the peer's own virtual environment and imports nothing of mohs.

Reads one request per line from standard input ({"case": ..., "config": ..., "steps": ...}) and answers with one line:
the CPU seconds taken and the transitions made in them. "limit" bounds the episodes of a toy; "wraps" names a Gymnasium
environment that is to be wrapped instead, or played bare where "config" is null.
"""

import contextlib
import io
import json
import logging
import random
import sys
import time
import warnings


def quiet():
    stack = contextlib.ExitStack()
    stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
    stack.enter_context(warnings.catch_warnings())
    warnings.simplefilter("ignore")
    return stack


def build(config):
    from mdp_playground.envs import RLToyEnv

    with quiet():
        # Quiet logging is the peer's fastest setting.
        return RLToyEnv(**config, log_level=logging.CRITICAL)


def wrap(name, config):
    import gymnasium
    import numpy as np

    env = gymnasium.make(name).unwrapped
    if config is None:
        return env
    from mdp_playground.envs import GymEnvWrapper

    with quiet():
        # When an episode terminates the wrapper multiplies a list of rewards by `reward_scale`, which raises unless the
        # scale is a NumPy array; an array of no dimensions makes it play on, and costs a microsecond.
        return GymEnvWrapper(env, **config, reward_scale=np.array(1.0), log_level=logging.CRITICAL)


def choose(space, count):
    """Random actions as plain as the space takes them."""
    if hasattr(space, "n"):
        rng = random.Random(0)
        return [rng.randrange(int(space.n)) for _ in range(count)]
    space.seed(0)
    return [space.sample() for _ in range(count)]


def play(env, actions):
    """Steps with the given actions, resets included, as every training loop does."""
    step, reset = env.step, env.reset
    reset()
    start = time.process_time()
    for action in actions:
        _, _, terminated, truncated, _ = step(action)
        if terminated or truncated:
            reset()
    return time.process_time() - start


def answer(request, envs):
    config, case = request["config"], request["case"]
    if case == "construction":
        start = time.process_time()
        build(config)
        return {"seconds": time.process_time() - start, "count": 1}
    if case not in envs:
        env = wrap(request["wraps"], config) if "wraps" in request else build(config)
        if request.get("limit"):
            from gymnasium.wrappers import TimeLimit

            env = TimeLimit(env, request["limit"])
        envs[case] = env, choose(env.action_space, request["steps"])
    env, actions = envs[case]
    return {"seconds": play(env, actions), "count": len(actions)}


def main():
    envs = {}
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), envs)), flush=True)


if __name__ == "__main__":
    main()
