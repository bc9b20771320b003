"""How fast is rliable, and what does it find? Runs inside the peer's own virtual environment.

Reads one request per line from standard input and answers with one line. {"scores": {algorithm: [runs][tasks]}, "reps"}
makes the stratified bootstrap of all four aggregates, and answers with the CPU seconds, the number of resamples, the
point estimates and the ends of the intervals, each [median, interquartile mean, mean, optimality gap] by algorithm.
"""

import json
import sys
import time

import numpy as np
from rliable import library, metrics

AGGREGATES = {
    "all": (
        metrics.aggregate_median,
        metrics.aggregate_iqm,
        metrics.aggregate_mean,
        metrics.aggregate_optimality_gap,
    ),
    "iqm": (metrics.aggregate_iqm,),
}


def answer(request):
    scores = {name: np.array(runs) for name, runs in request["scores"].items()}
    chosen = AGGREGATES[request["aggregates"]]
    start = time.process_time()
    values, ends = library.get_interval_estimates(
        scores, lambda runs: np.array([f(runs) for f in chosen]), reps=request["reps"]
    )
    seconds = time.process_time() - start
    return {
        "seconds": seconds,
        "count": request["reps"] * len(scores),
        "values": {name: list(map(float, found)) for name, found in values.items()},
        "ends": {name: np.asarray(found).tolist() for name, found in ends.items()},
    }


def main():
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
