"""`endoxa study init`: a folder with a study file, the associations, and a table of what stories can show of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from endoxa.author.tables import with_association_ids
from endoxa.curate.associations import association_id
from endoxa.errors import UserError
from endoxa.models.chat.simulated.latent import LATENT
from endoxa.models.chat.simulated.model import SIMULATIONS, read_words
from endoxa.schema.stories import STORY_MAP_COLUMNS
from endoxa.sources.frames import read_table, write_table
from endoxa.sources.identities import one_spelling
from endoxa.sources.stereotales import Vocabulary, read_vocabulary
from endoxa.sources.write import replacing
from endoxa.study.file import ASSOCIATIONS, FILE, MAP
from endoxa.study.items import ID
from endoxa.study.parts import PAIRS, PARTS, QUESTIONS, STORIES, TESTS
from endoxa.study.simulated import is_simulated

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
}


def init_study(
    folder: Path, source: Path, models: Sequence[str], languages: Sequence[str]
) -> tuple[int, tuple[str, ...]]:
    """Write the study file, the associations with their ids, and the table for stories.

    Args:
        folder: where; it must not hold a study.
        source: table of associations.
        models: models as on the command line; a simulated one where there are none.
        languages: languages of the study; those of the associations where there are none.

    Returns:
        Number of associations, and ids of those for which a cell of stories is suggested.

    Raises:
        UserError: the folder holds a study already, the table cannot be used, or a file cannot be written.
    """
    if (folder / FILE).exists():
        raise UserError(f"{folder} holds a study already. Edit {folder / FILE}, or choose another folder.")
    table = one_spelling(read_table(source, ("identity", "attribute")), source=str(source))
    table = _with_ids(table, source)
    there = _languages(table, languages)
    suggested = suggestions(table, read_vocabulary())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_table(table, folder / ASSOCIATIONS)
        write_table(suggested, folder / MAP)
        names = tuple(suggested.filter(pl.col("base_value") != "")[ID])
        text = study_text(models or (SIMULATED,), there, stories=bool(names))
        with replacing(folder / FILE) as draft:
            draft.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise UserError(f"'{folder}' cannot be written: {problem.strerror or problem}.") from problem
    return table.height, names


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


def study_text(models: Iterable[str], languages: Sequence[str], *, stories: bool) -> str:
    """The study file.

    Args:
        models: models as on the command line; each is used by the instruments that can take it.
        languages: languages of the study.
        stories: whether the section of stories is in use; it is commented out where no association has its values.
    """
    codes = ", ".join(f'"{code}"' for code in languages)
    parts = [_HEAD.format(folder="DIR", associations=ASSOCIATIONS, languages=codes)]
    parts += [_model(model, name) for model, name in _names(models).items()]
    parts.append(_INSTRUMENTS)
    for part in PARTS:
        text = f"[{part.name}]\n{_WRITTEN[part.name]}".rstrip() + "\n"
        if part == STORIES and not stories:
            text = (
                f"# No association has values of stories yet: fill in {MAP}, then take away the # below.\n"
                + "".join(f"# {line}\n" for line in text.splitlines())
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
    if model.startswith("hf/"):
        lines += [f'# {part} = "{model}"   # if it is a chat model' for part in _ASKING]
    return "\n".join(lines) + "\n"


_ASKING = (QUESTIONS.name, STORIES.name)


def _takes(part: str, model: str) -> bool:
    """Whether an instrument can take a model, as far as its words tell."""
    if is_simulated(model):
        return _simulated(part, model)
    if part == PAIRS.name:
        return model.startswith(_SCORING)
    if part == TESTS.name:
        return model.startswith(_ENCODING)
    return not model.startswith(_ENCODING)


def _simulated(part: str, model: str) -> bool:
    """Whether a simulated model of that name answers the probe of an instrument."""
    name = read_words(model).name
    if part not in _ASKING:
        return name == LATENT
    return name in SIMULATIONS.get("qa" if part == QUESTIONS.name else "stories").respondents
