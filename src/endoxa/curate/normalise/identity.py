"""One name for one group: in lower case, plural, without determiners."""

from __future__ import annotations

import re

import polars as pl
import regex

from endoxa.curate.cells import trimmed
from endoxa.curate.english import can_be, in_dictionary, inflected, is_plural, lemma, words
from endoxa.curate.normalise import Tables, people_name, people_plural, tables
from endoxa.curate.normalise.attribute import plural_verb
from endoxa.sources.typography import readable
from endoxa.words.countries import country_of_people, people_of
from endoxa.words.packs import words_of
from endoxa.words.people import (
    called,
    english_name,
    find,
    find_in,
    in_citation_form,
    native_form,
    plain,
    with_place,
)

_ETHNIC = (
    r"(?:ethnic(?:al)? (?:group|community|origin)s?|ethnic|ethnicity|tribes?|clans?|community|group|nation|"
    r"extraction|descent|origin)"
)
_OF_A_PEOPLE = re.compile(
    r"^(?:people|persons?|those|folks?|individuals|members|men and women)\s+"
    r"(?:from|of|in|who are|that are|who're|belonging to)\s+(?:the\s+)?"
    rf"(?:{_ETHNIC}\s+)?(?:of\s+)?(?P<name>.+?)(?:\s+{_ETHNIC})?$"
)
_SPEAKING = (
    r"(?:[ -]speaking)?(?: (?:lands?|parts?|sides?|regions?|areas?|axis|communit(?:y|ies)|heritage|background|culture|"
    r"famil(?:y|ies)|homes?))?"
)
_LAND_OF_A_PEOPLE = re.compile(rf"^(?P<name>.+?)(?:land|{_SPEAKING})$")
_TRIBE = re.compile(rf"^(?P<name>.+?)\s+{_ETHNIC}$")
_COMING = (
    r"(?:(?:who|that)\s+)?(?:are\s+|is\s+)?(?:originally\s+)?"
    r"(?:comes?|coming|came|hails?|hailing|originat(?:e|es|ing)|born|raised|natives?|indigenes?)\s+(?=from|of|in)"
)
_FROM_PLACE = re.compile(
    r"^(?:people|those|folks?|individuals|persons?|somebody|someone|anyone)\s+"
    r"(?:(?:who|that)\s+(?:are|is)\s+)?(?:from|of|in|living in|who lives? in|that lives? in|residing in)\s+"
    r"(?:the\s+)?(?P<place>.+)$"
)
_GROUP_IN_PLACE = re.compile(r"^(?P<who>[\w' -]+?) (?P<where>from|in|of) (?:the )?(?P<place>.+)$")
_REGION = re.compile(
    r"(?:\s+(?:geo-?political|geographical))?\s+(?:parts?|regions?|sides?|zones?|states?|areas?|provinces?|axis|lands?|districts?|ends?)$"
)
_HOME_COUNTRY = {"country", "the country", "nation", "the nation", "our country", "my country", "the state"}
_DIRECTIONAL = re.compile(r"^(?P<direction>.+?)(?:ern)?ers?$")
_QUANTITY = re.compile(
    r"^(?:(?:the |a |an )?(?:vast |great |large |good )?"
    r"(?:majority|minority|lots?|plenty|number|bunch|handful|percentage|half) of |"
    r"(?:the |a |an |your |every )?(?:average|typical|stereotypical|ordinary) |"
    r"only (?!child)|modern[- ]day |today's )(?=\S)"
)
"""How many of a group, or which of it, in front of its name; "most" and the like are determiners."""
_AS_SUCH = re.compile(
    r",? (?:today|nowadays|in general|generally|by nature|as such|"
    r"as a (?:tribe|people|group|whole|nation|community|race|gender))$"
)
_SLIPS = {"mens": "men", "womens": "women", "childrens": "children", "peoples": "people"}
# Of `regex`, because the vowel signs of Hindi are no letters to `re`.
_MARKS = regex.compile(r"[\"“”*_#\[\]]|[^\w\s'&+/.,()-]")
_ASIDE = re.compile(r"\((?P<inside>[^)]*)\)?")


