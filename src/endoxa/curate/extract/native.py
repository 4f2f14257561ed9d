"""Where the group ends in statements of other languages than English, by words of their language and its patterns.

A language says where its predicate stands (`order` of `words/LANGUAGE/extract.toml`): behind a copula or a verb
("verb-second", the default), before the last word ("verb-last", Hindi), or behind a definite group without a copula
("nominal", Arabic). What these words do not tell apart is not read: a statement in the singular, or a subject that may
be none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from endoxa.curate.opposites.lexicon import load_lexicon
from endoxa.words.packs import languages_with, quotation_marks, rows_of, stops, words_of
from endoxa.words.patterns import COPULA, grammars_of, is_predicate
from endoxa.words.people import (
    direct_forms,
    find_in,
    groups_in,
    in_citation_form,
    is_governed,
    plain,
    plural_of,
    plural_of_one,
)

FILE = "extract.toml"
_SECOND = "verb-second"
_HEADS = ("profession", "gender", "family", "religion")
"""Kinds of groups whose names may follow another name ("bank clerks", "Indian women")."""
LONGEST = 6
"""Words of a group; what is longer was not read rightly."""
LONGEST_QUALITY = 3
"""Words of a quality before "and" and a verb."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A statement cut into group and attributes.

    Attributes:
        subject: the group as it was named, without articles and quantifiers; empty where the statement has none.
        attributes: what is said of it.
        gender: 'f' or 'm' where an article or quantifier before the group shows it, else empty.
    """

    subject: str
    attributes: tuple[str, ...]
    gender: str = ""


@cache
def words_in(language: str, *names: str) -> frozenset[str]:
    """Closed classes of a language, of `extract.toml` and `word_classes.toml`."""
    classes, entry = words_of(language, "word_classes.toml"), words_of(language, FILE)
    return frozenset(
        word for name in names for word in (*entry.get(name, ()), *classes.get(name, "").split())
    )


@cache
def _people(language: str) -> frozenset[str]:
    heads = (row.plural for row in groups_in(language) if row.kind in _HEADS and " " not in row.plural)
    return frozenset(plain(word) for word in (*words_in(language, "people"), *filter(None, heads)))


def read(text: str, language: str) -> Reading | None:
    """Group and attributes of a statement; None where the words of the language do not tell.

    Args:
        text: one statement.
        language: ISO 639 code; one without words reads nothing.
    """
    code = re.split("[-_]", language)[0].lower()
    if code not in languages_with(FILE):
        return None
    line = " ".join(text.replace("’", "'").split()).strip(f" ,;{stops()}{quotation_marks()}")
    line = _without_opener(_corrected(line.lower() if line.isupper() else line, code), code)
    line = _corrected(_without_amount(line, code), code)
    label = re.match(r"^([^:=]+?)\s*(?:[:=]|\s[-–—])\s+(\S.*)$", line)
    if label and len(label[1].split()) <= LONGEST:
        return _reading(label[1].split(), label[2].split(), code) if _named(label[1].split(), code) else None
    parts = line.split()
    order = words_of(code, FILE).get("order", _SECOND)
    cut = _ORDERS[order](parts, code) if len(parts) > 1 else None
    return _reading(*cut, code) if cut else None


def is_about_one(text: str, language: str) -> bool:
    """Whether a statement begins with a word of the table for one person, by its article or its form ("la mujer")."""
    code = re.split("[-_]", language)[0].lower()
    parts = _without_opener(text.replace("’", "'"), code).split() if code in languages_with(FILE) else []
    start = _group_start(parts, code) if parts else 0
    article = words_in(code, "singular") & {part.lower() for part in parts[:start]}
    names = (_named(parts[:end], code) for end in range(start + 1, min(start + 3, len(parts)) + 1))
    plurals = ((plain(name), plain(plural_of_one(name, code))) for name in names)
    return any(plural and (plural != name or article) for name, plural in plurals)


def _reading(who: Sequence[str], predicate: Sequence[str], code: str) -> Reading | None:
    """The reading of a cut statement; None where the group is a word of the table for one person."""
    named = _named(who, code)
    if not words_in(code, "singular", "last") and plain(plural_of_one(named, code)) not in ("", plain(named)):
        return None
    shown = {each.lower() for each in who[: _group_start(who, code)]}
    genders = [name[0] for name in ("feminine", "masculine") if shown & words_in(code, name)]
    return Reading(named, _parts(" ".join(predicate), code), genders[0] if len(genders) == 1 else "")


def _corrected(text: str, code: str) -> str:
    for pattern, replacement in words_of(code, FILE).get("corrected", ()):
        text = re.sub(pattern, replacement, text)
    return text


def _without_opener(text: str, code: str) -> str:
    """Without "people say that" in front, however it is spelled: "يقولون ان" as "يقولون إن"."""
    parts = text.split()
    folded = [plain(part).rstrip(",:") for part in parts]
    for opener, opening in _openers(code):
        if opener.endswith("'") and text.lower().startswith(opener):
            return _without_opener(text[len(opener) :].strip(" ,:"), code)
        if len(parts) > len(opening) and folded[: len(opening)] == opening:
            return _without_opener(" ".join(parts[len(opening) :]).strip(" ,:"), code)
    return text


@cache
def _openers(code: str) -> tuple[tuple[str, list[str]], ...]:
    return tuple(
        (each, plain(each).split()) for each in sorted(words_in(code, "openers"), key=len, reverse=True)
    )


def _without_amount(text: str, code: str) -> str:
    """With the article alone where "most of the" stands before a group, and the verb in the group's plural."""
    entry = words_of(code, FILE)
    amounts: Mapping[str, str] = entry.get("amounts", {})
    front = next((each for each in amounts if text.lower().startswith(f"{each} ")), "")
    parts = f"{amounts[front]}{text[len(front) :]}".split() if front else []
    plurals = entry.get("plural_verbs", {})
    verbs = words_in(code, "verbs", "copulas")
    for at in range(2, len(parts)):  # "a maioria dos baianos dança"
        low = parts[at].lower()
        plural = plurals.get(low) or low + plurals.get("", "")
        if (
            low not in verbs | words_in(code, "before_verbs")
            and not is_predicate(low, code)
            and (plural in verbs or is_predicate(plural, code))
        ):
            parts[at] = plural
            break
    return " ".join(parts) or text


