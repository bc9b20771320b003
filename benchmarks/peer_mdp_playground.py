"""How fast is mdp-playground 1.0.0? Runs inside the peer's own virtual environment and imports nothing of mohs.

Reads one request per line from standard input ({"case": ..., "config": ..., "steps": ..., "limit": ...}) and answers
with one line: the CPU seconds taken and the transitions made in them.
"""

import contextlib
import io
import json
import logging
import random
import sys
import time
import warnings


def build(config):
    from mdp_playground.envs import RLToyEnv

    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Quiet logging is the peer's fastest setting.
        return RLToyEnv(**config, log_level=logging.CRITICAL)


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
    config = request["config"]
    if request["case"] == "construction":
        start = time.process_time()
        build(config)
        return {"seconds": time.process_time() - start, "count": 1}
    if request["case"] not in envs:
        env = build(config)
        if request["limit"]:
            from gymnasium.wrappers import TimeLimit

            env = TimeLimit(env, request["limit"])
        envs[request["case"]] = env
    rng = random.Random(0)
    actions = [rng.randrange(config["action_space_size"]) for _ in range(request["steps"])]
    return {"seconds": play(envs[request["case"]], actions), "count": len(actions)}


def main():
    envs = {}
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), envs)), flush=True)


if __name__ == "__main__":
    main()
