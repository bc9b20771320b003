"""What do toys, control problems and a traffic signal look like? One picture of each, after a few steps.

Run it:  python examples/render_toys.py OUT      (OUT/discrete.png and others)

The same pictures come from any of them that is made with render_mode="rgb_array"; render_mode="human" shows them in a
window.
"""

import sys
from pathlib import Path

from PIL import Image

import mohs

# Of each picture the environment, its parameters and the actions taken before it.
PICTURES = {
    "discrete": ("toy/discrete", {}, [4, 3, 2, 7, 3, 2]),
    "discrete_sequences": (
        "toy/discrete",
        {"diameter": 3, "sequence_length": 3, "terminal_state_density": 0.125},
        [7, 5, 5, 7, 4, 6, 6, 1],
    ),
    "discrete_irrelevant": (
        "toy/discrete",
        {"irrelevant_features": True, "action_space_size": (8, 5)},
        [(7, 4), (1, 4), (3, 4), (1, 1), (7, 0), (4, 1)],
    ),
    "grid": (
        "toy/grid",
        {"terminal_states": [(3, 2), (3, 3), (3, 4), (6, 1)], "start_point": (1, 3)},
        [1, 3, 3, 1, 1, 1, 2, 1],
    ),
    "grid_deep": (
        "toy/grid",
        {"grid_shape": (6, 4, 5), "irrelevant_features": True, "start_point": (1, 0, 2)},
        [(1, 0), (1, 3), (3, 3), (5, 1), (1, 1), (3, 2)],
    ),
    "continuous": (
        "toy/continuous",
        {
            "terminal_states": [(-5, 5), (6, -5)], "term_state_edge": 3.0, "target_radius": 0.5,
            "transition_dynamics_order": 2, "start_point": (-7, -7),
        },
        [(0.1, 0.8), (0.2, 0.7), (0.6, 0.2), (0.8, -0.2), (0.5, -0.6)],
    ),
    "continuous_dimensions": (
        "toy/continuous",
        {"state_space_dim": 3, "irrelevant_dimensions": 2, "start_point": (-8, 3, 6, 2, -4)},
        [(1, 0.3, -0.8, 0.5, 0.2), (1, 0.1, -1, 0.3, 0.4), (0.9, -0.4, -1, 0.5, -0.2), (0.9, -0.7, -0.6, 0.1, 0.3)],
    ),
    "cartpole": ("control/cartpole", {"length": 1.0}, [1] * 6 + [0] * 3),
    "pendulum": ("control/pendulum", {}, [(2.0,)] * 14),
    "mountain_car": ("control/mountain_car", {}, [0] * 35 + [2] * 40),
    "acrobot": ("control/acrobot", {}, ([2] * 6 + [0] * 7) * 4),
    "intersection": (
        "traffic/intersection",
        {"left_lanes": 1, "inflow": 1400.0},
        [0, 0, 0, 1, 2, 2, 2, 3] * 4 + [0, 0],
    ),
    "quad": ("control/quad", {"u": 1.0, "l": 4.0}, [(1.0,)] * 5 + [(0.3,)] * 12),
}  # fmt: skip


def picture(name, params, actions):
    """What is seen after these actions."""
    env = mohs.make(name, render_mode="rgb_array", **params)
    env.reset(seed=1)
    for action in actions:
        env.step(action)
    return env.render()


def main(out):
    out.mkdir(parents=True, exist_ok=True)
    for name, recipe in PICTURES.items():
        path = out / f"{name}.png"
        Image.fromarray(picture(*recipe)).quantize(64).save(path, optimize=True)  # few colours: small files
        print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
