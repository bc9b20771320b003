"""What does a person open? One HTML file that needs nothing else: sentences, figures, tables, methods and the data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from pathlib import Path

import plotly.graph_objects as go

from mohs.envs.dials import dial_of
from mohs.protocols.compare import Comparison
from mohs.protocols.diagnose import DialVerdict, Verdict
from mohs.protocols.measures import MEASURES, measures, returns_measure
from mohs.protocols.scales import ends_in_brief
from mohs.protocols.study import Study
from mohs.report import numbers, parts
from mohs.report.data import comparison_csv, json_text, runs_csv, summary_csv
from mohs.report.figures import agent_names
from mohs.report.files import filled, write
from mohs.report.gallery import comparison_figures, verdict_figures
from mohs.report.png import find_browser, write_comparison_png, write_png
from mohs.report.shell import page
from mohs.stats import Estimate

HARDER = {"up": "harder upwards", "down": "harder downwards", "both": "harder on both sides", "none": "no harder side"}


def write_report(verdict: Verdict, out_dir: Path | str, png: bool = False) -> Path:
    """Write `report.html` and `verdict.json` (with `png`, every figure as a picture too); return the page's path."""
    directory = Path(out_dir)
    if png:
        find_browser()  # say what is missing before any work
    write(directory / "verdict.json", json_text(verdict.to_json(), indent=1) + "\n")
    path = write(directory / "report.html", report_html(verdict))
    if png:
        write_png(verdict, directory)
    return path


def write_comparison(comparison: Comparison, out_dir: Path | str, png: bool = False) -> Path:
    """Write `comparison.html` and `comparison.json` (with `png`, the pictures too); return the page's path."""
    directory = Path(out_dir)
    if png:
        find_browser()
    write(directory / "comparison.json", json_text(comparison.to_json(), indent=1) + "\n")
    path = write(directory / "comparison.html", comparison_html(comparison))
    if png:
        write_comparison_png(comparison, directory)
    return path


def report_html(verdict: Verdict) -> str:
    """The page of a diagnosis."""
    study = verdict.study
    figures = verdict_figures(verdict)
    agent = str(study.agent)
    body = filled(
        "diagnosis.html",
        env=escape(study.env),
        battery=escape(study.battery),
        agent=escape(agent),
        headline=_headline(verdict),
        tiles=_tiles(verdict),
        ranking=parts.place("ranking", figures),
        dials="".join(_dial(dial, study, figures) for dial in verdict.dials),
        ends=escape(ends_in_brief(study.env)),
        curves="".join(
            f"<article><h3><code>{escape(d.name)}</code></h3>{parts.place(f'curves-{d.name}', figures)}</article>"
            for d in verdict.dials
        ),
        pairs=_pairs(verdict, figures),
        profile=parts.place("profile", figures),
        mdp=_mdp(figures),
        measures=parts.definitions(_measure_words(study.env)),
        references=escape(verdict.scale.text),
    )
    sections = ["verdict", "ranking", "dials", "curves", *(["pairs"] if verdict.pairs else []), "profile"]
    sections += [*(["mdp"] if "mdp" in figures else []), "methods"]
    files = {
        "verdict.json": ("application/json", json_text(verdict.to_json(), indent=1)),
        "verdict.csv": ("text/csv", summary_csv(verdict)),
        "runs.csv": ("text/csv", runs_csv(verdict)),
    }
    facts = {
        "agent": agent,
        "environment": _environment(study),
        "battery": study.battery,
        "dials and doses": "; ".join(f"{n}: {', '.join(map(numbers.dose, v))}" for n, v in study.doses),
        "pairs": "; ".join(f"{a} × {b}" for a, b in study.pairs) or "none",
        "seeds": f"{study.seeds:,}",
        "training steps": f"{study.budget:,} per run",
        "evaluation": f"{study.episodes} episodes of the greedy policy after training",
        "missing runs": f"{verdict.missing:,} of {_run_count(verdict):,}",
    }
    return page(f"{agent} · mohs diagnosis", body, sections, figures, files, facts)


