"""Two finished runs that can be compared item by item; anything else is refused in one sentence."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.report.inputs import (
    EMBEDDINGS,
    EXTRACTED,
    HARM,
    PAIRS,
    QUESTIONS,
    Run,
    entries,
    holds,
    read_runs,
    text,
)
from endoxa.report.words import listed
from endoxa.runs import run as runs
from endoxa.runs.folder import CONDITIONS, RECORDS, RUN, differences, run_folder
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.sources.files import sha256
from endoxa.sources.served import SERVED, version_of, version_sentences, versions_apart

STORIES = "stories"
MODEL_COLUMNS = {EXTRACTED: "generator_model", HARM: "rater"}
"""Column of the records with the model, where it is not `model`: of stories the model that wrote them."""


@dataclass(frozen=True, slots=True)
class Side:
    """One model of one run.

    Attributes:
        role: "baseline" or "candidate".
        run: the run.
        model: the model as its records name it.
        named: the folder that was named; of stories not the run of profiles that is read.
        label: of a comparison, a name that tells it from the others.
    """

    role: str
    run: Run
    model: str
    named: Path = Path()
    label: str = ""

    @property
    def date(self) -> str:
        """When it was finished, ISO 8601, or empty."""
        return str(self.source.run.facts.get("finished") or "")

    @property
    def name(self) -> str:
        """The model as the command named it, without its version."""
        return version_of(self.model)[0]

    @property
    def source(self) -> Side:
        """With the run that asked the model: of profiles the one of the stories, if it is still there."""
        return replace(self, run=stories_read(self.run))

    @property
    def served(self) -> list[str]:
        """What the server said that it is, sorted; empty where it said nothing, or no server was asked."""
        import polars as pl

        if self.run.kind == EMBEDDINGS:
            return []
        column = MODEL_COLUMNS.get(self.run.kind, "model")
        records = versions_apart(pl.scan_parquet(self.run.folder / RECORDS), column)
        if SERVED not in records.collect_schema():
            return []
        answered = records.filter(pl.col(column) == self.model, pl.col(SERVED) != "").select(
            pl.col(SERVED).unique()
        )
        return sorted(answered.collect()[SERVED].drop_nulls().to_list())

    @property
    def version(self) -> str:
        """What the server said that it is, with its fingerprints; empty where it said nothing."""
        stated = entries((self.run.facts.get("served") or {}).get(self.name))
        served = (
            self.served if self.run.kind == QUESTIONS else sorted({entry[SERVED] for entry in stated} - {""})
        )
        marks = {entry["system_fingerprint"] for entry in stated if entry[SERVED] in served or not served} - {
            ""
        }
        return f"{listed(served)} (fingerprint {listed(sorted(marks))})".strip() if marks else listed(served)

    def facts(self) -> dict[str, Any]:
        """What `gate.json` says of it."""
        entry = next(
            (model for model in entries(self.run.facts.get("models")) if model.get("name") == self.name), {}
        )
        return {"run": str(self.run.folder), "model": self.model, "fingerprint": entry.get("fingerprint")}

    def dated_facts(self) -> dict[str, Any]:
        """What the JSON of a comparison says of it."""
        return {"label": self.label, **self.facts(), "date": self.date, "served": self.served}


def read_sides(
    baseline: Path, candidate: Path, baseline_model: str | None, candidate_model: str | None
) -> tuple[Side, Side]:
    """Both runs, checked to be of one kind and the same data.

    Raises:
        UserError: one is no finished run, they measure different things, or a model has to be chosen.
    """
    first, other = (read_run(path) for path in (baseline, candidate))
    if first.kind != other.kind:
        raise UserError(
            f"The baseline holds {holds(first.kind)} and the candidate {holds(other.kind)}. A gate compares two runs "
            "of one instrument."
        )
    sides = (
        Side("baseline", first, _model(first, baseline_model, "baseline"), baseline),
        Side("candidate", other, _model(other, candidate_model, "candidate"), candidate),
    )
    if baseline.resolve() == candidate.resolve() and sides[0].model == sides[1].model:
        raise UserError(
            f"Baseline and candidate are the same run '{baseline}' and model '{sides[0].model}'. Name another run, or "
            "another model with --candidate-model."
        )
    if first.kind != EXTRACTED:
        # Stories differ with the model; their prompts and how they were read must not (`gate.stories`).
        require_same_data(first, other)
    return sides


def require_same_data(first: Run, other: Run, free: Collection[str] = ()) -> None:
    """Refuse two runs that measured other files, or read them in another way.

    Args:
        first: the baseline.
        other: the candidate.
        free: options of reading that may differ.

    Raises:
        UserError: they did.
    """
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
    options = [
        {name: value for name, value in _mapping(entry.get("options")).items() if name not in free}
        for entry in data
    ]
    refuse(differences(options[0], options[1], "data"))


OWN_WAY = (PAIRS, QUESTIONS, EXTRACTED, HARM, EMBEDDINGS)
"""Instruments whose runs are paired in ways of their own; others declare what they measure (`Instrument.measured`)."""


def is_comparable(kind: str) -> bool:
    """Whether runs of an instrument can be compared and gated."""
    return kind in OWN_WAY or (
        kind in INSTRUMENTS.entry_names() and INSTRUMENTS.get(kind).measured is not None
    )


def read_run(path: Path, what: str = "A gate compares") -> Run:
    """A finished run of an instrument whose runs can be compared.

    Args:
        path: its folder.
        what: the beginning of a sentence on what such runs are for.

    Raises:
        UserError: it is none.
    """
    path = run_folder(path)
    if not path.is_dir():
        raise UserError(f"'{path}' is not a run folder. Expected a folder written by {_commands()}.")
    path = profiles_of_stories(path)
    run = read_runs([path])[0]
    if not is_comparable(run.kind):
        raise UserError(f"'{path}' holds {holds(run.kind)}. {what} runs of {_commands()}.")
    return run


def profiles_of_stories(path: Path) -> Path:
    """The run that a path names; of stories the finished run of `endoxa probe extract` beside it that read them.

    Raises:
        UserError: no such run lies beside the stories, or several do.
    """
    facts = runs.read_run(path) if (path / RUN).is_file() else {}
    if facts.get("kind") != STORIES:
        return path
    if not facts.get("finished") or not (path / RECORDS).is_file():
        raise UserError(
            f"The run in '{path}' is not finished: repeat its command, it goes on where it stopped."
        )
    digest = sha256(path / RECORDS)
    places = [path.parent, *([path.parent.parent] if (path.parent / CONDITIONS).is_file() else [])]
    beside = [folder for place in places for folder in sorted(place.iterdir()) if (folder / RUN).is_file()]
    read = {folder: _digest_and_source(folder) for folder in beside}
    matches = [folder for folder, (recorded, _) in read.items() if recorded == digest]
    # Two runs can hold the same stories.
    matches = [folder for folder in matches if read[folder][1].resolve() == path.resolve()] or matches
    if not matches:
        raise UserError(
            f"'{path}' holds {holds(STORIES)}, and what is compared are the profiles that are read from them: run "
            f"endoxa probe extract --data {path} --model MODEL --out {path}-read, and the same with the same models "
            "for the other run."
        )
    if len(matches) > 1:
        raise UserError(
            f"The stories of '{path}' were read in {len(matches)} runs: {', '.join(map(str, matches))}. Name one in "
            "its place."
        )
    return matches[0]


def _digest_and_source(folder: Path) -> tuple[str, Path]:
    """Of a finished run of profiles the SHA-256 of the stories that it read, and where they were; else empty."""
    try:
        facts = runs.read_run(folder)
    except UserError:  # a damaged folder beside the stories is none of ours
        return "", Path()
    data = _mapping(facts.get("data"))
    if facts.get("kind") != EXTRACTED or not facts.get("finished"):
        return "", Path()
    return str(data.get("sha256")), Path(str(data.get("path")))


def stories_read(run: Run) -> Run:
    """Of profiles the run of the stories that they were read from, if it is still there; else the run itself."""
    source = Path(str(run.data.get("path") or ""))
    if run.kind != EXTRACTED or not (source / RUN).is_file():
        return run
    return Run(source, runs.read_run(source))


def profile_notes(sides: Sequence[Side]) -> list[str]:
    """What stands for the folders of stories that were named."""
    return [
        f"The profiles of the stories in '{side.named}' are those of '{side.run.folder}'."
        for side in sides
        if run_folder(side.named).resolve() != side.run.folder.resolve()
    ]


def _commands() -> str:
    """'endoxa probe pairs, qa or choices': what makes runs that can be compared."""
    declaring = (name for name in INSTRUMENTS.entry_names() if name not in OWN_WAY and is_comparable(name))
    *others, last = (*OWN_WAY, *declaring)
    return f"endoxa probe {', '.join(others)} or {last}"


def _model(run: Run, wanted: str | None, role: str) -> str:
    """The model of a run; it has to be named where there are several."""
    names = models_of(run)
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


def models_of(run: Run) -> list[str]:
    """Models in the records, sorted; of association tests those that have vectors."""
    import polars as pl

    if run.kind == EMBEDDINGS:
        return list(dict.fromkeys(text(entry, "model") for entry in entries(run.facts.get("vectors"))))
    column = MODEL_COLUMNS.get(run.kind, "model")
    table = versions_apart(pl.scan_parquet(run.folder / "records.parquet"), column)
    if column not in table.collect_schema().names():
        raise UserError(f"'{run.folder / 'records.parquet'}' has no column '{column}'. Repeat the run.")
    names = table.select(pl.col(column).unique().sort()).collect()[column].drop_nulls().to_list()
    if not names:
        raise UserError(f"The run '{run.folder}' has no records. Expected at least one.")
    return [str(name) for name in names]


def refuse(changes: Sequence[str]) -> None:
    """Raise where settings differ, as `differences` words them."""
    if changes:
        first = changes[0].replace(" was ", " is ", 1).replace(", is now ", " in the baseline and ", 1)
        more = f" ({len(changes) - 1} more settings differ)" if len(changes) > 1 else ""
        raise UserError(
            f"Baseline and candidate were measured with different settings: {first} in the candidate{more}. Repeat one "
            "of the runs with the settings of the other."
        )


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
