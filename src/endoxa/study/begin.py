"""`endoxa study init`: the study file, the associations with their ids, and the table for stories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from endoxa.author.tables import with_association_ids
from endoxa.curate.associations import association_id
from endoxa.curate.normalise.identity import with_identity_keys
from endoxa.curate.published import chosen_associations
from endoxa.errors import UserError
from endoxa.models.chat.simulated import SIMULATIONS, read_words
from endoxa.models.chat.simulated.draws import LATENT
from endoxa.report.words import model_name
from endoxa.schema.stories import STORY_MAP_COLUMNS
from endoxa.sources.files import replacing
from endoxa.sources.frames import write_table
from endoxa.sources.identities import one_spelling
from endoxa.sources.stereotales.vocabulary import Vocabulary, read_vocabulary
from endoxa.study.file import ASSOCIATIONS, FILE, MAP, Study, read_study
from endoxa.study.items import ADVICE, BUILDERS, ID, read_associations
from endoxa.study.parts import CHOICES, PAIRS, PARTS, QUESTIONS, STORIES, TESTS
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
    CHOICES.name: 'kind = "decision"       # or "inference", "association"\n'
    "per_association = 4     # situations, each in two orders\nrepeats = 1",
}

_LOCAL = {
    STORIES.name: f"per_cell = 2            # stories for each value; few, for weights on this machine\n"
    f"{_WRITTEN[STORIES.name]}"
}
"""What is written instead where weights on this machine are asked: each story takes many seconds."""
_SCORED = 'ask = "loglik"          # score the options: faster, and every model answers'
"""What is added where nothing but weights on this machine is asked."""


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
    names = tuple(suggested.filter(pl.col("base_value") != "")[ID])
    unsaid = "support" in table.columns and (table["support"].str.strip_chars() == "0").any()
    without = {} if names else {STORIES.name: f"no association has values of stories yet: fill in {MAP}"}
    # Before anything is written: a model that nobody knows is refused here.
    text = study_text(models or (SIMULATED,), there, without, unsaid=unsaid)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_table(table, folder / ASSOCIATIONS)
        write_table(suggested, folder / MAP)
        _write_study(folder, text)
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
            BUILDERS[part.name](study, part, associations)
        except UserError as problem:
            why = str(problem).removesuffix(ADVICE).removeprefix(f"[{part.name}]: ")
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
#   endoxa study run {folder} --plan     items, calls, cost, what can be detected
#   endoxa study run {folder}      runs everything; the same command continues after a stop

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
    several = tuple(models)
    parts += [_model(model, name) for model, name in _names(several).items()]
    parts.append(_INSTRUMENTS)
    here = [model for model in several if answers(model)]
    written = {**_WRITTEN, **_LOCAL} if here else _WRITTEN
    requested = [model for model in several if takes(QUESTIONS.name, model)]
    for part in PARTS:
        text = f"[{part.name}]\n{written[part.name]}".rstrip() + "\n"
        text += f"{_SCORED}\n" if here and not requested and part in (QUESTIONS, CHOICES) else ""
        text += _UNSAID if unsaid and part == PAIRS else ""
        if part.name in without:
            why = " ".join(without[part.name].split())
            text = f"# {why[0].upper()}{why[1:]}, then take away the # below.\n" + "".join(
                f"# {line}\n" for line in text.splitlines()
            )
        parts.append(text)
    return "\n".join(parts)


def _names(models: Iterable[str]) -> dict[str, str]:
    """A short name for each model: its name alone, where no other has the same."""
    several = tuple(dict.fromkeys(models))
    short = {model: model_name(model) for model in several}
    unique = {model: list(short.values()).count(name) == 1 for model, name in short.items()}
    return {model: short[model] if unique[model] and not is_simulated(model) else model for model in several}


def _model(model: str, name: str) -> str:
    lines = ["[[models]]", f'name = "{name}"']
    lines += [f'{part.name} = "{model}"' for part in PARTS if takes(part.name, model)]
    if answers(model):
        lines += [f'{part} = "{model}"' for part in _ASKING]
    elif model.startswith("hf/"):
        lines += [f'# {part} = "{model}"   # if it is a chat model' for part in _ASKING]
    return "\n".join(lines) + "\n"


_CHAT = ("instruct", "chat", "-it")
"""Words in the names of weights that answer."""


def answers(model: str) -> bool:
    """Whether these are weights on this machine that answer, as far as the name tells."""
    return model.startswith("hf/") and any(word in model_name(model).lower() for word in _CHAT)


_ASKING = (QUESTIONS.name, STORIES.name, CHOICES.name)


def takes(part: str, model: str) -> bool:
    """Whether an instrument can take a model, as far as its words tell."""
    if is_simulated(model):
        # Whether a simulated model of that name answers the probe of an instrument.
        name, _ = read_words(model)
        if part not in _ASKING:
            return name == LATENT
        return name in SIMULATIONS.get("qa" if part == QUESTIONS.name else part).respondents
    if part == PAIRS.name:
        return model.startswith(_SCORING)
    if part == TESTS.name:
        return model.startswith(_ENCODING)
    return not model.startswith(_ENCODING)
