"""Which concepts of a data set are in no other, and how many every two share (LACES, section 5.2)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from endoxa.curate.language import language_of_questions
from endoxa.curate.normalise.identity import IDENTITY_KEY, key_of
from endoxa.curate.published import read_associations
from endoxa.errors import UserError
from endoxa.sources import READERS
from endoxa.sources.bbq import find_metadata, is_bbq, read_items, read_social_values
from endoxa.sources.layouts import SENTENCES, Layout, recognised_as
from endoxa.sources.read import read_pairs, recognise
from endoxa.sources.tables import TABLE_SUFFIXES, table_columns, table_rows
from endoxa.sources.typography import unseen_removed

Kind = Literal["attribute", "association", "sentence"]
KINDS: tuple[Kind, ...] = get_args(Kind)

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
    if kind not in KINDS:
        raise UserError(f"--concept: '{kind}' is unknown. Expected one of: {', '.join(KINDS)}.")
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
    reader = next((candidate for candidate in READERS.all().values() if candidate.recognise(path)), None)
    if reader is not None:
        return reader.name, _pairs(path)
    if path.suffix.lower() in TABLE_SUFFIXES and "attribute" in table_columns(path):
        return "associations", _table(path, kind)
    published = recognised_as(path)
    if published is not None and published.layout.unit not in ("", SENTENCES):
        return published.layout.name, _published(path, published.layout)
    try:
        recognise(path)
    except UserError as error:
        raise UserError(f"{error} A table of associations needs a column 'attribute' instead.") from error
    raise AssertionError("a file that no reader recognises cannot be recognised")


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
