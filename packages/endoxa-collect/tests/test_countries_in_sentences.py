"""Every sentence of pages, paper and exports that has a country in it, read with countries that take articles."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from django.utils.translation import gettext, override

from endoxa.words.countries import from_country, people_of
from endoxa_collect import geography
from endoxa_collect.campaign import UI_LANGUAGES

pytestmark = pytest.mark.slow

PACKAGE = Path(geography.__file__).parent
LANGUAGES = ("en", "es", "fr", "pt")
WORDS = tomllib.loads(Path(__file__).with_name("countries.toml").read_text(encoding="utf-8"))
FROM = {
    language: {code: phrases[place] for code, phrases in WORDS["from"].items()}
    for place, language in enumerate(LANGUAGES)
}

_COUNTRY = re.compile(r"(?:<bdi>)?%\(from_country\)s(?:</bdi>)?")
_NAMED = re.compile(r"%\((?:\w*_)?country\)s")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_with_a_country(language):
    """A new sentence has to be added here, so that somebody reads it with these countries."""
    path = PACKAGE / "locale" / ("fr" if language == "en" else language) / "LC_MESSAGES/django.po"
    with path.open("rb") as file:
        found = [one for one in read_po(file) if isinstance(one.id, str) and _NAMED.search(one.id)]
    texts = [str(one.id if language == "en" else one.string) for one in found]
    assert {_COUNTRY.sub("{}", text).replace("\xa0", " ") for text in texts} == set(WORDS["read"][language])


def test_no_template_puts_the_name_alone_into_a_sentence():
    for path in sorted((PACKAGE / "templates").rglob("*.html")):
        for sentence in re.findall(
            r"{% blocktranslate.*?%}(.*?){% endblocktranslate %}", path.read_text("utf-8"), re.S
        ):
            names = set(re.findall(r"{{ (\w+) }}", sentence))
            assert names.isdisjoint({"country", "place_name", "country_name"}), (path.name, sentence)


@pytest.mark.parametrize("language", LANGUAGES)
def test_cards_and_exports(language):
    before, people = WORDS["about"][language]
    with override(language):
        assert gettext("About people") == before
    assert {code: from_country(code, language) for code in FROM[language]} == FROM[language]
    for code, phrase in FROM[language].items():
        assert people_of(code, language) == people.format(phrase)


@pytest.mark.parametrize("language", UI_LANGUAGES)
def test_every_country_has_its_phrase(language):
    for code in geography.codes():
        phrase = from_country(code, language)
        assert geography.name(code, language) in phrase
        assert "{" not in phrase
