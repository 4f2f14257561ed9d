"""The page about questions: one HTML file that needs no network and no scripts.

Besides it, the report can be every estimate as CSV (the columns of `schema.QA_ESTIMATE_COLUMNS`), and a wide table with
the published tables 1 to 6 for these models as Markdown or LaTeX.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from endoxa.instruments.questions.estimates.estimates import TEMPLATES
from endoxa.instruments.questions.headline import answer_counts, repeats_alike
from endoxa.instruments.questions.report.answers import answers, outcomes
from endoxa.instruments.questions.report.axes import accuracy, averages, axes, closer
from endoxa.instruments.questions.report.compared import conditions_compared, debias
from endoxa.instruments.questions.report.headline import (
    better_than_guessing,
    headline,
    lead,
    main_lean,
    title,
)
from endoxa.instruments.questions.report.published import paper_forms, published
from endoxa.instruments.questions.report.quoting import diagnostics, explained
from endoxa.instruments.questions.report.results import QaResults, leans, read_results
from endoxa.instruments.questions.report.thoughts import read_thoughts, thoughts
from endoxa.report import estimates as say
from endoxa.report import inputs
from endoxa.report.document import Section
from endoxa.report.frame import CITE, Page, present
from endoxa.report.inputs import Run
from endoxa.report.labels import visible_directions, without_directions
from endoxa.report.overview import (
    Used,
    answer_findings,
    data_field,
    families,
    outcome_table,
    run_table,
    sentence_findings,
    what_was_run,
)
from endoxa.report.quoting import quoting
from endoxa.report.tables import Field, Table, number_field, table_of, text_field
from endoxa.report.words import NOT_RECORDED, listed, plural
from endoxa.runs.estimates import LEANS, NAME_DIFFERENCES, RETENTION, SELF_DEBIASING, THOUGHTS
from endoxa.runs.instrument import Shown
from endoxa.runs.options import DEFAULT_CONFIDENCE, ReportOptions
from endoxa.schema import QA_ESTIMATE_COLUMNS
from endoxa.schema.qa import STYLES
from endoxa.sources.served import version_sentences
from endoxa.sources.spreadsheets import csv_text
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance

LIMITS = Section(
    "limits", "What these numbers say, and what they do not", template="limits.html.j2", folded=True
)
METHODS = Section("methods", "Methods", template="methods.html.j2", folded=True)


def qa_sections(runs: Sequence[Run], results: QaResults) -> list[Section]:
    """What is said about the answers, in reading order."""
    labels = {model: results.label(model) for model in results.names}
    matching = diagnostics(results.estimates, [run.folder for run in runs], labels)
    return present(
        (
            _headline(runs, results),
            quoting(matching),
            axes(better_than_guessing(results)),
            closer(results),
            accuracy(results),
            explained(runs, results),
            outcomes(results),
            conditions_compared(results),
            debias(results),
            thoughts(results),
            answers(runs, results.names),
            published(results),
            averages(results),
            tests_made(results),
        )
    )


def _headline(runs: Sequence[Run], results: QaResults) -> Section:
    """What the answers show, after what must be known before: versions, lost answers, equal repeats."""
    answers_lost = [
        finding
        for run in runs
        for finding in answer_findings(answer_counts(run.folder), run.facts, results.label)
    ]
    alike = [sentence for run in runs for sentence in repeats_alike(run.folder, run.facts)]
    versions = sentence_findings(version_sentences(results.names))
    section = headline(results, (*versions, *answers_lost, *sentence_findings(alike)))
    row = main_lean(results)
    above = "" if row is None else say.sentence(leans(results), row).text  # what the lead says
    return replace(
        section,
        findings=tuple(finding for finding in section.findings if finding.text != above),
        notes=(*_what_is_asked(runs), *section.notes),
    )


def _what_is_asked(runs: Sequence[Run]) -> list[str]:
    """What questions that endoxa made ask, a sentence for each style."""
    asked = {style for run in runs for style in inputs.items(run.data.get("styles"))}
    styles = (words for style, words in STYLES.items() if style in asked)
    return [f"{name[0].upper()}{name[1:]}: {meaning}" for name, meaning in styles]


def tests_made(results: QaResults) -> Section:
    """The families of tests behind what is claimed on the page."""
    used: list[Used] = [
        (LEANS, results.leans, ""),
        (NAME_DIFFERENCES, results.differences.drop_nulls("neutral"), ""),
        (RETENTION, results.retention, ""),
        (SELF_DEBIASING, results.debias.filter(interval=TEMPLATES), ""),
        (THOUGHTS, results.thoughts.drop_nulls("neutral"), ""),
    ]
    return families(used, level=f"{significance(results.confidence):g}")


def qa_page(runs: Sequence[Run], results: QaResults, *, seed: int) -> Page:
    """The whole page.

    Args:
        runs: every run, for its notices, its raw answers and how to repeat it.
        results: what their answers say.
        seed: seed of the bootstrap.
    """
    return Page(
        package=__package__,
        title=title(results),
        subtitle=summary(results),
        entries=(*qa_sections(runs, results), LIMITS, METHODS, overview(runs, results), CITE),
        runs=runs,
        models=results.names,
        lead=lead(results),
        values={
            "level": results.level,
            "fewest": fewest_units(significance(results.confidence)),
            "seed": seed,
        },
    )


def shown(runs: Sequence[Run], how: ReportOptions) -> Shown:
    """Page and tables; the analysis is done here, before anything is touched.

    Raises:
        UserError: records or labels cannot be used.
    """
    confidence = how.confidence or DEFAULT_CONFIDENCE
    results = read_results(runs, confidence=confidence, seed=how.seed, labels=how.labels)
    results = replace(results, thoughts=read_thoughts(runs, results, seed=how.seed))
    rows = results.estimates.select(list(QA_ESTIMATE_COLUMNS))
    return Shown(
        page=lambda: qa_page(runs, results, seed=how.seed),
        texts={"estimates": partial(csv_text, rows), **paper_forms(results, how)},
    )


ASKED = {"asked for": "ask", "repeats": "repeats", "seed": "seed"}
USED = {"calls": "calls", "tokens sent": "prompt_tokens", "tokens received": "completion_tokens"}


def overview(runs: Sequence[Run], results: QaResults) -> Section:
    """What each model was asked, what could not be read, and where the answers came from."""
    counts = [counts for run in runs for counts in answer_counts(run.folder)]
    fields = (
        data_field("data", "label", without_directions),
        data_field("file", "path", visible_directions),
        text_field("models", lambda run: visible_directions(listed(_models(run)))),
        text_field("items", lambda run: inputs.text(run.facts.get("counts") or {}, "items")),
        *(_setting(name, key) for name, key in ASKED.items()),
        text_field("sampling", lambda run: inputs.settings(_sampling(run))),
        text_field("options shuffled", lambda run: "yes" if _settings(run).get("shuffle") else "no"),
        text_field("system message", lambda run: "yes" if _settings(run).get("system") else "no"),
    )
    return what_was_run(
        (),
        (outcome_table(counts, results.label), run_table(runs, fields, data="file"), _cost(runs, results)),
        runs,
        anchor="what-was-asked",
        title="What was asked",
        notes=(
            "An item is one question with its three options. It is asked once per repeat, and per variant where names "
            "were drawn more than once; variants × repeats are the seeds. Options shuffled: they were shown in an "
            "order drawn for every item and repeat, so that a liking for the first letter is no lean.",
        ),
    )


def _models(run: Run) -> list[str]:
    """Names of its models as in its command."""
    return [inputs.text(model, "name") for model in inputs.entries(run.facts.get("models"))]


def _settings(run: Run) -> Mapping[str, Any]:
    settings = run.facts.get("settings")
    return settings if isinstance(settings, Mapping) else {}


def _sampling(run: Run) -> dict[str, Any]:
    """How answers were drawn, as far as it was not left to the provider."""
    stated = _settings(run).get("sampling") or {}
    return {name: value for name, value in stated.items() if value not in (None, {})}


def _setting(name: str, key: str) -> Field:
    return text_field(name, lambda run: inputs.text(_settings(run), key))


def summary(results: QaResults) -> str:
    """As in '9,240 answers, 2 models; Nationality, Name'."""
    answers = int(results.overall["n_asked"].sum())
    return f"{plural(answers, 'answer')}, {plural(len(results.names), 'model')}; {', '.join(results.data)}."


def _cost(runs: Sequence[Run], results: QaResults) -> Table:
    """What every model of every run took."""
    return table_of(
        "Calls, tokens and cost",
        [
            {"model": results.label(model), "run": run.folder.name, **used}
            for run in runs
            for model, used in (run.facts.get("usage") or {}).items()
        ],
        (
            *(text_field("model", shown=without_directions), text_field("run")),
            *(_used(name, key) for name, key in USED.items()),
            number_field("cost, US dollars", lambda row: _number(row.get("cost_usd"), 2)),
        ),
        notes=(
            "Tokens as the providers counted them, cost from the list prices that the run knew, where it knew one; a "
            "provider's bill decides.",
        ),
    )


def _used(name: str, key: str) -> Field:
    return number_field(name, lambda row: _number(row.get(key), 0))


def _number(value: object, digits: int) -> str:
    return f"{value:,.{digits}f}" if isinstance(value, int | float) else NOT_RECORDED
