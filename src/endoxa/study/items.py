"""The associations of a study: `study init` writes its file, and the items of every instrument are made from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.author.tables import with_association_ids
from endoxa.curate.associations import association_id
from endoxa.curate.keys import with_identity_keys
from endoxa.curate.published import chosen_associations
from endoxa.errors import UserError
from endoxa.models.chat.simulated.latent import LATENT
from endoxa.models.chat.simulated.model import SIMULATIONS, read_words
from endoxa.report.words import plural
from endoxa.schema.stories import STORY_MAP_COLUMNS
from endoxa.sources.frames import read_table, write_table
from endoxa.sources.identities import one_spelling
from endoxa.sources.stereotales import Vocabulary, read_vocabulary
from endoxa.sources.write import replacing
from endoxa.study.file import ASSOCIATIONS, FILE, MAP, Study, read_study
from endoxa.study.parts import CHOICES, PAIRS, PARTS, QUESTIONS, STORIES, TESTS, Chosen, Part
from endoxa.study.simulated import is_simulated

ID = "association_id"
REQUIRED = (ID, "identity", "attribute")
VOCABULARY = "items/vocabulary.toml"


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
    main = pl.col("language").str.split_exact("-", 1).struct.field("field_0").str.to_lowercase()
    table = table.filter(main.is_in(study.languages))
    if table.is_empty():
        raise UserError(f"{study.associations} has no association in {', '.join(study.languages)}.")
    return with_identity_keys(table)


def build_items(study: Study, associations: pl.DataFrame) -> list[Items]:
    """Make the items of every instrument in use, and write them below the folder of the study.

    The same associations and options give the same files, so that a run of them continues.

    Raises:
        UserError: an instrument has no item, or a file cannot be written.
    """
    return [_BUILDERS[part.name](study, part, associations) for part in study.parts()]


def _pairs(study: Study, part: Part, associations: pl.DataFrame) -> Items:
    from endoxa.instruments.pairs.items import build_pairs

    options = replace(study.sections[part.name].build, language=study.languages[0])
    built = build_pairs(associations, options)
    left_out = built.problems.filter(outcome="left out")
    rare = [f"{plural(built.rare, 'association')}: fewer respondents than min_support"] if built.rare else []
    why = [*rare, *built.assumed, *(f"{row[ID]}: {row['reason']}" for row in left_out.iter_rows(named=True))]
    if built.pairs.is_empty():
        raise _without_items(part, why)
    write_table(built.pairs, study.folder / part.items)
    return _made(study, part, built.pairs.height, built.pairs[ID].to_list(), why)


def _tests(study: Study, part: Part, associations: pl.DataFrame) -> Items:
    from endoxa.instruments.association_tests.items import build_from_associations, write_tests

    chosen = study.sections[part.name].build
    options = replace(chosen, each=True, languages=(), language=study.languages[0])
    made, left_out = build_from_associations(associations, options, None)
    write_tests(made, study.folder / part.items)
    return _made(study, part, len(made), [test.association_id for test in made], left_out)


def _questions(study: Study, part: Part, associations: pl.DataFrame) -> Items:
    from endoxa.instruments.questions.items.build import build_questions
    from endoxa.sources.bbq import write_items
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
    if not records:
        raise _without_items(part, why)
    write_items(records, study.folder / part.items)
    return _made(
        study, part, len(records), [str(record["additional_metadata"][ID]) for record in records], why
    )


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
    if not cells:
        raise _without_items(part, [f"{map_of(study, chosen)} names no association of the study"])
    prompts = build_prompts(languages, chosen.build, cells)
    write_table(prompts, study.folder / part.items)
    if any(language.attributes for language in languages):
        write_vocabulary(vocabulary, study.folder / VOCABULARY)
    else:
        (study.folder / VOCABULARY).unlink(missing_ok=True)
    ids = [cell.association_id for cell in cells]
    missing = len(association_ids - set(ids))
    why = (
        [f"{plural(missing, 'association')} without values in {map_of(study, chosen).name}"]
        if missing
        else []
    )
    return _made(study, part, prompts.height, ids, why)


def _choices(study: Study, part: Part, associations: pl.DataFrame) -> Items:
    from endoxa.instruments.choices.items.build import build_choices
    from endoxa.instruments.choices.items.read import write_items

    options = replace(study.sections[part.name].build, language=study.languages[0], seed=study.seed)
    main = pl.col("language").str.split_exact("-", 1).struct.field("field_0").str.to_lowercase()
    other = associations.filter(main != study.languages[0]).height
    built = build_choices(associations.filter(main == study.languages[0]), options)
    why = [f"{plural(other, 'association')} not in {study.languages[0]}"] if other else []
    why += [f"{row[ID]}: {row['reason']}" for row in built.left_out.iter_rows(named=True)]
    if not built.items:
        raise _without_items(part, why)
    write_items(built.items, study.folder / part.items)
    return _made(study, part, len(built.items), [item.association_id for item in built.items], why)


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
    from endoxa.sources.stereotales import read_vocabulary

    return read_vocabulary(vocabulary_file(study))


def _made(study: Study, part: Part, count: int, ids: list[str], left_out: list[str]) -> Items:
    return Items(part, study.folder / part.items, count, tuple(dict.fromkeys(ids)), tuple(left_out))


_ADVICE = "Take the section out of the study file, or change the associations."


def _without_items(part: Part, why: list[str]) -> UserError:
    because = f" ({why[0]})" if why else ""
    return UserError(f"[{part.name}]: no item can be made from the associations{because}. {_ADVICE}")


_BUILDERS: Mapping[str, Callable[[Study, Part, pl.DataFrame], Items]] = {
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


SIMULATED = f"sim/{LATENT}"
_IDS = ("identity", "attribute", "axis", "region", "source")
_SCORING = ("hf/", "http://", "https://")
"""Models that give the probability of a text."""
_ENCODING = ("hf/", "st/", "static/")
_WRITTEN = {
    PAIRS.name: "framings = 4            # ways to put each pair; several are needed for a reliability",
    TESTS.name: "",
    QUESTIONS.name: "per_association = 4     # questions with different distractors\nrepeats = 1",
    STORIES.name: f'map = "{MAP}"      # which values of main characters mean which association\nrepeats = 1',
    CHOICES.name: 'kind = "decision"       # or "inference", "association"\n'
    "per_association = 4     # situations, each in two orders\nrepeats = 1",
}


_UNSAID = "min_support = 0         # also what nobody said unprompted: seeds of a campaign\n"


def init_study(
    folder: Path,
    source: Path,
    models: Sequence[str],
    languages: Sequence[str],
    *,
    layout: str | None = None,
    min_support: int | None = None,
    limit: int | None = None,
) -> tuple[int, tuple[str, ...], Mapping[str, str]]:
    """Write the study file, the associations with their ids, and the table for stories.

    An instrument of which no item can be made is commented out, with the reason, so that the others can be planned.

    Args:
        folder: where; it must not hold a study.
        source: associations; a table of one's own, or a published file.
        models: models as on the command line; a simulated one where there are none.
        languages: languages of the study; those of the associations where there are none.
        layout: of the file (`endoxa.curate.published.read_associations`); None recognises it.
        min_support: smallest number of people behind an association; None takes the rule of the data set.
        limit: take only so many associations, those with the most support; None and 0 as for `chosen_associations`.

    Returns:
        Number of associations, ids of those for which a cell of stories is suggested, and the instruments that are
        commented out, with the reason.

    Raises:
        UserError: the folder holds a study already, the table cannot be used, or a file cannot be written.
    """
    if (folder / FILE).exists():
        raise UserError(f"{folder} holds a study already. Edit {folder / FILE}, or choose another folder.")
    table = chosen_associations(source, layout, min_support=min_support, limit=limit, languages=languages)
    table = with_identity_keys(_with_ids(one_spelling(table, source=str(source)), source))
    there = _languages(table, languages)
    suggested = suggestions(table, read_vocabulary())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_table(table, folder / ASSOCIATIONS)
        write_table(suggested, folder / MAP)
        names = tuple(suggested.filter(pl.col("base_value") != "")[ID])
        unsaid = "support" in table.columns and (table["support"].str.strip_chars() == "0").any()
        without = {} if names else {STORIES.name: f"no association has values of stories yet: fill in {MAP}"}
        _write_study(folder, study_text(models or (SIMULATED,), there, without, unsaid=unsaid))
        if more := _without(read_study(folder)):
            without |= more
            _write_study(folder, study_text(models or (SIMULATED,), there, without, unsaid=unsaid))
    except OSError as problem:
        raise UserError(f"'{folder}' cannot be written: {problem.strerror or problem}.") from problem
    return table.height, names, without


def _write_study(folder: Path, text: str) -> None:
    with replacing(folder / FILE) as draft:
        draft.write_text(text, encoding="utf-8")


def _without(study: Study) -> dict[str, str]:
    """Why instruments have no items, by instrument; nothing where none has any, which `plan` says."""
    associations = read_associations(study)
    parts = list(study.parts())
    without: dict[str, str] = {}
    for part in parts:
        try:
            _BUILDERS[part.name](study, part, associations)
        except UserError as problem:
            why = str(problem).removesuffix(_ADVICE).removeprefix(f"[{part.name}]: ")
            without[part.name] = why.rstrip(". ")
    return without if len(without) < len(parts) else {}


def _with_ids(table: pl.DataFrame, source: Path) -> pl.DataFrame:
    """The table with an id in every row, the one that `endoxa build` would give it."""
    table = with_association_ids(table)
    stated = table[ID] if ID in table.columns else pl.Series(ID, [None] * table.height, dtype=pl.String)
    cells = table.with_columns(pl.lit("").alias(name) for name in _IDS if name not in table.columns)
    ids = [
        name or association_id(*(str(cell or "") for cell in row))
        for name, row in zip(stated, cells.select(_IDS).iter_rows(), strict=True)
    ]
    twice = pl.Series(ids).is_duplicated().arg_true()
    if len(twice):
        raise UserError(
            f"{source}, rows {twice[0] + 1} and {twice[1] + 1}: the same association (id '{ids[twice[0]]}'). Keep one."
        )
    rest = [name for name in table.columns if name != ID]
    return table.with_columns(pl.Series(ID, ids)).select(ID, *rest)


def _languages(table: pl.DataFrame, wanted: Sequence[str]) -> tuple[str, ...]:
    languages = [] if "language" not in table.columns else table["language"].fill_null("").to_list()
    main = dict.fromkeys(code.split("-")[0].lower() for code in languages if code)
    return tuple(dict.fromkeys(wanted)) or tuple(main) or ("en",)


def suggestions(table: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """A row for each association, with the values that seem to mean it; empty where none does.

    A word means a value where it is the value, one of its synonyms, or the plural of one of them. Somebody who knows
    the associations has to look at the result.
    """
    meanings = dict(_meanings(vocabulary))
    rows = []
    for name, identity, attribute in table.select(ID, "identity", "attribute").iter_rows():
        base = _value(identity, meanings)
        compared = _value(attribute, meanings)
        complete = base is not None and compared is not None and base[0] != compared[0]
        cells = (*(base or ("", "")), *(compared or ("", ""))) if complete else ("",) * 4
        rows.append((name, identity, attribute, *cells))
    columns = (ID, "identity", "attribute", *list(STORY_MAP_COLUMNS)[1:])
    rows.sort(key=lambda row: row[3] == "")  # what is suggested has to be looked at first
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")


def _meanings(vocabulary: Vocabulary) -> Iterator[tuple[str, tuple[str, str]]]:
    """Attribute and value by word; the first attribute that has the word counts, so it comes last."""
    for attribute in reversed(vocabulary):
        for value in attribute.values:
            yield value.partition(" (")[0].casefold(), (attribute.name, value)
        for word, value in attribute.synonyms:
            yield word.casefold(), (attribute.name, value)


_PLURALS = {"men": "man", "women": "woman"}
_PEOPLE = (" people", " persons", " men and women")


def _value(text: str | None, meanings: Mapping[str, tuple[str, str]]) -> tuple[str, str] | None:
    """What a word means, as it is or in the singular ("women", "Muslims", "poor people")."""
    word = " ".join((text or "").casefold().split())
    for ending in _PEOPLE:
        word = word.removesuffix(ending)
    forms = (word, _PLURALS.get(word, ""), word.removesuffix("s"), word.removesuffix("es"))
    return next((meanings[form] for form in forms if form in meanings), None)


_HEAD = """\
# A study: the same associations through several instruments. Written by `endoxa study init`.
# Change what you like, then:
#   endoxa study plan {folder}     items, calls, cost, what can be detected
#   endoxa study run {folder}      runs everything; the same command continues after a stop
#   endoxa study report {folder} -o study.html

