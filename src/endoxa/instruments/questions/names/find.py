"""Where a text names groups: the noun phrases around group words, by closed lists of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from endoxa.instruments.questions.names import lexicon
from endoxa.instruments.questions.names.phrases import (
    Left,
    Phrase,
    UnwritableError,
    folded,
    goes_on,
    group_at,
    is_name,
    left_of,
    noun_number,
    right_of,
    shared_head,
)
from endoxa.instruments.questions.names.text import GroupWords, Token

_STILL_A_GROUP = "a whole group cannot be given one person's name"
_NAMED_ALREADY = "a name stands beside it already"


def find_phrases(text: str, words: GroupWords) -> list[Phrase]:
    """Every phrase that names a group, in order.

    Args:
        text: without slips (`text.mended`).
        words: what names a group.

    Raises:
        UnwritableError: a phrase whose build is not known.
    """
    tokens = words.tokens(text)
    found: list[Phrase] = []
    at = 0
    while at < len(tokens):
        if tokens[at].group:
            phrase, at = _phrase(text, tokens, at, found[-1] if found else None)
            _require_complete(text, tokens, phrase)
            found.append(phrase)
        else:
            at += 1
    return found


def _phrase(text: str, tokens: Sequence[Token], at: int, before: Phrase | None) -> tuple[Phrase, int]:
    """The phrase around the group word at `at`, and the token from which the search goes on."""
    if folded(tokens, at + 1) in lexicon.JOINING and group_at(tokens, at + 2):
        return _pair(text, tokens, at)
    left, right = left_of(tokens, at), right_of(tokens, at)
    if right is None:
        right = shared_head(tokens, at)
    if right is None:
        return _without_head(text, tokens, at, left)
    phrase = Phrase(
        start=tokens[left.first].start,
        end=tokens[right.last - 1].end,
        groups=(tokens[at].group,),
        kind=right.kind,
        determiner=left.determiner,
        modifiers=left.modifiers + right.modifiers,
        compound=right.compound,
        head=right.head,
        plural=right.plural,
        owner=folded(tokens, right.last) == "'s",
        of_mine=right.of_mine,
    )
    if phrase.plural and phrase.kind != "following":
        raise UnwritableError(_STILL_A_GROUP, text[phrase.start : phrase.end])
    if not phrase.determiner:
        phrase = _inherit(text, phrase, tokens, left, before)
    return phrase, right.last


def _require_complete(text: str, tokens: Sequence[Token], phrase: Phrase) -> None:
    """Refuse a phrase that may go on: "my X friend cook", "a X man named N", "N, my X friend,"."""
    before = sum(token.end <= phrase.start for token in tokens)
    last = sum(token.end <= phrase.end for token in tokens)
    comma = folded(tokens, last) == ","
    words = text[phrase.start : tokens[min(last + comma, len(tokens) - 1)].end]
    if phrase.kind != "predicate" and goes_on(tokens, last):
        raise UnwritableError("it is not clear where the words for the person end", words)
    beside = (comma and is_name(tokens, last + 1)) or (
        comma and folded(tokens, before - 1) == "," and is_name(tokens, before - 2)
    )
    if beside:
        raise UnwritableError(_NAMED_ALREADY, words)


def _pair(text: str, tokens: Sequence[Token], at: int) -> tuple[Phrase, int]:
    """'my X and Y friends'."""
    left, right = left_of(tokens, at), right_of(tokens, at + 2)
    last = right.last if right else at + 3
    words = text[tokens[left.first].start : tokens[last - 1].end]
    if right is None or not right.plural or right.kind == "following":
        raise UnwritableError("it is not clear whether one person or two are meant", words)
    if left.determiner not in lexicon.DEFINITE | lexicon.POSSESSIVE:
        raise UnwritableError(_STILL_A_GROUP, words)
    if folded(tokens, last) in ("'", "'s"):
        raise UnwritableError("what belongs to two people cannot be said with names", words)
    phrase = Phrase(
        start=tokens[left.first].start,
        end=tokens[last - 1].end,
        groups=(tokens[at].group, tokens[at + 2].group),
        kind=right.kind,
        determiner=left.determiner,
        modifiers=left.modifiers + right.modifiers,
        compound=right.compound,
        head=right.head,
        plural=True,
        of_mine=right.of_mine,
        joined=folded(tokens, at + 1),
    )
    return phrase, last


def _without_head(text: str, tokens: Sequence[Token], at: int, left: Left) -> tuple[Phrase, int]:
    """'one is X', 'one X and the other Y', 'a X', or nothing that is known."""
    token = tokens[at]
    if left.determiner == "one" or left.modifiers[-1:] == ("other",):
        return Phrase(token.start, token.end, (token.group,), "predicate"), at + 1
    follows = folded(tokens, at + 1)
    if not left.determiner and not left.modifiers:
        predicate = _predicate(tokens, at)
        if predicate:
            return predicate, at + 1
    words = text[tokens[left.first].start : tokens[min(at + 1, len(tokens) - 1)].end]
    if not _noun_ends(follows) and follows not in lexicon.BE_PLURAL:
        raise UnwritableError(
            f"'{follows}' is no noun that we know for a person, or for what people own", words
        )
    many = follows in lexicon.BE_PLURAL or token.folded.endswith(lexicon.PLURAL_ENDING)
    if many or not left.determiner:
        raise UnwritableError(_STILL_A_GROUP, words)
    phrase = Phrase(
        start=tokens[left.first].start,
        end=token.end,
        groups=(token.group,),
        kind="person",
        determiner=left.determiner,
        modifiers=left.modifiers,
        head=next((noun for noun in ("woman", "man") if token.folded.endswith(noun)), "person"),
        owner=follows == "'s",
    )
    return phrase, at + 1


def _noun_ends(follows: str) -> bool:
    """Whether a group word before that word, without a noun, can be a noun itself."""
    return not follows[:1].isalnum() or follows in lexicon.AFTER_NOUN


def _predicate(tokens: Sequence[Token], at: int) -> Phrase | None:
    """'one is X' or 'the fans were all X'; the head of the latter is the noun that is spoken of."""
    verb = at - 1
    adverbs: set[str] = set()
    while folded(tokens, verb) in lexicon.ADVERB:
        adverbs.add(folded(tokens, verb))
        verb -= 1
    if folded(tokens, verb) not in lexicon.BE:
        return None
    if is_name(tokens, verb - 1) and not _is_subject(folded(tokens, verb - 1)):
        raise UnwritableError(
            _NAMED_ALREADY, f"{tokens[verb - 1].text} {tokens[verb].text} {tokens[at].text}"
        )
    many = folded(tokens, verb) in lexicon.BE_PLURAL or bool(adverbs & lexicon.ALL_OF)
    subject = ""
    if many:
        for token in reversed(tokens[:verb]):
            if token.text in ".!?" or subject:
                break
            subject = token.folded if noun_number(token.folded) else ""
    return Phrase(
        tokens[at].start, tokens[at].end, (tokens[at].group,), "predicate", head=subject, plural=many
    )


def _is_subject(word: str) -> bool:
    return word in lexicon.SUBJECT or bool(noun_number(word))


def _inherit(text: str, phrase: Phrase, tokens: Sequence[Token], left: Left, before: Phrase | None) -> Phrase:
    """A phrase without determiner: 'a X man and Y man', a whole text, or a person told of before."""
    if left.first == 0 and phrase.end == len(text):
        return replace(phrase, determiner="the")
    if phrase.kind == "person" and before is not None:
        front = folded(tokens, left.first - 1)
        if front in lexicon.JOINING and left.first > 1 and before.end == tokens[left.first - 2].end:
            return replace(phrase, determiner=before.determiner)
        if front in lexicon.BEFORE_BARE:
            return replace(phrase, determiner="the")
    raise UnwritableError("a noun without an article that we know", text[phrase.start : phrase.end])
