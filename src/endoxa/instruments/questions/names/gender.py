"""Which gender a text asks of the people in it: by nouns first, then by pronouns.

Pelosio et al. 2025, 4.1.1 let a chat model label the options; here rules read the whole item.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from endoxa.instruments.questions.names import lexicon
from endoxa.instruments.questions.names.bank import Gender
from endoxa.instruments.questions.names.phrases import Phrase, UnwritableError, find_phrases, singular
from endoxa.instruments.questions.names.text import GroupWords, Token

_PERSONS = ("person", "predicate")
_ANY_OF_THEM = frozenset(["one", "other", "each", "both", "who", "which"])


_NOUNS: Mapping[str, Gender] = {
    **dict.fromkeys(lexicon.MALE, "male"),
    **dict.fromkeys(lexicon.FEMALE, "female"),
}
_PRONOUNS: Mapping[str, Gender] = {
    **dict.fromkeys(lexicon.MALE_PRONOUN, "male"),
    **dict.fromkeys(lexicon.FEMALE_PRONOUN, "female"),
}


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
    by_pronoun: dict[str, set[Gender]] = defaultdict(set)
    question_tokens = [words.tokens(question) for question in dict.fromkeys(questions)]
    for text in dict.fromkeys(texts):
        phrases = find_phrases(text, words)
        for phrase in phrases:
            nouns = (phrase.head, *phrase.compound) if phrase.kind == "person" else ()
            stated = {gender for noun in nouns if (gender := _NOUNS.get(singular(noun)))}
            for group in phrase.groups:
                by_noun.setdefault(group, set()).update(stated)
        persons = _persons(phrases)
        mentions = [*_of_pronouns(words.tokens(text), phrases, ())]
        for tokens in question_tokens if persons else ():
            mentions += _of_pronouns(tokens, [], persons)
        for group, gender in mentions:
            by_pronoun[group].add(gender)
    required = {group: stated or by_pronoun[group] for group, stated in by_noun.items()}
    for group, genders in required.items():
        if len(genders) > 1:
            raise UnwritableError("the text says both man and woman of one person", group)
    return {group: next(iter(genders), None) for group, genders in required.items()}


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
        if pronoun := _PRONOUNS.get(token.folded):
            yield from ((group, pronoun) for group in last[pronoun])
        elif token.group and phrase is not None and _speaks_of_person(phrase, everybody):
            last = dict.fromkeys(last, phrase.groups)
        elif phrase is not None and phrase.start <= token.start:
            continue
        elif token.folded in _ANY_OF_THEM:
            last = dict.fromkeys(last, everybody)
        elif noun := _NOUNS.get(singular(token.folded)):
            last[noun] = ()


def _speaks_of_person(phrase: Phrase, persons: tuple[str, ...]) -> bool:
    return phrase.kind in _PERSONS or (phrase.kind == "one" and phrase.groups[0] in persons)


def _persons(phrases: Iterable[Phrase]) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(group for phrase in phrases if phrase.kind in _PERSONS for group in phrase.groups)
    )