def normal_identity(text: str, country: str = "", names: Tables | None = None) -> str:
    """The name of a group as the project writes it: lower case, plural, without determiner, synonyms united.

    A people's name alone gets "people" ("Igbos" -> "igbo people"), a compass direction gets its country
    ("the north" in a survey of Nigeria -> "people from northern nigeria"): the reviewers' rules of AfriStereo.

    Args:
        text: the words of the respondent.
        country: country of the respondent; without it a direction stays as it is.
        names: tables to use; those of the package where None.

    Returns:
        the name, or an empty string where nothing is left.
    """
    names = names or tables()
    low = _without_aside(re.sub(r"[‘’`´]", "'", readable(text).lower()))
    low = re.sub(r"\s+", " ", _MARKS.sub(" ", low)).strip(" -'.,&/+")
    low = re.sub(
        r"^(?:any|every|some)(?:one|body) (?=who|that|from|in|with|of|above|over|under)", "people ", low
    )
    low = re.sub(r"^those (?=(?:who|that|from|in|with|of) )", "people ", low)
    singular = low.split(" ")[0] in words("singular_determiners")
    low = _without_openers(_QUANTITY.sub("", _AS_SUCH.sub("", low)), names)
    low = re.sub(rf"^(people|those|women|men|ladies|girls|boys|youths) {_COMING}", r"\1 ", low)
    return (
        _from_table(low, names)
        or _of_a_people(low, names)
        or _from_place(low, country, names)
        or _plural(low, names, singular=singular)
    )


def foreign_identity(text: str, names: Tables | None = None, language: str = "") -> str:
    """The English name of a group that was named in another language where the tables have one, else as it stands."""
    names = names or tables()
    stands = " ".join(re.sub(r"[‘’`´]", "'", text.lower()).split()).strip(" -'.,&/+")
    low = re.sub(r"\s+", " ", _MARKS.sub(" ", stands)).strip(" -'.,&/+")
    listed = names.synonyms.get(low) or names.synonyms.get(plain(low), "")
    named = find(listed or low, language)
    if named is None and (country := country_of_people(text)):
        return normal_identity(people_of(country, "en"), names=names)
    return (english_name(named.id) if named else listed or people_plural(low, names)) or stands


def own_name(identity: str, language: str) -> str:
    """The word of a language for a group named in any language ("femmes" for "women"), else the name."""
    named = find_in(language, identity) is None and find(identity)
    return (called(named.id, language) if named else "") or identity


def native_identity(text: str, language: str) -> str:
    """A group as people of its language named it, with accents and capitals of names that are known.

    Where `small` of `pairs.toml` is true the words up to the first "of" are written small ("mujeres de Quito"), where
    it is false they keep the capitals that people gave them ("Auvergnats"); elsewhere the first word is small, and
    capitals behind it ("watu wa Tanga") are those of names, unless every word has one.
    """
    named = in_citation_form(" ".join(readable(text).split()), language)
    if native := native_form(named, language):
        return native
    first, *rest = tokens = named.split() or [""]
    small = words_of(language, "pairs.toml").get("small")
    if small is None:
        titled = all(word[:1].isupper() for word in rest)  # one word, or a title
        return named.lower() if titled else " ".join([native_form(first, language) or first.lower(), *rest])
    links = words_of(language, "extract.toml").get("links", ())
    end = next((at for at, token in enumerate(tokens) if token.lower() in links), len(tokens))
    low = [token.lower() if small and token.istitle() else token for token in tokens[:end]]
    return " ".join([*low, with_place(" ".join(tokens[end:]), language)]).strip()


def _without_aside(low: str) -> str:
    """Words in brackets taken in or out: "Basque people (women)" is about Basque women; any other aside goes."""
    match = _ASIDE.search(low)
    if match is None:
        return low
    inside, before = match["inside"].strip(), low[: match.start()].strip()
    if is_plural(inside) and " " not in inside and tables().synonyms.get(inside):
        return f"{before.removesuffix(' people')} {inside}"
    return f"{before} {low[match.end() :]}".strip()


