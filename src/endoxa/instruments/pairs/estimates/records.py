"""Records read from run folders, checked, and cut into cells: aligned arrays by language and axis.

Beside the scores stand two respondents that know nothing of groups: one goes by word frequency alone, one by length
alone. What they prefer needs no model; where one of them has the verdict of a model, the verdict shows no more.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.util import find_spec
from math import fsum, log
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.curate import opposites
from endoxa.errors import UserError, first_line, installation
from endoxa.instruments.pairs.probe.items import GROUPS
from endoxa.runs.folder import RECORDS
from endoxa.runs.run import finished_run
from endoxa.schema import ALL, DIRECTIONS, Sample
from endoxa.schema.provenance import BUILT_BY, WORDS, words_of_cells
from endoxa.sources.check.wording import denials, lists_by_language, negates
from endoxa.sources.identities import identity_names, log_merged, merged, spellings
from endoxa.stats.intervals import NAN
from endoxa.words.packs import language_name

FREQUENCY, LENGTH = "word_frequency_preference_ratio", "length_preference_ratio"
"""Their estimates: the share of pairs whose stereotypical sentence has the more frequent words, or fewer characters."""
REFERENCES = {FREQUENCY: "word frequency", LENGTH: "length"}
"""What readers call them."""

LIBRARY = "wordfreq"
_BREAKS = re.compile(r"[\s\"“”„«»()\[\]{}.,;:!?¿¡…।؟،؛/–—-]+")
_UNSPACED = ("ja", "ko", "th", "zh")


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Log-frequencies of the words of a language.

    Attributes:
        known: by word.
        rarest: the least of them, in place of that of a word that is not listed.
    """

    known: Mapping[str, float]
    rarest: float

    def of(self, text: str) -> float:
        """The sum over the words of a text."""
        words = _BREAKS.split(text.casefold().replace("’", "'"))
        return fsum(self.known.get(word, self.rarest) for word in words if word)


@cache
def frequencies(language: str) -> Frequencies | None:
    """The words of a language; None without a list of them, or without the library that has such lists."""
    if find_spec(LIBRARY) is None:
        return None
    import wordfreq

    if language in _UNSPACED or language not in wordfreq.available_languages("best"):
        return None
    known = {word: log(share) for word, share in wordfreq.get_frequency_dict(language, "best").items()}
    return Frequencies(known, min(known.values()))


def by_frequency(language: str, more: str | None, less: str | None) -> float | None:
    """Log-frequency of the words of a sentence minus that of another one; None where the language has no list."""
    listed = frequencies(language.partition("-")[0]) if more and less else None
    return listed.of(more) - listed.of(less) if listed and more and less else None


BY_LENGTH = pl.col("sent_less").str.len_chars().cast(pl.Float64) - pl.col("sent_more").str.len_chars()
"""By how many characters `sent_more` is the shorter one."""


def lacking(languages: Iterable[str]) -> str:
    """Which languages have no word frequencies and why, as a sentence; empty where all have."""
    if find_spec(LIBRARY) is None:
        return f"Not compared with word frequency: {installation('local')} brings the lists ({LIBRARY})."
    codes = {language.partition("-")[0] for language in languages}
    without = sorted(language_name(code) for code in codes if frequencies(code) is None)
    return f"Not compared with word frequency, for want of a list: {', '.join(without)}." if without else ""