def _group_start(parts: Sequence[str], code: str) -> int:
    """How many articles and quantifiers stand in front."""
    before = words_in(code, "articles", "quantifiers")
    return next((at for at, part in enumerate(parts) if part.lower() not in before), len(parts) - 1)


def _named(parts: Sequence[str], code: str) -> str:
    """The group without its articles; empty where nothing is left, or a pronoun."""
    if not parts:
        return ""
    start = _group_start(parts, code)
    low = parts[start].lower()
    if start and low in words_in(code, "links"):  # "los de Medellín"
        return " ".join(parts[start - 1 :])
    articles = (each for each in words_in(code, "articles") if each.endswith("'") and low.startswith(each))
    behind = (part for part in parts[start + 1 :] if part.lower() not in words_in(code, "behind"))
    named = " ".join([parts[start][len(max(articles, key=len, default="")) :], *behind]).strip(" ,")
    return "" if named.lower() in words_in(code, "pronouns") or len(named.split()) > LONGEST else named


def _parts(predicate: str, code: str) -> tuple[str, ...]:
    """The several things that are said: qualities ("lazy and very violent"), or one and what is done besides.

    Objects of one verb stay together, and so does all that these words do not tell apart.
    """
    joins = words_in(code, "conjunctions")
    prefixes = "".join(each[:-1] for each in joins if each.endswith("-"))
    between = rf",\s+|,?\s+(?:{'|'.join(map(re.escape, joins - {'-'})) or '(?!)'})\s+"
    pieces = re.split(between + (rf"|\s+[{prefixes}](?=\S{{4}})" if prefixes else ""), predicate)
    bare = [_without_copula(piece, code) for piece in pieces]
    verbs = [piece != rest for piece, rest in zip(pieces, bare, strict=True)]
    undivided = (_in_case(_without_copula(predicate, code), code),)
    if len(pieces) == 1 or predicate.partition(" ")[0] in words_in(code, "negators"):
        return undivided
    if (
        words_of(code, FILE).get("order", _SECOND) == _SECOND
        and not verbs[0]
        and _begins(predicate.split(), code)
    ):
        return tuple(bare) if all(verbs[1:]) else undivided
    tail = verbs[-1] or is_predicate(bare[-1], code)
    degree = words_in(code, "degree")
    other = words_in(code, "articles", "quantifiers", "links", "clauses")
    for each in bare[: len(bare) - tail]:
        *before, _ = each.lower().split()
        if not (
            degree.issuperset(before) or (tail and len(before) < LONGEST_QUALITY and other.isdisjoint(before))
        ):
            return undivided
    return tuple(_in_case(each, code) for each in bare)


