"""One name for one group: whether words name people, and if so in lower case, plural, without determiners."""

from __future__ import annotations

import re
from difflib import get_close_matches

from endoxa.curate.english import can_be, in_dictionary, inflected, is_plural, lemma, words
from endoxa.curate.normalise.tables import Tables, tables

_LONG = 6


def people_name(text: str, known: Tables | None = None) -> str | None:
    """Name of the people that the words stand for ("Igbos" -> "igbo"), or None."""
    known = known or tables()
    low = text.lower().removesuffix("'s").removesuffix("'")
    for form in (low, low.removesuffix("s"), low.removesuffix("es")):
        if form in known.spellings:
            return known.spellings[form]
        if form in known.peoples:
            return form
    return None


def people_plural(text: str, known: Tables | None = None) -> str | None:
    """The plural name of the people that the words stand for ("armenians", else "igbo people"), or None."""
    known = known or tables()
    low = text.lower().removesuffix(" people")
    for form in (low, f"{low}s"):
        if form in known.inhabitants:
            return form
    name = people_name(low, known)
    return f"{name} people" if name else None


def is_people(text: str, known: Tables | None = None) -> bool:
    """Whether the words name a people, nation or region's people without the word "people"."""
    known = known or tables()
    return people_name(text, known) is not None or text.lower() in known.collective


def is_group(text: str, known: Tables | None = None) -> bool:
    """Whether the words are a known name of a group ("Muslims", "the elderly", "Igbo", "christains")."""
    known = known or tables()
    low = text.lower()
    return (
        low in known.synonyms
        or low in known.terms
        or is_people(low, known)
        or misspelt(low, known) is not None
    )


def misspelt(text: str, known: Tables | None = None) -> str | None:
    """The known name that a long word the dictionary lacks is a slip of ("chritians" -> "christians")."""
    known = known or tables()
    if len(text) < _LONG or " " in text or in_dictionary(text) or not text.isalpha():
        return None
    near = get_close_matches(text, [name for name in known.synonyms if len(name) >= _LONG], n=1, cutoff=0.88)
    return near[0] if near else None


_ETHNIC = (
    r"(?:ethnic(?:al)? (?:group|community|origin)s?|ethnic|ethnicity|tribes?|clans?|community|group|nation|"
    r"extraction|descent|origin)"
)
_OF_A_PEOPLE = re.compile(
    r"^(?:people|persons?|those|folks?|individuals|members|men and women)\s+"
    r"(?:from|of|in|who are|that are|who're|belonging to)\s+(?:the\s+)?"
    rf"(?:{_ETHNIC}\s+)?(?:of\s+)?(?P<name>.+?)(?:\s+{_ETHNIC})?$"
)
_TRIBE = re.compile(rf"^(?P<name>.+?)\s+{_ETHNIC}$")
_FROM_PLACE = re.compile(
    r"^(?:people|those|folks?|individuals|persons?|somebody|someone|anyone)\s+"
    r"(?:from|of|in|living in|who live in)\s+(?:the\s+)?(?P<place>.+)$"
)
_DIRECTIONAL = re.compile(r"^(?P<direction>.+?)(?:ern)?ers?$")
_WHO_ARE = re.compile(r"^(?P<who>\w+) (?:who|that) are (?P<quality>[\w' -]+)$")
_MARKS = re.compile(r"[\"“”*_#\[\]]|[^\w\s'&+/.,()-]")
_ASIDE = re.compile(r"\((?P<inside>[^)]*)\)?")


def normal_identity(text: str, country: str = "", known: Tables | None = None) -> str:
    """The name of a group as the project writes it: lower case, plural, without determiner, synonyms united.

    A people's name alone gets "people" ("Igbos" -> "igbo people"), a compass direction gets its country
    ("the north" in a survey of Nigeria -> "people from northern nigeria"): the reviewers' rules of AfriStereo.

    Args:
        text: the words of the respondent.
        country: country of the respondent; without it a direction stays as it is.
        known: tables to use; those of the package where None.

    Returns:
        the name, or an empty string where nothing is left.
    """
    known = known or tables()
    low = _without_aside(re.sub(r"[‘’`´]", "'", text.lower()))
    low = re.sub(r"\s+", " ", _MARKS.sub(" ", low)).strip(" -'.,&/+")
    low = re.sub(
        r"^(?:any|every|some)(?:one|body) (?=who|that|from|in|with|of|above|over|under)", "people ", low
    )
    low = re.sub(r"^those (?=(?:who|that|from|in|with|of) )", "people ", low)
    one = low.split(" ")[0] in words("singular_determiners")
    low = _without_openers(low, known)
    low = _attributive(low)
    return (
        _from_table(low, known)
        or _of_a_people(low, known)
        or _from_place(low, country, known)
        or _plural(low, known, one=one)
    )


def foreign_identity(text: str, known: Tables | None = None) -> str:
    """The name of a group in another language: its English term where the tables have one, else as it stands."""
    known = known or tables()
    low = re.sub(r"\s+", " ", _MARKS.sub(" ", re.sub(r"[‘’`´]", "'", text.lower()))).strip(" -'.,&/+")
    return known.terms.get(low) or known.synonyms.get(low) or people_plural(low, known) or low


def _without_aside(low: str) -> str:
    """Words in brackets taken in or out: "Basque people (women)" is about Basque women; any other aside goes."""
    found = _ASIDE.search(low)
    if found is None:
        return low
    inside = found["inside"].strip()
    before = low[: found.start()].strip()
    if is_plural(inside) and " " not in inside and tables().synonyms.get(inside):
        return re.sub(r"\s+people$", "", before) + " " + inside
    return (before + " " + low[found.end() :]).strip()


