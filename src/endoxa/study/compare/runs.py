"""Finished runs that can be compared item by item, and in what they differ; others are refused in one sentence."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
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
from endoxa.report.words import listed, short_labels
from endoxa.runs import run as runs
from endoxa.runs.folder import RECORDS, RUN, differences, run_folder
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.sources.served import SERVED, version_of, version_sentences, versions_apart

STORIES = "stories"
MODEL_COLUMNS = {EXTRACTED: "generator_model", HARM: "rater"}
"""Column of the records with the model, where it is not `model`: of stories the model that wrote them."""


@dataclass(frozen=True, slots=True)
class Side:
    """One model of one run.

    Attributes:
        run: the run.
        model: the model as its records name it.
        label: a name that tells it from the others.
    """

    run: Run
    model: str
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
    paths: Sequence[Path], wanted: Sequence[Collection[str]], options: Sequence[str], *, strict: bool
) -> tuple[Side, ...]:
    """Every run with its model, checked to be of one kind and of the same data; of a single run all of its models.

    Args:
        paths: run folders.
        wanted: the models wanted of each; needed where one of several runs holds several.
        options: the option of each that names them.
        strict: nothing about the data may differ, as for a gate; else runs with other sentences around the same pairs,
            with names in place of groups, or with ratings of other associations can be compared, too.

    Raises:
        UserError: fewer than two, one twice, another instrument, other data or items, or a model has to be chosen.
    """
    runs = [read_run(path) for path in paths]
    for run in runs[1:]:
        if run.kind != runs[0].kind:
            raise UserError(
                f"'{runs[0].folder}' holds {holds(runs[0].kind)} and '{run.folder}' {holds(run.kind)}: only runs of "
                "one instrument can be compared."
            )
        # Stories differ with the model; their prompts and how they were read must not (`stories`).
        if run.kind == EXTRACTED or (not strict and (run.kind == HARM or names_apart(runs[0], run))):
            continue
        require_same_data(runs[0], run, free=() if strict else SENTENCES)
    sides = [
        Side(run, model)
        for run, names, option in zip(runs, wanted, options, strict=True)
        for model in _models(run, names, option, alone=len(runs) == 1)
    ]
    if len(sides) < 2:
        raise UserError(
            "There is one run of one model only. Name two runs or more: `endoxa compare out/a out/b -o page.html`."
        )
    for (folder, model), number in Counter((each.run.folder.resolve(), each.model) for each in sides).items():
        if number > 1:
            raise UserError(
                f"'{model}' of the same run '{folder}' is named {number} times. Name another run, or another model."
            )
    return tuple(replace(side, label=label) for side, label in zip(sides, _labels(sides), strict=True))


def _models(run: Run, wanted: Collection[str], option: str, *, alone: bool) -> list[str]:
    """The models of a run that are wanted; one has to be named where there are several."""
    names = models_of(run)
    chosen = [name for name in names if name in wanted] if wanted else names
    if not chosen:
        raise UserError(
            f"'{run.folder}' has no model '{', '.join(wanted)}'. Expected one of: {', '.join(names)}."
        )
    if len(chosen) > 1 and not alone:
        several = f"'{run.folder}' holds {len(chosen)} models ({', '.join(chosen)})."
        raise UserError(" ".join((several, f"Choose one with {option}.", *version_sentences(chosen))))
    return chosen


def _labels(sides: Sequence[Side]) -> list[str]:
    """Names of models where they tell the runs apart, else of folders, else of both."""
    models, folders = [side.model for side in sides], [str(side.run.folder.resolve()) for side in sides]
    by_model, by_folder = ([short_labels(names)[name] for name in names] for names in (models, folders))
    combined = [f"{model} ({folder})" for model, folder in zip(by_model, by_folder, strict=True)]
    full = [f"{model} ({side.run.folder})" for model, side in zip(by_model, sides, strict=True)]
    return next((each for each in (by_model, by_folder, combined) if len(set(each)) == len(each)), full)


def names_apart(first: Run, other: Run) -> bool:
    """Whether one of two runs of questions asked about names in place of groups, and the other about groups."""
    import polars as pl

    if first.kind != QUESTIONS:
        return False
    records = [pl.scan_parquet(run.folder / RECORDS) for run in (first, other)]
    named = [
        "variant" in table.collect_schema()
        and bool(table.select((pl.col("variant").fill_null("") != "").any()).collect().item())
        for table in records
    ]
    return named[0] != named[1]


def require_same_data(first: Run, other: Run, free: Collection[str] = ()) -> None:
    """Refuse two runs that measured other files, read them in another way, or took other items of them.

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
    changes = differences(options[0], options[1], "data")
    identities = [_mapping(run.facts.get("identity")) for run in (first, other)]
    if all(identities):  # of runs made from logs of other harnesses the records have to speak for themselves
        kept = [{name: value for name, value in identity.items() if name in ITEMS} for identity in identities]
        changes += differences(kept[0], kept[1])
    refuse(changes, "Baseline and candidate were measured with different settings")


