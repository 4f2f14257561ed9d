"""Input of a report: run folders with their `run.json`, checked to be finished, and tables of results.

A fact that `run.json` lacks is shown as 'not recorded'.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.report.words import NOT_RECORDED
from endoxa.runs.folder import ESTIMATES
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.runs.run import finished_run

PAIRS = "pairs"
EMBEDDINGS = "embeddings"
QUESTIONS = "qa"
CHOICES = "choices"
EXTRACTED = "extract"
HARM = "harm"
ASSOCIATIONS = "associations"
RATINGS = "ratings"
DISAGREEMENT = "disagreement"
LENIENCY = "leniency"
DRAFTS = "drafts"
NOVELTY = "novelty"
TOPICS = "topics"
STORY_KINDS = frozenset({EXTRACTED, HARM, ASSOCIATIONS, RATINGS})
"""Kinds that one report holds together."""
TABLE_KINDS = {
    EXTRACTED: ("", "generator_model", "extracted_attributes_json"),
    ASSOCIATIONS: ("associations in stories", "base_value", "compared_value", "value"),
    DISAGREEMENT: ("disagreement about associations", "topic", "share_low", "share_high", "relative_change"),
    LENIENCY: ("leniency of raters", "sentiment", "perspective", "mean", "weighted_mean"),
    RATINGS: ("people's ratings of harm", "rater", "harm"),
    DRAFTS: ("drafts by language models", "draft_id", "status", "prompt_id"),
    NOVELTY: ("concepts that data sets share", "dataset", "n_concepts", "n_unique", "share_unique"),
    TOPICS: ("topics of associations", "dataset", "topic", "in_group_share", "most_frequent_n"),
}
"""What a table holds in words (empty: that of the instrument), and columns that no other table has; any other one holds
association tests."""


def holds(kind: str) -> str:
    """What runs or tables of a kind hold, in words."""
    return TABLE_KINDS.get(kind, ("",))[0] or INSTRUMENTS.get(kind).holds


def reported_kinds() -> list[str]:
    """Kinds of runs of which a report can be made."""
    return [name for name, instrument in INSTRUMENTS.all().items() if instrument.shown is not None]


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run and what its `run.json` says.

    Attributes:
        folder: the run folder, or the file where only a table was given.
        facts: `run.json`; of a table of association tests nothing, of any other only its kind.
    """

    folder: Path
    facts: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """The instrument, or what a table holds; a table of association tests counts as 'embeddings'."""
        return str(self.facts.get("kind", EMBEDDINGS))

    @property
    def origin(self) -> str:
        """The run folder, or the logs of another harness that it was made from."""
        return ", ".join(text(log, "path") for log in entries(self.facts.get("logs"))) or str(self.folder)

    @property
    def data(self) -> Mapping[str, Any]:
        """What `run.json` says of the data."""
        data = self.facts.get("data")
        return data if isinstance(data, Mapping) else {}

    @property
    def estimates(self) -> Path:
        """The table of estimates of the run, or the table itself."""
        return self.folder if self.folder.is_file() else self.folder / ESTIMATES


def read_runs(paths: Sequence[Path]) -> list[Run]:
    """The runs in the order given, all of one kind or all about stories; one named twice counts once.

    Args:
        paths: run folders, or tables: of `endoxa analyze run`, of `endoxa analyze associations`, stories in
            StereoTales' columns, their published associations (JSON), people's ratings of harm.

    Raises:
        UserError: none is given, one is not a finished run, or they are of different kinds.
    """
    if not paths:
        raise UserError("No run folder was given: name at least one, for instance `endoxa report out/run1`.")
    unique = {path.resolve(): path for path in reversed(paths)}
    runs = [_read_run(unique[place]) for place in reversed(unique)]
    for run in runs[1:]:
        if run.kind != runs[0].kind and not {run.kind, runs[0].kind} <= STORY_KINDS:
            raise UserError(
                f"'{runs[0].folder}' holds {holds(runs[0].kind)} and '{run.folder}' {holds(run.kind)}: "
                "write one report for each."
            )
    return runs


def _read_run(folder: Path) -> Run:
    if folder.is_file():
        table = _table_kind(folder)
        return Run(folder, {} if table == EMBEDDINGS else {"kind": table})
    facts = finished_run(folder, *reported_kinds())
    if facts["kind"] == EMBEDDINGS and not (folder / ESTIMATES).is_file():
        raise UserError(
            f"The run in '{folder}' has no {ESTIMATES}: repeat its `endoxa probe {EMBEDDINGS}`, which writes it."
        )
    return Run(folder, facts)


def _table_kind(path: Path) -> str:
    """What a table holds, by its columns; JSON is the form in which StereoTales' associations are published."""
    from endoxa.sources.tables import TABLE_SUFFIXES, table_columns

    suffix = path.suffix.lower()
    if suffix == ".json":
        return ASSOCIATIONS
    present = set(table_columns(path)) if suffix in TABLE_SUFFIXES else set()
    kinds = (kind for kind, (_, *columns) in TABLE_KINDS.items() if present.issuperset(columns))
    return next(kinds, EMBEDDINGS)


SHOWN_DIGITS = 12
"""Characters of a hash or fingerprint that are printed."""


def command(run: Run) -> str:
    """The command that made the run, as one line for a shell, without the folder endoxa is installed in."""
    words = [str(word) for word in items(run.facts.get("command"))]
    return shlex.join([Path(words[0]).name, *words[1:]]) if words else NOT_RECORDED


def items(value: object) -> list[Any]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def entries(value: object) -> Iterator[Mapping[str, Any]]:
    """The objects of a list."""
    return (entry for entry in items(value) if isinstance(entry, Mapping))


def text(facts: Mapping[str, Any], key: str) -> str:
    """The value of a key as text."""
    value = facts.get(key)
    return NOT_RECORDED if value is None or value == "" else str(value)


def settings(value: object) -> str:
    """A mapping as 'prefix African, template ...'; 'none' where it says nothing."""
    if value is None:
        return NOT_RECORDED
    if not isinstance(value, Mapping):
        return str(value)
    return ", ".join(f"{key} {entry}" for key, entry in value.items() if entry is not None) or "none"


def simulated_models(runs: Sequence[Run]) -> set[str]:
    """Models that some run calls simulated."""
    models = (model for run in runs for model in entries(run.facts.get("models")))
    return {str(model["name"]) for model in models if model.get("simulated") and "name" in model}