def comparison_html(comparison: Comparison) -> str:
    """The page of a comparison."""
    a, b = agent_names(comparison)
    figures = comparison_figures(comparison)
    overall, difference = comparison.overall, comparison.difference
    better = dict(comparison.dials)
    agreement = dict(comparison.correlations)
    scores = MEASURES[comparison.measure]
    rows = [_comparison_row("all dials", overall, None)]
    rows += [_comparison_row(name, e, agreement.get(name)) for name, e in comparison.dials]
    sure = [e for e in better.values() if e.known]
    body = filled(
        "comparison.html",
        env=escape(comparison.a.study.env),
        a=escape(a),
        b=escape(b),
        headline=f'<p class="headline">{escape(_comparison_sentence(a, b, comparison))}</p>',
        tiles="".join(
            (
                parts.tile("Probability of improvement", numbers.number(overall.value), _briefly(overall)),
                parts.tile(f"Difference of {scores.title}", numbers.number(difference.value), _briefly(difference)),
                parts.tile(f"{a} clearly better", _of(sum(e.low > 0.5 for e in sure), len(better)), "dials"),
                parts.tile(f"{b} clearly better", _of(sum(e.high < 0.5 for e in sure), len(better)), "dials"),
            )
        ),
        improvement=parts.place("improvement", figures),
        table=parts.table(("dial", "P(improvement)", "n", "rank correlation over doses", "n"), rows),
        dials="".join(_overlay(name, e, (a, b), figures) for name, e in comparison.dials),
        scores=escape(f"Scores are {scores.title}. {scores.text} {_normalised_by(comparison)}"),
    )
    quantities = [("all dials", "probability of improvement", overall), ("all dials", "difference", difference)]
    quantities += [(name, "probability of improvement", e) for name, e in comparison.dials]
    quantities += [(name, "rank correlation", e) for name, e in comparison.correlations]
    files = {
        "comparison.json": ("application/json", json_text(comparison.to_json(), indent=1)),
        "comparison.csv": ("text/csv", comparison_csv(quantities)),
        "verdict_a.json": ("application/json", json_text(comparison.a.to_json(), indent=1)),
        "verdict_b.json": ("application/json", json_text(comparison.b.to_json(), indent=1)),
    }
    study = comparison.a.study
    facts = {
        "agents": f"{a}; {b}",
        "environment": _environment(study),
        "seeds": f"{study.seeds:,} and {comparison.b.study.seeds:,}",
        "training steps": f"{study.budget:,} per run",
        "missing runs": f"{comparison.a.missing:,} and {comparison.b.missing:,}",
    }
    sections = ["verdict", "ranking", "dials", "methods"]
    return page(f"{a} against {b} · mohs comparison", body, sections, figures, files, facts)


def _headline(verdict: Verdict) -> str:
    """The first sentence large; then what breaks the agent, each dial linked to its section."""
    first, *rest = verdict.headline or ("No verdict.",)
    items = []
    for line in rest:
        word, _, tail = line.partition(" ")
        name = next((d.name for d in verdict.dials if d.name == word.rstrip(":")), None)
        if name is None:
            items.append(f'<li class="warning">{escape(line)}</li>')
        else:
            items.append(f'<li><a href="#dial-{escape(name)}">{escape(name)}</a> {escape(tail)}</li>')
    listed = f'<ul class="findings">{"".join(items)}</ul>' if items else ""
    return f'<p class="headline">{escape(first)}</p>{listed}'


def _environment(study: Study) -> str:
    """The environment and what was set of its base task."""
    return ", ".join([study.env, *(f"{name} = {numbers.dose(value)}" for name, value in study.params)])


def _measure_words(env: str) -> list[tuple[str, str]]:
    found = [MEASURES[name] for name in measures(env)]
    return [(m.title, f"{m.text} {ends_in_brief(env)}." if m.name == "normalised" else m.text) for m in found]


def _normalised_by(comparison: Comparison) -> str:
    return comparison.a.scale.text if comparison.measure == "normalised" else ""


def _vanilla_tile(verdict: Verdict) -> str:
    """The normalised score; where vanilla itself is the unit, the return beside that of random play."""
    random = verdict.scale.random
    if random is None:
        e = verdict.vanilla.means["normalised"]
        return parts.tile("Vanilla score, normalised AUC", numbers.number(e.value), _briefly(e))
    e = verdict.vanilla.means[returns_measure(verdict.study.env)]
    details = f"{_briefly(e)}; random play {numbers.number(random.value)}"
    return parts.tile("Vanilla return, mean of training", numbers.number(e.value), details)


