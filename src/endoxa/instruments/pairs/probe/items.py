"""The items of a run: read in chunks, filtered, numbered, counted, and what each pair is compared with.

"Fishermen are brave" may score higher than "Fishermen are timid" only because *brave* is the more frequent, shorter or
un-negated word. The same two sentences about other groups measure that part; subtracting it leaves the association with
the identity. Only with groups: a model may lean otherwise behind "people", and word frequency may work otherwise there.
Where a table has too few identities, phrases for people in general are all there is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import polars as pl

from endoxa.curate.language import assumed_language
from endoxa.errors import UserError
from endoxa.instruments.pairs.options import PairsSettings
from endoxa.runs.journal import chosen, chunked
from endoxa.schema import Pair
from endoxa.schema.provenance import BUILT_BY, PROVENANCE_COLUMNS, WORDS
from endoxa.sources.groups import ITEMS_WITHOUT_GROUPS, Coverage, group_of_pair, groups_of
from endoxa.sources.identities import identity_key
from endoxa.sources.read import read_pairs, reader_for
from endoxa.sources.sources import locate
from endoxa.words.packs import language_name
from endoxa.words.people import neutral_identities
from endoxa.words.state import Tally, Used


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive items: `first` is the number of the first one in the whole run."""

    first: int
    items: list[dict[str, Any]]

    @property
    def last(self) -> int:
        """Number of the last item."""
        return self.first + len(self.items) - 1

    def singles(self) -> Iterator[Chunk]:
        """A chunk for each item."""
        return (Chunk(number, [item]) for number, item in enumerate(self.items, self.first))


def chunks(path: Path, settings: PairsSettings) -> Iterator[Chunk]:
    """The items in file order, after the filters, `settings.chunk` at a time."""
    table = groups_of(settings.identities)
    for first, some in chunked(
        chosen(lambda: available(path, settings), settings, _stratum, _content), settings.chunk
    ):
        yield Chunk(
            first,
            [
                item | {GROUP: group_of_pair(table, item) if _lacks_group(item, settings) else None}
                for item in some
            ],
        )


def items_of(path: Path, settings: PairsSettings) -> Iterator[dict[str, Any]]:
    """The items of all chunks."""
    return (item for chunk in chunks(path, settings) for item in chunk.items)


GROUP = "identity_group"
"""Column of records with the group of a pair."""


def _lacks_group(pair: Mapping[str, Any], settings: PairsSettings) -> bool:
    """Whether a table says whom a pair is about: the user's, or endoxa's for formats that name no group.

    Such a pair is known by its id, which it keeps in a data frame and in a table of our own columns.
    """
    return settings.identities is not None or pair["item_id"].startswith(ITEMS_WITHOUT_GROUPS)


def has_groups(path: Path, settings: PairsSettings) -> bool:
    """Whether a table says whom some of the pairs are about."""
    return any(_lacks_group(pair, settings) for pair in available(path, settings))


def group_notes(path: Path, settings: PairsSettings) -> Iterator[str]:
    """How many groups the pairs are about, and how many pairs name none, by axis; nothing where no table is used.

    Raises:
        UserError: the user's table names no group of any pair.
    """
    if not has_groups(path, settings):
        return
    coverage = Coverage.of(
        (item["axis"], item[GROUP]) for item in items_of(path, settings) if item[GROUP] is not None
    )
    if settings.identities is not None and not coverage.groups:
        raise UserError(
            f"{settings.identities}: none of its words names the group of a pair of {path}. The words of an axis "
            "are looked for in the words in which the sentences of a pair differ."
        )
    table = "endoxa's table of groups" if settings.identities is None else settings.identities.name
    note = f"By {table}, {coverage.sentence}."
    if coverage.unnamed:
        note += " Those are no groups of their own: they count with the most frequent group of their axis."
    yield note


def available(path: Path, settings: PairsSettings) -> Iterator[dict[str, Any]]:
    """Every pair in file order after the filters, whatever part of them is taken."""
    frames = read_pairs(path, settings.read_options(), settings.format)
    wanted = pl.col("language").is_in(settings.languages) if settings.languages else pl.lit(value=True)
    return (row for frame in frames for row in frame.filter(wanted).iter_rows(named=True))


def comparisons_of(path: Path, settings: PairsSettings) -> Comparisons | None:
    """What the pairs are compared with, whatever part of them is taken; None where nothing is calibrated."""
    return Comparisons(available(path, settings)) if settings.calibrate else None


def _stratum(pair: Mapping[str, Any]) -> tuple[str, ...]:
    return pair["language"], pair["axis"], identity_key(pair["identity_key"] or pair["identity"] or "")


def _content(pair: Mapping[str, Any]) -> str:
    """All but the id, which is the number of the row where the file has none, and who made it."""
    return json.dumps([value for name, value in pair.items() if name not in ("item_id", *PROVENANCE_COLUMNS)])


def language_notes(path: Path, settings: PairsSettings, comparisons: Comparisons | None) -> Iterator[str]:
    """What is to be said where a file names no language: in which one its pairs are scored and calibrated.

    Raises:
        UserError: the file has a published format, which is in English, and its sentences are in another language.
    """
    if settings.languages:
        return
    options = replace(settings.read_options(), language=NO_LANGUAGE, chunk_rows=LOOKED_AT)
    first = next(iter(read_pairs(path, options, settings.format)), None)
    if first is None or first.filter(pl.col("language") == NO_LANGUAGE).is_empty():
        return
    unsaid = first.filter(pl.col("language") == NO_LANGUAGE)
    if reader_for(path, settings.read_options(), settings.format).name == "native":
        about = unsaid.filter(pl.col("identity").is_not_null()).iter_rows(named=True)
        if comparisons is not None and not all(comparisons.of(item)[1] for item in about):
            yield (
                f"{path.name} names no language, so pairs are not compared with 'people' and 'they'. Give --language "
                "CODE or a column 'language'."
            )
        return
    code = assumed_language(unsaid["sent_more"].to_list(), path.name).code
    if code != "en":
        raise UserError(
            f"{path} has a format that names no language and is taken as English, but its sentences seem to be in "
            f"{language_name(code)}. Give the language with --language {code} (or --language en)."
        )


