"""Which concepts of a data set are in no other, and how many every two share (LACES, section 5.2).

A concept of A is present in B if its largest cosine to any concept of B reaches the threshold. So A can have much of B
while B has little of A.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import permutations
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from endoxa.curate.encoders import CELLS, Encoder, Vectors, in_blocks
from endoxa.curate.language import language_of_questions
from endoxa.curate.normalise.identity import IDENTITY_KEY, key_of
from endoxa.curate.published import read_associations
from endoxa.errors import UserError
from endoxa.sources.bbq.items import find_metadata, read_items, read_social_values
from endoxa.sources.bbq.rows import is_bbq
from endoxa.sources.layouts import SENTENCES, Layout, recognised_as
from endoxa.sources.read import read_pairs, recognise
from endoxa.sources.tables import TABLE_SUFFIXES, table_columns, table_rows
from endoxa.sources.typography import unseen_removed
from endoxa.stats.intervals import FEWEST_CLUSTERS, Interval, clustered_or_wilson

Kind = Literal["attribute", "association", "sentence"]

DEFAULT_LANGUAGES = ("en",)
"""What the default encoder knows."""

_ENDS = " .,;:!?…\"'`“”‘’«»()[]।"
_UNKNOWN_LANGUAGE = ("", "und")


@dataclass(frozen=True, slots=True)
class Concepts:
    """What one data set says.

    Attributes:
        dataset: its name.
        format: how the file was read.
        parts: the texts that are compared, one tuple per part and in each one text per concept; an association has two
            parts, its identity and its attribute.
        identities: the identities that each concept is said of, in alphabetical order; empty where the file names none.
        rows: rows that hold a concept.
        left_out: rows in other languages.
        empty: rows without the concept.
    """

    dataset: str
    format: str
    parts: tuple[tuple[str, ...], ...]
    identities: tuple[tuple[str, ...], ...]
    rows: int
    left_out: int = 0
    empty: int = 0

    def __len__(self) -> int:
        """Number of concepts."""
        return len(self.parts[0])

    @property
    def texts(self) -> list[str]:
        """One text per concept: 'identity: attribute' for an association."""
        return [": ".join(concept) for concept in zip(*self.parts, strict=True)]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A row as it is read, texts empty where the row has none."""

    identity: str = ""
    attribute: str = ""
    sentence: str = ""
    language: str = ""


def normalise(text: str) -> str:
    """The form in which texts are compared and encoded.

    Unicode NFKC, lower case, single blanks, nothing that is not seen, no punctuation at the ends (kept where nothing
    else would remain).
    """
    plain = " ".join(unicodedata.normalize("NFKC", unseen_removed(text)).lower().split())
    return plain.strip(_ENDS) or plain


def dataset_names(paths: Sequence[Path]) -> list[str]:
    """A name for every file: its stem, with as many folders before it as tell the files apart.

    Raises:
        UserError: a file is given twice.
    """
    places = [path.resolve() for path in paths]
    twice = next((path for path, place in zip(paths, places, strict=True) if places.count(place) > 1), None)
    if twice is not None:
        raise UserError(f"{twice} is given twice. Name each data set once.")
    for depth in range(1, max((len(place.parts) for place in places), default=1) + 1):
        names = ["/".join(place.with_suffix("").parts[-depth:]) for place in places]
        if len(set(names)) == len(names):
            return names
    return [place.name for place in places]


def read_concepts(
    path: Path, kind: Kind, languages: Sequence[str] = DEFAULT_LANGUAGES, name: str = ""
) -> Concepts:
    """The concepts of a file.

    Args:
        path: sentence pairs in any format of `endoxa.sources`, questions in BBQ's format, a published file of
            associations (LACES), or a table with `attribute` and, where it has one, `identity` (SeeGULL, `endoxa curate
            associations`, the pairs of a campaign).
        kind: 'attribute', 'association' or 'sentence'.
        languages: rows that name another language are left out.
        name: of the data set; by default the file's stem.

    Raises:
        UserError: the file cannot be read, its format has no such concept, or no row holds one.
    """
    form, entries = _entries(path, kind)
    wanted = {code.partition("-")[0].lower() for code in languages}
    voices: dict[tuple[str, ...], set[str]] = {}
    rows = empty = 0
    others: dict[str, int] = {}
    for entry in entries:
        code = entry.language.partition("-")[0].lower()
        if code not in _UNKNOWN_LANGUAGE and code not in wanted:
            others[code] = others.get(code, 0) + 1
            continue
        key = _key(entry, kind)
        if key is None:
            empty += 1
            continue
        rows += 1
        identities = voices.setdefault(key, set())
        if entry.identity:
            identities.add(normalise(entry.identity))
    if not voices:
        raise UserError(_nothing(path, kind, form, {} if empty else others, languages))
    return Concepts(
        dataset=name or path.stem,
        format=form,
        parts=tuple(zip(*voices, strict=True)),
        identities=tuple(tuple(sorted(identities)) for identities in voices.values()),
        rows=rows,
        left_out=sum(others.values()),
        empty=empty,
    )


