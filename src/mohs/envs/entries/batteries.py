"""Which doses of which dials does a diagnosis try? The batteries of the environments, which their entries name."""

from __future__ import annotations

from mohs.core.battery import Battery, Doses

# The discrete toy: the doses of MDP Playground's figures where it has them (Figures 7 to 10 and 37 to 40).
_DISCRETE_QUICK: Doses = {
    "delay": (0, 1, 2, 4, 8),
    "sequence_length": (1, 2, 3, 4),
    "transition_noise": (0.0, 0.02, 0.05, 0.1, 0.25),
    "reward_noise": (0.0, 1.0, 5.0, 10.0, 25.0),
    "irrelevant_features": (False, True),
}
_DISCRETE_STANDARD: Doses = {
    **_DISCRETE_QUICK,
    "reward_density": (0.25, 0.5, 0.75),
    "terminal_state_density": (0.0, 0.125, 0.25, 0.375, 0.5),
    "action_space_size": (8, 12, 16, 24),
    "diameter": (1, 2, 3, 4),
    "reward_scale": (0.01, 0.1, 1.0, 10.0, 100.0),
    "reward_shift": (-1.0, -0.5, 0.0, 0.5, 1.0),
}
_DISCRETE_FULL: Doses = {
    **_DISCRETE_STANDARD,
    "delay": (0, 1, 2, 3, 4, 6, 8, 12),
    "transition_noise": (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5),
    "reward_noise": (0.0, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0),
    "term_state_reward": (-10.0, -1.0, 0.0, 1.0, 10.0),
}
# They have no effect on sequences of one state.
_DISCRETE_PAIRED: Doses = {"reward_every_n_steps": (True, False), "make_denser": (False, True)}
DISCRETE = {
    "quick": Battery(_DISCRETE_QUICK, (), 20, 20_000, paired=_DISCRETE_PAIRED),
    "standard": Battery(_DISCRETE_STANDARD, (("delay", "sequence_length"),), 50, 20_000, paired=_DISCRETE_PAIRED),
    "full": Battery(
        _DISCRETE_FULL,
        (
            ("delay", "sequence_length"),
            ("transition_noise", "reward_noise"),
            ("sequence_length", "reward_every_n_steps"),
            ("sequence_length", "make_denser"),
        ),
        100,
        20_000,
        paired=_DISCRETE_PAIRED,
    ),
}

# The continuous toy: Figures 5, 6, 14, 26 to 29 and 48, and the delays and noises of the experiments beside them. They
# all pay at every step and have a target of radius 0.5.
_CONTINUOUS_BASE = {"make_denser": True, "target_radius": 0.5}
_CONTINUOUS_QUICK: Doses = {
    "delay": (0, 1, 2, 4, 8),
    "transition_noise": (0.0, 0.1, 0.25, 0.5, 1.0, 2.0),
    "reward_noise": (0.0, 0.25, 0.5, 1.0, 2.0, 5.0),
    "target_radius": (0.05, 0.1, 0.25, 0.5, 1.0),
    "irrelevant_dimensions": (0, 1, 2, 4, 8),
}
_CONTINUOUS_STANDARD: Doses = {
    **_CONTINUOUS_QUICK,
    "action_space_max": (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0),
    "time_unit": (0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0),
    "make_denser": (True, False),
    "reward_scale": (0.01, 0.1, 1.0, 10.0, 100.0),
    "reward_shift": (-1.0, -0.5, 0.0, 0.5, 1.0),
}
_CONTINUOUS_FULL: Doses = {
    **_CONTINUOUS_STANDARD,
    "transition_noise": (0.0, 0.02, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0),
    "reward_noise": (0.0, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 25.0),
    "transition_dynamics_order": (1, 2),
    "inertia": (0.5, 1.0, 2.0, 4.0),
    "state_space_dim": (2, 3, 4, 6, 10),
    "action_loss_weight": (0.0, 0.01, 0.1, 0.5),
    "term_state_reward": (-10.0, -1.0, 0.0, 1.0, 10.0),
}
CONTINUOUS = {
    "quick": Battery(_CONTINUOUS_QUICK, (), 20, 20_000, _CONTINUOUS_BASE),
    "standard": Battery(_CONTINUOUS_STANDARD, (("action_space_max", "time_unit"),), 50, 20_000, _CONTINUOUS_BASE),
    "full": Battery(
        _CONTINUOUS_FULL,
        (("action_space_max", "time_unit"), ("transition_noise", "target_radius")),
        100,
        20_000,
        _CONTINUOUS_BASE,
    ),
}

