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
FROM = {
    "en": {
        "CL": "from Chile",
        "MX": "from Mexico",
        "DO": "from the Dominican Republic",
        "GB": "from the United Kingdom",
        "US": "from the United States",
        "PE": "from Peru",
        "BR": "from Brazil",
        "NL": "from the Netherlands",
        "CI": "from Côte d’Ivoire",
        "SV": "from El Salvador",
        "HM": "from the Heard & McDonald Islands",
        "BQ": "from the Caribbean Netherlands",
    },
    "es": {
        "CL": "de Chile",
        "MX": "de México",
        "DO": "de la República Dominicana",
        "GB": "del Reino Unido",
        "US": "de los Estados Unidos",
        "PE": "de Perú",
        "BR": "de Brasil",
        "NL": "de los Países Bajos",
        "CI": "de Côte d’Ivoire",
        "SV": "de El Salvador",
        "HM": "de las Islas Heard y McDonald",
        "BQ": "del Caribe neerlandés",
    },
    "fr": {
        "CL": "du Chili",
        "MX": "du Mexique",
        "DO": "de la République dominicaine",
        "GB": "du Royaume-Uni",
        "US": "des États-Unis",
        "PE": "du Pérou",
        "BR": "du Brésil",
        "NL": "des Pays-Bas",
        "CI": "de Côte d’Ivoire",
        "SV": "du Salvador",
        "HM": "des Îles Heard-et-MacDonald",
        "BQ": "des Pays-Bas caribéens",
    },
    "pt": {
        "CL": "do Chile",
        "MX": "do México",
        "DO": "da República Dominicana",
        "GB": "do Reino Unido",
        "US": "dos Estados Unidos",
        "PE": "do Peru",
        "BR": "do Brasil",
        "NL": "dos Países Baixos",
        "CI": "da Costa do Marfim",
        "SV": "de El Salvador",
        "HM": "das Ilhas Heard e McDonald",
        "BQ": "dos Países Baixos Caribenhos",
    },
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


@pytest.mark.parametrize("language", FROM)
def test_from_and_the_country(language):
    found = {code: from_country(code, language) for code in FROM[language]}
    assert found == FROM[language]


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
@pytest.mark.parametrize("code", FROM["en"])
def test_cards_and_exports(language, code):
    before, people = ABOUT[language]
    with override(language):
        assert gettext("About people") == before
    assert people_of(code, language) == people.format(FROM[language][code])


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
