"""How are lifelong runs described in the methods section of a paper?"""

from __future__ import annotations

from mohs.protocols.lifelong.verdict import LEVEL, LifelongVerdict
from mohs.report import numbers
from mohs.report.methods import Methods, counted, paragraph


def methods(verdict: LifelongVerdict) -> Methods:
    """The curriculum, the agents, the runs, the metrics and the intervals."""
    study, course = verdict.study, verdict.study.curriculum
    blocks = ", ".join(f"{block.task} ({block.steps:,} steps)" for block in course.blocks)
    graph = " on the CT-graph [@soltoggio2023ctgraph]" if any("ctgraph" in t.env for _, t in course.tasks) else ""
    some = next((e for result in verdict.agents for e in result.metrics.values() if e.n), None)
    how = f" ({some.method})" if some is not None else ""
    observed = "The task id is observed." if study.task_id else "The task id is not observed."
    return paragraph(
        [
            f"We trained {'; '.join(map(str, study.agents))} on the curriculum {course.name}{graph}, block after "
            f"block: {blocks}. {observed}",
            f"Each lifelong run was repeated with {counted(study.seeds, 'seed')}, {counted(verdict.runs, 'run')} in "
            f"all including those of single-task experts, {verdict.missing:,} of them missing. At every boundary all "
            f"tasks were evaluated on {counted(study.episodes, 'episode')} ({study.mode}).",
            "Performance maintenance, recovery, transfer, relative performance and sample efficiency are those of "
            "[@new2022metrics]; average performance, forgetting and forward transfer by areas those of "
            "[@wolczyk2021continual].",
            f"Means over seeds have {numbers.level(LEVEL)} intervals{how}.",
        ]
    )