_LABELS = ("item_id", "language", "axis", "direction", "stereotypical", "model", "rule")
_TEXTS = (
    "identity",
    "identity_key",
    "identity_group",
    "association_id",
    "attribute",
    "kind",
    "compared_with",
)
_NUMBERS = ("neutral_difference", "neutral_preferred", "by_frequency", "by_length", "by_tokens", "denied")
_NOISE = {"precision": "", "rounding": "largest", "calibrated_rounding": "calibrated_largest"}
"""Columns of the rounding that a run measured, and where `run.json` has each."""
_OF_RUNS = ("data", "run", *_NOISE)
REQUIRED = dict.fromkeys(_LABELS, pl.String) | dict.fromkeys(("score_more", "score_less"), pl.Float64)
OPTIONAL = dict.fromkeys((*_TEXTS, "data", "run", "precision"), pl.String) | dict.fromkeys(
    (*_NUMBERS, "rounding", "calibrated_rounding"), pl.Float64
)
CONTENT = "content"
"""Column with a number that follows from both sentences: an order without ids, which may be row numbers."""
_SENTENCES = ("sent_more", "sent_less")
_ATTRIBUTES = ("attribute_more", "attribute_less")
_TOKENS = ("n_tokens_more", "n_tokens_less")
_KEY = ("data", "item_id", "model", "rule")


def load_records(runs: Sequence[Path]) -> pl.DataFrame:
    """Records of one or more runs, only the columns the statistics need.

    Args:
        runs: run folders (their `records.parquet` is read), or Parquet files of records.

    Returns:
        The columns of `REQUIRED` and `OPTIONAL`: `run` is the path as given, `data` the SHA-256 of the file
        the pairs were read from, with the reading options if any (null for a single file of records, or where
        `run.json` does not say).

    Raises:
        UserError: nothing was given, a path does not exist, is no run, is a run that is not finished, or is
            no readable table of records.
    """
    if not runs:
        raise UserError("No run was given: name at least one run folder or a records.parquet file.")
    return pl.concat([_load(run) for run in runs])


def check_records(records: pl.DataFrame) -> pl.DataFrame:
    """The columns of `REQUIRED` and `OPTIONAL` and `CONTENT` in their types, null where optional ones are missing.

    Raises:
        UserError: a column is missing or of the wrong type, there is no row, a required cell is null, a score
            is not finite, a label is unknown, or an item was scored twice by one model under one rule.
    """
    missing = [name for name in REQUIRED if name not in records.columns]
    if missing:
        available = ", ".join(records.columns) or "none"
        raise UserError(f"The records have no column '{missing[0]}' (columns found: {available}).")
    columns = {**REQUIRED, **OPTIONAL, CONTENT: pl.UInt64}
    if set(_SENTENCES) <= set(records.columns):
        content = pl.concat_str(_SENTENCES, separator="\t", ignore_nulls=True).hash()
        records = records.with_columns(content.alias(CONTENT), by_length=BY_LENGTH)
    if set(_TOKENS) <= set(records.columns):
        more, less = (pl.col(name).cast(pl.Float64) for name in _TOKENS)
        records = records.with_columns(by_tokens=less - more)
    for name, follows in _FOLLOWS.items():
        if name not in records.columns:
            records = records.with_columns(follows(records).alias(name))
    try:
        checked = records.select(
            (pl.col(name) if name in records.columns else pl.lit(None, dtype=kind).alias(name)).cast(kind)
            for name, kind in columns.items()
        )
    except pl.exceptions.PolarsError as problem:
        raise UserError(f"A column of the records has the wrong type: {first_line(problem)}") from problem
    if checked.is_empty():
        raise UserError("The records are empty. Expected at least one.")
    _refuse_rows(checked)
    return checked.with_columns(pl.col("data").fill_null(""))


def _load(run: Path) -> pl.DataFrame:
    path, facts = (run / RECORDS, finished_run(run, "pairs")) if run.is_dir() else (run, {})
    if not path.is_file():
        raise UserError(
            f"'{run}' does not exist. Name a run folder (written by `endoxa probe pairs`) or its records."
        )
    try:
        lazy = pl.scan_parquet(path)
        present = lazy.collect_schema().names()
        wanted = [
            name
            for name in (*REQUIRED, *OPTIONAL, *_SENTENCES, *_ATTRIBUTES, *_TOKENS, BUILT_BY, WORDS)
            if name in present and name not in _OF_RUNS
        ]
        table = lazy.select(wanted).collect()
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise UserError(f"'{path}' is not a readable Parquet file: {first_line(problem)}") from problem
    try:
        checked = check_records(table)
    except UserError as problem:
        raise UserError(f"'{path}': {problem}") from problem
    return (
        checked.drop(_NOISE)
        .join(_noise(facts), on=["model", "rule"], how="left", maintain_order="left")
        .with_columns(data=pl.lit(_data_key(facts), dtype=pl.String), run=pl.lit(str(run)))
        .select(checked.columns)
    )