def _key(entry: _Entry, kind: Kind) -> tuple[str, ...] | None:
    """The compared texts of a row; None where one is empty."""
    cells = {
        "attribute": (entry.attribute,),
        "association": (entry.identity, entry.attribute),
        "sentence": (entry.sentence,),
    }[kind]
    texts = tuple(map(normalise, cells))
    return texts if all(texts) else None


def _nothing(path: Path, kind: Kind, form: str, others: dict[str, int], languages: Sequence[str]) -> str:
    """Why a file has no concept."""
    if others:
        return (
            f"{path} has no row in {', '.join(languages)}; its languages are: {', '.join(sorted(others))}. Name one "
            "with --language, and an encoder that knows it with --encoder."
        )
    return f"{path} ({form}) names no {kind} in any row. Choose another --concept, or leave the file out."


def _entries(path: Path, kind: Kind) -> tuple[str, Iterator[_Entry]]:
    """The name of the format, and the rows.

    Raises:
        UserError: the file is of no known format.
    """
    if is_bbq(path):
        return "bbq", _bbq(path, kind)
    try:
        return recognise(path).name, _pairs(path)
    except UserError as problem:
        unknown = problem
    if path.suffix.lower() in TABLE_SUFFIXES and "attribute" in table_columns(path):
        return "associations", _table(path, kind)
    published = recognised_as(path)
    if published is not None and published.layout.unit not in ("", SENTENCES):
        return published.layout.name, _published(path, published.layout)
    raise UserError(f"{unknown} A table of associations needs a column 'attribute' instead.") from unknown


def _pairs(path: Path) -> Iterator[_Entry]:
    """The stereotypical sentence of each pair, its attribute where the format names it, and its identity."""
    for frame in read_pairs(path):
        for pair in frame.iter_rows(named=True):
            side = pair["stereotypical"]
            yield _Entry(
                identity=pair["identity_key"] or pair["identity"] or "",
                attribute=pair[f"attribute_{side}"] or "",
                sentence=pair[f"sent_{side}"] or "",
                language=pair["language"] or "",
            )


def _bbq(path: Path, kind: Kind) -> Iterator[_Entry]:
    """The ambiguous questions that ask whom the stereotype holds for: context and question, and the social values.

    Raises:
        UserError: the values are wanted and there is no metadata file.
    """
    metadata = find_metadata(path)
    if metadata is None and kind != "sentence":
        raise UserError(
            f"{path}: BBQ names the attribute of a question in additional_metadata.csv only. Put that file beside it, "
            "or use --concept sentence."
        )
    values = read_social_values(metadata) if metadata is not None and kind != "sentence" else {}
    language = language_of_questions(path)
    for item in read_items(path, metadata=metadata, language=language.code if language else None):
        if item.polarity != "neg" or item.condition != "ambig":
            continue
        for value in values.get((item.category, item.example_id)) or ("",):
            yield _Entry(item.identity, value, f"{item.context} {item.question}", item.language)


def _published(path: Path, layout: Layout) -> Iterator[_Entry]:
    """Associations of a published file; of ratings all that were rated or proposed, as LACES (5.2) counts them."""
    least = 0 if layout.unit == "ratings" else None
    for row in read_associations(path, min_rating=least).iter_rows(named=True):
        identity, attribute = row["identity"], row["attribute"]
        yield _Entry(identity, attribute, f"{identity} {attribute}", row["language"])


def _table(path: Path, kind: Kind) -> Iterator[_Entry]:
    """Rows of a table of associations; as a sentence stands 'identity attribute'.

    Raises:
        UserError: a row is broken, or identities are needed and there is no such column.
    """
    needed = ("attribute",) if kind == "attribute" else ("identity", "attribute")
    for row in table_rows(path, needed):
        for fault in row.faults:
            line = f" (line {row.line})" if row.line else ""
            raise UserError(f"{path}, row {row.number}{line}: {fault.message}.")
        identity, attribute, language = (
            (row.cells.get(column) or "").strip() for column in ("identity", "attribute", "language")
        )
        sentence = f"{identity} {attribute}" if identity and attribute else ""
        abroad = language.partition("-")[0].lower() not in (*_UNKNOWN_LANGUAGE, "en")
        key = row.cells.get(IDENTITY_KEY) or (key_of(identity, language) if abroad else identity)
        yield _Entry(key.strip(), attribute, sentence, language)


