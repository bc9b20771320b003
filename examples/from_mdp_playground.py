"""An experiment of MDP Playground, moved to mohs: what delay does to Q-learning, and what there is to gain.

Run it cell by cell in an editor that knows `# %%`, or as a whole:  python examples/from_mdp_playground.py
"""

# %% Of what the experiment needs, one import changes: it was `from mdp_playground.envs import RLToyEnv`.
import tempfile

import numpy as np

import mohs
from mohs.compat import RLToyEnv
from mohs.exact.values.solve import returns

# %% A configuration as it is, and its environments over delays.
config = {
    "state_space_type": "discrete",
    "action_space_size": 8,
    "reward_density": 0.25,
    "terminal_state_density": 0.25,
    "maximally_connected": True,
    "repeats_in_sequences": False,
    "generate_random_mdp": True,
}
DELAYS = (0, 1, 2, 4, 8)
SEEDS, STEPS, LIMIT = range(5), 5000, 100
envs = {(delay, seed): RLToyEnv(**config, delay=delay, seed=seed) for delay in DELAYS for seed in SEEDS}


# %% The user's own loop, as it was: tabular Q-learning, and the mean return of its greedy policy.
def episode(env, choose, learn=lambda *transition: None):
    (state, _), gain = env.reset(), 0.0
    for _ in range(LIMIT):
        action = choose(state)
        following, reward, terminated, _, _ = env.step(action)
        learn(state, action, reward, following, terminated)
        state, gain = following, gain + reward
        if terminated:
            break
    return gain


def q_learning(env, seed, rate=0.1, discount=0.9):
    rng, q, taken = np.random.default_rng(seed), np.zeros((8, 8)), 0

    def explore(state):
        return rng.integers(8) if rng.random() < max(0.1, 1 - taken / 2000) else q[state].argmax()

    def learn(state, action, reward, following, terminated):
        nonlocal taken
        taken += 1
        target = reward + (0 if terminated else discount * q[following].max())
        q[state, action] += rate * (target - q[state, action])

    while taken < STEPS:
        episode(env, explore, learn)
    return np.mean([episode(env, lambda state: q[state].argmax()) for _ in range(10)])


learnt = {point: q_learning(env, point[1]) for point, env in envs.items()}

# %% Gained: what is possible, exactly. With a delay the best return is no longer 100, so a loss must be told from it.
print("delay  learnt  optimal  random")
for delay in DELAYS:
    found = np.mean([learnt[delay, seed] for seed in SEEDS])
    exact = [returns(mohs.table(envs[delay, seed].task)) for seed in SEEDS]
    optimal, chance = (np.mean([getattr(e, name) for e in exact]) for name in ("optimal", "random"))
    print(f"{delay:5}  {found:6.1f}  {optimal:7.1f}  {chance:6.2f}")

# %% Gained: a thousand environments in one step, of one task or of many.
fleet = mohs.make_vec(envs[4, 0].task, num_envs=1000)
fleet.reset(seed=0)
_, rewards, *_ = fleet.step(fleet.action_space.sample())
print(f"{len(rewards)} rewards in one step")

# %% Gained: the whole experiment, in ten lines: the dose at which a dial breaks an agent, with intervals and a report,
# and runs that go on after a break. An agent of one's own is "file.py:function" in place of "q_learning".
with tempfile.TemporaryDirectory() as here:
    verdict = mohs.diagnose(
        "q_learning",
        RLToyEnv(**config).task,
        doses={"delay": DELAYS},
        dials=["delay"],
        seeds=20,
        budget=STEPS,
        store=f"sqlite:///{here}/results.db",
    )
    print(*verdict.sentences, mohs.write_report(verdict, here).name, sep="\n")