def _tiles(verdict: Verdict) -> str:
    broken = [d for d in verdict.dials if any(b.status == "reached" for b in d.breaking)]
    worst = next((d for d in verdict.dials if d.damage.known), None)
    total = _run_count(verdict)
    return "".join(
        (
            _vanilla_tile(verdict),
            parts.tile("Dials that break it", _of(len(broken), len(verdict.dials)), "at a tested dose"),
            parts.tile(
                "Costliest dial",
                worst.name if worst else numbers.UNKNOWN,
                f"{numbers.percent(worst.damage.value)} lost "
                f"[{numbers.percent(worst.damage.low)}, {numbers.percent(worst.damage.high)}], n = {worst.damage.n}"
                if worst
                else "too few runs",
            ),
            parts.tile("Runs", f"{total - verdict.missing:,}", f"of {total:,}; {verdict.missing:,} missing"),
        )
    )


def _run_count(verdict: Verdict) -> int:
    """Different runs asked for: a point that two dials share, as vanilla is, counts once."""
    study = verdict.study
    return study.seeds * (len(study.points()) + (verdict.scale.random is not None))


def _with(e: Estimate) -> str:
    """The interval and n of a number that stands before it."""
    ends = f"{numbers.level(e.level)} interval {numbers.interval(e)}" if e.known else "too few runs"
    return f"{ends}, n = {e.n}"


def _briefly(e: Estimate) -> str:
    """The same where room is short."""
    ends = f"{numbers.level(e.level)}: {numbers.interval(e)}" if e.known else "too few runs"
    return f"{ends}, n\u00a0=\u00a0{e.n}"


def _of(some: int, all_: int) -> str:
    return f"{some} of {all_}"


def _dial(dial: DialVerdict, study: Study, figures: Mapping[str, go.Figure]) -> str:
    return filled(
        "dial.html",
        name=escape(dial.name),
        badge=escape(HARDER.get(dial.harder, dial.harder)),
        about=escape(dial_of(study.task({}), dial.name).text),
        sentence=escape(dial.sentence),
        figure=parts.place(f"dial-{dial.name}", figures),
        table=parts.dose_table(dial),
    )


def _pairs(verdict: Verdict, figures: Mapping[str, go.Figure]) -> str:
    if not verdict.pairs:
        return ""
    lead = "Two dials turned together: the mean over seeds, and how far seeds lie apart."
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


def _comparison_sentence(a: str, b: str, comparison: Comparison) -> str:
    overall, difference, score = comparison.overall, comparison.difference, MEASURES[comparison.measure].title
    if math.isnan(overall.value):
        return f"No dose has runs of both {a} and {b}: no verdict."
    if not overall.known:
        return f"Too few runs to say whether {a} is better than {b} (n = {overall.n})."
    chance = f"A run of {a} beats a run of {b} with probability {numbers.number(overall.value)} ({_with(overall)})"
    gap = f"the mean paired difference of {score} is {numbers.number(difference.value)} ({_with(difference)})"
    if overall.low > 0.5:
        winner = f"{a} is the better agent over these doses."
    elif overall.high < 0.5:
        winner = f"{b} is the better agent over these doses."
    else:
        winner = "Neither is clearly better over these doses."
    return f"{winner} {chance}; {gap}."


def _comparison_row(name: str, e: Estimate, correlation: Estimate | None) -> str:
    other = f"{parts.estimate_cell(correlation)}<td>{correlation.n}</td>" if correlation else "<td>–</td><td>–</td>"
    return f"<tr><td>{escape(name)}</td>{parts.estimate_cell(e)}<td>{e.n}</td>{other}</tr>"


def _overlay(name: str, e: Estimate, names: tuple[str, str], figures: Mapping[str, go.Figure]) -> str:
    text = f"A run of {names[0]} beats a run of {names[1]} with probability {numbers.number(e.value)} ({_with(e)})."
    return (
        f'<article id="dial-{escape(name)}"><h3><code>{escape(name)}</code></h3>'
        f'<p class="sentence">{escape(text)}</p>{parts.place(f"dial-{name}", figures)}</article>'
    )
