"""The components: which files of endoxa hold words of other languages, and where in them.

A new language file is found by its name. A new kind of file needs an entry here, or one in `LEFT_OUT` with its reason:
`tests/words/test_components.py` looks for data files that stand in neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from endoxa.errors import UserError

Keyed = Literal["file", "section", "leaf", "rows", "columns", "origin"]
"""Where a file says which language a text has: in its own name, the first key, the last key, the column `language` of a
table, the names of columns, or the origin of a given name."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or a file for each language, and which of its texts belong to a component.

    Attributes:
        file: path below the package; `{language}` stands for the code where every language has a file.
        keyed: where it says which language a text has.
        keep: patterns (`fnmatch`) of keys; empty keeps all.
        leave: patterns of keys that hold no words people read, such as settings.
    """

    file: str
    keyed: Keyed = "file"
    keep: tuple[str, ...] = ()
    leave: tuple[str, ...] = ()
    label: str = ""


@dataclass(frozen=True, slots=True)
class Component:
    """Texts with one purpose.

    Attributes:
        name: its name, on the command line and in files of items.
        purpose: what the texts are for.
        sources: where they are.
        aligned: a key means the same thing in English, so that the English text of the key is its meaning.
    """

    name: str
    purpose: str
    sources: tuple[Source, ...]
    aligned: bool = False


_PATTERNS = ("unknown/*", "unsaid/*", "information/*", "refusals/*", "declines/*", "statements/*", "comma_reasons/*",
             "criticism/*", "others/*", "conditions/*")  # fmt: skip
_ANSWERS = "words/{language}/answers.toml"
_HARM = "words/{language}/harm.toml"
_PRESET_TEXTS = (
    "texts/*",
    "questions/*/text",
    "questions/*/examples/*",
    "profile/*/label",
    "profile/*/purpose",
    "profile/*/choices/*",
)
_PRESETS = ("afristereo", "laces", "panel", "school")

_ALL = (
    Component(
        "pair templates",
        "sentences of sentence pairs and association tests",
        (Source("curate/grammar/templates.toml", "section", leave=("stop", "*_endings/*")),),
        aligned=True,
    ),
    Component(
        "neutral identities",
        "sentences about nobody in particular, for comparison",
        (Source("instruments/pairs/probe/neutral.toml", "section"),),
        aligned=True,
    ),
    Component(
        "opposites",
        "opposites of attributes, and words that deny or strengthen",
        (
            Source("words/{language}/opposites.csv", keep=("*/one", "*/other"), label="opposites/lexicon"),
            Source("curate/opposites/rules.toml", "section"),
        ),
    ),
    Component(
        "statement words",
        "words by which free text is read, grouped and translated to English",
        (
            Source("curate/extract/other_languages.toml", "section"),
            Source("curate/group/surface.toml", "section"),
            Source("curate/normalise/terms.toml", "section"),
        ),
    ),
    Component(
        "word lists",
        "terms of association tests, in the words of each language",
        (
            Source(
                "words/{language}/lists.toml",
                keep=("set/*/terms/*",),
                leave=("*/kind",),
            ),
        ),
    ),
    Component(
        "association templates",
        "sentences around the terms of association tests",
        (
            Source(
                "words/{language}/tests.toml",
                keep=("templates/*", "words/*", "people/*"),
            ),
        ),
    ),
    Component(
        "question templates",
        "contexts, questions and options of questions about people",
        (Source("words/{language}/questions.toml", leave=("inner_quotes/*",)),),
        aligned=True,
    ),
    Component(
        "names of peoples",
        "nouns for peoples and professions in questions",
        (
            Source("instruments/questions/items/demonyms.csv", "columns"),
            Source(
                "instruments/questions/items/nouns.csv", "rows", leave=("*/language", "*/means", "*/within")
            ),
        ),
    ),
    Component(
        "names bank",
        "given names of people from each country, in their own spelling",
        (Source("instruments/questions/names/nationality.csv", "origin"),),
    ),
    Component(
        "question prompts",
        "what a model is told before a question",
        (Source("instruments/questions/probe/prompts.toml", "section"),),
        aligned=True,
    ),
    Component(
        "answer words",
        "words by which answers of models are read",
        (Source(_ANSWERS, leave=_PATTERNS),),
    ),
    Component(
        "answer patterns",
        "regular expressions by which answers and refusals are read; for people who write such expressions",
        (
            Source(_ANSWERS, keep=_PATTERNS, label="answers/languages"),
            Source(_HARM, keep=("answers/refusals/*",), label="harm/languages"),
        ),
    ),
    Component(
        "story prompts",
        "main characters, scenarios and the request for a story",
        (
            Source(
                "words/{language}/stories.yaml",
                keep=("request", "persons/*", "scenarios/*"),
                leave=("*/form",),
            ),
        ),
        aligned=True,
    ),
    Component(
        "harm study questions",
        "what models are asked about the harm of associations, and how attributes and values are called",
        (Source(_HARM, leave=("answers/refusals/*",)),),
        aligned=True,
    ),
    Component(
        "author prompts",
        "what models are asked for drafts",
        (Source("words/{language}/prompts.toml", keep=("texts/*",)),),
        aligned=True,
    ),
    Component(
        "page texts",
        "pages of a campaign",
        (Source("collect/locale/{language}/LC_MESSAGES/django.po"),),
    ),
    Component(
        "preset texts",
        "titles, consent and questions of the campaigns to start from",
        tuple(Source(f"collect/presets/{name}.toml", "leaf", keep=_PRESET_TEXTS) for name in _PRESETS),
        aligned=True,
    ),
    Component(
        "preset pairs",
        "sayings that a campaign begins with, and a sample to build questions from",
        (
            Source("collect/presets/laces.csv", "rows", keep=("*/attribute",)),
            Source("collect/presets/school.csv", "rows", keep=("*/attribute",)),
            Source("instruments/questions/items/sample.csv", "rows", keep=("*/identity", "*/attribute")),
        ),
    ),
    Component(
        "unkind words",
        "words by which a pair is kept from the people whom it is about",
        (Source("collect/entry/unkind.toml", "section"),),
    ),
    Component(
        "calls to harm",
        "words by which a pair is put before a moderator",
        (Source("collect/entry/harm.toml", "section"),),
    ),
    Component(
        "words of offence",
        "words that accuse a person where they stand beside a name",
        (Source("words/persons/offence.toml", "section"),),
    ),
    Component(
        "first names",
        "names by which accusations of a person are found, and which of them are ordinary words, too",
        (Source("words/persons/first_names.toml", "leaf"),),
    ),
    Component(
        "country phrases",
        "how sentences name the people of a country",
        (
            Source("collect/export/identities.toml", "leaf"),
            Source("collect/articles.toml", "section", keep=("usual", "form/*/pattern")),
        ),
    ),
    Component(
        "words of checks",
        "denials and their companions, by which files of pairs are checked",
        (Source("sources/check/lexicon.toml", "leaf", keep=("negations", "companions")),),
    ),
    Component(
        "examples",
        "the people and words that fill templates in the language check",
        (Source("words/examples.toml", "section"),),
        aligned=True,
    ),
)
COMPONENTS: Mapping[str, Component] = {component.name: component for component in _ALL}
"""Every component by its name."""

LEFT_OUT: Mapping[str, str] = {
    "instruments/stories/languages/groups.yaml": "sections by language, whose words are English",
    "instruments/association_tests/items/check.toml": "an independent list of agreement, for checks of the templates",
    "words/persons/faker.toml": "first names from Faker, which are no words of a language",
    "demo/sample.csv": "an invented sample whose words are planted",
    "curate/normalise/groups.toml": "names of peoples by which English text is read",
}
"""Data files with words of other languages that the language check does not show, with the reason."""


def component(name: str) -> Component:
    """The component of a name.

    Raises:
        UserError: there is none.
    """
    if name not in COMPONENTS:
        raise UserError(f"Unknown component '{name}'. Expected one of: {', '.join(COMPONENTS)}.")
    return COMPONENTS[name]