associations = "{associations}"   # columns association_id, identity, attribute; language and axis if there
languages = [{languages}]
seed = 0
confidence = 0.95
# budget = 10.0   # US dollars for all models and instruments together
"""
_INSTRUMENTS = """
# Each section below is an instrument; take one out to leave it out. Its keys are options of `endoxa build` and
# `endoxa probe`, with underscores in place of hyphens.
"""


def study_text(
    models: Iterable[str], languages: Sequence[str], without: Mapping[str, str], *, unsaid: bool
) -> str:
    """The study file.

    Args:
        models: models as on the command line; each is used by the instruments that can take it.
        languages: languages of the study.
        without: instruments whose sections are commented out, with the reason.
        unsaid: whether associations that nobody said unprompted (seeds of a campaign) are measured, too.
    """
    codes = ", ".join(f'"{code}"' for code in languages)
    parts = [_HEAD.format(folder="DIR", associations=ASSOCIATIONS, languages=codes)]
    parts += [_model(model, name) for model, name in _names(models).items()]
    parts.append(_INSTRUMENTS)
    for part in PARTS:
        text = f"[{part.name}]\n{_WRITTEN[part.name]}".rstrip() + "\n"
        text += _UNSAID if unsaid and part == PAIRS else ""
        if part.name in without:
            why = " ".join(without[part.name].split())
            text = f"# {why[0].upper()}{why[1:]}, then take away the # below.\n" + "".join(
                f"# {line}\n" for line in text.splitlines()
            )
        parts.append(text)
    return "\n".join(parts)


def _names(models: Iterable[str]) -> dict[str, str]:
    """A short name for each model: what stands behind its last slash, where no other has the same."""
    several = tuple(dict.fromkeys(models))
    short = {model: model.rstrip("/").rpartition("/")[2] for model in several}
    unique = {model: list(short.values()).count(name) == 1 for model, name in short.items()}
    return {model: short[model] if unique[model] and not is_simulated(model) else model for model in several}


def _model(model: str, name: str) -> str:
    lines = ["[[models]]", f'name = "{name}"']
    lines += [f'{part.name} = "{model}"' for part in PARTS if _takes(part.name, model)]
    if model.startswith("hf/") and any(word in name.lower() for word in _CHAT):
        lines += [f'{part} = "{model}"' for part in _ASKING]
    elif model.startswith("hf/"):
        lines += [f'# {part} = "{model}"   # if it is a chat model' for part in _ASKING]
    return "\n".join(lines) + "\n"


_CHAT = ("instruct", "chat", "-it")
"""Words in the names of weights that answer."""
_ASKING = (QUESTIONS.name, STORIES.name, CHOICES.name)


def _takes(part: str, model: str) -> bool:
    """Whether an instrument can take a model, as far as its words tell."""
    if is_simulated(model):
        # Whether a simulated model of that name answers the probe of an instrument.
        name = read_words(model).name
        if part not in _ASKING:
            return name == LATENT
        return name in SIMULATIONS.get("qa" if part == QUESTIONS.name else part).respondents
    if part == PAIRS.name:
        return model.startswith(_SCORING)
    if part == TESTS.name:
        return model.startswith(_ENCODING)
    return not model.startswith(_ENCODING)
