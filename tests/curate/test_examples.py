"""Examples of what is made of words and answers, one a row of `examples.csv`.

Names of groups and attributes in one form, opposites and denials, plurals of dictionaries (RAE, Académie française,
Priberam), pieces of answers (' ¦ ' between them), headers of private columns, cells that spreadsheet programs change.
"""

from __future__ import annotations

import csv
from pathlib import Path

import polars as pl
import pytest

from endoxa.curate.associations import predicate
from endoxa.curate.grammar.english import names_a_thing
from endoxa.curate.grammar.sentences import sentence_pair
from endoxa.curate.grammar.templates import in_plural, load_templates
from endoxa.curate.group.method import polarity_of
from endoxa.curate.group.terms import key
from endoxa.curate.normalise.attribute import normal_attribute
from endoxa.curate.normalise.identity import normal_identity
from endoxa.curate.opposites import antonym, concepts, flipped, is_negation_of, load_lexicon
from endoxa.curate.opposites.lexicon import words
from endoxa.curate.review import same
from endoxa.curate.summary import choices
from endoxa.curate.survey.reading import private_columns
from endoxa.curate.survey.splitting import split_answer
from endoxa.words.patterns import grammar

with Path(__file__).with_name("examples.csv").open(encoding="utf-8", newline="") as file:
    EXAMPLES = list(csv.DictReader(file))


def yes(answer: object) -> str:
    return "yes" if answer else "no"


def sentences(attribute: str, evidence: str, language: str) -> str:
    made = sentence_pair("bakers", attribute, load_templates()[language], None, evidence=evidence)
    return f"{made.more} ¦ {made.less}"


def opposed(first: str, second: str) -> bool:
    """Whether one asserts an end of a scale of which the other asserts the other end."""
    lexicon = load_lexicon()
    return bool(concepts(first, lexicon) & flipped(concepts(second, lexicon)))


def plural(word: str, gender: str, language: str) -> str:
    rows = grammar(load_templates()[language].rows, language)
    return in_plural(word, language, rows, gender, load_lexicon(language))


MADE = {
    "identity": lambda first, *_: normal_identity(first),
    "attribute": lambda first, *_: normal_attribute(first),
    "antonym": lambda first, _, language: antonym(first, language) or "",
    "opposites": lambda first, second, _: yes(opposed(first, second)),
    "negation": lambda first, second, language: yes(is_negation_of(first, second, language)),
    "one term": lambda first, second, _: yes(key(first, load_lexicon()) == key(second, load_lexicon())),
    "polarity": lambda first, *_: polarity_of(first, load_lexicon()),
    "plural": plural,
    "sentences": sentences,
    "thing": lambda first, *_: yes(names_a_thing(first)),
    "joined by": lambda first, second, _: predicate(first, "bakers", second),
    "same cell": lambda first, second, _: yes(same(first, second)),
    "pieces": lambda first, *_: " ¦ ".join(piece.text for piece in split_answer(first)),
    "private header": lambda first, *_: yes(private_columns(pl.DataFrame({first: [""]}), [first])),
    "choices": lambda first, *_: " ¦ ".join(choices(first)),
}


@pytest.mark.parametrize("row", EXAMPLES, ids=lambda row: f"{row['what']}: {row['first']}"[:60])
def test_an_example_is_as_expected(row: dict[str, str]) -> None:
    made = MADE[row["what"]](row["first"], row["second"], row["language"])
    if row["what"] == "antonym" and row["language"] != "en":
        assert words(made) == words(row["expected"])
    else:
        assert made == row["expected"]