def _without_openers(low: str, names: Tables) -> str:
    """Without determiners, quantifiers and conjunctions in front ("and all the women" -> "women")."""
    parts = low.removeprefix("only ").split() if low.startswith(("only a ", "only the ")) else low.split()
    while len(parts) > 1 and (parts[0] in words("determiners") or parts[0] in words("openers")):
        if " ".join(parts) in names.synonyms or " ".join(parts[1:]) == "people":
            break
        del parts[0]
    if len(parts) > 1 and parts[0] in _FOREIGN_ARTICLES and parts[0] not in names.peoples:
        del parts[0]
    if parts[:1] == ["of"] and len(parts) > 1:  # "most of the women"
        return _without_openers(" ".join(parts[1:]), names)
    return " ".join(parts)


_FOREIGN_ARTICLES = {"les", "los", "las", "des"}
"""Plural articles that a translation left in front of a name ("les Diolas are ...")."""


def _from_table(low: str, names: Tables) -> str:
    for form in (low, re.sub(r" (?:religions?|faiths?|believers?|faithfuls?)$", "", low)):
        if form in names.synonyms:
            return names.synonyms[form]
    return names.terms.get(plain(low), "")


def _of_a_people(low: str, names: Tables) -> str:
    for pattern in (_OF_A_PEOPLE, _TRIBE):
        match = pattern.match(low)
        if not match:
            continue
        name = (
            match["name"]
            .removeprefix("the ")
            .removeprefix("ethnic ")
            .removesuffix(" ethnic")
            .removesuffix(" people")
        )
        land = _LAND_OF_A_PEOPLE.match(name)
        people = people_plural(name, names) or (land and _people_only(land["name"], names))
        if people:
            return people
        if "ethnic" in low and " " not in name and not in_dictionary(name):
            return f"{name} people"
        if name in names.collective:
            return f"{name} people"
    return ""


def _people_only(name: str, names: Tables) -> str:
    """The people of that name, not the inhabitants of a country ("igbo", not "ghanaian")."""
    people = people_name(name, names)
    return f"{people} people" if people else ""


def _from_place(low: str, country: str, names: Tables) -> str:
    match = _FROM_PLACE.match(low)
    if match:
        direction = _direction(match["place"].strip(), country, names)
        if direction:
            return f"people from {direction}"
        return "" if " from " not in low else _inhabitants(low.partition(" from ")[2], names)
    placed = _GROUP_IN_PLACE.match(low)
    if placed and not _REGION.search(placed["who"]):
        return _group_in_direction(placed, country, names)
    return _region(low, country, names)


def _region(low: str, country: str, names: Tables) -> str:
    """Name the people of a region that stands for them: "the northern part of Peru", "southern Peru", "northerners"."""
    region = re.match(r"^(?:the )?(?P<direction>\S+?)(?:ern) (?P<country>\w+)$", low)
    if region and region["direction"] in names.directions and region["country"] in names.demonyms:
        return f"people from {low.removeprefix('the ')}"
    inhabitants = _DIRECTIONAL.match(low)
    named = inhabitants["direction"] if inhabitants else low.removesuffix(" people").removesuffix("ern")
    side = _REGION.sub("", named.partition(" of ")[0])
    if re.sub("ern$", "", side) not in names.directions:
        return ""
    direction = _direction(named, country, names)
    return f"people from {direction}" if direction else low


def _group_in_direction(match: re.Match[str], country: str, names: Tables) -> str:
    """Name the country of the region: "women from the north" -> "women from northern peru"."""
    coming = _DIRECTIONAL.match(match["who"])  # "northerners from Peru"
    if coming and coming["direction"] in names.directions and match["place"] in names.demonyms:
        return f"people from {names.directions[coming['direction']]} {match['place']}"
    direction = _direction(match["place"].strip(), country, names)
    if not direction:
        return ""
    who = match["who"]
    citizens = names.demonyms.get(country.lower(), "")
    if who in (citizens, citizens.removesuffix("s")):
        return f"people from {direction}"
    return f"{_plural(who, names, singular=True)} {match['where']} {direction}"


def _inhabitants(place: str, names: Tables) -> str:
    """Name who lives there: "nigeria" -> "nigerians", "lagos" -> "people from lagos"."""
    return names.demonyms.get(place.removeprefix("the "), f"people from {place}")


