"""Two finished runs that can be compared item by item; anything else is refused in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.report.inputs import EXTRACTED, HARM, PAIRS, QUESTIONS, Run, entries, holds, read_runs
from endoxa.runs.conditions import varies
from endoxa.runs.folder import RUN, differences
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.runs.run import read_run
from endoxa.schema.options import MODELS, options_of, with_defaults
from endoxa.sources.served import SERVED, version_of, version_sentences, versions_apart

STORIES = "stories"
CHOSEN = ("models", "rules", "languages")
"""Parts of a run's identity that may differ beside conditions: what the two have in common of them is compared, and
languages are those of the items, however they were asked for."""

MODEL_COLUMNS = {PAIRS: "model", QUESTIONS: "model", EXTRACTED: "generator_model", HARM: "rater"}
"""Column of the records with the model that is gated, by kind of run: of stories the model that wrote them."""


@dataclass(frozen=True, slots=True)
class Side:
    """One model of one run.

    Attributes:
        role: "baseline" or "candidate".
        run: the run.
        model: the model as its records name it.
    """

    role: str
    run: Run
    model: str

    @property
    def name(self) -> str:
        """The model as the command named it, without its version."""
        return version_of(self.model)[0]

    @property
    def served(self) -> list[str]:
        """What the server said that it is, sorted; empty where it said nothing, or no server was asked."""
        import polars as pl

        records = versions_apart(pl.scan_parquet(self.run.folder / "records.parquet"))
        if SERVED not in records.collect_schema():
            return []
        answered = records.filter(pl.col("model") == self.model, pl.col(SERVED) != "").select(
            pl.col(SERVED).unique()
        )
        return sorted(answered.collect()[SERVED].drop_nulls().to_list())

    def facts(self) -> dict[str, Any]:
        """What `gate.json` says of it."""
        entry = next(
            (model for model in entries(self.run.facts.get("models")) if model.get("name") == self.name), {}
        )
        return {"run": str(self.run.folder), "model": self.model, "fingerprint": entry.get("fingerprint")}


def read_sides(
    baseline: Path, candidate: Path, baseline_model: str | None, candidate_model: str | None
) -> tuple[Side, Side]:
    """Both runs, checked to be of one kind, the same data and the same settings.

    Raises:
        UserError: one is no finished run, they measure different things, or a model has to be chosen.
    """
    runs = [_read(path) for path in (baseline, candidate)]
    first, other = runs
    if first.kind != other.kind:
        raise UserError(
            f"The baseline holds {holds(first.kind)} and the candidate {holds(other.kind)}. A gate compares two runs "
            "of one instrument."
        )
    sides = (
        Side("baseline", first, _model(first, baseline_model, "baseline")),
        Side("candidate", other, _model(other, candidate_model, "candidate")),
    )
    if baseline.resolve() == candidate.resolve() and sides[0].model == sides[1].model:
        raise UserError(
            f"Baseline and candidate are the same run '{baseline}' and model '{sides[0].model}'. Name another run, or "
            "another model with --candidate-model."
        )
    if first.kind == EXTRACTED:
        # Stories differ with the model; their prompts and how they were read must not (`gate.written`).
        return sides
    # Raise where the two measured other files, or read them in another way.
    data = [_mapping(run.facts.get("data")) for run in (first, other)]
    hashes = [entry.get("sha256") for entry in data]
    if None in hashes:
        run = (first, other)[hashes.index(None)]
        raise UserError(
            f"The run.json of '{run.folder}' does not say which data was measured. Repeat the run."
        )
    if hashes[0] != hashes[1]:
        raise UserError(
            f"Baseline and candidate measured different data: '{data[0].get('path')}' (SHA-256 {str(hashes[0])[:12]}) "
            f"and '{data[1].get('path')}' ({str(hashes[1])[:12]}). Run both on the same file."
        )
    _refuse(differences(data[0].get("options") or {}, data[1].get("options") or {}, "data"))
    differing_conditions(first, other)
    return sides


def _read(path: Path) -> Run:
    if not path.is_dir():
        raise UserError(
            f"'{path}' is not a run folder. Expected a folder written by endoxa probe pairs, qa, extract or harm."
        )
    refuse_unread_stories(path)
    run = read_runs([path])[0]
    if run.kind not in MODEL_COLUMNS:
        raise UserError(
            f"'{path}' holds {holds(run.kind)}. A gate compares runs of endoxa probe pairs, qa, extract or harm."
        )
    return run


def refuse_unread_stories(path: Path) -> None:
    """Raise where a run of stories was given in place of the profiles read from them.

    Raises:
        UserError: so it was.
    """
    facts = read_run(path) if (path / RUN).is_file() else {}
    if facts.get("kind") == STORIES:
        raise UserError(
            f"'{path}' holds {holds(STORIES)}, and a gate needs the profiles that were read from them: run "
            f"endoxa probe extract --data {path} --model ... --out {path}-read, the same with the same extractors for "
            "the other run, and name the two folders that it writes."
        )


def _model(run: Run, wanted: str | None, role: str) -> str:
    """The model of a run; it has to be named where there are several."""
    names = _models(run)
    if wanted is not None:
        if wanted not in names:
            raise UserError(
                f"The {role} '{run.folder}' has no model '{wanted}'. Expected one of: {', '.join(names)}."
            )
        return wanted
    if len(names) != 1:
        several = f"The {role} '{run.folder}' holds {len(names)} models ({', '.join(names)})."
        raise UserError(" ".join((several, f"Choose one with --{role}-model.", *version_sentences(names))))
    return names[0]


def _models(run: Run) -> list[str]:
    """Models in the records, sorted."""
    import polars as pl

    column = MODEL_COLUMNS[run.kind]
    table = versions_apart(pl.scan_parquet(run.folder / "records.parquet"), column)
    if column not in table.collect_schema().names():
        raise UserError(f"'{run.folder / 'records.parquet'}' has no column '{column}'. Repeat the run.")
    names = table.select(pl.col(column).unique().sort()).collect()[column].drop_nulls().to_list()
    if not names:
        raise UserError(f"The run '{run.folder}' has no records. Expected at least one.")
    return [str(name) for name in names]


def differing_conditions(first: Run, other: Run) -> list[str]:
    """Names of the settings in which two runs of one instrument differ, and in which conditions may differ.

    Raises:
        UserError: they differ in something else than these, the model, rules and languages.
    """
    identities = [_mapping(run.facts.get("identity")) for run in (first, other)]
    if not all(identities):
        # Runs made from logs of other harnesses: their records have to speak for themselves.
        return []
    settings = INSTRUMENTS.get(first.kind).settings
    identities = [{**identity, MODELS: list(entries(identity.get(MODELS)))} for identity in identities]
    sides = [with_defaults(identities[k], identities[1 - k], settings) for k in (0, 1)]
    names = []
    for entry in filter(varies, options_of(settings)):
        places = [[side] for side in sides]
        if entry.option.decides == MODELS:
            places = [side[MODELS] for side in sides]
        values = [[_removed(place, entry.path) for place in some] for some in places]
        if any(left != right for left, right in zip(*values, strict=False)):
            names.append(entry.name.removeprefix("--"))
    kept = [
        {key: value for key, value in side.items() if key not in CHOSEN and value != {}} for side in sides
    ]
    _refuse(differences(kept[0], kept[1]))
    return names


def _removed(place: Mapping[str, Any], path: Sequence[str]) -> Any:
    """The value at a path of an identity, which is taken out; that of a model has only the last name."""
    *outer, name = path if path[0] in place else path[-1:]
    inner: Any = place
    for key in outer:
        inner = inner.get(key) or {}
    return inner.pop(name, None)


def _refuse(changes: Sequence[str]) -> None:
    if changes:
        first = changes[0].replace(" was ", " is ", 1).replace(", is now ", " in the baseline and ", 1)
        more = f" ({len(changes) - 1} more settings differ)" if len(changes) > 1 else ""
        raise UserError(
            f"Baseline and candidate were measured with different settings: {first} in the candidate{more}. Repeat one "
            "of the runs with the settings of the other."
        )


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