Rows = npt.NDArray[np.int64]

TOLERANCE = 1e-6
"""Rounding of a cosine in float32: two equal texts have 0.9999999 as often as 1."""
Side = tuple[Vectors, ...]
"""Concepts as vectors: unit vectors, one array of shape (n, d) for each part of a concept."""


def encoded(datasets: Sequence[Concepts], encoder: Encoder) -> list[Side]:
    """The vectors of all data sets, all with the same kind of concept; each different text is encoded once."""
    texts = sorted({text for dataset in datasets for part in dataset.parts for text in part})
    place = {text: row for row, text in enumerate(texts)}
    vectors = encoder(texts)
    return [tuple(vectors[[place[text] for text in part]] for part in dataset.parts) for dataset in datasets]


def likeness(first: Side, second: Side) -> Vectors:
    """Cosines of all concepts of one side to all of the other, shape (n, m).

    Two associations are as alike as the less alike of their identities and their attributes: the joined text would
    call 'X are lazy' and 'X are generous' alike for their identity.
    """
    return reduce(np.minimum, (mine @ theirs.T for mine, theirs in zip(first, second, strict=True)))


def nearest(first: Side, second: Side, cells: int = CELLS) -> tuple[Vectors, Rows]:
    """For each concept of the first side the largest cosine to the second, and the row that has it (the first).

    Args:
        first: whose nearest are looked for.
        second: where they are looked for.
        cells: cosines in a block.
    """

    def best(start: int, stop: int) -> tuple[Vectors, Rows]:
        cosines = likeness(tuple(part[start:stop] for part in first), second)
        return cosines.max(axis=1), cosines.argmax(axis=1)

    blocks = in_blocks(len(first[0]), len(second[0]), best, cells)
    cosine, row = map(np.concatenate, zip(*blocks, strict=True))
    return np.minimum(cosine, np.float32(1)), row


SHARE_COLUMNS: dict[str, str] = {
    "dataset": "name of the file",
    "n_concepts": "different concepts",
    "n_unique": "concepts that are found in none of the other data sets",
    "share_unique": "n_unique / n_concepts",
    "low": "lower end of the interval of share_unique",
    "high": "upper end",
    "interval": "'identities' (identities are resampled) or 'wilson' (concepts count as independent)",
    "identities": "different identities that the concepts are said of",
    "confidence": "confidence level of the interval",
    "concept": "what a concept is: attribute, association or sentence",
    "threshold": "least cosine at which a concept is present in another data set",
    "threshold_from": "'given' or 'labels'",
    "encoder": "the sentence encoder",
    "format": "how the file was read",
    "rows": "rows that hold a concept",
    "left_out": "rows in other languages",
    "empty": "rows without the concept",
}
"""Columns of the table of data sets."""

SHARED_COLUMNS: dict[str, str] = {
    "from_dataset": "whose concepts are looked for",
    "to_dataset": "where they are looked for",
    "n_concepts": "concepts of from_dataset",
    "n_shared": "of these, found in to_dataset",
    "share": "n_shared / n_concepts",
}
"""Columns of `FILE_shared`, a row for every two data sets in either direction."""

CONCEPT_COLUMNS: dict[str, str] = {
    "dataset": "whose concept it is",
    "concept": "its text as it was compared",
    "unique": "whether it is found in none of the other data sets",
    "cosine": "largest cosine to any concept of the others",
    "nearest_dataset": "the data set that has that concept",
    "nearest": "its text",
}
"""Columns of `FILE_concepts`, a row for every concept."""

CURVE_COLUMNS: dict[str, str] = {
    "dataset": "name of the file",
    "threshold": "from 0 to 1",
    "share_unique": "the share that would be unique at this threshold",
}
"""Columns of `FILE_curve`."""

GRID = 100
"""Steps of the curve between 0 and 1."""

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Novelty:
    """What was found.

    Attributes:
        shares: columns of `SHARE_COLUMNS`, data sets in the order given.
        shared: columns of `SHARED_COLUMNS`.
        concepts: columns of `CONCEPT_COLUMNS`.
        curve: columns of `CURVE_COLUMNS`.
    """

    shares: pl.DataFrame
    shared: pl.DataFrame
    concepts: pl.DataFrame
    curve: pl.DataFrame


