"""What does the report of a diagnosis show, on its page and at the terminal?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

import plotly.graph_objects as go

from mohs.core.registry import environment
from mohs.envs.dials import read_dial
from mohs.protocols.diagnose.attribution import Ceilings
from mohs.protocols.diagnose.effects import Effect
from mohs.protocols.diagnose.figures import figures as make_figures
from mohs.protocols.diagnose.figures.ranking import effect_text
from mohs.protocols.diagnose.points import Dose
from mohs.protocols.diagnose.study import DiagnosisStudy
from mohs.protocols.diagnose.verdict import TRAINED, Diagnosis, DialVerdict
from mohs.protocols.measures import ATTAINED, MEASURES, return_measure
from mohs.report import numbers, parts
from mohs.report.data import ESTIMATE, csv_text, estimate_cells
from mohs.report.files import filled
from mohs.report.page import Page
from mohs.report.tables import TextTable
from mohs.stats import Estimate

HARDER = {"up": "harder upwards", "down": "harder downwards", "both": "harder on both sides", "none": "no harder side"}
PARTS = (
    ("total", "total"),
    ("task", "the task's"),
    ("memory", "needs memory"),
    ("learning", "learning"),
    ("policy", "of it, learnt policy"),
    ("training", "of it, while learning"),
)
# The columns of a dial's table: measure, statistic.
COLUMNS = (
    (ATTAINED, "mean"),
    (TRAINED, "mean"),
    (TRAINED, "iqm"),
    ("auc_paper", "mean"),
    ("auc_plain", "mean"),
    ("auc", "mean"),
    ("normalised_final", "mean"),
    ("normalised_eval", "mean"),
    ("normalised_noise_free", "mean"),
)


def summary(verdict: Diagnosis) -> tuple[TextTable, ...]:
    """The dials by damage, for the terminal."""
    counts = [d.damage.n for d in verdict.dials if d.damage.known]
    n = f", {numbers.count(counts)}" if counts else ""
    found = [(d.name, numbers.share(d.damage), effect_text(d)) for d in verdict.dials]
    own = ", the agent's own" if verdict.measure == ATTAINED else ""
    tables = [TextTable(f"Dials by damage{own}, 95% intervals{n}", ("dial", "damage", "effect"), found)]
    blamed = [(d.name, *_blamed(d)) for d in verdict.dials if d.damage.known and d.hardest is not None]
    if blamed:
        heads = ("dial", "dose", "total", "task", "memory", "learning")
        tables.append(TextTable("Parts of the loss, at the hardest dose, in %", heads, blamed))
    return tuple(tables)


def _blamed(dial: DialVerdict) -> tuple[str, ...]:
    """The hardest dose, and the parts of its loss in per cent."""
    dose = dial.hardest
    if dose is None or dose.attribution is None:
        return (numbers.UNKNOWN,) * 5
    found = dose.attribution.parts
    total, task, memory, learning = (numbers.points(e) for e in (found.total, found.task, found.memory, found.learning))
    if dose.attribution.bracketed:
        memory = f"{numbers.fixed(100 * dose.attribution.least_memory, 0)} to {memory}"
    return numbers.dose(dose.value), total, task, memory, learning


def page(verdict: Diagnosis) -> Page:
    """The report."""
    study, figures = verdict.study, make_figures(verdict)
    agent = str(study.agent)
    body = filled(
        __package__,
        "diagnosis.html",
        env=escape(study.env),
        battery=escape(study.battery),
        agent=escape(agent),
        headline=parts.headline(verdict.findings),
        tiles=_tiles(verdict),
        ranking="".join(parts.place(name, figures) for name in figures if name.startswith("ranking")),
        own="the agent's own damage" if verdict.measure == ATTAINED else "damage",
        dials="".join(_dial(dial, study, figures) for dial in verdict.dials),
        ends=escape(verdict.scale.ends),
        curves="".join(
            f"<article><h3><code>{escape(d.name)}</code></h3>{parts.place(f'curves-{d.name}', figures)}</article>"
            for d in verdict.dials
        ),
        pairs=_pairs(verdict, figures),
        profile=parts.place("profile", figures),
        mdp=_mdp(figures),
        measures=parts.definitions([(MEASURES[m].title, MEASURES[m].text) for m in verdict.scores.measures]),
        references=escape(verdict.scale.text),
        attribution=escape(attribution_text(verdict)),
    )
    sections = ["verdict", "ranking", "dials", "curves", *(["pairs"] if verdict.pairs else []), "profile"]
    sections += [*(["mdp"] if "mdp" in figures else []), "methods"]
    facts = {
        "agent": agent,
        "environment": environment_text(study),
        "battery": study.battery,
        "dials and doses": "; ".join(f"{n}: {', '.join(map(numbers.dose, v))}" for n, v in study.doses),
        "pairs": "; ".join(f"{a} × {b}" for a, b in study.pairs) or "none",
        "seeds": f"{study.seeds:,}",
        "training steps": f"{study.budget:,} per run",
        "evaluation": f"{study.episodes} episodes of the greedy policy after training",
        "missing runs": f"{verdict.missing:,} of {verdict.runs:,}",
    }
    tables = {"summary.csv": summary_csv(verdict)}
    return Page(f"{agent} · mohs diagnosis", body, sections, figures, tables, facts)


def summary_csv(verdict: Diagnosis) -> str:
    """One row for each dial, dose, measure and statistic."""
    rows = []
    for dial in verdict.dials:
        for i, dose in enumerate(dial.doses):
            first = (dial.name, dose.value, i == dial.vanilla)
            for kind in (dose.means, dose.iqms):
                rows += [(*first, measure, *estimate_cells(e), dose.missing) for measure, e in kind.items()]
    return csv_text(("dial", "dose", "vanilla", "measure", *ESTIMATE, "missing"), rows)


def environment_text(study: DiagnosisStudy) -> str:
    """The environment and what was set of its base task."""
    return ", ".join([study.env, *(f"{name} = {numbers.dose(value)}" for name, value in study.params)])


def _vanilla_tile(verdict: Diagnosis) -> str:
    """The normalised score; where vanilla itself is the unit, the return beside that of the random policy."""
    random = verdict.scale.random
    if random is None:
        e = verdict.vanilla.means[verdict.measure]
        return parts.tile(f"Vanilla, {MEASURES[verdict.measure].title}", numbers.number(e.value), numbers.briefly(e))
    e = verdict.vanilla.means[return_measure(verdict.scores.measures)]
    details = f"{numbers.briefly(e)}; random policy {numbers.number(random.value)}"
    return parts.tile("Vanilla return, mean of training", numbers.number(e.value), details)


def _tiles(verdict: Diagnosis) -> str:
    broken = sum(d.breaks for d in verdict.dials)
    may = sum(d.effect == Effect.MAY_BREAK for d in verdict.dials)
    worst = next((d for d in verdict.dials if d.damage.known), None)
    cost = "too few runs"
    if worst is not None:
        value, low, high = (numbers.percent(x) for x in (worst.damage.value, worst.damage.low, worst.damage.high))
        cost = f"{value} lost [{low}, {high}], n = {worst.damage.n}"
    ran = f"{verdict.runs - verdict.missing:,}"
    return "".join(
        (
            _vanilla_tile(verdict),
            parts.tile("Dials that break it", f"{broken} of {len(verdict.dials)}", f"{may} more may"),
            parts.tile("Costliest dial", worst.name if worst else numbers.UNKNOWN, cost),
            parts.tile("Runs", ran, f"of {verdict.runs:,}; {verdict.missing:,} missing"),
        )
    )


def _dial(dial: DialVerdict, study: DiagnosisStudy, figures: Mapping[str, go.Figure]) -> str:
    return filled(
        __package__,
        "dial.html",
        name=escape(dial.name),
        badge=escape(HARDER[dial.harder]),
        about=escape(read_dial(environment(study.env), dial.name).text),
        sentence=escape(dial.sentence),
        losses=_losses(dial, figures),
        figure=parts.place(f"dial-{dial.name}", figures),
        table=_dose_table(dial),
    )


def _losses(dial: DialVerdict, figures: Mapping[str, go.Figure]) -> str:
    """Whose fault the losses are: a figure, and a table below it."""
    name = f"losses-{dial.name}"
    if name not in figures:
        return ""
    rows = []
    for dose in dial.doses:
        if dose.attribution is None:
            continue
        found = dose.attribution.parts
        cells = [_share_cell(getattr(found, part)) for part, _ in PARTS]
        if dose.attribution.bracketed:
            cells[2] = cells[2].replace("<td>", f"<td>{numbers.percent(dose.attribution.least_memory)} to ")
        rows.append(f"<tr><td>{escape(numbers.dose(dose.value))}</td>{''.join(cells)}<td>{found.total.n}</td></tr>")
    table = parts.table([dial.name, *(title for _, title in PARTS), "n"], rows)
    return (
        f"<h4>Whose fault is the loss?</h4>{parts.place(name, figures)}"
        f'<details><summary>Parts of the loss</summary><div class="scroll">{table}</div></details>'
    )


def _share_cell(e: Estimate) -> str:
    ends = f"<small>[{numbers.percent(e.low)}, {numbers.percent(e.high)}]</small>" if e.known else ""
    return f"<td>{numbers.percent(e.value)}{ends}</td>"


def _dose_table(dial: DialVerdict) -> str:
    """Every measure at every dose, with intervals, n and what is missing."""
    title = f"{dial.name} ({dial.unit})" if dial.unit else dial.name
    level = numbers.level(dial.doses[0].means[dial.measure].level)
    columns = [column for column in COLUMNS if column[0] in dial.doses[0].means]
    heads = [MEASURES[m].title + (", IQM" if statistic == "iqm" else "") for m, statistic in columns]
    rows = [_dose_row(dose, columns, i == dial.vanilla) for i, dose in enumerate(dial.doses)]
    note = f'<p class="about">Below each value its {level} interval, Bonferroni-corrected within the dial.</p>'
    return parts.table([title, *heads, "n", "missing"], rows) + note


def _dose_row(dose: Dose, columns: Iterable[tuple[str, str]], vanilla: bool) -> str:
    n = dose.means["auc"].n
    kind = "missing" if n == 0 else "vanilla" if vanilla else ""
    label = escape(numbers.dose(dose.value)) + ("<small>vanilla</small>" if vanilla else "")
    cells = [parts.estimate_cell((dose.means if s == "mean" else dose.iqms)[m], n > 0) for m, s in columns]
    return f'<tr class="{kind}"><td>{label}</td>{"".join(cells)}<td>{n}</td><td>{dose.missing}</td></tr>'


def attribution_text(verdict: Diagnosis) -> str:
    """How losses are attributed, or why they are not."""
    if verdict.unattributed:
        reason = verdict.unattributed.rstrip(".")
        return f"No loss is attributed: {reason}. Noise dials are judged by the evaluation without noise."
    history = {0: "all observations", 1: "the current observation"}
    sees = history.get(found := Ceilings.of_agent(verdict.study).history, f"the last {found} observations")
    return (
        "A loss is the share of its gain over the random policy that the agent has on vanilla and not at the dose. "
        "The part attributed to the task is what the optimal policy loses, which sees everything. The part attributed "
        f"to missing memory is what the best policy that acts on {sees}, as the agent does, loses beyond that. The "
        "rest is attributed to learning. Both policies are computed for every generated task, noise included."
    )


def _pairs(verdict: Diagnosis, figures: Mapping[str, go.Figure]) -> str:
    if not verdict.pairs:
        return ""
    lead = "Two dials turned together: the mean over seeds, and the standard deviation over seeds."
    maps = "".join(
        f"<article><h3><code>{escape(p.a)}</code> × <code>{escape(p.b)}</code></h3>"
        f"{parts.place(f'pair-{p.a}-{p.b}', figures)}</article>"
        for p in verdict.pairs
    )
    return f'<section id="pairs"><h2>Pairs of dials</h2><p class="lead">{lead}</p>{maps}</section>'


def _mdp(figures: Mapping[str, go.Figure]) -> str:
    if "mdp" not in figures:
        return ""
    lead = (
        "The vanilla task that the first seed learns. Click an action in the legend to hide it, double-click to see it "
        "alone. Reaching a rewardable state pays; reaching a terminal state ends the episode."
    )
    return f'<section id="mdp"><h2>The MDP</h2><p class="lead">{lead}</p>{parts.place("mdp", figures)}</section>'