def _direction(place: str, country: str, names: Tables) -> str:
    """Name the region: "the north" and the respondent's country -> "northern nigeria"; "northern Nigeria" stays."""
    side, _, rest = place.removeprefix("the ").partition(" of ")
    side = _REGION.sub("", side)
    where = "" if rest in _HOME_COUNTRY else rest.removeprefix("the ")
    adjective = names.directions.get(side) or names.directions.get(re.sub("ern$", "", side))
    if adjective is None:
        first, _, other = side.partition(" ")
        stem = re.sub("ern$", "", first)
        if stem != first and stem in names.directions and other in names.demonyms:
            return f"{names.directions[stem]} {other}"
        return ""
    where = where or ("" if country.lower() in {"", "other"} else country.lower())
    return f"{adjective} {where}" if where else ""


def _plural(low: str, names: Tables, *, singular: bool) -> str:
    """The last resort: each word's spelling, the head in the plural (also an unknown word that stood for one)."""
    parts = [names.spellings.get(part.removesuffix("'s"), _SLIPS.get(part, part)) for part in low.split()]
    parts = [people_name(part, names) or part if part.endswith("'s") else part for part in parts]
    if len(parts) == 1 or parts[1:] == ["people"]:  # "Filipina nurses" are no "filipinos nurses"
        parts = [part if in_dictionary(part) else names.terms.get(part, part) for part in parts]
    if not parts:
        return ""
    if len(parts) == 1 or parts[1:] == ["people"]:
        people = people_plural(parts[0], names)
        if people:
            return people
    if len(parts) == 1 and parts[0] in names.collective:
        return f"{parts[0]} people"
    head = (
        next((at for at, part in enumerate(parts) if at and ends_head(part, parts[at - 1])), len(parts)) - 1
    )
    if head >= 0:
        parts[head] = _plural_noun(parts[head], singular=singular)
    clause = parts[head + 1 : head + 2]
    joined = " ".join(parts)
    if clause and clause[0] in {"who", "that"}:  # "a man who cooks" -> "men who cook"
        joined = " ".join([*parts[: head + 2], plural_verb(" ".join(parts[head + 2 :]))]).strip()
    return names.synonyms.get(joined, joined)


def ends_head(word: str, before: str) -> bool:
    """Whether what follows describes the head: "people living abroad", "women over thirty"."""
    describes = word in words("prepositions") or word in words("relatives") or word == "such"
    return describes or (word.endswith("ing") and is_plural(before))


def _plural_noun(word: str, *, singular: bool) -> str:
    low = word.removesuffix("'s").removesuffix("'")
    if low.endswith("man") and (low == "man" or not in_dictionary(low) or can_be(low, "NOUN")):
        return low[:-3] + "men"
    if low == "people" or (is_plural(low) and low not in {"youth"}):
        return low
    if (can_be(low, "NOUN") and lemma(low, "NOUN") == low) or (singular and not in_dictionary(low)):
        return inflected(low, "NNS")
    return low


IDENTITY_KEY = "identity_key"
"""Column of the name that a group has in all languages: its English plural where the tables know it, else its own."""


def key_of(identity: str, language: str = "") -> str:
    """One name in all languages for a group, in lower case; the words themselves where no table has it.

    Args:
        identity: the group as people named it.
        language: ISO 639 code, with or without a region.
    """
    return foreign_identity(identity, language=_main(language))


def with_identity_keys(table: pl.DataFrame, language: str = "en") -> pl.DataFrame:
    """The table with `identity_key` in every row, stated ones as they are; `identity` keeps the name that people gave.

    English names are their own keys: a table in English alone is left as it is, unless it names peoples as campaigns
    do ("people from Kenya").

    Args:
        table: associations, with or without a column `language`.
        language: of rows that name none.
    """
    if "identity" not in table.columns:
        return table
    cells = trimmed(table, ("identity", "language", IDENTITY_KEY))
    spoken = {_main(code or language) for code in cells["language"].unique()}
    stated = (cells[IDENTITY_KEY] != "").any()
    if spoken <= {"en"} and not stated and not any(map(country_of_people, cells["identity"].unique())):
        return table
    keys = {cell: cell[2] or key_of(cell[0], cell[1] or language) for cell in cells.unique().iter_rows()}
    filled = pl.Series(IDENTITY_KEY, [keys[cell] for cell in cells.iter_rows()], dtype=pl.String)
    return table.with_columns(filled)


def _main(language: str) -> str:
    return re.split("[-_]", language)[0].lower()
