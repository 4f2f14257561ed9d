"""Components: every file with words of other languages is known, and texts can be found, named and changed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from endoxa.errors import UserError
from endoxa.words.check import in_use, items
from endoxa.words.components import COMPONENTS, PACKAGE, SITE, file_of, languages_of, texts_of
from endoxa.words.packs import languages_with
from endoxa.words.state import states

LEFT_OUT = {
    "instruments/stories/languages/groups.yaml": "sections by language, whose words are English",
    "words/faults.csv": "sentences that must not come out",
    "words/faker.toml": "first names from Faker, which are no words of a language",
    "sources/examples/indibias.csv": "a row of our own in the format of a published file",
    "demo/sample.csv": "an invented sample whose words are planted",
    "models/chat/simulated/words.toml": "answers that simulated respondents write",
    "runs/answers/letters.toml": "denials beside letters; a wrong one leaves an answer unread",
    "words/en/peoples.toml": "names of peoples by which English text is read",
    **{f"words/{code}/pack.toml": "facts of Unicode's CLDR" for code in languages_with("pack.toml")},
}
"""Data files with words of other languages that the language check does not show, with the reason."""
DATA_FILES = {".toml", ".yaml", ".csv", ".po"}
OTHER_SCRIPT = re.compile(r"[\u0370-\u1fff\u3040-\u9fff\uac00-\ud7af]")
OF_A_LANGUAGE = re.compile(r"(?:^|[-/_])(?:ar|bn|de|es|fr|hi|it|nl|pt|sw|uk|zh)(?:\.|/)")
SECTION = re.compile(r"^\[(?:\w+\.)?(?:ar|es|fr|hi|pt|sw)\]|^(?:fr|es|pt|sw) ?[:=]", re.MULTILINE)


def looks_foreign(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    rows = path.suffix == ".csv" and re.search(r"(?:^|,)(?:es|fr|pt|sw|hi)(?:,|$)", text, re.MULTILINE)
    return bool(
        OTHER_SCRIPT.search(text)
        or OF_A_LANGUAGE.search(path.as_posix().partition("/src/")[2])
        or (path.suffix in (".toml", ".yaml") and SECTION.search(text))
        or rows
    )


@pytest.mark.slow
def test_every_file_with_words_of_other_languages_is_in_a_component_or_left_out_with_a_reason():
    known = {name for state in states() for name in state.files} | set(LEFT_OUT)
    found = {
        before + path.relative_to(package).as_posix()
        for before, package in {"": PACKAGE, SITE: file_of(SITE)}.items()
        for path in package.rglob("*")
        if path.suffix in DATA_FILES and looks_foreign(path)
    }
    assert found - known == set()
    assert all(file_of(name).is_file() for name in known)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPONENTS)
def test_every_text_has_a_name_of_its_own_and_can_be_shown_in_use(name):
    for language in languages_of(COMPONENTS[name]):
        texts = texts_of(COMPONENTS[name], language)
        keys = [text.key for text in texts]
        assert len(set(keys)) == len(keys)
        assert all(in_use(text).strip() for text in texts)


@pytest.mark.parametrize(
    ("language", "name", "text", "shown"),
    [
        ("hi", "pair templates", "{attribute} नहीं होते", "मेहनती नहीं होते"),
        ("hi", "opposites", "आलसी; सुस्त; कामचोर; निकम्मा", "one: मेहनती; परिश्रमी; कर्मठ; other: आलसी"),
        ("fr", "page texts", "Par <bdi>%(name)s</bdi>.", "Par [name]."),
        ("fr", "word lists", "père", "ms: père; mp: pères"),
    ],
)  # fmt: skip
def test_templates_are_shown_filled(language, name, text, shown):
    found = next(one for one in items(language, [name]) if one["text"] == text)
    assert shown in found["in_use"]


def test_items_have_their_english_where_it_is_known():
    rows = {row["item_id"]: row for row in items("hi", ["story prompts", "page texts", "hearsay questions"])}
    assert rows["story prompts/hi/scenarios/family/3"]["english"] == "discovering a family secret"
    assert rows["page texts/hi/Pace and care"]["english"] == "Pace and care"
    assert "Two readings" in rows["hearsay questions/hi/some say:"]["purpose"]


def test_a_language_without_items_is_refused():
    with pytest.raises(UserError, match="No texts in 'tlh'"):
        items("tlh")
