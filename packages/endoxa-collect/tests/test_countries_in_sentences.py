"""Every sentence of pages, paper and exports that has a country in it, read with countries that take articles."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from django.utils.translation import gettext, override

from endoxa.words.countries import from_country, people_of
from endoxa_collect import geography
from endoxa_collect.campaign import UI_LANGUAGES

PACKAGE = Path(geography.__file__).parent
LANGUAGES = ("en", "es", "fr", "pt")
PHRASES = {
    "CL": ("from Chile", "de Chile", "du Chili", "do Chile"),
    "MX": ("from Mexico", "de México", "du Mexique", "do México"),
    "DO": (
        "from the Dominican Republic",
        "de la República Dominicana",
        "de la République dominicaine",
        "da República Dominicana",
    ),
    "GB": ("from the United Kingdom", "del Reino Unido", "du Royaume-Uni", "do Reino Unido"),
    "US": ("from the United States", "de los Estados Unidos", "des États-Unis", "dos Estados Unidos"),
    "PE": ("from Peru", "de Perú", "du Pérou", "do Peru"),
    "BR": ("from Brazil", "de Brasil", "du Brésil", "do Brasil"),
    "NL": ("from the Netherlands", "de los Países Bajos", "des Pays-Bas", "dos Países Baixos"),
    "CI": ("from Côte d’Ivoire", "de Côte d’Ivoire", "de Côte d’Ivoire", "da Costa do Marfim"),
    "SV": ("from El Salvador", "de El Salvador", "du Salvador", "de El Salvador"),
    "HM": (
        "from the Heard & McDonald Islands",
        "de las Islas Heard y McDonald",
        "des Îles Heard-et-MacDonald",
        "das Ilhas Heard e McDonald",
    ),
    "BQ": (
        "from the Caribbean Netherlands",
        "del Caribe neerlandés",
        "des Pays-Bas caribéens",
        "dos Países Baixos Caribenhos",
    ),
}
FROM = {
    language: {code: phrases[place] for code, phrases in PHRASES.items()}
    for place, language in enumerate(LANGUAGES)
}

READ = {
    "en": {
        "What else do people say about people {}?",
        "You wrote about people {}:",
        "What do people here say about people {}?",
        "About people {}: which of these is said more where you live?",
        "Which of these have you heard where you live? About people {} some say:",
        "People here say of people {}",
    },
    "es": {
        "¿Qué más se dice de la gente {}?",
        "Escribiste sobre la gente {}:",
        "¿Qué se dice aquí sobre la gente {}?",
        "Sobre la gente {}: ¿cuál se dice más donde vives?",
        "¿Cuáles de estas cosas has oído alguna vez donde vives? Sobre la gente {} algunas personas dicen:",
        "Aquí se dice de la gente {}",
    },
    "fr": {
        "Que dit-on encore des gens {} ?",
        "Vous avez écrit sur les gens {} :",
        "Que dit-on ici à propos des gens {} ?",
        "À propos des gens {} : laquelle de ces choses dit-on le plus là où vous vivez ?",
        "Lesquelles avez-vous déjà entendues là où vous vivez ? À propos des gens {}, certaines personnes disent :",
        "On dit ici des gens {}",
    },
    "pt": {
        "O que mais se diz das pessoas {}?",
        "Você escreveu sobre as pessoas {}:",
        "O que se diz aqui sobre as pessoas {}?",
        "Sobre as pessoas {}: qual destas coisas se diz mais onde você vive?",
        "Quais destas coisas você já ouviu onde vive? Sobre as pessoas {} algumas pessoas dizem:",
        "Aqui se diz das pessoas {}",
    },
}
"""All sentences with a country, by language of the pages. In each, "{}" is one of the phrases above."""

ABOUT = {
    "en": ("About people", "people {}"),
    "es": ("Sobre la gente", "los habitantes {}"),
    "fr": ("À propos des gens", "les gens {}"),
    "pt": ("Sobre as pessoas", "os habitantes {}"),
}
"""What stands before the phrase on cards and paper; people of a country in exports."""

_COUNTRY = re.compile(r"(?:<bdi>)?%\(from_country\)s(?:</bdi>)?")
_NAMED = re.compile(r"%\((?:\w*_)?country\)s")


@pytest.mark.parametrize("language", READ)
def test_every_sentence_with_a_country(language):
    """A new sentence has to be added here, so that somebody reads it with these countries."""
    path = PACKAGE / "locale" / ("fr" if language == "en" else language) / "LC_MESSAGES/django.po"
    with path.open("rb") as file:
        found = [one for one in read_po(file) if isinstance(one.id, str) and _NAMED.search(one.id)]
    texts = [str(one.id if language == "en" else one.string) for one in found]
    assert {_COUNTRY.sub("{}", text).replace("\xa0", " ") for text in texts} == READ[language]


def test_no_template_puts_the_name_alone_into_a_sentence():
    for path in sorted((PACKAGE / "templates").rglob("*.html")):
        for sentence in re.findall(
            r"{% blocktranslate.*?%}(.*?){% endblocktranslate %}", path.read_text("utf-8"), re.S
        ):
            names = set(re.findall(r"{{ (\w+) }}", sentence))
            assert names.isdisjoint({"country", "place_name", "country_name"}), (path.name, sentence)


@pytest.mark.parametrize("language", ABOUT)
def test_cards_and_exports(language):
    before, people = ABOUT[language]
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


@pytest.mark.parametrize(
    ("language", "phrase"),
    [
        ("ar", "من الولايات المتحدة"),
        ("sw", "wa Marekani"),
        ("hi", "संयुक्त राज्य"),
        ("de", "from the United States"),
    ],
)
def test_languages_without_articles(language, phrase):
    assert from_country("US", language) == phrase


@pytest.mark.parametrize(
    ("country", "language", "people"),
    [
        ("AR", "fr", "les gens d’Argentine"),
        ("FR", "fr", "les gens de France"),
        ("JM", "fr", "les gens de la Jamaïque"),
        ("CF", "fr", "les gens de la République centrafricaine"),
        ("AR", "pt", "os habitantes da Argentina"),
        ("PT", "pt", "os habitantes de Portugal"),
        ("CD", "pt", "os habitantes do Congo - Kinshasa"),
        ("GD", "pt", "os habitantes de Granada"),
        ("IN", "hi", "भारत के लोग"),
        ("DO", "hi", "डोमिनिकन गणराज्य के लोग"),
        ("DO", "sw", "watu wa Jamhuri ya Dominika"),
        ("US", "ar", "سكان الولايات المتحدة"),
        ("CL", "de", "people from Chile"),
    ],
)
def test_people_of_a_country_are_a_subject(country, language, people):
    assert people_of(country, language) == people
