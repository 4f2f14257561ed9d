"""What stands in front of a statement and is no part of it: bullets, reports, connectives, a topic named beforehand."""

from __future__ import annotations

import re
from functools import cache

from endoxa.curate.english import in_dictionary, is_plural, is_third_person, reports, spelt_out, tokens, words
from endoxa.curate.extract.clauses import has_subject
from endoxa.curate.extract.subject import find_split
from endoxa.curate.normalise import is_group, is_people
from endoxa.curate.normalise.attribute import plural_verb
from endoxa.sources.typography import readable

_SPACE = re.compile(r"\s+")
_BULLET = re.compile(r"^\s*(?:[-–—•*·▪◦>~]+|\(?\d{1,3}[.)]|[a-zA-Z][.)](?!\w[.)]))\s*(?=\S)")
_LABEL = re.compile(r"^(?P<label>[^:]{2,40}):\s*(?P<rest>\S.*)$")
_PLACE_FIRST = re.compile(
    r"^in (?P<place>(?:the )?[\w'-]+(?: [\w'-]+)?),? (?P<who>people|women|men) (?=(?:are|is|have|do|can|like|love)\b)",
    re.IGNORECASE,
)
_WHERE_FIRST = re.compile(r"^(?P<where>in (?:the )?[\w'-]+(?: [\w'-]+){0,2}), (?P<rest>\S.*)$", re.IGNORECASE)
_PLACE_NAMED_FIRST = re.compile(r"^(?P<where>[Ii]n [A-Z][\w'-]+(?: [A-Z][\w'-]+)?) (?P<rest>[a-z].*)$")
_CULTURE_FIRST = re.compile(
    r"^(?:in|among)(?: the)? (?P<name>[\w-]+?)(?:'s)? "
    r"(?:communit(?:y|ies)|cultures?|tribes?|lands?|traditions?|society),? "
    r"(?P<rest>(?P<determiner>(?:an?|the) )?\S.*)$",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"^(?:[\w']+ ){1,5}(?:stereotype|belief|saying|notion|idea|perception|assumption)s? (?:about|of|on) "
    r"(?P<who>[\w ]{2,30}?)"
    r"(?: is)? that (?:they|he|she)\s+(?=\S)",
    re.IGNORECASE,
)
_DOTS = re.compile(r"\s*(?:\.{2,}|…)\s*(?=\w)")
_POSSESSIVE = re.compile(r"^(?:our|my|your)\s+(?=\S)", re.IGNORECASE)
_TOPIC = re.compile(
    r"^(?:(?P<marked>as for|as regards|for|with|regarding|concerning|when it comes to|talking about)\s+)?"
    r"(?P<who>[^,:]{2,40}?),?\s+(?P<pronoun>they|he|she|it)\s+(?=\S)",
    re.IGNORECASE,
)


@cache
def _connectives() -> re.Pattern[str]:
    """Matches connectives in front: those that may stand alone, and adverbs only with the comma behind them."""
    alone, before_comma = (
        "|".join(sorted(words(name), key=len, reverse=True)) for name in ("connectives", "openers")
    )
    return re.compile(rf"^(?:(?:{alone})\b[\s,:;-]*|(?:{before_comma})\s*,\s*)(?=\w)", re.IGNORECASE)


def plain(text: str) -> str:
    """One line with straight apostrophes, its subject in front: no bullet, no "they say that", no "in the north".

    A connective ("furthermore", "on the other hand") goes only where a subject of its own follows, or nothing would
    be left of what an answer without a subject says.
    """
    line = re.sub(r"(?<=[\w)])\s*\t\s*(?=\w)", " - ", re.sub(r"[‘’`´]", "'", readable(text)))
    line = spelt_out(_BULLET.sub("", _SPACE.sub(" ", line).strip()))
    line = _PLACE_FIRST.sub(r"\g<who> from \g<place> ", _without_dots(line))
    while True:
        shorter = _without_opening(line)
        if shorter == line:
            return line
        line = shorter


def _without_dots(line: str) -> str:
    """Dots inside a statement are a pause: a dash behind a name ("Basques...proud"), else a space."""
    match = _DOTS.search(line)
    if match is None:
        return line
    name = is_group(line[: match.start()])
    return _DOTS.sub(" ", f"{line[: match.start()]} - {line[match.end() :]}" if name else line)


def without_label(text: str) -> str:
    """Take the label off "Ethnicity: some people feel ...", where the rest has a subject of its own."""
    match = _LABEL.match(text)
    if match and has_subject(match["rest"]) and tokens(match["rest"])[0].lower() not in words("pronouns"):
        return match["rest"]
    return text


def _without_opening(line: str) -> str:
    """The line without one opening, or as it is."""
    line = _ABOUT.sub(r"\g<who> ", line)
    for pattern in (reports(), _connectives(), _POSSESSIVE):
        rest = _with_people(pattern.sub("", line))
        if rest != line and (has_subject(rest) or (pattern is not _POSSESSIVE and _by_pronoun(rest))):
            return rest
    return _with_condition_behind(_with_place_behind(_with_topic_as_subject(_with_people(line))))