def _noise(facts: Mapping[str, Any]) -> pl.DataFrame:
    """By how much a run saw rounding move differences, by model and rule; no row where nothing was measured."""
    rows = [
        (model["name"], rule, model["dtype"], *(noise.get(key) for key in _NOISE.values() if key))
        for model in facts.get("models") or ()
        if isinstance(model, dict)
        for rule, noise in model.get("rounding", {}).items()
    ]
    schema = {"model": pl.String, "rule": pl.String, **{name: OPTIONAL[name] for name in _NOISE}}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _data_key(facts: Mapping[str, Any]) -> str | None:
    """What pairs a run scored: hash of their file and options it was read with (a prefix, say)."""
    data = facts.get("data")
    if not isinstance(data, dict) or not isinstance(data.get("sha256"), str):
        return None
    options = data.get("options") or {}
    return " ".join([data["sha256"], *(f"{name}={value}" for name, value in options.items() if value)])


def _refuse_rows(records: pl.DataFrame) -> None:
    """Raise for the first row that cannot be used."""
    unfit = {
        **{f"has no {name}": pl.col(name).is_null() for name in REQUIRED},
        "has a score that is not finite": ~(
            pl.col("score_more").is_finite() & pl.col("score_less").is_finite()
        ),
        "has an infinite neutral_difference": pl.col("neutral_difference").is_infinite(),
        f"has a direction other than {', '.join(DIRECTIONS)}": ~pl.col("direction").is_in(DIRECTIONS),
        "names neither 'more' nor 'less' as stereotypical": ~pl.col("stereotypical").is_in(("more", "less")),
    }
    for problem, condition in unfit.items():
        rows = records.filter(condition)
        if len(rows):
            raise UserError(f"The record {_where(rows)} {problem} ({len(rows)} such rows): score it again.")
    twice = records.filter(pl.struct(_KEY).is_duplicated())
    if len(twice):
        runs = twice["run"].drop_nulls().unique().sort().to_list()
        hint = f" Runs: {', '.join(runs)}." if runs else ""
        raise UserError(f"The record {_where(twice)} appears more than once. Give each run once.{hint}")


def _where(rows: pl.DataFrame) -> str:
    row = rows.row(0, named=True)
    return f"of item '{row['item_id']}', model '{row['model']}', rule '{row['rule']}'"


NEGATION, ANTONYM, OTHER = "negation", "antonym", "other"
"""What the other sentence of a pair is made with."""
_ITEM_ORDER = ("data", CONTENT, "item_id")
MOSTLY = 0.5
"""Share of pairs whose identity another language must name alike for languages to count as linked."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A language (or 'all') and an axis (or 'all')."""

    language: str
    axis: str

    def seed(self, seed: int) -> int:
        """The cell's own seed: nothing else in the table plays a part.

        It is the same for every model and rule, so that they share their bootstrap samples.
        """
        key = json.dumps([seed, self.language, self.axis]).encode()
        return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest())