def analyze_novelty(
    datasets: Sequence[Concepts],
    encoder: Encoder,
    threshold: float,
    *,
    kind: str = "attribute",
    encoder_name: str = "",
    threshold_from: str = "given",
    confidence: float = 0.95,
) -> Novelty:
    """Unique and shared concepts of two or more data sets.

    Args:
        datasets: their concepts, all of one kind.
        encoder: texts to unit vectors.
        threshold: least cosine at which a concept is present in another data set.
        kind: of the concepts, for the table.
        encoder_name: for the table.
        threshold_from: 'given' or 'labels', for the table.
        confidence: confidence level of the intervals.

    Raises:
        UserError: fewer than two data sets.
    """
    check_inputs(len(datasets))
    sides = encoded(datasets, encoder)
    between = pl.concat(
        _between(datasets, sides, a, b).with_columns(a=a) for a, b in permutations(range(len(datasets)), 2)
    )
    reached = pl.col("cosine") >= threshold - TOLERANCE
    # The first of the others that has the largest cosine.
    concepts = between.group_by("a", "place", maintain_order=True).agg(
        pl.all().get(pl.col("cosine").arg_max())
    )
    facts = {
        "confidence": confidence,
        "concept": kind,
        "threshold": threshold,
        "threshold_from": threshold_from,
        "encoder": encoder_name,
    }
    parts = concepts.with_columns(unique=~reached).partition_by("a", maintain_order=True)
    rows = [
        _share_row(dataset, part["unique"].to_numpy(), confidence) | facts
        for dataset, part in zip(datasets, parts, strict=True)
    ]
    return Novelty(
        shares=pl.DataFrame(rows).select(list(SHARE_COLUMNS)),
        shared=between.group_by(from_dataset="dataset", to_dataset="nearest_dataset", maintain_order=True)
        .agg(n_concepts=pl.len().cast(pl.Int64), n_shared=reached.sum().cast(pl.Int64), share=reached.mean())
        .select(list(SHARED_COLUMNS)),
        concepts=pl.concat(parts).with_columns(pl.col("cosine").round(6)).select(list(CONCEPT_COLUMNS)),
        curve=concepts.select("dataset", "cosine")
        .join(pl.DataFrame({"threshold": np.arange(GRID + 1) / GRID}), how="cross")
        .group_by("dataset", "threshold", maintain_order=True)
        .agg(share_unique=(pl.col("cosine") < pl.col("threshold") - TOLERANCE).mean()),
    )


def _between(datasets: Sequence[Concepts], sides: Sequence[Side], a: int, b: int) -> pl.DataFrame:
    """For each concept of a data set the largest cosine to any concept of another one, which has it."""
    cosine, row = nearest(sides[a], sides[b])
    return pl.DataFrame({"place": np.arange(len(cosine)), "cosine": cosine.astype(np.float64)}).with_columns(
        dataset=pl.lit(datasets[a].dataset),
        concept=pl.Series(datasets[a].texts),
        nearest_dataset=pl.lit(datasets[b].dataset),
        nearest=pl.Series(datasets[b].texts).gather(row),
    )


def check_inputs(count: int) -> None:
    """Refuse what cannot be compared; ask before anything is encoded.

    Raises:
        UserError: fewer than two data sets.
    """
    if count < 2:
        raise UserError("One data set has nothing to be compared with. Name at least two files.")


def share_interval(
    unique: Flags, identities: Sequence[Sequence[str]], confidence: float
) -> tuple[Interval, str, int]:
    """Interval of the share of unique concepts, its method, and the number of identities.

    Concepts that are said of one identity are not independent, so identities are what is resampled (delete-one
    jackknife, `clustered_share`): a concept said of several counts for each of them by an equal part, one that is said
    of nobody is its own. With fewer than five identities concepts count as independent (Wilson). It covers other
    concepts, of other identities, of the same kind; the other data sets, the encoder and the threshold are taken as
    they are.
    """
    rows = [
        (1 / max(1, len(names)), flag, name)
        for flag, names in zip(unique.tolist(), identities, strict=True)
        for name in names or ("",)
    ]
    weight, flag, name = (np.array(column) for column in zip(*rows, strict=True))
    interval, named = clustered_or_wilson(weight, flag, name, confidence)
    return interval, "wilson" if named < FEWEST_CLUSTERS else "identities", named


def _share_row(dataset: Concepts, unique: Flags, confidence: float) -> dict[str, Any]:
    interval, method, named = share_interval(unique, dataset.identities, confidence)
    return {
        "dataset": dataset.dataset,
        "n_concepts": len(dataset),
        "n_unique": int(unique.sum()),
        "share_unique": float(unique.mean()),
        "low": interval.low,
        "high": interval.high,
        "interval": method,
        "identities": named,
        "format": dataset.format,
        "rows": dataset.rows,
        "left_out": dataset.left_out,
        "empty": dataset.empty,
    }
