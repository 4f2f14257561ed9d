"""First names by which accusations of persons are found: makes src/endoxa/words/faker.toml.

    pip install faker; apt-get install hunspell hunspell-en-us hunspell-en-gb hunspell-es hunspell-fr \
        hunspell-pt-pt hunspell-sw
    python benchmarks/first_names.py > src/endoxa/words/faker.toml

Names come from Faker (MIT licence). A name that is also a word in a spelling dictionary of English, Spanish, French,
Portuguese or Swahili is left out, unless the lists of two countries have it and it is not in NO_NAMES: those we read
through by hand. There is no such dictionary for Arabic and Hindi, in which most names are words: theirs count only
where a word of offence is said of them.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import textwrap
from collections import defaultdict
from importlib.metadata import distribution

from babel import Locale

from endoxa.words.persons import folded

LATIN = (
    "en",
    "en_US",
    "en_GB",
    "en_IE",
    "en_IN",
    "en_KE",
    "en_NG",
    "en_NZ",
    "en_PK",
    "es_AR",
    "es_CL",
    "es_CO",
    "es_ES",
    "es_MX",
    "fr_FR",
    "fr_CA",
    "fr_BE",
    "fr_CH",
    "fr_DZ",
    "pt_BR",
    "pt_PT",
    "ha_NG",
    "ig_NG",
    "yo_NG",
    "zu_ZA",
    "tw_GH",
)
OTHERS = ("ar_AA", "ar_DZ", "hi_IN", "mr_IN")
DICTIONARIES = ("en_US", "en_GB", "es_ES", "fr_FR", "pt_PT", "sw_KE")
WIDE = "en"
"""A list of very many names from everywhere: to be in it says little about how common a name is."""
SHORT = 3

NO_NAMES = """
said guy che aya dina ella lois mia mina nina norma ria sean tia alisa cole shona lea laure guy saint ann milan
musa lucky sunday texas america africa france frances musee nautica nacio eden crete hermes destinee lian muia oris
leala macaria barron danica darian debera debi denton deven dorman averie ajala eligio seve alcee arta azalee ronin
junia june vere rona rono tane sian rian sabas ilias verona renada reva cheri israel jordan georgia
latosha maximo segundo kenia grecia easter ireland
مسلم عربي مشرف سلطان خليفه خطيب عالم طالب سفير قايد سايد مجاهد مناضل جراح كبير صعب شامل اعتماد اسماء حياه دنيا
رمضان شعبان هند خلف حافظ عاقل مرشد نظام اخلاق ذكي ذيب كساب متعب قاده فكري بلند
كاسر تاج جهاد دليل دعاء لقاء متوكل عتيق راوي مالك
काम कला सुन्दर भारत राज्य लाल राज श्री सेठ शक्ति विद्या मधुर सरल बल जय प्रभु ईश्वर उत्तम दर्शन विवेक नित्य शर्म
श्रेष्ठ प्रसन्न नवीन कोमल अनन्त चण्ड ज्योतिष
"""
"""Words of one of the languages, also without its accents (`francés`), places and days."""


def names_of(locale: str) -> set[str]:
    """First names of a country's list."""
    provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
    lists = ("first_names", "first_names_male", "first_names_female", "first_names_nonbinary")
    made = provider.__new__(provider)
    return {name.strip() for one in lists for name in getattr(made, one, ()) or ()}


def words_of(spellings: list[str]) -> set[str]:
    """Those of the spellings that are words of a dictionary in small letters."""
    found: set[str] = set()
    for dictionary in DICTIONARIES:
        command = ["hunspell", "-i", "utf-8", "-d", dictionary, "-G"]
        done = subprocess.run(command, input="\n".join(spellings), text=True, capture_output=True, check=True)
        found |= {folded(line.strip()) for line in done.stdout.splitlines() if line.strip()}
    return found


def known_elsewhere() -> set[str]:
    """Days, months and languages in English."""
    locale = Locale.parse("en")
    names = [*locale.days["format"]["wide"].values(), *locale.months["format"]["wide"].values()]
    return {folded(name) for name in (*names, *locale.languages.values())}


def certain() -> list[str]:
    """Names in Latin letters that are no words."""
    spelled, lists = defaultdict(set), defaultdict(set)
    for locale in LATIN:
        for name in names_of(locale):
            spelled[folded(name)] |= {name.casefold(), folded(name)}
            lists[folded(name)].add(locale)
    words = words_of(sorted(spelling for several in spelled.values() for spelling in several))
    return sorted(
        name
        for name in spelled
        if name.isascii()
        and name.isalpha()
        and len(name) > SHORT
        and (name not in words or len(lists[name] - {WIDE}) > 1)
        and name not in known_elsewhere().union(NO_NAMES.split())
    )


def of_other_scripts() -> list[str]:
    """Names in Arabic and Devanagari letters, of one word."""
    names = {folded(name) for locale in OTHERS for name in names_of(locale) if " " not in name}
    return sorted(name for name in names - set(map(folded, NO_NAMES.split())) if len(name) > 1)


def main() -> None:
    """Print the table."""
    package = distribution("faker")
    licence = next(file for file in package.files or () if file.name.startswith("LICENSE"))
    head = (
        f"First names from Faker {package.version} (https://github.com/joke2k/faker), folded as they are compared; "
        "made by benchmarks/first_names.py, which says what was left out. Faker's licence:"
    )
    lines = [*textwrap.wrap(head, 118), "", *licence.read_text(encoding="utf-8").splitlines()]
    print("\n".join(f"# {line}".rstrip() for line in lines))
    for key, note, names in (
        ("certain", "Names that are no words of English, Spanish, French, Portuguese or Swahili.", certain()),
        ("words", "Names in other scripts, most of which are words as well.", of_other_scripts()),
    ):
        filled = textwrap.fill(" ".join(names), 118, break_long_words=False, break_on_hyphens=False)
        print(f'\n# {note}\n{key} = """\n{filled}\n"""')


if __name__ == "__main__":
    sys.exit(main())
