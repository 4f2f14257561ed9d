"""Reports out: one call from run folders to a file.

What each kind of run is written as: here for sentence pairs, in `tests_write` for association tests, in `qa.write`
for questions, in `stories.write` for stories and ratings of harm.

The room where estimates become something to read: one HTML page, tables for papers, figures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from endoxa.datasets.files import require_apart
from endoxa.errors import UserError
from endoxa.page.files import FORMATS, refuse_folder, resolve_format
from endoxa.page.inputs import EMBEDDINGS, QUESTIONS, SPOKEN_KINDS, STORY_KINDS, Run, read_runs

__all__ = ["FORMATS", "write_report"]


DEFAULT_CONFIDENCE = 0.95


def write_report(
    runs: Sequence[Path],
    output: Path,
    *,
    format: str | None = None,  # noqa: A002
    confidence: float | None = None,
    seed: int = 0,
    labels: Path | None = None,
) -> Path:
    """Write what finished runs found; runs of sentence pairs and of questions are analysed first.

    `html`: one page that needs no network, and every figure as SVG and PNG in the folder `STEM_figures`
    beside it. `csv`: every estimate, columns of `schema.ESTIMATE_COLUMNS` after the name of the data set
    (`data`). `md`, `latex`: the headline table, models against axes. Runs over different data sets are
    analysed one by one.

    Association tests are shown as they were analysed, see `endoxa.report.tests_write`; questions: see
    `endoxa.report.qa.write`; stories and ratings of harm: `endoxa.report.stories.write`.

    Args:
        runs: run folders of one kind, or tables, see `endoxa.report.inputs.read_runs`.
        output: file to write; its folder is made where it is missing.
        format: a name of `FORMATS`; by default the file's ending says it.
        confidence: confidence level of all intervals, 0.95 where nothing is said; association tests keep theirs.
        seed: seed of the bootstrap; association tests keep theirs.
        labels: table of labels, providers and sizes of models (`endoxa.report.qa.labels`); only for questions and
            stories.

    Returns:
        The file written.

    Raises:
        UserError: an unknown format, a folder that is no finished run, records that cannot be used, or a file
            that cannot be written.
    """
    chosen = resolve_format(output, format)
    refuse_folder(output)
    inputs = [
        path
        for run in runs
        for path in (run, run / "estimates.csv", run / "run.json", run / "records.parquet")
    ]
    require_apart([output], [*inputs, labels])
    found = read_runs(runs)
    writers = _writers(found, output, confidence, seed, labels)
    if chosen not in writers:
        raise UserError(
            f"Runs of {SPOKEN_KINDS[found[0].kind]} are not written as '{chosen}'; there are: {', '.join(writers)}."
        )
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        writers[chosen]()
    except OSError as error:
        raise UserError(f"'{output}' cannot be written: {error.strerror or error}.") from error
    return output


def _writers(
    runs: Sequence[Run], output: Path, confidence: float | None, seed: int, labels: Path | None
) -> dict[str, Callable[[], None]]:
    """What writes each format, as the kind of the runs has it."""
    kind = runs[0].kind
    if labels is not None and kind not in {QUESTIONS, *STORY_KINDS}:
        raise UserError(
            f"--labels is for runs of questions and stories; these are of {SPOKEN_KINDS[kind]}: leave it out."
        )
    if kind == EMBEDDINGS:
        from endoxa.instruments.association_tests.report.page import writers as tests_writers

        return tests_writers(runs, output, confidence)
    level = confidence or DEFAULT_CONFIDENCE
    if kind == QUESTIONS:
        from endoxa.instruments.questions.report.page import writers as qa_writers

        return qa_writers(runs, output, confidence=level, seed=seed, labels=labels)
    if kind in STORY_KINDS:
        from endoxa.instruments.stories.report.page import writers as story_writers

        return story_writers(runs, output, confidence=level, seed=seed, labels=labels)
    from endoxa.instruments.pairs.report.page import writers as pairs_writers

    return pairs_writers(runs, output, level, seed)
