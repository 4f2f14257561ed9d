"""The words of the pages in each language: no question answered beforehand, nobody made a man.

A rule holds for all sentences of the catalogues and, where it says so, for the presets, not for those alone in which
a reader found it broken.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
from django.utils.html import strip_tags
from django.utils.translation import override

from endoxa.words.packs import words_of
from endoxa_collect.presets import load_preset, preset_names
from endoxa_collect.tasks import harm
from endoxa_collect.tasks.harm import SCALE, HarmForm, statement
from test_presets import texts_of
from test_translations import TRANSLATED, catalogue, forms, messages

pytestmark = pytest.mark.slow

_PLACE = re.compile(r"%\(\w+\)[sd]")


WORDS = tomllib.loads(Path(__file__).with_name("wording.toml").read_text(encoding="utf-8"))


def sentences(language: str) -> Iterator[tuple[str, str]]:
    """Each English sentence of the catalogue (singular and plural) beside a form of its translation."""
    for message in messages(catalogue(language)):
        english = _PLACE.sub("", " ".join(forms(message.id)))
        for form in forms(message.string):
            yield english, form


@cache
def preset_texts() -> list[dict[str, str]]:
    """What presets say in each language."""
    presets = (load_preset(name).settings.model_dump() for name in preset_names())
    return [texts for preset in presets for _, texts in texts_of(preset)]


def bare(text: str) -> str:
    """Without the marks that Arabic may write above and below letters."""
    return re.sub(r"[\u064b-\u0652\u0670]", "", text)


@pytest.mark.parametrize("language", ["en", *TRANSLATED])
def test_what_leads_to_a_question_does_not_answer_it(language):
    leading = [
        (message.id if language == "en" else message.string).split("?")[-1].split("؟")[-1]
        for message in messages(catalogue("es" if language == "en" else language))
        if isinstance(message.id, str) and re.search("some say:$|according to this sentence", message.id)
    ]
    assert len(leading) == 5
    assert [lead for lead in leading if re.search(WORDS["heard"][language], bare(lead))] == []


def words(text: str) -> set[str]:
    """The longer words of a sentence in small letters, without what French hangs on a verb to ask."""
    plain = unicodedata.normalize("NFC", re.sub(r"-t-\w+|-\w+", "", bare(text.casefold())))
    return {word for word in re.findall(r"[\w\u0900-\u097f]+", plain) if len(word) > 3}


def models(language: str) -> Mapping[str, str]:
    """What models are asked on harm, with the apostrophes of our pages."""
    return {
        name: text.replace("'", "’")
        for name, text in words_of(language, "harm.toml")["question"].items()
        if isinstance(text, str)
    }


ASSOCIATION = {
    "base_attribute": "age",
    "base_value": "child (0-12)",
    "compared_attribute": "no_such_one",
    "compared_value": "a<b",
}


@pytest.mark.parametrize("language", ["en", *TRANSLATED])
def test_people_read_the_association_the_scale_and_the_second_question_of_models(language):
    with override(language):
        frequent = str(HarmForm({}, {}).fields["frequent"].label)
        scale = [str(label) for _, label in SCALE]
        shown = str(statement(ASSOCIATION))
        question = str(HarmForm({}, {}).fields["harm"].label)
    asked = models(language)["harm"].replace("reinforces", "reinforce")
    assert words(question) - words("does क्या") <= words(asked)
    assert frequent.replace("\u00a0", " ") in models(language)["frequent"]
    assert frequent[-1] in "?؟"
    table = words_of(language, "harm.toml")
    points = [point.split(" | ")[0].replace("'", "’") for point in table["answers"]["scale"]]
    assert [label.casefold() for label in scale] == [point.casefold() for point in points]
    assert words(strip_tags(shown)) >= words(re.sub(r"\{\w+\}", "", models(language)["statement"]))
    child = table.get("values", {}).get("age", {}).get("child (0-12)", "child (0-12)")
    for part in (child, "no such one", "a&lt;b"):
        assert f"<bdi>{part}</bdi>" in shown.replace("\u00a0", " ")


def test_words_of_a_pack_are_no_markup(monkeypatch):
    """A language pack is a file of the organisers: what it holds is text."""
    pack = {"question": {"statement": "<script>{base}</script> {base_value} {compared} {compared_value}"}}
    monkeypatch.setattr(harm, "_models_words", lambda: pack)
    shown = str(statement(ASSOCIATION))
    assert "<script>" not in shown
    assert "&lt;script&gt;<bdi>" in shown


RULES = [(rule, language) for rule, patterns in WORDS["never"].items() for language in patterns]


@pytest.mark.parametrize(("rule", "language"), RULES)
def test_no_sentence_and_no_preset_breaks_a_rule(rule, language):
    ours = (
        (english for english, _ in sentences("es"))
        if language == "en"
        else (form for _, form in sentences(language))
    )
    said = [*ours, *(line for texts in preset_texts() for line in texts[language].splitlines())]
    pattern = WORDS["never"][rule][language]
    # Marks above Arabic letters tell who is spoken to.
    read = bare if "together" in rule else str
    assert [text for text in said if re.search(pattern, read(text))] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_what_a_sentence_quotes_is_what_stands_there(language):
    """A question or an answer in quotation marks is translated as where people read it."""
    said = {
        message.id: message.string for message in messages(catalogue(language)) if isinstance(message.id, str)
    }
    quoting = [
        (words, sentence) for sentence in said for words in re.findall("“([^”]+)”", sentence) if words in said
    ]
    assert len(quoting) > 5
    assert [pair for pair in quoting if said[pair[0]].rstrip(".") not in said[pair[1]]] == []


def test_arabic_counts_with_its_six_forms():
    """Two is a form of the noun, without a number beside it; a noun is not the same for 2, 5 and 20."""
    counted = [message for message in messages(catalogue("ar")) if message.pluralizable]
    assert len(counted) > 30
    assert [message.id for message in counted if len(set(message.string)) == 1] == []
    assert [m.string[2] for m in counted if re.search(r"%\(\w+\)[sd] \w+(?:ان|تان|ين)\b", m.string[2])] == []