def _without_copula(predicate: str, code: str) -> str:
    """What is said without the copula in front, or the ending that only closes a sentence."""
    first, _, rest = predicate.partition(" ")
    return rest if first.lower() in words_in(code, "copulas") and rest else predicate


@cache
def _accents(code: str) -> Mapping[str, str]:
    """Forms of the adjectives with an opposite by their letters without accents, where those are no other form."""
    lexicon = load_lexicon(code, may_be_empty=True)
    rows = (row for row in lexicon.rows if row.part == "adj")
    forms = {
        form
        for row in rows
        for pole in row.poles
        for each in pole
        for form in lexicon.forms(row, each).values()
    }
    forms |= {form for row in rows_of(code, "forms.csv") for name, form in row.items() if "_" in name}
    others = forms | lexicon.rules.function | words_in(code, "degree", "conjunctions", "before_verbs")
    return {plain(form): form for form in forms if plain(form) not in others and len(form) > len("xxx")}


def _in_case(part: str, code: str) -> str:
    """A predicate whose first word stands in the case of its group ("مبذرون"), also where people say another."""
    if words_of(code, FILE).get("order") != "nominal" or is_predicate(part, code):
        return part
    first, _, rest = part.partition(" ")
    return f"{in_citation_form(f'ال{first}', code).removeprefix('ال')} {rest}".strip()


_Cut = tuple[Sequence[str], Sequence[str]]
"""The words of the group and of what is said."""


def _begins(predicate: Sequence[str], code: str) -> bool:
    """Whether what is said begins with these words."""
    verbs, low = words_in(code, "verbs", "copulas", "before_verbs"), predicate[0].lower()
    elided = tuple(each for each in verbs if each.endswith("'"))
    return low in verbs or low.startswith(elided) or is_predicate(" ".join(predicate), code)


def _verb_second(parts: Sequence[str], code: str) -> _Cut | None:
    start = _group_start(parts, code)
    low = [part.lower() for part in parts]
    singular, pronouns = words_in(code, "singular"), words_in(code, "pronouns")
    verbs = words_in(code, "verbs", "copulas", "before_verbs")
    links = words_in(code, "links")
    pointing = low[start] in pronouns and start + 2 < len(low) and low[start + 1] not in links
    if low[start] in verbs | words_in(code, "degree") or pointing:
        # "are lazy", "they like money", "very calm": those of the question
        predicate = parts[start + pointing :]
        return (
            None
            if singular & set(low[:start]) or (pointing and not _begins(predicate, code))
            else ((), predicate)
        )
    begin = next((at for at in range(start + 1, len(parts)) if _begins(parts[at:], code)), len(parts))
    who = low[start:begin]
    if begin == len(parts) or (begin + 1 == len(parts) and low[begin] in verbs):
        return None
    if set(who) & pronouns and not links & set(who[1:2]):  # "ceux du Nord" are named
        return None
    pattern = words_of(code, FILE)
    many = set(low[:start]) & words_in(code, "quantifiers") or who[0] in words_in(code, "collectives")
    if (singular & set(low[:start]) and not many) or re.search(pattern.get("one", "(?!)"), parts[start]):
        return None
    bare = all(
        re.search(pattern.get("plural", "(?!)"), word) or (at and (word in links or who[at - 1] in links))
        for at, word in enumerate(who)
    )
    if not start and words_in(code, "articles") and not bare:
        return None
    reported = next((each for each, _ in _openers(code) if " ".join(who).endswith(f" {each}")), "")
    predicate = [_accents(code).get(part, part) for part in parts[begin:]]
    return parts[: begin - len(reported.split())], predicate  # "Wakamba inaaminika kuwa wana nguvu"


def _verb_last(parts: Sequence[str], code: str) -> _Cut | None:
    """Hindi: the group, what is said of it, and a copula or verb in the plural."""
    if governed := _governed(parts, code):
        return governed
    end = _group_end(parts, code)
    who, predicate = parts[:end], list(parts[end:])
    if is_governed(" ".join(predicate), code):
        return None
    if parts[0] in words_in(code, "pronouns"):
        who = ()
    rest = _without_ending(predicate, code)
    if (parts[0] in words_in(code, "degree") and end == 1) or (not rest and not find_in(code, " ".join(who))):
        who, predicate, rest = (), list(parts), _without_ending(parts, code)
    rows = (each for rows in grammars_of(code) for each in rows.readings(" ".join(predicate)) if each.there)
    if (row := next(rows, None)) and row.row.set != COPULA:
        return who, predicate[::-1] if predicate[1:] == ["नहीं"] else predicate
    return (who, rest) if rest and rest != predicate else None


