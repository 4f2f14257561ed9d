"""Which gender a text asks of the people in it: by nouns first, then by pronouns.

Pelosio et al. 2025, 4.1.1 let a chat model label the options; here rules read the whole item.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from endoxa.instruments.questions.names import lexicon
from endoxa.instruments.questions.names.bank import Gender
from endoxa.instruments.questions.names.phrases import Phrase, UnwritableError, find_phrases, singular
from endoxa.instruments.questions.names.text import GroupWords, Token

_PERSONS = ("person", "predicate")
_ANY_OF_THEM = frozenset(["one", "other", "each", "both", "who", "which"])


def required_genders(
    texts: Iterable[str], questions: Iterable[str], words: GroupWords
) -> dict[str, Gender | None]:
    """Group -> the gender that its person must have, None where any will do.

    A noun decides ("the X woman"); else the pronouns that speak of the person ("X friend ... her job"). A group of
    which a text knows a family or a team only may have any.

    Args:
        texts: contexts and options of records about the same people.
        questions: their questions; "who ... his wife?" speaks of all of them.
        words: what names a group.

    Raises:
        UnwritableError: a person is a man and a woman, or is called he and she.
    """
    by_noun: dict[str, set[Gender]] = {}
    by_pronoun: dict[str, set[Gender]] = {}
    question_tokens = [words.tokens(question) for question in dict.fromkeys(questions)]
    for text in dict.fromkeys(texts):
        phrases = find_phrases(text, words)
        for phrase in phrases:
            for group in phrase.groups:
                by_noun.setdefault(group, set()).update(_of_nouns(phrase))
        _note(by_pronoun, _of_pronouns(words.tokens(text), phrases, ()))
        persons = _persons(phrases)
        for tokens in question_tokens if persons else ():
            _note(by_pronoun, _of_pronouns(tokens, [], persons))
    return {
        group: _single_gender(group, genders or by_pronoun.get(group, set()))
        for group, genders in by_noun.items()
    }


def noun_gender(noun: str) -> Gender | None:
    """The gender that a noun for a person says, or None."""
    word = singular(noun)
    if word in lexicon.MALE:
        return "male"
    return "female" if word in lexicon.FEMALE else None


def pronoun_gender(word: str) -> Gender | None:
    """The gender that a pronoun says, or None."""
    if word in lexicon.MALE_PRONOUN:
        return "male"
    return "female" if word in lexicon.FEMALE_PRONOUN else None


def _of_nouns(phrase: Phrase) -> set[Gender]:
    if phrase.kind != "person":
        return set()
    return {gender for noun in (phrase.head, *phrase.compound) if (gender := noun_gender(noun))}


def _of_pronouns(
    tokens: Iterable[Token], phrases: list[Phrase], at_first: tuple[str, ...]
) -> Iterator[tuple[str, Gender]]:
    """(Group, gender) for each pronoun that speaks of a group's person.

    A pronoun speaks of whoever was last named that it can speak of: "the X student had his father come, and he" is no
    news of the student after "father".
    """
    last: dict[Gender, tuple[str, ...]] = {"male": at_first, "female": at_first}
    everybody = _persons(phrases) or at_first
    coming = iter(phrases)
    phrase = next(coming, None)
    for token in tokens:
        while phrase is not None and token.start >= phrase.end:
            phrase = next(coming, None)
        pronoun = pronoun_gender(token.folded)
        if pronoun:
            yield from ((group, pronoun) for group in last[pronoun])
        elif token.group and phrase is not None and _speaks_of_person(phrase, everybody):
            last = dict.fromkeys(last, phrase.groups)
        elif phrase is not None and phrase.start <= token.start:
            continue
        elif token.folded in _ANY_OF_THEM:
            last = dict.fromkeys(last, everybody)
        elif noun := noun_gender(token.folded):
            last[noun] = ()


def _speaks_of_person(phrase: Phrase, persons: tuple[str, ...]) -> bool:
    return phrase.kind in _PERSONS or (phrase.kind == "one" and phrase.groups[0] in persons)


def _persons(phrases: Iterable[Phrase]) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(group for phrase in phrases if phrase.kind in _PERSONS for group in phrase.groups)
    )


def _note(genders: dict[str, set[Gender]], mentions: Iterable[tuple[str, Gender]]) -> None:
    for group, gender in mentions:
        genders.setdefault(group, set()).add(gender)


def _single_gender(group: str, genders: set[Gender]) -> Gender | None:
    if len(genders) > 1:
        raise UnwritableError("the text says both man and woman of one person", group)
    return next(iter(genders), None)
