"""`endoxa reproduce`: published results recomputed cell by cell."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from endoxa.commands.verbs import Outcome, argument
from endoxa.errors import UserError
from endoxa.models.spec import ModelOptions
from endoxa.report.tables import headline_of, number_field, text_field
from endoxa.report.words import plural
from endoxa.runs.options import Seed
from endoxa.runs.progress import shown
from endoxa.schema.headline import Headline
from endoxa.schema.options import DATA, OUTPUT, Option
from endoxa.study.reproduce import RESULTS, Need, Reproduced
from endoxa.study.reproduce import reproduce as recompute
from endoxa.study.reproduce.run import papers

SHOWN = 20
"""Maximum number of cells printed; all are in cells.csv."""


def _listed(folder: Path | None) -> Iterator[str | Headline]:
    """What became of the numbers of five papers; then the results that can be recomputed, with what each needs."""
    listed = list(papers(folder))
    counts = ("printed", "agree", "differ", "left_out")
    rows = [{"paper": paper.name, **{name: getattr(paper, name) for name in counts}} for paper in listed]
    total = {name: sum(row[name] for row in rows) for name in counts}
    yield headline_of(
        f"Five papers print {total['printed']:,} numbers: {total['agree']:,} were recomputed and agree, "
        f"{total['differ']:,} differ, {total['left_out']:,} are left out.",
        [*rows, {"paper": "all", **total}],
        (text_field("paper"), *map(number_field, counts)),
    )
    for paper in listed:
        for what, reasons in (("differing", paper.differing), ("left out", paper.reasons)):
            yield f"\n{paper.name}, {what}:"
            yield from (
                f"  {number:,}  {why or 'the reason is not known'}" for why, number in reasons.items()
            )
    yield "\nResults, and what each needs:"
    for result in RESULTS.all().values():
        yield f"{result.name}: {result.title}"
        yield from (f"  {_need_words(need)}" for need in result.needs)
    yield "\nNext: endoxa reproduce NAME --data FOLDER -o out/NAME (docs: reproduce)"


def _need_words(need: Need) -> str:
    if need.kind == "nothing":
        return f"nothing: {need.where}" if need.what == "nothing" else f"nothing: {need.what}: {need.where}"
    return f"{need.kind}{' (optional)' if need.optional else ''}: {need.what}; from {need.where}"


def reproduce(
    name: Annotated[str | None, argument(metavar="NAME")] = None,
    *,
    data: Annotated[Path | None, Option(group=DATA, metavar="FOLDER", default="none")] = None,
    model: Annotated[tuple[str, ...], Option(group=DATA, metavar="[LABEL=]MODEL")] = (),
    options: ModelOptions,
    seed: Seed = 0,
    out: Annotated[Path | None, Option(group=OUTPUT, short="-o", metavar="FOLDER")] = None,
) -> Outcome:
    """Recompute published results cell by cell, and say what agrees.

    Without NAME: of each of five papers the numbers printed, recomputed, differing, and left out with the reason.
    Shown are published, ours, difference, tolerance, verdict, and why they differ.

    A cell agrees or differs only with the model and the data of the paper; with others it is not comparable. Cells
    whose needs were not given are listed as not computed. A differing cell is a finding, not an error: the exit code is
    0 when the run was carried out, and 2 when something it cannot do without is missing. Runs of models stay in
    FOLDER/runs and continue where they stopped. Cells of a model that cannot be scored are not computed, with the
    reason; the other models go on.

    \b
    Examples:
      endoxa reproduce
      endoxa reproduce -o out
      endoxa reproduce arithmetic -o out/arithmetic
      endoxa reproduce stereotales-associations --data shared/stereotales -o out/rep
      endoxa reproduce indibias-percentages --data shared/indibias --model hf/google/muril-base-cased -o out/muril
      endoxa reproduce indibias-percentages --data shared/indibias --model Muril=hf/my-folder -o out/rehearsal

    Options:
        name: Published result; without one, what became of the printed numbers is listed.
        data: Folder with the files that the result needs, or the one file.
        model: Model, or LABEL=MODEL to stand for the published model LABEL; repeatable.
        out: Folder: cells.csv, run.json, report.html; without NAME, where finished ones lie (FOLDER/NAME).
    """  # noqa: D301
    if name is None:
        if data or model:
            raise UserError("--data and --model are for one result. Name it: endoxa reproduce NAME ...")
        if out is not None and not out.is_dir():
            raise UserError(f"{out} is no folder. Without NAME, --out is where finished reproductions lie.")
        return Outcome(_listed(out))
    result = RESULTS.get(name)
    if out is None:
        raise UserError("Missing --out. Name a folder for the cells and the page.")
    with shown("items") as progress:
        done = recompute(
            result,
            data,
            out,
            models=model,
            options=options,
            seed=seed,
            progress=progress,
            command=["endoxa", *sys.argv[1:]],
        )
    written = f"Written: {out / 'cells.csv'}, {out / 'run.json'} and {out / 'report.html'}"
    return Outcome((*_cell_lines(done), written, f"Next: open {out / 'report.html'}"))


def _cell_lines(done: Reproduced) -> Iterator[str | Headline]:
    """The finding, then cells: those that differ first."""
    from endoxa.schema.study import VERDICTS
    from endoxa.study.reproduce.page import NUMBERS, WORDS, with_places

    yield f"{done.result.title}\n{done.finding}"
    order = {"differs": 0, "agrees": 1, "not-comparable": 2, "not-computed": 3}
    assert set(order) == set(VERDICTS)
    rows = sorted(with_places(done.cells), key=lambda row: order[row["verdict"]])
    verdict = text_field("verdict", shown=WORDS.__getitem__)
    published, ours, _, tolerance = NUMBERS
    yield headline_of("", rows[:SHOWN], ("table", "cell", published, ours, tolerance, verdict))
    if len(rows) > SHOWN:
        yield f"{len(rows) - SHOWN} more cells in cells.csv."
    yield from _reasons(rows)


def _reasons(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Why cells do not agree, each reason once with the number of its cells."""
    from endoxa.study.reproduce.page import WORDS

    reasons = Counter(
        (WORDS[row["verdict"]], row["why"]) for row in rows if row["verdict"] != "agrees" and row["why"]
    )
    for (verdict, why), number in list(reasons.items())[:SHOWN]:
        yield f"{verdict.capitalize()} ({plural(number, 'cell')}): {why}."
