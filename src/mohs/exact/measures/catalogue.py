"""What does each further measure of a card mean? A name for people, one sentence, and where it is defined."""

from __future__ import annotations

from collections.abc import Mapping

_OCCUPANCY = "Laidlaw et al. 2023, BRIDGE data"
_GAPS = "Simchowitz & Jamieson 2019"

# Title, meaning and source, by the names that `mohs.exact.measures.table_measures` gives.
WORDS: Mapping[str, tuple[str, str, str]] = {
    "least_state_occupancy": (
        "Least state occupancy",
        "How likely random play is, at the best step for it, to be in the state that it comes to least.",
        _OCCUPANCY,
    ),
    "least_pair_occupancy": (
        "Least pair occupancy",
        "The same for a state and the action taken in it.",
        _OCCUPANCY,
    ),
    "least_state_visits": (
        "Least state visits",
        "How often an episode of random play visits the state that it visits least, on average.",
        _OCCUPANCY,
    ),
    "least_pair_visits": (
        "Least pair visits",
        "The same for a state and the action taken in it.",
        _OCCUPANCY,
    ),
    "tight_covering_length": (
        "Covering length, tighter",
        "As the covering length, by the exact probability that an episode tries each action in each state.",
        "union bound",
    ),
    "diameter": (
        "Diameter",
        "The steps between the two states furthest apart, for one who plays to get there; infinite where a state "
        "cannot surely be reached from another.",
        "Jaksch, Ortner & Auer 2010",
    ),
    "largest_finite_distance": (
        "Largest finite distance",
        "The same over those pairs of states of which one can surely be reached from the other.",
        "Jaksch, Ortner & Auer 2010",
    ),
    "eccentricity": (
        "Eccentricity",
        "The fewest steps from the nearest start to the farthest state.",
        "breadth-first search",
    ),
    "paying_steps": (
        "Paying steps",
        "The share of the steps of random play that pay anything but zero.",
        "dynamic programming",
    ),
    "steps_to_reward": (
        "Steps to the first reward",
        "How many steps random play takes to its first reward, over as many episodes as it takes.",
        "Wald's equation",
    ),
    "silent_episodes": (
        "Silent episodes",
        "The probability that an episode of random play pays nothing at all.",
        "dynamic programming",
    ),
    "smallest_gap": (
        "Smallest gap",
        "The least that one sub-optimal action costs, over all steps and states; infinite where every action is "
        "optimal.",
        _GAPS,
    ),
    "gap_reciprocals": (
        "Sum of 1 / gap",
        "Over all steps, states and sub-optimal actions: regret grows with it.",
        f"{_GAPS}; Colosseum (Conserva & Rauber 2022)",
    ),
    "value_norm": (
        "Value norm",
        "The largest standard deviation of the optimal value of the next state: how much chance matters.",
        "Maillard, Mann & Mannor 2014",
    ),
    "mean_entropy": (
        "Transition entropy, mean",
        "How uncertain the next state is to one who knows state and action, in bits, over random play.",
        "Shannon 1948",
    ),
    "largest_entropy": (
        "Transition entropy, largest",
        "The same for the most uncertain state and action, in bits.",
        "Shannon 1948",
    ),
    "absorbing_states": (
        "Absorbing states",
        "The share of the states that are never left again.",
        "counted",
    ),
    "absorbed_episodes": (
        "Absorbed episodes",
        "The probability that random play is in such a state when the episode is over.",
        "dynamic programming",
    ),
    "mixing_time": (
        "Mixing time",
        "After so many steps random play, episode after episode, has nearly forgotten where it began.",
        "Levin & Peres 2017, section 4.5",
    ),
    "return_time": (
        "Return time",
        "So many steps random play takes on average to be back at a start.",
        "Kac 1947",
    ),
    "observations": (
        "Observations",
        "How many different observations there are of the states that play can act in.",
        "counted",
    ),
    "most_alike": (
        "States that look alike",
        "The most states that share one observation; 1 where every state is seen as itself.",
        "counted",
    ),
    "most_of_one": (
        "Observations of one state",
        "The most different observations of one and the same state; 1 where a state always looks the same.",
        "counted",
    ),
}

_CTGRAPH = "Soltoggio et al. 2023"
# The same by the names of `mohs.ctgraph`.
FORMULAS: Mapping[str, tuple[str, str, str]] = {
    "expected_length": (
        "Way to an end",
        "How many steps it takes from home to an end on average, without failing.",
        f"{_CTGRAPH}, equation 2",
    ),
    "reward_probability": (
        "Goal by chance",
        "The probability that an episode of random play reaches the goal.",
        f"{_CTGRAPH}, equation 3, mended",
    ),
    "end_probability": (
        "Any end by chance",
        "The probability that an episode of random play does not fail.",
        f"{_CTGRAPH}, equation 4",
    ),
    "navigation_probability": (
        "Goal by navigation",
        "The probability that one who never fails and decides at random reaches the goal.",
        f"{_CTGRAPH}, equation 5",
    ),
    "optimal_search_episodes": (
        "Episodes of search",
        "How many episodes it takes on average to find the goal by trying every end once.",
        f"{_CTGRAPH}, equation 9",
    ),
    "best_open_loop": (
        "Best fixed sequence",
        "The probability with which the best sequence of actions that is fixed beforehand reaches the goal.",
        "derived",
    ),
    "best_memoryless": (
        "Best without memory",
        "The probability with which an agent that sees only the present observation reaches the goal at best.",
        "derived",
    ),
}


def about(name: str) -> tuple[str, str, str]:
    """Title, meaning and source; a measure that has no words yet is called by its name."""
    return WORDS.get(name, (name.replace("_", " ").capitalize(), "", "mohs.exact.measures.table_measures"))