@dataclass(frozen=True, slots=True)
class Scores:
    """Every pair one model scored under one rule, in the order of (data, sentences, item_id).

    Attributes:
        model: the model.
        rule: the rule.
        item: integer code of the pair, the same for every model and rule; rising.
        language: language per pair.
        axis: axis per pair.
        keyed: whether the pair has a stated `identity_key`, or was given a group.
        sample: the scores.
        rounding: the largest move of a difference that rounding was seen to make; NaN where it was not measured, as
            with float32.
        calibrated_rounding: the same of the calibrated difference.
        precision: type of the numbers of the model where its rounding was measured, else empty.
    """

    model: str
    rule: str
    item: np.ndarray
    language: np.ndarray
    axis: np.ndarray
    keyed: np.ndarray
    sample: Sample
    rounding: float = NAN
    calibrated_rounding: float = NAN
    precision: str = ""

    def chosen(self, cell: Cell) -> np.ndarray:
        """Mask of the pairs that belong to the cell."""
        mask = np.ones(len(self.item), dtype=bool)
        if cell.language != ALL:
            mask &= self.language == cell.language
        if cell.axis != ALL:
            mask &= self.axis == cell.axis
        return mask

    def unlinked(self, chosen: np.ndarray) -> str:
        """Why several languages cannot be pooled in a test: identities counted once a language; empty where they can.

        Languages are linked where every chosen pair states an `identity_key`, or where at least half of the pairs are
        about an identity that another language names alike.
        """
        languages, codes = np.unique(self.language[chosen], return_inverse=True)
        if len(languages) < 2 or self.keyed[chosen].all():
            return ""
        _, cluster = np.unique(self.sample.cluster[chosen], return_inverse=True)
        occurring = np.unique(np.column_stack([cluster, codes]), axis=0)
        spoken = np.bincount(occurring[:, 0])[cluster]
        if (spoken > 1).mean() >= MOSTLY:
            return ""
        return (
            f"the identities of {len(languages)} languages are not linked, so translations would count as "
            "independent: add the column identity_key, or read the languages one by one"
        )


def take(sample: Sample, chosen: np.ndarray) -> Sample:
    """The chosen pairs (a mask or indices) of a sample."""
    arrays = {name: getattr(sample, name) for name in ALIGNED}
    return replace(sample, **{name: array[chosen] for name, array in arrays.items() if array is not None})


ALIGNED = tuple(field.name for field in fields(Sample) if field.name != "resamples")
"""Fields of a sample with an entry per pair, or None."""


def cells_of(records: pl.DataFrame) -> list[Cell]:
    """The cells of a table of records, 'all' first.

    Always (all, all) and (all, AXIS) for every axis; with two languages or more also (LANGUAGE, all) and
    (LANGUAGE, AXIS) for every combination that occurs. With one language those would repeat the 'all' rows.
    """
    axes = records["axis"].unique().sort().to_list()
    cells = [Cell(ALL, ALL), *(Cell(ALL, axis) for axis in axes)]
    languages = records["language"].unique().sort().to_list()
    if len(languages) > 1:
        cells += [Cell(language, ALL) for language in languages]
        combinations = records.select("language", "axis").unique().sort("language", "axis")
        cells += [Cell(language, axis) for language, axis in combinations.iter_rows()]
    return cells


def scores_of(records: pl.DataFrame, resamples: int) -> list[Scores]:
    """Arrays of every model x rule of checked records (`records.check_records`), sorted by model and rule."""
    return list(_scores(records, resamples))


