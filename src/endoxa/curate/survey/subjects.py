"""Who a piece is about that names nobody itself: the group of its sentence, of its heading, or of its question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from endoxa.curate.english import in_dictionary, is_plural, lemma, tokens, words
from endoxa.curate.extract import Extraction, Question, begins_statement
from endoxa.curate.extract.omission import heading as is_heading
from endoxa.curate.normalise import Tables, is_group, normal_identity
from endoxa.curate.survey.commas import is_pronoun

_LABELLED = re.compile(r"\s(?:[-–—:=]|[-=]?>)\s|\w:\s|[→⇒]")
_ABOUT = re.compile(
    r"^.*?(?P<kind>\w+) (?:about|of|on|for|against|towards?|regarding) (?P<who>\S.*)$", re.IGNORECASE
)
_PERSONS = re.compile(
    r"(?:ers|ors|ists|ians|men|people|girls|boys|ladies|guys|wives|husbands|kids|children|adults)$"
)
_KINDS = re.compile(
    r"(?:answer|aspect|assumption|attribute|bad|belief|characteristic|comment|common|con"
    r"|disadvantage|example|following|general|generalization|generalisation|good|idea|label"
    r"|negative|one|opinion|other|perception|point|positive|prejudice|pro|quality|reason|remark"
    r"|saying|side|statement|stereotype|strength|thing|trait|view|weakness|word)"
)
"""What a heading calls its items; such a word names no group, and leaves the group of the heading above."""


@dataclass(frozen=True, slots=True)
class Named:
    """The groups that an answer has named so far.

    Attributes:
        heading: those of the last heading.
        last: those that the last piece was about.
    """

    heading: tuple[str, ...] = ()
    last: tuple[str, ...] = ()


def inherited(text: str, question: Question, named: Named, *, opens: bool) -> tuple[str, ...]:
    """The subjects of a piece that has none of its own; none where it has, or where the question's group is meant.

    A continuation of the same sentence and a pronoun take up the last subject. At the beginning of a line, sentence
    or item the heading holds, then the question's group, then the last subject; but the last one is not taken up by an
    item with a dash, colon or arrow, which names a subject that could not be read.
    """
    pronoun = is_pronoun(text)
    if begins_statement(text) and not pronoun:
        return ()
    pairs = named.last
    if opens and not pronoun:
        apart = question.identity is not None or bool(_LABELLED.search(text))
        pairs = named.heading or (() if apart else named.last)
    return () if pairs == (question.identity,) else pairs


def after(named: Named, pairs: Sequence[Extraction], subjects_before: tuple[str, ...]) -> Named:
    """What is named behind a piece: who its last attribute was said of, else whom it inherited."""
    last = pairs[-1].attribute
    subjects = tuple(
        dict.fromkeys(pair.identity for pair in pairs if pair.attribute == last and pair.identity)
    )
    return Named(named.heading, subjects or subjects_before)


def below_heading(
    text: str, question: Question, country: str, tables: Tables | None, *, opens: bool
) -> Named | None:
    """What is named behind a heading ("Men:", "Stereotypes about men:", "Men are:"); None where a piece is none.

    A heading that names neither a group nor a kind of item ends the one before: its items may be about anybody. The
    known name of a group alone in its line stands for one where the question fixes no group.
    """
    bare = text.strip(" *_#")
    if opens and question.identity is None and is_group(bare, tables):
        return Named((), (normal_identity(bare, country, tables),))
    if not is_heading(bare):
        return None
    who = bare.rstrip(" :*_")
    about = _ABOUT.match(who)
    if about and _is_kind(about["kind"]):
        who = about["who"]
    parts = _up_to_verb(tokens(who))
    if not parts or _is_kind(parts[-1]):
        return None
    names = re.split(r"\s+(?:and|or|&)\s+|\s*[,/]\s*", " ".join(parts))
    if not all(_is_name(name, question) for name in names):
        return Named()
    groups = tuple(normal_identity(name, country, tables) for name in names)
    return Named(groups, groups)


def _up_to_verb(parts: Sequence[str]) -> list[str]:
    closed = words("copulas") | words("modals") | words("auxiliaries")
    end = next((place for place, word in enumerate(parts) if word.lower() in closed), len(parts))
    return list(parts[:end])


def _is_kind(word: str) -> bool:
    return bool(_KINDS.fullmatch(word.lower()) or _KINDS.fullmatch(lemma(word, "NOUN")))


def _is_name(text: str, question: Question) -> bool:
    """Whether words name a group: a known one, or a plural ("nurses").

    Where the question fixes the group, a plural may be a theme ("looks"): there it must be formed as people are.
    """
    low = text.lower().split()
    if not low or low[0] in words("prepositions") | words("pronouns") | words("first_persons"):
        return False
    end = next((place for place, word in enumerate(low) if place and word in words("prepositions")), len(low))
    head = low[end - 1]
    formed = question.identity is None or bool(_PERSONS.search(head)) or not in_dictionary(head)
    return is_group(text) or is_group(head) or (is_plural(head) and formed)
