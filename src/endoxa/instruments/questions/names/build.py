"""A file of questions with names in place of groups, in several draws.

Each variant has one seed. No name occurs twice in an item, and none indicates both groups.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.questions.names.bank import Gender, NameBank, read_bank
from endoxa.instruments.questions.names.phrases import UnwritableError
from endoxa.instruments.questions.names.rewrite import Prepared, Unwritten, left_out, prepare
from endoxa.instruments.questions.names.text import Row, bundles, group_words
from endoxa.schema import Progress
from endoxa.schema.provenance import BUILT_BY, WORDS, words_cell, words_of_cells
from endoxa.words.state import languages_of_name

_SEEDS = 10_000


def sub_seeds(seed: int, variants: int) -> tuple[int, ...]:
    """The seed of each variant, drawn as the paper draws them (Pelosio et al. 2025, appendix C).

    The numbers are those of `np.random.seed(seed); np.random.randint(1, 10000, variants)`; one that comes a second time
    is drawn anew, so that no two variants are equal.

    Args:
        seed: of the whole draw, 0 to 2**32 - 1.
        variants: how many, below 10,000.
    """
    generator = np.random.RandomState(seed)
    drawn = dict.fromkeys(generator.randint(1, _SEEDS, variants).tolist())
    while len(drawn) < variants:
        drawn[int(generator.randint(1, _SEEDS))] = None
    return tuple(drawn)


def draw_names(
    genders: Mapping[str, Gender | None],
    bank: NameBank,
    excluded: Collection[str],
    generator: np.random.RandomState,
) -> dict[str, str]:
    """A name for each group: of the gender that the text asks for, every fitting name being as likely.

    Names that are common in one of the other groups at hand are passed over where there are others.

    Args:
        genders: group -> gender, or None for any.
        bank: where names come from.
        excluded: words in lower case that cannot be names, because they stand in the item.
        generator: what the draw comes from.

    Raises:
        UnwritableError: no name is left for a group.
    """
    names: dict[str, str] = {}
    for group, gender in genders.items():
        # Nor may one name begin with the other ("Ana", "Anahit").
        others = [other.casefold() for other in names.values()]
        free = [
            entry
            for entry in bank.names(group, gender)
            if (name := entry.name.casefold()) not in excluded
            and not any(name.startswith(other) or other.startswith(name) for other in others)
        ]
        beside = genders.keys() - {group}
        common = {entry.name for other in beside for entry in bank.names(other)}
        fitting = [
            entry for entry in free if entry.name not in common and not entry.ambiguous & beside
        ] or free
        if not fitting:
            raise UnwritableError(f"the bank has no {gender or 'further'} name left", group)
        names[group] = fitting[int(generator.randint(len(fitting)))].name
    return names


UNWRITTEN_COLUMNS = ("category", "example_id", "reason", "phrase")
"""Columns of the table of records that were left out: which record, why, and the words that have no name, or empty."""

_STEP = 100


@dataclass(frozen=True, slots=True)
class Named:
    """Records about the same people, with the names of each variant."""

    prepared: Prepared
    names: tuple[Mapping[str, str], ...]


@dataclass(frozen=True, slots=True)
class NameVariants:
    """What became of a file.

    Attributes:
        named: records that are written, in the order of the file.
        unwritten: records that are left out.
        seeds: seed of each variant.
        bundled: whether the names are of the bank that comes with endoxa.
        sources: by group and name, where the name is from; those whose bank says it.
    """

    named: Sequence[Named]
    unwritten: Sequence[Unwritten]
    seeds: tuple[int, ...]
    bundled: bool = False
    sources: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @property
    def records(self) -> Iterator[dict[str, Any]]:
        """The records with names, ordered by variant: as published, with `names` and `variant` ("1", "2", ...)."""
        for variant in range(len(self.seeds)):
            for bundle in self.named:
                names = bundle.names[variant]
                languages = {name: sorted(languages_of_name(name)) for name in names.values()}
                sources = {
                    name: self.sources[group, name]
                    for group, name in names.items()
                    if (group, name) in self.sources
                }
                banks = [("names bank", code) for codes in languages.values() for code in codes]
                for row, drafts in zip(bundle.prepared.rows, bundle.prepared.drafts, strict=True):
                    stated = words_of_cells(str(row.get(BUILT_BY) or ""), str(row.get(WORDS) or ""))
                    yield {
                        **row,
                        "context": drafts.context.text(names),
                        **{field: draft.text(names) for field, draft in drafts.options.items()},
                        "names": dict(names),
                        **({"name_sources": sources} if sources else {}),
                        "variant": str(variant + 1),
                        BUILT_BY: "endoxa build names",
                        WORDS: words_cell([*stated, *(banks if self.bundled else ())]),
                    }

    @property
    def rows(self) -> int:
        """Published records that are written."""
        return sum(len(bundle.prepared.rows) for bundle in self.named)

    def unwritten_table(self) -> pl.DataFrame:
        """Records that are left out, with columns `UNWRITTEN_COLUMNS`."""
        rows = [
            (str(bundle.row["category"]), str(bundle.row["example_id"]), bundle.reason, bundle.phrase)
            for bundle in self.unwritten
        ]
        return pl.DataFrame(rows, schema=dict.fromkeys(UNWRITTEN_COLUMNS, pl.String), orient="row")


def build_names(
    rows: Iterable[Row],
    bank: NameBank,
    *,
    seed: int = 42,
    variants: int = 3,
    progress: Progress | None = None,
) -> NameVariants:
    """Put first names in the place of groups, in contexts and options (Pelosio et al. 2025, 4.1.1).

    Records that share people and options share their names within a variant. Each variant has a seed of its own
    (`sub_seeds`). Where one record cannot be written, those about the same people are left out of all variants.

    Args:
        rows: BBQ's records, as published and in their order.
        bank: names by group; either gender is drawn where the text asks for none.
        seed: of the whole draw.
        variants: how often names are drawn.
        progress: told how far it is.
    """
    words = group_words(bank)
    seeds = sub_seeds(seed, variants)
    generators = [np.random.RandomState(each) for each in seeds]
    named: list[Named] = []
    unwritten: list[Unwritten] = []
    everybody = list(bundles(rows))
    done, total = 0, sum(map(len, everybody))
    for at, people in enumerate(everybody):
        if progress is not None and at % _STEP == 0:
            progress("writing names", done, total)
        done += len(people)
        try:
            prepared = prepare(people, words)
            names = (draw_names(prepared.genders, bank, prepared.words, each) for each in generators)
            named.append(Named(prepared, tuple(names)))
        except UnwritableError as problem:
            unwritten += left_out(people, problem)
    sources = {(entry.group, entry.name): entry.source for entry in bank.entries if entry.source}
    return NameVariants(named, unwritten, seeds, bank is read_bank(), sources)
