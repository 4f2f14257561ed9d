"""A statement made ready for reading, cut into clauses, and a predicate into the several things it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from endoxa.curate.english import (
    can_be,
    in_dictionary,
    is_adverb,
    is_plain_verb,
    is_plural,
    lemma,
    reports,
    spelt_out,
    tokens,
    words,
)
from endoxa.curate.extract.split import find_split, has_subject, is_closed
from endoxa.curate.normalise import is_group, is_people
from endoxa.curate.normalise.attribute import linked
from endoxa.sources.typography import readable

_BULLET = re.compile(r"^\s*(?:[-–—•*·▪◦>~]+|\(?\d{1,3}[.)]|[a-zA-Z][.)](?!\w[.)]))\s*(?=\S)")
_LABEL = re.compile(r"^(?P<label>[^:]{2,40}):\s*(?P<rest>\S.*)$")
_DOTS = re.compile(r"\s*(?:\.{2,}|…)\s*(?=\w)")
_POSSESSIVE = re.compile(r"^(?:our|my|your)\s+(?=\S)", re.IGNORECASE)
_KINDS = r"(?:stereotype|belief|saying|notion|idea|perception|assumption)s?"
_TRIBE = r"(?:tribes?|communit(?:y|ies)|clans?|ethnic groups?|people's)"
_PLACE = r"(?:the )?[\w'-]+(?: [\w'-]+)?"
_VERB = r"(?=(?:are|is|have|has|do|can|like|love)\b)"
_ABOUT = re.compile(
    rf"^(?:[\w']+ ){{1,5}}{_KINDS} (?:about|of|on) (?P<who>[\w ]{{2,30}}?)(?: is)? that (?:they|s?he) ",
    re.IGNORECASE,
)
_ORDERED = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (
            r"^(?:(?:as for|as regards|for|with|regarding|concerning|when it comes to|talking about) )?"
            r"(?P<who>[^,:]{2,40}?),? (?:they|s?he|it) (?=\S)",
            r"\g<who> ",
        ),
        (
            r"^(?:about |around |almost |nearly |over |more than |up to )?\d+\s?(?:%|percent)(?: of)?(?: the)? (?=\w)",
            "",
        ),
        (r"^(?P<who>(?:[\w'-]+ ){0,3}?[\w'-]+) (?:of )?(?:today|nowadays|these days),? (?=\w)", r"\g<who> "),
        (rf"^in (?P<where>{_PLACE}),? (?P<who>people|women|men) {_VERB}", r"\g<who> from \g<where> "),
        (rf"^in (?P<where>{_PLACE}),? (?P<who>(?:\w+ )?\w+s) {_VERB}", r"\g<who> in \g<where> "),
        (
            rf"^(?:in|among)(?: the)? (?P<who>[\w-]+?)(?:'s)? (?:{_TRIBE}|cultures?|lands?|traditions?|society),? "
            r"(?P<determiner>(?:an?|the) )?(?P<rest>\S.*)$",
            r"\g<determiner>\g<who> \g<rest>",
        ),
        (
            r"^(?P<when>(?:if|when|whenever|once|unless|until)\s[^,]+),\s*(?!they |s?he )(?P<rest>\S.*)$",
            r"\g<rest> \g<when>",
        ),
        (
            r"^(?:(?:all|most|many|some|of|the|a|every|people|those|from|in|belonging to)\s+)*"
            rf"(?P<who>(?:[\w-]+ and )?[\w-]+?)(?:'s)?\s+{_TRIBE}\b(?!,| and\b| members| people)",
            r"\g<who> people",
        ),
        (r"^(?P<what>[^-–—:]+?)\s+[-–—]\s+(?P<who>[^-–—:]+)$", r"\g<who> - \g<what>"),
        (r"^(?P<who>[^()]+?)\s*\((?P<what>[^()]+)\)$", r"\g<who> - \g<what>"),
        (r"^(?P<who>\w+s|(?-i:[A-Z])\w+)[-–—:](?!\w+(?:ing|ed)\b)(?=\w)", r"\g<who> - "),
    )
)
"""Statements in another order than "X are Y", and the order in which they are read where that has a group in front."""
_BETWEEN = re.compile(
    r"\s*(?:;|,?\s+(?:and|while|whereas|but|yet)\s+|,\s+|(?<=\w{3})\.\s+|\s+(?=\w+s (?:are|is)\b))",
    re.IGNORECASE,
)
_QUALITY = re.compile(r"\b(?:are|is) (?:(?:very|too|so|always|not) )?(?P<quality>[\w-]+)$", re.IGNORECASE)
_CONJUNCTION = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|&|or)\s+", re.IGNORECASE)
_AMONG_SUBJECTS = re.compile(r"\s+(?:and|&|or|as well as|nor)\s+|\s*[,/]\s*", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:not|never|no|neither|nor|cannot)\b|n't\b")
_DENIED = re.compile(r"^(?:not|never)\s+", re.IGNORECASE)


@cache
def _connectives() -> re.Pattern[str]:
    """Matches connectives in front: those that may stand alone, and adverbs only with the comma behind them."""
    alone, before_comma = (
        "|".join(sorted(words(name), key=len, reverse=True)) for name in ("connectives", "openers")
    )
    return re.compile(rf"^(?:(?:{alone})\b[\s,:;-]*|(?:{before_comma})\s*,\s*)(?=\w)", re.IGNORECASE)


def plain(text: str) -> str:
    """One line with straight apostrophes, its subject in front: no bullet, no "they say that", no "in the north"."""
    line = re.sub(r"(?<=[\w)])\s*\t\s*(?=\w)", " - ", re.sub(r"[‘’`´]", "'", readable(text)))
    line = spelt_out(_BULLET.sub("", " ".join(line.split())))
    dots = _DOTS.search(line)
    line = _DOTS.sub(" - " if dots and is_group(line[: dots.start()]) else " ", line)
    while (shorter := _without_opening(line)) != line:
        line = shorter
    return line


def _without_opening(line: str) -> str:
    """The line without one opening that leaves a group and a verb, or in the order of `_ORDERED`; or as it is."""
    line = _ABOUT.sub(r"\g<who> ", line)
    for pattern in (reports(), _connectives(), _POSSESSIVE):
        rest = pattern.sub("", line)
        if rest != line and (
            has_subject(_reordered(rest)) or (pattern is not _POSSESSIVE and takes_up(rest))
        ):
            return rest
    return _reordered(line)


def _reordered(line: str) -> str:
    for pattern, replacement in _ORDERED:
        if match := pattern.match(line):
            rest, named = pattern.sub(replacement, line, count=1), match.groupdict()
            divided = "what" not in named or (is_group(named["who"]) and find_split(tokens(line)) is None)
            if has_subject(rest) and divided and ("who" not in named or _is_name(named["who"])):
                return rest
    return line


def _is_name(who: str) -> bool:
    """Whether words can name a group and hold no verb: a known one, a plural, or a word that no dictionary has."""
    last = who.rsplit(" and ", maxsplit=1)[-1]
    name = is_group(last) or is_plural(last.split()[-1]) or (" " not in last and not in_dictionary(last))
    return name and find_split(tokens(who)) is None


def without_label(text: str) -> str:
    """Take the label off "Ethnicity: some people feel ...", where the rest has a subject of its own."""
    match = _LABEL.match(text)
    labelled = (
        match and has_subject(match["rest"]) and tokens(match["rest"])[0].lower() not in words("pronouns")
    )
    return match["rest"] if match and labelled else text


def clauses(text: str) -> list[str]:
    """Cut where a new subject begins ("Ibos trade and Hausas farm" -> two); else the text as it is."""
    pieces, start = [], 0
    for mark in _BETWEEN.finditer(text):
        left, right = text[start : mark.start()], text[mark.end() :]
        always = mark.group().strip() == ";" and not is_group(left)  # "Basques; proud" is one statement
        aside = right.lower().startswith(("i ", "we ", "you "))
        new = has_subject(right) or takes_up(right) or aside or mark.group().startswith(".")
        if mark.group().isspace() and not _ends_statement(left):
            continue
        if left.strip() and right.strip() and (always or ((has_subject(left) or takes_up(left)) and new)):
            pieces.append(left)
            start = mark.end()
    return [*pieces, text[start:]]


def _ends_statement(text: str) -> bool:
    """Whether a statement may end with its adjective without a mark ("cooks are loud", not "cooks are sure")."""
    match = _QUALITY.search(text)
    quality = match["quality"].lower() if match else ""
    return can_be(quality, "ADJ") and quality not in words("adjectives_with_clause")


def takes_up(text: str) -> bool:
    """Whether the words take up the last subject with a pronoun ("they are also noisy", "they like beer")."""
    first, *rest = text.lower().split() or [""]
    verb = next((word for word in rest if not is_adverb(word)), "")
    return first in {"they", "he", "she"} and (is_closed(verb) or is_plain_verb(verb))


def subjects(who: str) -> list[str]:
    """Take groups apart: "Bakers and cooks" -> two groups; "men and women in power" stays one."""
    who = re.sub(r"^(?:both|either|neither)\s+", "", who, flags=re.IGNORECASE)
    parts = [part.strip() for part in _AMONG_SUBJECTS.split(who) if part.strip()]
    heads = [tokens(part) for part in parts]
    if len(parts) < 2 or any(head[0].lower() in words("pronouns") for head in heads):
        return parts if len(parts) == 1 else [who]
    *front, last = heads
    if len(last) == 2 and all(len(head) == 1 and _modifies(head[0]) for head in front):
        # "white/black women", "Igbo and Hausa women"; "deaf and mute people" may be both
        several = [*(f"{part} {last[-1]}" for part in parts[:-1]), parts[-1]]
        each = "/" in who or all(map(is_people, parts[:-1]))
        return several if each or all(map(is_group, several)) else [who]
    if (
        len(heads[0]) == 2
        and _modifies(heads[0][0])
        and all(len(head) == 1 and is_group(head[0]) for head in heads[1:])
    ):
        return [parts[0], *(f"{heads[0][0]} {part}" for part in parts[1:])]  # "Basque men and women"
    named = (
        len(head) <= 3 and (is_plural(head[-1]) or is_group(part))
        for head, part in zip(heads, parts, strict=True)
    )
    return parts if all(named) else [who]


def _modifies(word: str) -> bool:
    """Whether a word can stand in front of a noun for people: an adjective or the name of a people."""
    return can_be(word, "ADJ") or is_people(word)


def predicates(text: str) -> list[str]:
    """The several things that a predicate says, each fit to stand behind the subject.

    Adjectives and plural nouns that a copula joins are taken apart ("smart and rich", "liars and cheats"), and so are
    verb phrases ("like money and are loud"). Objects of one verb stay together ("love money and fame"): what is said
    may need both. So does anything that is negated or compared as a whole.
    """
    pieces = list(_pieces(text))
    first, _, rest = text.strip().partition(" ")
    copula = first.lower() in words("copulas")
    if len(pieces) < 2:
        alternatives = (rest if copula else text).split("/")
        plain_words = (copula or not _is_action(text)) and all(
            " " not in each and _is_quality(each) for each in alternatives
        )
        return alternatives if len(alternatives) > 1 and plain_words else [text]
    acts = [_is_action(piece) for piece in pieces]
    if all(is_closed(piece.split()[0].lower()) for piece in pieces[1:]) or (
        all(acts[1:]) and acts[0] and not copula
    ):
        return pieces
    neither = " or " in text and " and " not in text and bool(_DENIED.match(rest if copula else text))
    denied = _NEGATION.search(pieces[0].lower()) or " or " in text  # "neat or rich" are not both
    if (acts[0] and not copula) or " than " in text.lower() or (denied and not neither):
        return [text]
    # A denial reaches forward ("not kind and fair" denies both) and never back ("fair and not kind").
    several = [linked(pieces[0].partition(" ")[2] if copula else pieces[0])]
    several += (f"not {piece}" if neither else piece for piece in pieces[1:])
    # A verb phrase may end the list where what is before it is what a copula joins ("calm, neat and sing well").
    tail = copula and acts[-1] and (len(several) > 2 or not can_be(several[-1].split()[0], "NOUN"))
    return (
        several
        if all(_is_quality(_DENIED.sub("", each)) for each in several[: len(several) - tail])
        else [text]
    )


def _pieces(text: str) -> Iterator[str]:
    """What stands between conjunctions outside brackets and quotation marks."""
    start = 0
    for mark in (*_CONJUNCTION.finditer(text), None):
        before = text[: mark.start()] if mark else text
        if mark is None or (before.count("(") == before.count(")") and before.count('"') % 2 == 0):
            if piece := before[start:].strip():
                yield piece
            start = mark.end() if mark else start


def _is_action(text: str) -> bool:
    """Whether the words are a verb phrase with a verb that fits "they" ("show their strength", not "told to wait")."""
    low = [part.lower() for part in tokens(text)]
    while len(low) > 1 and is_adverb(low[0]):
        del low[0]
    if len(low) < 2 or is_closed(low[0]):
        return len(low) > 1
    verb = is_plain_verb(low[0]) and lemma(low[0], "VERB") == low[0]
    return verb and not can_be(low[0], "ADJ") and not can_be(low[-1], "ADV")


def _is_quality(text: str) -> bool:
    """Whether the words are an adjective, perhaps with a complement, or a plural noun of at most two words."""
    low = [part.lower() for part in tokens(text)]
    while len(low) > 1 and is_adverb(low[0]):
        del low[0]
    if not low or low[0] in _OUTSIDE or len(low) > _LONGEST_PART:
        return False
    if is_group(" ".join(low)):
        return True
    if (
        len(low) == 2 and _is_participle(low[1]) and not is_plain_verb(low[0])
    ):  # "well educated", "business minded"
        return True
    if (can_be(low[0], "ADJ") or _is_participle(low[0]) or "-" in low[0]) and (
        len(low) == 1 or low[1] in _COMPLEMENTS
    ):
        return True
    return is_plural(low[-1]) and (len(low) == 1 or (len(low) == 2 and not is_plain_verb(low[0])))


def _is_participle(word: str) -> bool:
    """Whether the word is a verb's participle ("cooking", "gifted"), not "king" or "need"."""
    return word.endswith(("ed", "ing")) and (
        lemma(word, "VERB") != word if in_dictionary(word) else len(word) > 5
    )


_COMPLEMENTS = frozenset({"about", "of", "in", "with", "at", "on", "for", "to"})
_OUTSIDE = (
    (words("prepositions") - {"outside", "above", "under"}) | words("pronouns") | {"unlike", "than", "such"}
)
"""First words of what is added to a predicate and is no further predicate ("calm, unlike cooks")."""
_LONGEST_PART = 6
"""Words of one predicate in a list; what is longer was not read rightly."""