LOOKED_AT = 2000
"""Pairs from which the language of a file is told."""
NO_LANGUAGE = "und"


def require_items(count: int, path: Path, settings: PairsSettings) -> None:
    """Refuse a run without items.

    Raises:
        UserError: nothing is left after the filters.
    """
    if not count:
        scope = f" in the language {', '.join(settings.languages)}" if settings.languages else ""
        raise UserError(f"{path} contains no pair{scope}. Expected at least one.")


def words(settings: PairsSettings) -> Used:
    """What the pairs say they were made with, and neutral identities of calibration.

    Raises:
        UserError: the data cannot be read.
    """
    tally = Tally()
    data = locate(settings.data)
    comparisons = comparisons_of(data, settings)
    for item in items_of(data, settings):
        tally.add_stated(item[BUILT_BY], item[WORDS])
        if comparisons and item["identity"] and comparisons.of(item)[0] == PHRASES:
            tally.add("neutral identities", [item["language"]])
    return tally.used


FEWEST = 6
"""Identities that fit the same sentences, from which on pairs are compared with other identities."""
MOST = 5
"""Other identities that a pair is compared with at most. Their number is odd: then a pair about which a model knows
nothing lies above their median exactly as often as below."""
_TRIED = 50
GROUPS, PHRASES = "groups", "phrases"
"""Values of the column `compared_with`."""


class Comparisons:
    """The identities of a table, by the sentences that they fit."""

    def __init__(self, items: Iterable[Mapping[str, Any]]) -> None:
        """Go through all items (rows with the columns of `schema.PAIR_COLUMNS`) once."""
        fitting: dict[tuple[str, ...], dict[str, str]] = {}
        self._stated: set[tuple[str, str]] = set()
        for item in items:
            if _complete(item) and (frame := _frame(item)):
                key = _key(item)
                fitting.setdefault(frame, {}).setdefault(key, item["identity"])
                stereotype = _attributes(item)[item["stereotypical"] == "less"]
                self._stated.add((key, stereotype))
        self._fitting = {
            frame: dict(sorted(identities.items()))
            for frame, identities in fitting.items()
            if len(identities) >= FEWEST
        }

    def of(self, item: Mapping[str, Any]) -> tuple[str, list[Pair]]:
        """What an item is compared with (`GROUPS` or `PHRASES`), and these pairs.

        None where the item names no identity or attributes, where the identity does not stand in both sentences, or
        where there is neither another identity that fits nor a neutral phrase. Pairs with the same attributes are
        compared with the same identities, as far as these are others, and the table states neither attribute of them.
        """
        frame = _frame(item) if _complete(item) else None
        if frame is None or replace_identity(item["sent_less"], item["identity"], "") is None:
            return PHRASES, []
        identities, attributes = self._fitting.get(frame, {}), _attributes(item)
        draw = Random("\t".join(attributes))  # noqa: S311 (decides what is compared, guards nothing)
        names = draw.sample(list(identities), min(len(identities), _TRIED))
        free = [name for name in names if not any((name, a) in self._stated for a in attributes)]
        chosen = free[: min(MOST, len(free) - (len(free) + 1) % 2)]
        if chosen:
            return GROUPS, [_about(item, identities[name]) for name in chosen]
        phrases = neutral_identities(item["language"].split("-")[0], item["agreement"] or "")
        return PHRASES, [_about(item, phrase) for phrase in phrases]


def _complete(item: Mapping[str, Any]) -> bool:
    return bool(item["identity"] and item["attribute_more"] and item["attribute_less"])


def _key(item: Mapping[str, Any]) -> str:
    return identity_key(item["identity_key"] or item["identity"])


def _attributes(item: Mapping[str, Any]) -> tuple[str, str]:
    return identity_key(item["attribute_more"]), identity_key(item["attribute_less"])


def _frame(item: Mapping[str, Any]) -> tuple[str, ...] | None:
    """What identities must share to fit the same sentences; None where the identity does not stand in the first."""
    sentence = replace_identity(item["sent_more"], item["identity"], "{}")
    if sentence is None:
        return None
    frame = replace_identity(sentence, item["attribute_more"], "{}") or sentence
    return item["language"], item["agreement"] or "", identity_key(frame)


def _about(item: Mapping[str, Any], identity: str) -> Pair:
    """The pair about another identity."""
    more, less, prompt = (
        replace_identity(item[name] or "", item["identity"], identity) or ""
        for name in ("sent_more", "sent_less", "prompt")
    )
    return Pair(more, less, item["direction"], prompt or item["prompt"] or "", identity, item["language"])


def replace_identity(text: str, identity: str, phrase: str) -> str | None:
    """`text` with `phrase` for `identity` (any case, whole words), or None where it is not there.

    A capital first letter of the identity at the start of the text is carried over.
    """
    pattern = re.compile(rf"(?<!\w){re.escape(identity)}(?!\w)", re.IGNORECASE)

    def put(match: re.Match[str]) -> str:
        starts = not text[: match.start()].strip("¿¡\"'«“ ")
        return phrase[:1].upper() + phrase[1:] if starts and match.group()[0].isupper() else phrase

    replaced, times = pattern.subn(put, text)
    return replaced if times else None
