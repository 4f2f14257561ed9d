"""The associations of a study, and the items of every instrument that are made from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.curate.normalise.identity import with_identity_keys
from endoxa.errors import UserError
from endoxa.report.words import plural
from endoxa.sources.frames import read_table, write_table
from endoxa.sources.identities import one_spelling
from endoxa.sources.stereotales.vocabulary import Vocabulary, read_vocabulary
from endoxa.study.file import MAP, Study
from endoxa.study.parts import CHOICES, PAIRS, QUESTIONS, STORIES, TESTS, Chosen, Part

ID = "association_id"
REQUIRED = (ID, "identity", "attribute")
VOCABULARY = "items/vocabulary.toml"
MAIN = pl.col("language").str.split_exact("-", 1).struct.field("field_0").str.to_lowercase()
"""The language of a row, without its region."""


@dataclass(frozen=True, slots=True)
class Items:
    """The items of one instrument.

    Attributes:
        part: the instrument.
        path: file of the items.
        count: number of items.
        ids: associations that have an item.
        left_out: why others have none, a sentence each.
    """

    part: Part
    path: Path
    count: int
    ids: tuple[str, ...]
    left_out: tuple[str, ...]


def read_associations(study: Study) -> pl.DataFrame:
    """The associations of a study in its languages; drafts that nobody approved are left out.

    Returns:
        Text columns `association_id`, `identity`, `attribute`, `language`, `axis`, `region`, `source`, and whatever the
        table has besides.

    Raises:
        UserError: the table cannot be read, lacks an id, has one twice, or nothing is left of it.
    """
    table = one_spelling(read_table(study.associations, REQUIRED), source=str(study.associations))
    for number, name in enumerate(table[ID], start=1):
        if not str(name if name is not None else "").strip():
            raise UserError(f"{study.associations}, row {number}, column {ID}: empty. Expected a unique id.")
    twice = table.filter(pl.col(ID).is_duplicated())[ID]
    if len(twice):
        raise UserError(f"{study.associations}: the id '{twice[0]}' appears twice. Make ids unique.")
    for name, value in {"language": study.languages[0], "axis": "", "region": "", "source": ""}.items():
        if name not in table.columns:
            table = table.with_columns(pl.lit(value).alias(name))
    language = pl.col("language").fill_null("")
    table = table.with_columns(
        pl.when(language == "").then(pl.lit(study.languages[0])).otherwise(language).alias("language"),
        pl.col("axis").fill_null("").str.to_lowercase(),
    )
    table = table.filter(MAIN.is_in(study.languages))
    if table.is_empty():
        raise UserError(f"{study.associations} has no association in {', '.join(study.languages)}.")
    return with_identity_keys(table)


def build_items(study: Study, associations: pl.DataFrame) -> list[Items]:
    """Make the items of every instrument in use, and write them below the folder of the study.

    The same associations and options give the same files, so that a run of them continues.

    Raises:
        UserError: an instrument has no item, or a file cannot be written.
    """
    return [BUILDERS[part.name](study, part, associations) for part in study.parts()]


def _pairs(study: Study, part: Part, associations: pl.DataFrame) -> Items:
    from endoxa.instruments.pairs.items import build_pairs

    options = replace(study.sections[part.name].build, language=study.languages[0])
    built = build_pairs(associations, options)
    left_out = built.problems.filter(outcome="left out")
    rare = [f"{plural(built.rare, 'association')}: fewer respondents than min_support"] if built.rare else []
    why = [*rare, *built.assumed, *(f"{row[ID]}: {row['reason']}" for row in left_out.iter_rows(named=True))]
    made = _made(study, part, built.pairs.height, built.pairs[ID].to_list(), why)
    write_table(built.pairs, made.path)
    return made


def _tests(study: Study, part: Part, associations: pl.DataFrame) -> Items:
    from endoxa.instruments.association_tests.items import build_from_associations, write_tests

    chosen = study.sections[part.name].build
    options = replace(chosen, each=True, languages=(), language=study.languages[0])
    made, left_out = build_from_associations(associations, options, None)
    write_tests(made, study.folder / part.items)
    return _made(study, part, len(made), [test.association_id for test in made], left_out)


def _questions(study: Study, part: Part, associations: pl.DataFrame) -> Items:
    from endoxa.instruments.questions.items.build import build_questions
    from endoxa.sources.bbq.rows import write_items
    from endoxa.words.packs import languages_with

    languages = languages_with("questions.toml")
    records: list[dict[str, Any]] = []
    why: list[str] = []
    for language in study.languages:
        if language not in languages and study.sections[part.name].build.templates is None:
            why.append(f"there are no questions in '{language}' (only in {', '.join(languages)})")
            continue
        options = replace(study.sections[part.name].build, language=language, seed=study.seed)
        made = build_questions(associations, options)
        # Numbers go on from one language to the next, so that every question has its own.
        records += [{**record, "example_id": len(records) + k} for k, record in enumerate(made.records)]
        why += [
            f"{row[ID]}: {row['reason']}"
            for row in made.left_out.filter(
                pl.col("language").str.starts_with(language) | (pl.col("language") == "")
            ).iter_rows(named=True)
        ]
    ids = [str(record["additional_metadata"][ID]) for record in records]
    items = _made(study, part, len(records), ids, why)
    write_items(records, items.path)
    return items


def _stories(study: Study, part: Part, associations: pl.DataFrame) -> Items:
    from endoxa.instruments.stories.prompts import (
        build_prompts,
        load_languages,
        read_map,
        vocabulary_of,
        write_vocabulary,
    )

    chosen = study.sections[part.name]
    languages = load_languages(study.languages, files_of(study, chosen))
    vocabulary = vocabulary_of(languages)
    association_ids = set(associations[ID])
    cells = [
        cell for cell in read_map(map_of(study, chosen), vocabulary) if cell.association_id in association_ids
    ]
    ids = [cell.association_id for cell in cells]
    if not ids:
        return _made(study, part, 0, ids, [f"{map_of(study, chosen)} names no association of the study"])
    prompts = build_prompts(languages, chosen.build, cells)
    write_table(prompts, study.folder / part.items)
    if any(language.attributes for language in languages):
        write_vocabulary(vocabulary, study.folder / VOCABULARY)
    else:
        (study.folder / VOCABULARY).unlink(missing_ok=True)
    missing = len(association_ids - set(ids))
    why = (
        [f"{plural(missing, 'association')} without values in {map_of(study, chosen).name}"]
        if missing
        else []
    )
    return _made(study, part, prompts.height, ids, why)


def _choices(study: Study, part: Part, associations: pl.DataFrame) -> Items:
    from endoxa.instruments.choices.build import build_choices
    from endoxa.instruments.choices.items import write_items

    options = replace(study.sections[part.name].build, language=study.languages[0], seed=study.seed)
    other = associations.filter(study.languages[0] != MAIN).height
    built = build_choices(associations.filter(study.languages[0] == MAIN), options)
    why = [f"{plural(other, 'association')} not in {study.languages[0]}"] if other else []
    why += [f"{row[ID]}: {row['reason']}" for row in built.left_out.iter_rows(named=True)]
    made = _made(study, part, len(built.items), [item.association_id for item in built.items], why)
    write_items(built.items, made.path)
    return made


def map_of(study: Study, chosen: Chosen) -> Path:
    """The table that says which cell of stories is which association."""
    return study.folder / str(chosen.of_study.get("map", MAP))


def files_of(study: Study, chosen: Chosen) -> list[Path]:
    """The user's own languages and values of stories."""
    names = chosen.of_study.get("files", ())
    return [study.folder / str(name) for name in ([names] if isinstance(names, str) else names)]


