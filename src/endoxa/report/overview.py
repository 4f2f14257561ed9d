"""What was run, as `run.json` has it: the tables of runs, models and versions of every page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from endoxa.report import inputs
from endoxa.report.document import Finding, Section
from endoxa.report.inputs import Run
from endoxa.report.labels import visible_directions
from endoxa.report.tables import Field, Table, table_of, text_field
from endoxa.report.words import NOT_RECORDED
from endoxa.sources.served import fingerprints


def what_was_run(
    findings: Iterable[Finding],
    tables: Sequence[Table],
    runs: Sequence[Run],
    *,
    anchor: str = "what-was-run",
    title: str = "What was run",
    **section: Any,
) -> Section:
    """The folded section with its tables, and the versions of the software at the end."""
    fields = (
        text_field("run", lambda run: run.origin),
        text_field("versions", lambda run: inputs.settings(run.facts.get("versions"))),
    )
    versions = table_of("Versions of the software", runs, fields, folded=True)
    every = (*tables, versions)
    return Section(anchor, title, findings=tuple(findings), tables=every, folded=True, **section)


def run_table(runs: Sequence[Run], fields: Sequence[Field], *, data: str = "data") -> Table:
    """A row for each run: where it is, `fields`, the hash of its data, the version that made it, and when.

    Args:
        runs: the runs; the fields read them.
        fields: what this instrument shows of a run.
        data: what its file is called in the heading of the hash.
    """
    return table_of(
        "Runs",
        runs,
        (
            text_field("run", lambda run: run.origin),
            *fields,
            *fingerprint_fields(runs),
            text_field(f"SHA-256 of the {data}", lambda run: shortened(run.data, "sha256")),
            text_field("endoxa", lambda run: inputs.text(run.facts, "endoxa")),
            text_field("finished", lambda run: inputs.text(run.facts, "finished")[:19].replace("T", " ")),
        ),
    )


def data_field(name: str, key: str = "", shown: Callable[[str], str] = str) -> Field:
    """A column of the run table: what `run.json` says of the data under a key (the heading where empty)."""
    return text_field(name, lambda run: shown(inputs.text(run.data, key or name)))


def fact_field(name: str) -> Field:
    """A column of a table of models: the value of that name in its description, 'not recorded' where there is none."""
    return text_field(name, lambda facts: inputs.text(facts, name))


def fingerprint_fields(runs: Sequence[Run]) -> tuple[Field, ...]:
    """A column of what servers called their configurations; none where no server said it."""

    def stated(run: Run) -> str:
        texts = (f"{model}: {', '.join(names)}" for (model, _), names in fingerprints(run.facts).items())
        return visible_directions("; ".join(texts)) or NOT_RECORDED

    field = text_field("server's fingerprint", stated)
    return (field,) if any(fingerprints(run.facts) for run in runs) else ()


def shortened(facts: Mapping[str, Any], key: str) -> str:
    """The beginning of a hash or fingerprint."""
    return inputs.text(facts, key)[: inputs.SHOWN_DIGITS]