# The grid pays at every step, as the continuous toy does; its rewards are ±1, so that a little noise hides them.
_GRID_BASE = {"make_denser": True}
_GRID_QUICK: Doses = {
    "delay": (0, 1, 2, 4, 8),
    "transition_noise": (0.0, 0.02, 0.05, 0.1, 0.25),
    "reward_noise": (0.0, 0.25, 0.5, 1.0, 2.0),
    "irrelevant_features": (False, True),
}
_GRID_STANDARD: Doses = {
    **_GRID_QUICK,
    "make_denser": (True, False),
    "reward_scale": (0.01, 0.1, 1.0, 10.0, 100.0),
    "reward_shift": (-1.0, -0.5, 0.0, 0.5, 1.0),
}
_GRID_FULL: Doses = {
    **_GRID_STANDARD,
    "delay": (0, 1, 2, 3, 4, 6, 8, 12),
    "transition_noise": (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5),
    "reward_noise": (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0),
    "term_state_reward": (-10.0, -1.0, 0.0, 1.0, 10.0),
}
GRID = {
    "quick": Battery(_GRID_QUICK, (), 20, 20_000, _GRID_BASE),
    "standard": Battery(_GRID_STANDARD, (), 50, 20_000, _GRID_BASE),
    "full": Battery(_GRID_FULL, (("transition_noise", "reward_noise"),), 100, 20_000, _GRID_BASE),
}

# Third-party environments: Figures 30 to 36 (Atari and MuJoCo). Reward noise there is that of rewards clipped to ±1;
# here it goes further, as in the toy. Dials that the environment does not allow are left out of a battery.
_THIRD_PARTY_QUICK: Doses = {
    "delay": (0, 1, 2, 4, 8),
    "transition_noise": (0.0, 0.01, 0.02, 0.1, 0.25),
    "reward_noise": (0.0, 0.25, 1.0, 5.0, 25.0),
}
_THIRD_PARTY_STANDARD: Doses = {
    **_THIRD_PARTY_QUICK,
    "sticky_actions": (0.0, 0.1, 0.25, 0.5),
    "reward_probability": (0.05, 0.1, 0.25, 0.5, 1.0),
    "reward_scale": (0.01, 0.1, 1.0, 10.0, 100.0),
    "reward_shift": (-1.0, -0.5, 0.0, 0.5, 1.0),
    "action_space_max": (0.1, 0.25, 0.5, 1.0, 2.0, 4.0),  # HalfCheetah's simulation breaks down at 8
    "time_unit": (0.2, 0.4, 1.0, 2.0, 4.0),
    "image_transforms": ("", "shift", "scale", "rotate", "flip", "shift,scale,rotate,flip"),
}
_THIRD_PARTY_FULL: Doses = {
    **_THIRD_PARTY_STANDARD,
    "delay": (0, 1, 2, 4, 8, 16, 32),
    "observation_noise": (0.0, 0.01, 0.05, 0.1, 0.5),
    "action_repeat": (1, 2, 4, 8),
    "irrelevant_features": (False, True),
    "term_state_reward": (-10.0, -1.0, 0.0, 1.0, 10.0),
    "reward_clip": (None, (-1.0, 1.0)),
}
THIRD_PARTY = {
    "quick": Battery(_THIRD_PARTY_QUICK, (), 10, 20_000),
    "standard": Battery(_THIRD_PARTY_STANDARD, (), 20, 50_000),
    "full": Battery(_THIRD_PARTY_FULL, (), 30, 100_000),
}