def refuse(changes: Sequence[str], what: str) -> None:
    """Raise where settings differ, as `differences` words them."""
    if changes:
        apart = changes[0].replace(" was ", " is ", 1).replace(", is now ", " in the baseline and ", 1)
        more = f" ({len(changes) - 1} more settings differ)" if len(changes) > 1 else ""
        raise UserError(
            f"{what}: {apart} in the candidate{more}. Repeat one of the runs with the settings of the other."
        )


OWN_WAY = (PAIRS, QUESTIONS, EXTRACTED, HARM, EMBEDDINGS)
"""Instruments whose runs are paired in ways of their own; others declare what they measure (`Instrument.measured`)."""


def read_run(path: Path) -> Run:
    """A finished run of an instrument whose runs can be compared.

    Raises:
        UserError: it is none.
    """
    path = run_folder(path)
    if not path.is_dir():
        raise UserError(f"'{path}' is not a run folder. Expected a folder written by {_commands()}.")
    if (path / RUN).is_file() and runs.read_run(path).get("kind") == STORIES:
        raise UserError(
            f"'{path}' holds {holds(STORIES)}, and what is compared are the profiles that are read from them: name the "
            f"run of endoxa probe extract --data {path}."
        )
    run = read_runs([path])[0]
    if run.kind not in OWN_WAY and not declares(run.kind):
        raise UserError(f"'{path}' holds {holds(run.kind)}. Expected a run of {_commands()}.")
    return run


def declares(kind: str) -> bool:
    """Whether an instrument declares what is measured (`Instrument.measured`)."""
    return kind in INSTRUMENTS.entry_names() and INSTRUMENTS.get(kind).measured is not None


def _commands() -> str:
    """'endoxa probe pairs, qa or choices': what makes runs that can be compared."""
    *others, last = dict.fromkeys((*OWN_WAY, *filter(declares, INSTRUMENTS.entry_names())))
    return f"endoxa probe {', '.join(others)} or {last}"


def stories_read(run: Run) -> Run:
    """Of profiles the run of the stories that they were read from, if it is still there; else the run itself."""
    source = Path(str(run.data.get("path") or ""))
    if run.kind != EXTRACTED or not (source / RUN).is_file():
        return run
    return Run(source, runs.read_run(source))


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


def several(words: str | Sequence[str]) -> tuple[str, ...]:
    """What may be named once or several times."""
    return (words,) if isinstance(words, str) else tuple(words)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


