"""`endoxa compare`: what changed between runs?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from endoxa.commands.verbs import Outcome, argument
from endoxa.runs.options import DEFAULT_CONFIDENCE, Confidence
from endoxa.schema.headline import Headline
from endoxa.schema.options import ANALYSIS, DATA, OUTPUT, Option


def compare(
    runs: Annotated[
        tuple[Path, ...],
        argument("Finished run folders; the first is what the others are compared with.", metavar="RUN..."),
    ],
    *,
    out: Annotated[
        Path | None,
        Option("File to write: .html (page), .json or .csv (every change).", OUTPUT, short="-o"),
    ] = None,
    items: Annotated[
        Path | None,
        Option("Also write the items that changed sides.", OUTPUT, metavar="TABLE", table=True),
    ] = None,
    model: Annotated[
        tuple[str, ...],
        Option("Model, where runs hold several; repeatable.", DATA, metavar="MODEL", default="all of them"),
    ] = (),
    rule: Annotated[
        tuple[str, ...],
        Option(
            "Scoring rule of pairs or protocol of questions; repeatable.",
            ANALYSIS,
            default="every one of all runs",
        ),
    ] = (),
    group: Annotated[
        str,
        Option(
            "Compare groups of models: a name and a table with the columns model and group.",
            ANALYSIS,
            metavar="NAME=FILE",
            default="",
        ),
    ] = "",
    confidence: Annotated[
        Confidence, Option("Confidence level of the intervals.", ANALYSIS)
    ] = DEFAULT_CONFIDENCE,
) -> Outcome:
    """Show what changed between runs of the same items, and at what price.

    Runs may differ in model, system message, temperature, reasoning, or anything else about how they were asked. Items
    are paired. Shown are the change of each measure with its interval, accuracy, refusals and lengths beside it, the
    largest changes by axis and identity, and the items that changed sides. Three runs and more are each compared with
    the first. A single run with several models compares these, or groups of them (--group): large against small.

    \b
    Examples:
      endoxa compare out/plain out/careful -o out/careful.html
      endoxa compare out/a out/b out/c -o out/three.html --items out/changed.csv
      endoxa compare out/models -o out/models.csv
      endoxa compare out/models --group size=model_sizes.csv -o out/sizes.html
    """  # noqa: D301
    from endoxa.sources.files import require_apart
    from endoxa.study.compare import compare as contrast
    from endoxa.study.compare.results import require_suffix

    if out is not None:
        require_suffix(out)
    require_apart([out, items], [run / name for run in runs for name in ("run.json", "records.parquet")])
    comparison = contrast(*runs, model=model, rule=rule, group=group, confidence=confidence)
    if out is not None:
        comparison.save(out)
    written = [str(path) for path in (out, items) if path is not None]
    lines: list[str | Headline] = [
        comparison.sentence,
        comparison.headline(),
        *([f"Written: {', '.join(written)}"] if written else []),
    ]
    return Outcome(lines, tables={"items": comparison.items})
