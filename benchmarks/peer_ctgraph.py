"""How fast is gym-ctgraph 1.0? Runs inside the peer's own virtual environment and imports nothing of mohs.

Reads one request per line from standard input ({"config": ..., "steps": ...}) and answers with one line: the CPU
seconds taken and the steps made in them. With "build" true it is the construction that is timed. The peer imports
torch and torchvision, of which it uses nothing; empty modules stand in for them.
"""

import contextlib
import io
import json
import os
import random
import sys
import tempfile
import time
import types

for _name in ("torch", "torchvision"):
    sys.modules[_name] = types.ModuleType(_name)
os.chdir(tempfile.mkdtemp())  # it writes files where it runs


def build(config):
    from gym_CTgraph.CTgraph_env import CTgraphEnv
    from gym_CTgraph.CTgraph_images import CTgraph_images

    with contextlib.redirect_stdout(io.StringIO()):
        return CTgraphEnv(config, CTgraph_images(config))


def play(env, actions):
    step, reset = env.step, env.reset
    reset()
    start = time.process_time()
    for action in actions:
        if step(action)[2]:
            reset()
    return time.process_time() - start


def main():
    known = {}
    for line in sys.stdin:
        request = json.loads(line)
        config, steps = request["config"], request["steps"]
        if request.get("build"):
            start = time.process_time()
            build(config)
            answer = {"seconds": time.process_time() - start, "count": 1}
        else:
            key = json.dumps(config, sort_keys=True)
            if key not in known:
                known[key] = build(config)
            rng = random.Random(0)
            actions = [rng.randrange(config["graph_shape"]["b"] + 1) for _ in range(steps)]
            answer = {"seconds": play(known[key], actions), "count": steps}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
