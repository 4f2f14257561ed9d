"""What was run: tests, encoders and settings, as `run.json` has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from endoxa.instruments.association_tests.report.results import Associations
from endoxa.models.scoring import WORTH_SAYING
from endoxa.report import inputs
from endoxa.report.document import Finding, Section
from endoxa.report.inputs import Run
from endoxa.report.tables import Column, Table
from endoxa.report.words import count, language_name, listed, plural


def tests_overview(runs: Sequence[Run], results: Associations) -> Section:
    """Tables of runs and of encoders; what is missing is called 'not recorded'."""
    return Section(
        anchor="what-was-run",
        folded=True,
        title="What was run",
        findings=tuple(_said(runs, results)),
        tables=(_run_table(runs, results.estimates), _encoder_table(runs, results), _version_table(runs)),
    )


def _said(runs: Sequence[Run], results: Associations) -> Iterator[Finding]:
    """What the runs left out, and languages an encoder can hardly read."""
    for run in runs:
        yield from (Finding(str(sentence)) for sentence in inputs.items(run.facts.get("left_out")))
        for model in inputs.entries(run.facts.get("models")):
            shares = model.get("unknown_tokens")
            for language, share in shares.items() if isinstance(shares, Mapping) else ():
                if float(share) > WORTH_SAYING:
                    name = inputs.text(model, "name")
                    yield Finding(
                        f"{results.labels.get(name, name)} reads {100 * float(share):.0f}\u00a0% of the tokens of its "
                        f"{language_name(language) if language else 'own'} texts as unknown: what the tests "
                        "say of it there means little.",
                        ({"unknown": float(share)},),
                    )


def summary(estimates: pl.DataFrame) -> str:
    """As in '24 tests (gender x religion; English and Hindi), 4 models, poolings cls and mean'."""
    axes = [axis for axis in estimates["axis"].unique(maintain_order=True) if axis]
    languages = [language_name(code) for code in estimates["language"].unique(maintain_order=True) if code]
    scope = "; ".join(listed(names) for names in (axes, languages) if names)
    names = [name for name in estimates["pooling"].unique(maintain_order=True) if name]
    pooled = f", {'pooling' if len(names) == 1 else 'poolings'} {listed(names)}" if names else ""
    return (
        plural(estimates["test"].n_unique(), "test")
        + (f" ({scope})" if scope else "")
        + f", {plural(estimates['model'].n_unique(), 'model')}{pooled}."
    )


def _run_table(runs: Sequence[Run], estimates: pl.DataFrame) -> Table:
    rows = []
    for run in runs:
        tests = run.facts.get("data") or run.facts.get("tests")
        data: Mapping[str, object] = tests if isinstance(tests, Mapping) else {"path": tests}
        own = estimates.filter(pl.col("run") == str(run.folder))
        rows.append(
            (
                str(run.folder),
                inputs.text(data, "path"),
                count(own["test"].n_unique()),
                inputs.text(data, "sha256")[: inputs.SHOWN_DIGITS],
                inputs.text(run.facts, "endoxa"),
                inputs.text(run.facts, "finished")[:19].replace("T", " "),
            )
        )
    names = ("run", "tests from", "tests", "SHA-256 of the tests", "endoxa", "finished")
    return Table(
        "Runs", tuple(Column(name, numeric=name == "tests") for name in names), tuple(rows), measured=False
    )


def _encoder_table(runs: Sequence[Run], results: Associations) -> Table:
    described = {
        inputs.text(model, "name"): model for run in runs for model in inputs.entries(run.facts.get("models"))
    }
    keys = ("kind", "layer", "revision", "dtype", "device")
    rows = [
        (
            label,
            model,
            pooling or "–",
            *(inputs.text(described.get(model, {}), key) for key in keys),
            inputs.text(described.get(model, {}), "fingerprint")[: inputs.SHOWN_DIGITS],
        )
        for label, model, pooling in results.estimates.select("label", "model", "pooling")
        .unique(maintain_order=True)
        .iter_rows()
    ]
    names = ("model", "as named in the command", "pooling", *keys, "fingerprint")
    return Table("Encoders", tuple(Column(name) for name in names), tuple(rows))


def _version_table(runs: Sequence[Run]) -> Table:
    rows = tuple((str(run.folder), inputs.settings(run.facts.get("versions"))) for run in runs)
    return Table(
        "Versions of the software", (Column("run"), Column("versions")), rows, folded=True, measured=False
    )