def _without_ending(predicate: Sequence[str], code: str) -> list[str]:
    """What is said without the ending that only closes a sentence ("होते हैं")."""
    for ending in sorted(words_in(code, "last"), key=len, reverse=True):
        if f" {' '.join(predicate)}".endswith(f" {ending}"):
            return list(predicate[: len(predicate) - len(ending.split())])
    return list(predicate)


def _governed(parts: Sequence[str], code: str) -> _Cut | None:
    """What is said of a group in the case that the word behind it governs ("औरतों को गाना आता है")."""
    direct = direct_forms(code) if words_in(code, "governing") else {}
    for end in range(1, min(LONGEST, len(parts) - 1) + 1 if direct else 1):
        predicate = " ".join(parts[end:])
        if is_governed(predicate, code) and is_predicate(predicate, code):
            for start in range(end):
                named = direct.get(plain(" ".join(parts[start:end])))
                of_others = start and parts[start - 1] not in words_in(code, "links")
                if named and not (of_others and plain(named) not in _people(code)):
                    return [*parts[:start], named], parts[end:]
    return None


def _group_end(parts: Sequence[str], code: str) -> int:
    """Where the group ends: behind a name of the table, with nouns of people that follow it if something is said."""
    links = words_in(code, "links")
    ends = range(min(4, len(parts) - 1), 1, -1)
    names = (
        end
        for end in ends
        if plural_of(name := " ".join(parts[:end]), code) == name and _says(parts[end:], code)
    )
    places = (
        at + 2
        for at in range(2, min(4, len(parts) - 2))
        if parts[at] in links and plain(parts[at + 1]) in _people(code) and _says(parts[at + 2 :], code)
    )
    end = next(names, 0) or (plural_of(parts[0], code) != parts[0] and next(places, 0)) or 1
    while end < len(parts) - 1:
        if parts[end] in links:
            end += 2
        elif plain(parts[end]) in _people(code) and _says(parts[end + 1 :], code):
            end += 1
        else:
            break
    return end


def _says(parts: Sequence[str], code: str) -> bool:
    """Whether these words are a predicate: no copula alone ("हैं", "नहीं हैं"), no "and ..."."""
    rest = _without_ending(parts, code)
    closed = len(rest) < len(parts) or is_predicate(" ".join(parts), code)
    return parts[0] not in words_in(code, "conjunctions") and rest not in ([], ["नहीं"]) and closed


def _nominal(parts: Sequence[str], code: str) -> _Cut | None:
    """Arabic: a definite group, and what is said of it without a copula."""
    start = _group_start(parts, code)
    if parts[start] in words_in(code, "pronouns"):
        return (), parts[start + 1 :]
    end = start + (
        not parts[start].startswith("ال")
    )  # "the inhabitants of Morocco": the second noun has the article
    while end < len(parts) and parts[end].startswith("ال"):
        end += 1
    if end < len(parts) and parts[end] in words_in(code, "links"):  # "the people in Japan"
        places = range(min(end + 4, len(parts) - 1), end + 1, -1)
        end = next((at for at in places if is_predicate(" ".join(parts[at:]), code)), end)
    # "أهل حلب"
    of_place = (
        not parts[start].startswith("ال")
        and end == start + 1 < len(parts) - 1
        and plain(parts[start]) in _people(code)
        and not is_predicate(parts[end], code)
        and is_predicate(" ".join(parts[end + 1 :]), code)
    )
    end += of_place
    who, predicate = parts[start:end], parts[end:]
    if (
        not predicate
        or not (of_place or any(part.startswith("ال") for part in who))
        or predicate[0].startswith("وال")
    ):
        return None
    # Behind "all" or "most" a group is plural, whatever its form; else its table or an ending may tell.
    group, plural = " ".join(who), words_of(code, FILE)["plural"]
    many = (
        start
        or plural_of(group, code) == group
        or re.search(plural, who[0])
        or re.search(plural, predicate[0])
    )
    return (parts[:end], predicate) if many or is_predicate(" ".join(predicate), code) else None


_ORDERS = {_SECOND: _verb_second, "verb-last": _verb_last, "nominal": _nominal}