def vocabulary_file(study: Study) -> Path | None:
    """The study's own vocabulary of stories, where it has one."""
    path = study.folder / VOCABULARY
    return path if path.is_file() else None


def study_vocabulary(study: Study) -> Vocabulary:
    """Attributes and values that main characters of this study can have."""
    return read_vocabulary(vocabulary_file(study))


ADVICE = "Take the section out of the study file, or change the associations."


def _made(study: Study, part: Part, count: int, ids: list[str], left_out: list[str]) -> Items:
    """The items of an instrument.

    Raises:
        UserError: there are none.
    """
    if not count:
        because = f" ({left_out[0]})" if left_out else ""
        raise UserError(f"[{part.name}]: no item can be made from the associations{because}. {ADVICE}")
    return Items(part, study.folder / part.items, count, tuple(dict.fromkeys(ids)), tuple(left_out))


BUILDERS: Mapping[str, Callable[[Study, Part, pl.DataFrame], Items]] = {
    PAIRS.name: _pairs,
    TESTS.name: _tests,
    QUESTIONS.name: _questions,
    STORIES.name: _stories,
    CHOICES.name: _choices,
}


def left_out_lines(items: Items, shown: int = 3) -> Iterator[str]:
    """The first reasons why associations have no item, for the terminal."""
    for sentence in items.left_out[:shown]:
        yield f"{items.part.name}: {sentence.removesuffix('.')}."
    if len(items.left_out) > shown:
        yield f"{items.part.name}: {len(items.left_out) - shown} more left out."
