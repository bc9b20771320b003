"""Do the intervals hold the truth as often as they claim? The full table is in docs/statistics.md."""

import pytest

from mohs.stats.coverage import bootstrap_coverage, cases, coverage, studies, study_coverage

REPEATS = 10_000
CASES = cases()
# Four standard errors of a simulated coverage near the claim.
SLACK = {0.95: 0.009, 0.995: 0.003}


@pytest.mark.parametrize("level", [0.95, 0.995])
@pytest.mark.parametrize("n", [3, 4, 5, 8, 10, 30, 100])
@pytest.mark.parametrize("case", ["normal", "uniform"])
def test_the_mean_covers_what_it_claims(case, n, level):
    assert coverage(CASES[case], n, "mean", level, REPEATS) >= level - SLACK[level]


@pytest.mark.parametrize("level", [0.95, 0.995])
@pytest.mark.parametrize("n", [4, 5, 6, 7, 8, 9, 10, 12, 30, 100])
@pytest.mark.parametrize("case", ["normal", "uniform", "exponential", "1 run in 5 fails", "1 run in 10 fails"])
def test_the_iqm_covers_what_it_claims(case, n, level):
    allowed = 0.015 if level == 0.95 else 0.008  # the exponential at n = 9 and 10 is the hardest
    assert coverage(CASES[case], n, "iqm", level, REPEATS) >= level - allowed


@pytest.mark.parametrize("n", [5, 10, 30, 100])
@pytest.mark.parametrize("case", ["normal", "uniform"])
def test_the_standard_deviation_covers_what_it_claims(case, n):
    assert coverage(CASES[case], n, "sd", 0.95, REPEATS) >= 0.95 - SLACK[0.95]


@pytest.mark.parametrize(
    ("case", "leasts"),
    [("exponential", (0.91, 0.90, 0.92, 0.94, 0.94)), ("lognormal", (0.88, 0.85, 0.87, 0.91, 0.93))],
)
def test_skewed_runs_cost_the_mean_coverage(case, leasts):
    for n, least in zip((3, 5, 10, 30, 100), leasts, strict=True):
        assert coverage(CASES[case], n, "mean", 0.95, REPEATS) >= least


@pytest.mark.parametrize("failing", ["half the runs fail", "1 run in 5 fails", "1 run in 10 fails"])
def test_two_modes_need_30_seeds(failing):
    """No interval can allow for a kind of run that no seed has shown."""
    assert coverage(CASES[failing], 30, "mean", 0.95, REPEATS) >= 0.94
    assert coverage(CASES[failing], 3, "mean", 0.95, REPEATS) < 0.8


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("n", [3, 10, 30])
def test_the_mean_covers_no_less_than_the_papers_bootstrap(case, n):
    ours, theirs = (
        coverage(CASES[case], n, "mean", 0.95, 2000),
        bootstrap_coverage(CASES[case], n, 0.95, 2000, resamples=1000),
    )
    assert ours >= theirs - 0.01  # both see the same 2000 samples


def test_the_papers_bootstrap_falls_short_on_few_seeds():
    falls = [bootstrap_coverage(CASES["normal"], n, 0.995, 2000) for n in (3, 5, 10)]
    assert falls == pytest.approx([0.77, 0.91, 0.97], abs=0.025)


@pytest.mark.parametrize(
    ("name", "n", "least"),
    [
        ("breaking dose, normal runs", 5, 0.88),
        ("breaking dose, normal runs", 30, 0.90),
        ("breaking dose, runs succeed or fail", 10, 0.90),
        ("damage, normal runs", 5, 0.92),
        ("attained share .50, normal runs", 3, 0.90),
        ("attained share .50, runs succeed or fail", 10, 0.92),
        ("memory part .10, 1 task in 4 needs memory", 10, 0.88),
        ("learning part .31, normal runs", 5, 0.90),
        ("learning part .31, runs succeed or fail", 10, 0.92),
        ("probability of improvement .76, 1 point", 10, 0.89),
        ("probability of improvement .92, 1 point", 5, 0.92),
        ("probability of improvement .69, 9 points, paired", 10, 0.89),
        ("rank correlation .8", 5, 0.95),
        ("mean rank 1.2 of 3, 5 points", 5, 0.92),
        ("mean rank 1.5 of 3, 5 points, seeds alike", 10, 0.90),
        ("share of runs above .5, 5 points", 10, 0.89),
        ("interquartile mean of 5 points", 10, 0.89),
        ("optimality gap, 5 points", 5, 0.91),
    ],
)
def test_derived_quantities_cover_about_what_they_claim(name, n, least):
    assert study_coverage(studies()[name], n, repeats=200) >= least