def _without_openers(low: str, known: Tables) -> str:
    """Without determiners, quantifiers and conjunctions in front ("and all the women" -> "women")."""
    parts = low.removeprefix("only ").split() if low.startswith(("only a ", "only the ")) else low.split()
    while len(parts) > 1 and (parts[0] in words("determiners") or parts[0] in words("openers")):
        if " ".join(parts) in known.synonyms or " ".join(parts[1:]) == "people":
            break
        del parts[0]
    if parts[:1] == ["of"] and len(parts) > 1:  # "most of the women"
        return _without_openers(" ".join(parts[1:]), known)
    return " ".join(parts)


def _attributive(low: str) -> str:
    """Turn "women who are stable" into "stable women", where the clause is an adjective."""
    found = _WHO_ARE.match(low)
    if not found:
        return low
    quality = found["quality"].split()
    plain = len(quality) <= 3 and can_be(quality[-1], "ADJ") and not is_people(found["quality"])
    if not plain or any(word in words("prepositions") or word in {"not", "and"} for word in quality):
        return low
    return f"{found['quality']} {found['who']}"


def _from_table(low: str, known: Tables) -> str:
    if low in known.synonyms:
        return known.synonyms[low]
    return known.terms.get(low, "")


def _of_a_people(low: str, known: Tables) -> str:
    for pattern in (_OF_A_PEOPLE, _TRIBE):
        found = pattern.match(low)
        if not found:
            continue
        name = (
            found["name"]
            .removeprefix("the ")
            .removeprefix("ethnic ")
            .removesuffix(" ethnic")
            .removesuffix(" people")
        )
        people = people_plural(name, known)
        if people:
            return people
        if "ethnic" in low and " " not in name and name not in _NO_NAME:
            return f"{name} people"
        if name in known.collective:
            return f"{name} people"
    return ""


def _from_place(low: str, country: str, known: Tables) -> str:
    found = _FROM_PLACE.match(low)
    if found:
        direction = _direction(found["place"].strip(), country, known)
        if direction:
            return f"people from {direction}"
        return "" if " from " not in low else _inhabitants(low.partition(" from ")[2], known)
    region = re.match(r"^(?:the )?(?P<direction>\S+?)(?:ern) (?P<country>\w+)$", low)
    if region and region["direction"] in known.directions and region["country"] in known.demonyms:
        return f"people from {low.removeprefix('the ')}"
    inhabitants = _DIRECTIONAL.match(low)
    if inhabitants and inhabitants["direction"] in known.directions:
        direction = _direction(inhabitants["direction"], country, known)
        return f"people from {direction}" if direction else low
    adjective = re.match(r"^(?P<direction>.+?)ern people$", low)
    if adjective and adjective["direction"] in known.directions:
        direction = _direction(adjective["direction"], country, known)
        return f"people from {direction}" if direction else low
    return ""


def _inhabitants(place: str, known: Tables) -> str:
    """Name who lives there: "nigeria" -> "nigerians", "lagos" -> "people from lagos"."""
    return known.demonyms.get(place.removeprefix("the "), f"people from {place}")


def _direction(place: str, country: str, known: Tables) -> str:
    """Name the region: "the north" and the respondent's country -> "northern nigeria"; "northern Nigeria" stays."""
    plain = re.sub(r"^(the )?", "", place)
    plain = re.sub(r"( part| region| side| zone| states?)?( of (the )?(country|nation))?$", "", plain).strip()
    word, _, rest = plain.partition(" of ")
    adjective = known.directions.get(word) or known.directions.get(re.sub("ern$", "", word))
    if adjective is None:
        first, _, other = plain.partition(" ")
        stem = re.sub("ern$", "", first)
        if stem != first and stem in known.directions and other:
            return f"{known.directions[stem]} {other}"
        return ""
    where = rest or ("" if country.lower() in {"", "other"} else country.lower())
    return f"{adjective} {where}" if where else ""


def _plural(low: str, known: Tables, *, one: bool) -> str:
    """The last resort: each word's spelling, the head in the plural (also an unknown word that stood for one)."""
    parts = [known.spellings.get(part.removesuffix("'s"), part) for part in low.split()]
    if not parts:
        return ""
    if len(parts) == 1 or parts[1:] == ["people"]:
        people = people_plural(parts[0], known)
        if people:
            return people
    if len(parts) == 1 and parts[0] in known.collective:
        return f"{parts[0]} people"
    slip = misspelt(parts[0], known) if len(parts) == 1 else None
    if slip:
        return known.synonyms[slip]
    head = (
        next((at for at, part in enumerate(parts) if at and ends_head(part, parts[at - 1])), len(parts)) - 1
    )
    if head >= 0:
        parts[head] = _plural_noun(parts[head], one=one)
    joined = " ".join(parts)
    return known.synonyms.get(joined, joined)


_NO_NAME = {
    "different",
    "other",
    "same",
    "certain",
    "various",
    "some",
    "another",
    "any",
    "my",
    "their",
    "our",
    "xyz",
}


def ends_head(word: str, before: str) -> bool:
    """Whether what follows describes the head: "people living abroad", "women over thirty"."""
    describes = word in words("prepositions") or word in words("relatives") or word == "such"
    return describes or (word.endswith("ing") and is_plural(before))


def _plural_noun(word: str, *, one: bool) -> str:
    low = word.removesuffix("'s").removesuffix("'")
    if low.endswith("man") and (low == "man" or not in_dictionary(low) or can_be(low, "NOUN")):
        return low[:-3] + "men"
    if low == "people" or (is_plural(low) and low not in {"youth"}):
        return low
    if (can_be(low, "NOUN") and lemma(low, "NOUN") == low) or (one and not in_dictionary(low)):
        return inflected(low, "NNS")
    return low
