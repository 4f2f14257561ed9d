"""What was run: data, models, rules and settings, as `run.json` has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from endoxa.instruments.pairs.rules import rule_facts
from endoxa.report import inputs
from endoxa.report.document import Finding, Section
from endoxa.report.inputs import Run
from endoxa.report.overview import data_field, fact_field, run_table, shortened, what_was_run
from endoxa.report.tables import Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, NOT_RECORDED, count, plural


def overview(runs: Sequence[Run], labels: Mapping[str, str], pairs: Mapping[str, int]) -> Section:
    """Tables of runs, models (with their labels) and rules; what is missing is called 'not recorded'.

    Args:
        runs: the runs.
        labels: short label of every model.
        pairs: how many pairs the records of a run hold, by the name of its folder.
    """
    run_fields = (
        *(data_field("data", "path"), data_field("format")),
        number_field("pairs", lambda run: count(pairs.get(str(run.folder)))),
        text_field("sources", _sources),
        text_field("options", lambda run: inputs.settings(run.data.get("options"))),
    )
    return what_was_run(
        (Finding(sentence) for run in runs for sentence in _left_out(run, labels)),
        (run_table(runs, run_fields), _model_table(runs, labels), _rule_table(runs)),
        runs,
    )


def _left_out(run: Run, labels: Mapping[str, str]) -> Iterator[str]:
    """One sentence for each rule that was left out for some models of the run, and how many pairs have no score."""
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
    counts = run.facts.get("counts")
    missing = counts.get("unscored") if isinstance(counts, Mapping) else None
    if missing:
        yield (
            f"{run.origin}: {plural(missing, 'pair')} (counted for every model and rule) could not be scored or were "
            "not answered, and are in no number."
        )


def rule_names(runs: Iterable[Run]) -> list[str]:
    """Names of the rules of all runs, each once: those of the runs, then those that only a model names."""
    runs = list(runs)
    holders = [run.facts for run in runs]
    holders += [model for run in runs for model in inputs.entries(run.facts.get("models"))]
    return list(dict.fromkeys(str(rule) for facts in holders for rule in inputs.items(facts.get("rules"))))


def _sources(run: Run) -> str:
    """Where the items come from, with their numbers: "survey 40, draft by openai/x 12"."""
    counts = run.data.get("sources")
    if not isinstance(counts, Mapping) or not counts:
        return NO_VALUE
    return ", ".join(f"{name} {count(number)}" for name, number in counts.items())


def _model_table(runs: Sequence[Run], labels: Mapping[str, str]) -> Table:
    def label(facts: Mapping[str, Any]) -> str:
        name = inputs.text(facts, "name")
        return labels.get(name, name)

    def unknown(facts: Mapping[str, Any]) -> str:
        """Shares of unknown tokens by language as 'en 0 %, hi 61 %'."""
        shares = facts.get("unknown_tokens")
        if not isinstance(shares, Mapping) or not shares:
            return NOT_RECORDED
        return ", ".join(f"{code} {100 * float(share):.0f}\u00a0%" for code, share in shares.items())

    return table_of(
        "Models",
        (model for run in runs for model in inputs.entries(run.facts.get("models"))),
        (
            text_field("model", label),
            text_field("as named in the command", lambda facts: inputs.text(facts, "name")),
            *map(fact_field, ("architecture", "revision", "dtype", "device")),
            text_field("fingerprint", lambda facts: shortened(facts, "fingerprint")),
            text_field("unknown tokens", unknown),
        ),
        measured=False,
        distinct=True,
    )


def _rule_table(runs: Sequence[Run]) -> Table:
    heads = ("rule", "unit", "meaning", "source")
    rows = [
        dict(zip(heads, (name, *(rule_facts(name) or 3 * (NOT_RECORDED,))), strict=True))
        for name in rule_names(runs)
    ]
    return table_of("Scoring rules", rows, [*map(text_field, heads)], measured=False)
