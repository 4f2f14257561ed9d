"""What was run: data, models, rules and settings, as `run.json` has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from endoxa.instruments.pairs.rules import rule_facts
from endoxa.report import inputs
from endoxa.report.document import Finding, Section
from endoxa.report.inputs import Run
from endoxa.report.tables import Column, Table
from endoxa.report.words import NOT_RECORDED, count, plural


def overview(runs: Sequence[Run], labels: Mapping[str, str], pairs: Mapping[str, int]) -> Section:
    """Tables of runs, models (with their labels) and rules; what is missing is called 'not recorded'.

    Args:
        runs: the runs.
        labels: short label of every model.
        pairs: how many pairs the records of a run hold, by the name of its folder.
    """
    return Section(
        anchor="what-was-run",
        folded=True,
        title="What was run",
        findings=tuple(
            Finding(sentence) for run in runs for sentence in (*_skipped(run, labels), *_unscored(run))
        ),
        tables=(
            _run_table(runs, pairs),
            _model_table(runs, labels),
            _rule_table(runs),
            _version_table(runs),
        ),
    )


def _skipped(run: Run, labels: Mapping[str, str]) -> Iterator[str]:
    """One sentence for each rule that was left out for some models of the run."""
    by_rule: dict[str, list[Mapping[str, Any]]] = {}
    for entry in inputs.entries(run.facts.get("skipped")):
        by_rule.setdefault(inputs.text(entry, "rule"), []).append(entry)
    for rule, entries in by_rule.items():
        names = [inputs.text(entry, "model") for entry in entries]
        which = ", ".join(labels.get(name, name) for name in names)
        why = (
            f" ({inputs.text(entries[0], 'reason').rstrip('.')})"
            if len(entries) == 1
            else ", to which it does not apply"
        )
        yield f"Skipped in {run.folder.name}: {rule} for {which}{why}."


def _unscored(run: Run) -> Iterator[str]:
    """How many pairs have no score; nothing where all have."""
    counts = run.facts.get("counts")
    missing = counts.get("unscored") if isinstance(counts, Mapping) else None
    if missing:
        yield (
            f"{run.origin}: {plural(missing, 'pair')} (counted for every model and rule) could not be scored or were "
            "not answered, and are in no number."
        )


def rule_names(runs: Iterable[Run]) -> list[str]:
    """Names of the rules of all runs, each once."""
    named = (rule for run in runs for rule in inputs.items(run.facts.get("rules")))
    taken = (
        rule
        for run in runs
        for model in inputs.entries(run.facts.get("models"))
        for rule in inputs.items(model.get("rules"))
    )
    return list(dict.fromkeys(str(rule) for rule in (*named, *taken)))


def _run_table(runs: Sequence[Run], pairs: Mapping[str, int]) -> Table:
    columns = (
        "run",
        "data",
        "format",
        "pairs",
        "sources",
        "options",
        "SHA-256 of the data",
        "endoxa",
        "finished",
    )
    rows = []
    for run in runs:
        data = run.facts.get("data")
        data = data if isinstance(data, Mapping) else {}
        rows.append(
            (
                run.origin,
                inputs.text(data, "path"),
                inputs.text(data, "format"),
                count(pairs.get(str(run.folder))),
                _sources(data.get("sources")),
                inputs.settings(data.get("options")),
                inputs.text(data, "sha256")[: inputs.SHOWN_DIGITS],
                inputs.text(run.facts, "endoxa"),
                inputs.text(run.facts, "finished")[:19].replace("T", " "),
            )
        )
    return Table(
        "Runs", tuple(Column(name, numeric=name == "pairs") for name in columns), tuple(rows), measured=False
    )


def _sources(counts: object) -> str:
    """Where the items come from, with their numbers: "survey 40, draft by openai/x 12"."""
    if not isinstance(counts, Mapping) or not counts:
        return "–"
    return ", ".join(f"{name} {count(number)}" for name, number in counts.items())


def _version_table(runs: Sequence[Run]) -> Table:
    rows = tuple((run.origin, inputs.settings(run.facts.get("versions"))) for run in runs)
    return Table(
        "Versions of the software", (Column("run"), Column("versions")), rows, folded=True, measured=False
    )


def _model_table(runs: Sequence[Run], labels: Mapping[str, str]) -> Table:
    names = ("architecture", "revision", "dtype", "device")
    rows: dict[tuple[str, ...], None] = {}
    for run in runs:
        for model in inputs.entries(run.facts.get("models")):
            name = inputs.text(model, "name")
            cells = (inputs.text(model, key) for key in names)
            unknown = _shares(model.get("unknown_tokens"))
            rows[
                labels.get(name, name),
                name,
                *cells,
                inputs.text(model, "fingerprint")[: inputs.SHOWN_DIGITS],
                unknown,
            ] = None
    columns = ("model", "as named in the command", *names, "fingerprint", "unknown tokens")
    return Table("Models", tuple(Column(name) for name in columns), tuple(rows), measured=False)


def _rule_table(runs: Sequence[Run]) -> Table:
    columns = (Column("rule"), Column("unit"), Column("meaning"), Column("source"))
    rows = tuple((name, *(rule_facts(name) or 3 * (NOT_RECORDED,))) for name in rule_names(runs))
    return Table("Scoring rules", columns, rows, measured=False)


def _shares(value: object) -> str:
    """Shares of unknown tokens by language as 'en 0 %, hi 61 %'."""
    if not isinstance(value, Mapping) or not value:
        return NOT_RECORDED
    return ", ".join(f"{language} {100 * float(share):.0f}\u00a0%" for language, share in value.items())
