"""How fast is CARL 1.1.1? Runs inside the peer's own virtual environment and imports nothing of mohs.

Reads one request per line from standard input ({"env": ..., "steps": ...}) and answers with one line: the CPU seconds
taken and the steps made in them, resets included.
"""

import json
import sys
import time

from carl import envs


def play(env, actions):
    step, reset = env.step, env.reset
    reset()
    start = time.process_time()
    for action in actions:
        _, _, terminated, truncated, _ = step(action)
        if terminated or truncated:
            reset()
    return time.process_time() - start


def main():
    known = {}
    for line in sys.stdin:
        request = json.loads(line)
        name, steps = request["env"], request["steps"]
        if name not in known:
            env = known[name] = getattr(envs, name)()
            env.reset(seed=0)
            env.action_space.seed(0)
        env = known[name]
        actions = [env.action_space.sample() for _ in range(steps)]
        print(json.dumps({"seconds": play(env, actions), "count": steps}), flush=True)


if __name__ == "__main__":
    main()