def _scores(records: pl.DataFrame, resamples: int) -> Iterator[Scores]:
    sign = pl.when(pl.col("stereotypical") == "more").then(1.0).otherwise(-1.0)
    # A pair without an identity is resampled with those of its association, or alone.
    listed = pl.col("identity_group").is_not_null()
    records = records.with_columns(identity_group=groups(records))
    group = pl.coalesce(
        pl.concat_str(pl.lit("group\t"), "identity_group"),
        pl.concat_str(pl.lit("key\t"), identity_names(records.select(_filled("identity_key")).to_series())),
        pl.concat_str(pl.lit("identity\t"), identity_names(records.select(_filled("identity")).to_series())),
        pl.concat_str(pl.lit("association\t"), _filled("association_id")),
        pl.concat_str(pl.lit("pair\t"), *_ITEM_ORDER, separator="\t", ignore_nulls=True),
    )
    # Log identities that differ in more than case and count as one.
    units = records.filter(~listed).select(
        pl.coalesce(_filled("identity_key"), _filled("identity")).str.to_lowercase()
    )
    several = spellings(units.to_series())
    if several:
        log_merged("pairs", merged(several))
    prepared = records.with_columns(
        sign=sign,
        item=pl.struct(_ITEM_ORDER).rank("dense"),
        cluster=group.rank("dense").cast(pl.Int64) * pl.when(listed).then(-1).otherwise(1),
        keyed=listed | _filled("identity_key").is_not_null(),
        attribute=identity_names(records["attribute"]).rank("dense").cast(pl.Int64),
    ).sort("model", "rule", *_ITEM_ORDER)
    for (model, rule), part in prepared.group_by("model", "rule", maintain_order=True):
        direction = part["sign"].to_numpy()
        more, less = part["score_more"].to_numpy(), part["score_less"].to_numpy()
        neutral, preferred, frequency, length = (
            part[name].fill_null(NAN).to_numpy()
            for name in ("neutral_difference", "neutral_preferred", "by_frequency", "by_length")
        )
        yield Scores(
            model=str(model),
            rule=str(rule),
            item=part["item"].to_numpy(),
            language=_strings(part["language"]),
            axis=_strings(part["axis"]),
            keyed=part["keyed"].to_numpy(),
            sample=Sample(
                difference=direction * (more - less),
                score_more=more,
                score_less=less,
                direction=_strings(part["direction"]),
                neutral_difference=direction * neutral,
                cluster=part["cluster"].to_numpy(),
                attribute=part["attribute"].to_numpy(),
                kind=_strings(part["kind"]),
                denied=direction * part["denied"].fill_null(0).to_numpy(),
                resamples=resamples,
                neutral_preferred=np.where(direction > 0, preferred, 1 - preferred),
                by_frequency=direction * frequency,
                by_length=direction * length,
                with_groups=(part["compared_with"] == GROUPS).fill_null(value=False).to_numpy(),
            ),
            rounding=_largest(part["rounding"]),
            calibrated_rounding=_largest(part["calibrated_rounding"]),
            precision=str(part["precision"].max() or ""),
        )


def _largest(noise: pl.Series) -> float:
    """The largest value; NaN where nothing was measured."""
    largest = noise.max()
    return float(largest) if isinstance(largest, float) else NAN


def groups(records: pl.DataFrame) -> pl.Series:
    """The group of each pair; one whose table has none moves with the most frequent group of its axis.

    It is probably about one of the groups, and taken as a group of its own it would make more groups out of them:
    together with the largest, the interval is as wide as if it were about that one (docs/methods/groups.md).
    """
    named = records.select("data", "axis", "item_id", group=_filled("identity_group")).unique()
    frequent = (
        named.drop_nulls("group")
        .group_by("data", "axis", "group")
        .len()
        .sort("len", "group", descending=[True, False])
        .group_by("data", "axis", maintain_order=True)
        .agg(pl.col("group").first())
    )
    joined = records.join(frequent, on=["data", "axis"], how="left", nulls_equal=True, maintain_order="left")
    group = pl.coalesce(_filled("identity_group"), "group", pl.lit(""))
    return joined.select(
        identity_group=pl.when(pl.col("identity_group").is_not_null()).then(group)
    ).to_series()


def by_distinct(
    rows: pl.DataFrame, names: Sequence[str], value: Callable[..., Any], kind: type[pl.DataType]
) -> pl.Series:
    """What follows from some columns, worked out once for rows that are alike in them; absent columns are null.

    Args:
        rows: a table.
        names: the columns.
        value: of their cells.
        kind: its type.
    """
    keys = rows.select(
        name if name in rows.columns else pl.lit(None, pl.String).alias(name) for name in names
    )
    distinct = keys.unique()
    values = pl.Series("value", [value(*row) for row in distinct.iter_rows()], dtype=kind)
    joined = keys.join(
        distinct.with_columns(values), on=names, how="left", nulls_equal=True, maintain_order="left"
    )
    return joined["value"]