_COMMUNITY = re.compile(
    r"^(?P<front>(?:(?:all|most|many|some|of|the|a|every|people|those|from|in|belonging to)\s+)*)"
    r"(?P<name>(?:[\w-]+ and )?[\w-]+?)(?:'s)?\s+(?:tribes?|communit(?:y|ies)|clans?|ethnic groups?|people's)\b"
    r"(?!,| and\b| members| people)",
    re.IGNORECASE,
)
_FROM = re.compile(r"\b(?:people|those|from|in|belonging to|of)\s+(?:the\s+)?", re.IGNORECASE)
_TODAY = r"(?:today|nowadays|these days)"
_OF_TODAY = re.compile(rf"^(?P<who>(?:[\w'-]+ ){{0,3}}?[\w'-]+) (?:of )?{_TODAY},? (?=\w)", re.IGNORECASE)
_SHARE_OF = re.compile(
    r"^(?:about |around |almost |nearly |over |more than |up to )?\d+\s?(?:%|percent)(?: of)?(?: the)? (?=\w)",
    re.IGNORECASE,
)


def _with_people(line: str) -> str:
    """Name a people as such, and leave out the time: "the Basque tribe works" -> "the Basque people work"."""
    line = _SHARE_OF.sub("", line)
    today = _OF_TODAY.match(line)
    if today and is_plural(tokens(today["who"])[-1]) and find_split(tokens(today["who"])) is None:
        line = f"{today['who']} {line[today.end() :]}"
    match = _COMMUNITY.match(line)
    if match is None or not all(map(_is_name, match["name"].split(" and "))):
        return line
    rest = line[match.end() :].strip()
    first, _, others = rest.partition(" ")
    verb = plural_verb(first) if is_third_person(first) or first in {"is", "has"} else first
    named = f"{_FROM.sub('', match['front'])}{match['name']} people {verb} {others}".strip()
    return named if find_split(tokens(named)) else line


def _is_name(word: str) -> bool:
    """Whether a word is the name of a people: a known one, or one that no dictionary has."""
    return is_people(word) or (not in_dictionary(word) and len(word) > 2)


_CONDITION = re.compile(
    r"^(?P<when>(?:if|when|whenever|once|unless|until)\s[^,]+),\s*(?P<rest>\S.*)$", re.IGNORECASE
)


def _with_condition_behind(line: str) -> str:
    """Put a condition behind what depends on it: "when it rains, bakers are sad" -> "bakers are sad when it rains"."""
    match = _CONDITION.match(line)
    if match is None:
        return line
    when = match["when"][0].lower() + match["when"][1:]
    if has_subject(match["rest"]) and not _by_pronoun(match["rest"]):
        return f"{match['rest'].rstrip('.')} {when}"
    split = find_split(tokens(when)[1:])
    if split is not None and _by_pronoun(match["rest"]):
        who, (_, _, said) = " ".join(tokens(when)[1 : split.end + 1]), match["rest"].partition(" ")
        return f"{who} {said.rstrip('.')} {when}" if has_subject(f"{who} {said}") else line
    return line


def _by_pronoun(text: str) -> bool:
    """Whether the text begins with "they" and a verb."""
    parts = [part.lower() for part in tokens(text)]
    split = find_split(parts)
    return bool(parts) and parts[0] in {"they", "he", "she"} and split is not None and split.end == 1


def _with_topic_as_subject(line: str) -> str:
    """Put the topic where its pronoun stands: "as for bakers, they are calm" -> "bakers are calm"."""
    match = _TOPIC.match(line)
    if match is None:
        return line
    who = match["who"]
    parts = tokens(who)
    names = bool(parts) and (is_plural(parts[-1]) or is_group(who) or (len(parts) == 1 and _is_name(who)))
    opens = bool(parts) and parts[0].lower() in (
        words("openers") | words("interrogatives") | words("prepositions") | words("pronouns")
    )
    split = find_split(parts)
    cut = split is not None and split.rule != "apposition"
    if not names or opens or cut or not _by_pronoun(f"they {line[match.end() :]}"):
        return line
    said = line[match.end() :]
    return f"{who} {said}" if find_split(tokens(f"{who} {said}")) else f"{who} people {said}"


def _with_place_behind(line: str) -> str:
    """Put a place behind the subject: "in Peru, bakers are calm" -> "bakers in Peru are calm"."""
    people = _CULTURE_FIRST.match(line)
    if people and _is_name(people["name"]) and has_subject(people["rest"]):
        return f"{people['determiner'] or ''}{people['name']} {people['rest'][len(people['determiner'] or '') :]}"
    match = _WHERE_FIRST.match(line) or _PLACE_NAMED_FIRST.match(line)
    if match is None or not has_subject(match["rest"]) or _by_pronoun(match["rest"]):
        return line
    parts = tokens(match["rest"])
    split = find_split(parts)
    if split is None or parts[split.end - 1].lower() not in match["rest"].lower():
        return line
    if words("prepositions") & {part.lower() for part in parts[: split.end]}:
        return line
    head = re.match(r"\W*" + r"\W+".join(map(re.escape, parts[: split.end])), match["rest"])
    return f"{head.group()} {match['where']}{match['rest'][head.end() :]}" if head else line