ITEMS = ("limit", "sample", "include_drafts", "columns", "repeats", "metadata", "format", "data", "tests")
"""Parts of a run's identity that say which items it has; all others are ways of asking, and may differ."""
SENTENCES = ("prefix", "template")
"""Options of reading that put words around the sentences of pairs: ways of asking, too."""
ENTRY = ("revision", "dtype", "adapter", "chat_template", "tokenizer", "fingerprint")
"""What run.json says of a model that may differ under one name."""
MODEL = "model"
SERVED_AS = "served version"
"""Of one hosted model: what the server said that it is."""
WORDS = {
    "system": "system message",
    "sampling temperature": "temperature",
    "sampling top_p": "top-p",
    "sampling max_tokens": "most tokens of an answer",
    "sampling reasoning": "reasoning effort",
    "sampling seed": "seed of the provider",
    "ask": "way of asking",
    "names": "names in place of groups",
    "shuffle": "options shuffled",
}
LONGEST = 120
"""Characters of a setting that are shown."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Something in which two runs differ.

    Attributes:
        name: what it is.
        before: in the first run.
        after: in the second.
    """

    name: str
    before: str
    after: str

    def __str__(self) -> str:
        """'the system message (none, now “Be careful.”)'."""
        return f"the {self.name} ({self.before}, now {self.after})"


def settings_apart(first: Side, other: Side) -> tuple[Setting, ...]:
    """In what two runs differ: the model, and every way of asking that their `run.json` hold."""
    apart = [Setting(MODEL, first.model, other.model)] if first.model != other.model else []
    versions = [side.version for side in (first, other)] if first.name == other.name else []
    if all(versions) and len(set(versions)) > 1:
        apart.append(Setting(SERVED_AS, *versions))
    protocols: list[Any] = [
        _mapping(side.run.facts.get("identity")).get("protocols") or () for side in (first, other)
    ]
    # One each: they are compared with each other. Of several, what both runs have is compared.
    if all(len(each) == 1 for each in protocols) and protocols[0] != protocols[1]:
        apart.append(Setting("protocol", _shown(protocols[0][0]), _shown(protocols[1][0])))
    left_out = {*ITEMS, "models", "languages", "rules", "protocols"}
    # What was chosen of a model, where it is the same; of two models it follows from their names.
    chosen = ENTRY if first.name == other.name else ()
    described = [_asked(side, left_out, chosen) for side in (first, other)]
    # Runs made from logs of other harnesses say nothing of how they were asked.
    if all(described):
        apart += _apart(described[0], described[1], "")
    return tuple(replace(each, name=WORDS.get(each.name, each.name.replace("_", " "))) for each in apart)


def _asked(side: Side, left_out: set[str], chosen: Collection[str]) -> dict[str, Any]:
    identity = _mapping(side.run.facts.get("identity"))
    kept = {name: value for name, value in identity.items() if name not in left_out}
    if digest := kept.get("names"):
        file = (side.run.facts.get("settings") or {}).get("names")
        kept["names"] = f"{Path(str(file)).name} ({digest[:8]})"
    options = side.run.data.get("options")
    if isinstance(options, Mapping):
        kept |= {name: options.get(name) for name in SENTENCES if name in options}
    entry = next((model for model in entries(identity.get("models")) if model.get("name") == side.name), {})
    kept |= {name: value for name, value in entry.items() if name in chosen}
    return kept


def _apart(first: Any, other: Any, name: str) -> list[Setting]:
    if isinstance(first, Mapping) and isinstance(other, Mapping):
        keys = dict.fromkeys((*first, *other))
        return [
            setting
            for key in keys
            for setting in _apart(first.get(key), other.get(key), f"{name} {key}".strip())
        ]
    if (
        isinstance(first, list)
        and isinstance(other, list)
        and any(isinstance(each, Mapping) for each in first)
    ):
        pairs = zip_longest(first, other)
        return [setting for before, after in pairs for setting in _apart(before, after, name)]
    return [] if first == other else [Setting(name, _shown(first), _shown(other))]


def _shown(value: Any) -> str:
    if value is None or value in ("", [], {}):
        return "none"
    text = f"“{value}”" if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
