"""What is registered of the traffic signal? Its parameters, and where its parts are found."""

from __future__ import annotations

from mohs.core.domain import Choice, Integer, Real
from mohs.core.registry import Environment, Parameter
from mohs.envs.entries.common import max_episode_steps

_SHARE = Real(0, 1)

INTERSECTION = Environment(
    id="traffic/intersection",
    gym_id="mohs/Intersection-v0",
    title="the signal of an intersection of two streets, with queues of vehicles",
    parameters={
        "lanes": Parameter(
            Integer(2, 8),
            4,
            "Through lanes of each street, both directions together; of an odd number, N and E have one more.",
        ),
        "speed": Parameter(Real(10, 70), 35.0, "Speed limit, in miles per hour."),
        "length": Parameter(Real(20, 2000), 250.0, "Length of the lanes to the stop line, in m."),
        "inflow": Parameter(
            Real(0, 6000), 700.0, "Mean vehicles per hour that arrive on each street, both directions together."
        ),
        "left_lanes": Parameter(
            Integer(0, 2), 0, "Left-turn lanes of each approach; with any, left turns have phases of their own."
        ),
        "right_lanes": Parameter(Integer(0, 2), 0, "Right-turn lanes of each approach."),
        "left_share": Parameter(_SHARE, 0.1, "Share of the vehicles that turn left."),
        "right_share": Parameter(_SHARE, 0.1, "Share of the vehicles that turn right."),
        "profile": Parameter(
            Choice(("flat", "morning", "evening", "day")),
            "flat",
            "How the flow changes with the hours: not at all, or as on a working day from 7, 16 or 0 o'clock on.",
        ),
        "decision": Parameter(Real(5, 60), 10.0, "Time between two decisions, in s."),
        "yellow": Parameter(Real(0, 10), 3.0, "Yellow before every change of the phase, in s."),
        "all_red": Parameter(Real(0, 10), 1.0, "Time between the yellow and the next green, in s."),
        "observation": Parameter(
            Choice(("lanes", "movements")), "lanes", "Five numbers for each lane, or four for each of eight movements."
        ),
        "observed_lanes": Parameter(
            Integer(0, 8), 0, "Lanes of each approach in the observation, zeros where there is none; 0: those it has."
        ),
        "reward": Parameter(
            Choice(("wait", "queue", "pressure", "delay")),
            "wait",
            "Minus the waiting time (clipped, as in RESCO), the queue, the vehicles, or the mean delay.",
        ),
        "max_episode_steps": max_episode_steps(360),
    },
    check="mohs.engines.traffic.junction:check",
    face="mohs.envs.traffic.intersection:IntersectionEnv",
    vector_face="mohs.envs.traffic.intersection:IntersectionVectorEnv",
    spaces="mohs.engines.traffic.fleet:spaces",
    score="mohs.engines.traffic.references:score",
    align="mohs.engines.traffic.fleet:aligned",
    renderer="mohs.envs.render.intersection:picture",
    shown=True,
)