def attributes_of(records: pl.DataFrame) -> pl.Series:
    """The stereotypical attribute of each pair, or, where pairs differ in something else, what their sentences share.

    Pairs of one attribute are alike whatever the identity, and so are pairs that only put another identity into one
    sentence. A pair without attributes and sentences shares nothing with any other.
    """
    names = [name for name in _ITEM_ORDER if name in records.columns]
    attributes = pl.concat_str(pl.lit("pair\t"), *names, separator="\t", ignore_nulls=True)
    if set(_SENTENCES) <= set(records.columns):
        frames = by_distinct(records, _SENTENCES, frame, pl.String)
        records = records.with_columns(frame=frames)
        attributes = pl.coalesce(pl.concat_str(pl.lit("frame\t"), "frame"), attributes)
    if set(_ATTRIBUTES) <= set(records.columns):
        more, less = map(_filled, _ATTRIBUTES)
        named = pl.when(pl.col("stereotypical") == "more").then(more).otherwise(less).str.to_lowercase()
        attributes = pl.coalesce(pl.concat_str(pl.lit("attribute\t"), named), attributes)
    return records.select(attributes).to_series()


def kinds_of(records: pl.DataFrame) -> pl.Series:
    """What the other sentence of each pair is made with: 'negation', 'antonym', or 'other' where that is not known.

    Pairs of `endoxa build pairs` state it in their words. Of others only negations are recognised: both attributes have
    the same words, and a negator denies one of them.
    """
    return by_distinct(records, ("language", *_ATTRIBUTES, BUILT_BY, WORDS), _kind, pl.String)


def _kind(
    language: str | None, more: str | None, less: str | None, built_by: str | None, words: str | None
) -> str:
    language = (language or "").split("-")[0]
    if not more or not less or language not in opposites.languages():
        return OTHER
    if built_by == "endoxa build pairs":
        components = {component for component, _ in words_of_cells(built_by, words)}
        return ANTONYM if "opposites" in components else NEGATION
    return NEGATION if negates(more, less, language) else OTHER


def _denied(kind: str, language: str, *attributes: str | None) -> float:
    """1 where `sent_less` denies what `sent_more` says, -1 the other way round, 0 where neither does.

    Where the denials of a language are not known, the attribute with more words is the denial.
    """
    if kind != NEGATION:
        return 0.0
    code = language.partition("-")[0]
    more, less = (
        denials(text, code) if code in lists_by_language("negations") else len(text.split())
        for text in (attribute or "" for attribute in attributes)
    )
    return float(np.sign(less - more))


def frame(more: str | None, less: str | None) -> str | None:
    """What two sentences share at their beginning and end, '_' for what differs, in lower case; None without them."""
    if more is None or less is None:
        return None
    first, second = more.lower().split(), less.lower().split()
    front = _alike(first, second)
    back = _alike(first[front:][::-1], second[front:][::-1])
    return " ".join([*first[:front], "_", *first[len(first) - back :]])


def _alike(first: Sequence[str], second: Sequence[str]) -> int:
    """Words that two texts have in common before the first that differs."""
    pairs = zip(first, second, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


_FOLLOWS: dict[str, Callable[[pl.DataFrame], pl.Series]] = {
    "by_frequency": lambda records: by_distinct(records, ("language", *_SENTENCES), by_frequency, pl.Float64),
    "attribute": attributes_of,
    "kind": kinds_of,
    "denied": lambda records: by_distinct(records, ("kind", "language", *_ATTRIBUTES), _denied, pl.Float64),
}
"""Columns that follow from others, in this order."""


def _filled(name: str) -> pl.Expr:
    """The column without space at its ends, null where it is empty."""
    text = pl.col(name).str.strip_chars()
    return pl.when(text != "").then(text)


def _strings(column: pl.Series) -> np.ndarray:
    """A numpy array of fixed-width strings: compared without touching Python objects."""
    return np.array(column.to_list(), dtype=np.str_)
