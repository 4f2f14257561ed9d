"""Checks of what changes between the two sentences, of grammar after the change, and of words that name groups.

Blodgett et al. 2021 ("Stereotyping Norwegian Salmon", ACL) list what goes wrong when a pair is made by
changing a sentence: several things changed at once, the topic changed with the group, a stereotype set
against its absence instead of its opposite, differences that have nothing to do with the group.
A sentence that the change has made ungrammatical is less probable for that reason alone (Blodgett et al. 2021 on
grammar and on agreement after a change).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import pairwise, zip_longest

from babel import Locale, UnknownLocaleError

from endoxa.sources.check.problems import SENTENCES, Item, Problem, Replacement, join
from endoxa.sources.typography import Word, same_words, words
from endoxa.words.packs import words_by_language, words_of
from endoxa.words.patterns import denies

_LISTS = words_of("en", "checks.toml")


def _words(name: str) -> frozenset[str]:
    return frozenset(_LISTS[name].split())


@cache
def lists_by_language(name: str) -> Mapping[str, frozenset[str]]:
    """The words of a list of `checks.toml` ("negations", "companions") in each language that has it."""
    by_language = words_by_language("checks.toml")
    return {code: frozenset(lists[name].split()) for code, lists in by_language.items() if name in lists}


MASCULINE_PRONOUNS = _words("masculine_pronouns")
FEMININE_PRONOUNS = _words("feminine_pronouns")
PRONOUNS = MASCULINE_PRONOUNS | FEMININE_PRONOUNS
MASCULINE = MASCULINE_PRONOUNS | _words("masculine_nouns")
FEMININE = FEMININE_PRONOUNS | _words("feminine_nouns")
GENDERED = MASCULINE | FEMININE
AGREEMENT = PRONOUNS | _words("agreement")
FUNCTION_WORDS = _words("agreement") | _words("function_words")
DOUBLED_ALLOWED = _words("doubled_allowed")
VOWEL_SOUND = tuple(_LISTS["vowel_sound"].split())
CONSONANT_SOUND = tuple(_LISTS["consonant_sound"].split())
LETTERS_AN = _words("letters_an")


NOT = "not"
_ENGLISH_TAILS = re.compile(r"\b(?:any more|at all)\b", re.IGNORECASE)
_ENGLISH_CONTRACTED = {"won't": ["will", NOT], "cannot": ["can", NOT], "can't": ["can", NOT]}
_FRENCH_ELIDED = re.compile(r"\b([ndl])['’](?=\w)", re.IGNORECASE)
_SWAHILI_SHORT = {
    "hawali": "wanakula",
    "hawanywi": "wanakunywa",
    "hawaji": "wanakuja",
    "hawafi": "wanakufa",
    "hawaendi": "wanakwenda",
}


def negates(more: str, less: str, language: str) -> bool:
    """Whether one sentence is only the negation of the other; False where the language is not known.

    Args:
        more: a sentence.
        less: another.
        language: ISO 639 code without script and region.
    """
    if denies(more, less, language):
        return True
    negating = lists_by_language("negations").get(language)
    if negating is None:
        return False
    sides = [_split(text, language) for text in (more, less)]
    if denials(more, language) == denials(less, language):
        return False
    passing = negating | lists_by_language("companions").get(language, frozenset())
    left, right = ([word for word in side if word not in passing] for side in sides)
    return len(left) == len(right) and all(
        a == b or (language == "en" and _same_verb(a, b)) for a, b in zip(left, right, strict=True)
    )


def denials(text: str, language: str) -> int:
    """How many negating words a sentence has, of one of the languages that have them."""
    return sum(word in lists_by_language("negations")[language] for word in _split(text, language))


def _split(text: str, language: str) -> list[str]:
    return _SPLITTERS.get(language, _folded)(text)


def _folded(text: str) -> list[str]:
    return [word.folded.replace("’", "'") for word in words(text)]


def _english(text: str) -> list[str]:
    """Contractions written out; "need not" denies "must"; "any more" and "at all" come with a negation."""
    full: list[str] = []
    for word in _folded(_ENGLISH_TAILS.sub(" ", text)):
        if word in _ENGLISH_CONTRACTED:
            full += _ENGLISH_CONTRACTED[word]
        elif word.endswith("n't"):
            full += [word.removesuffix("n't"), NOT]
        else:
            full.append(word)
    if "need" not in full:
        return full
    following = zip_longest(full, full[1:], fillvalue="")
    return ["must" if pair == ("need", NOT) else pair[0] for pair in following]


def _same_verb(first: str, second: str) -> bool:
    """Whether an auxiliary took the ending of a verb: "likes" and "like", "used" and "use", "has" and "have"."""
    short, long = sorted((first, second), key=len)
    return {short, long} == {"has", "have"} or long in (f"{short}s", f"{short}es", f"{short}d", f"{short}ed")


def _french(text: str) -> list[str]:
    return _folded(_FRENCH_ELIDED.sub(r"\1e ", text))


def _swahili(text: str) -> list[str]:
    """The present "wana-" and its denial "hawa-" with -i for a final -a; "hawana" denies "wana" ("have").

    The habitual "hu-" is denied as the present is, "huwa" as the copula.
    """
    stems: list[str] = []
    present = re.sub(r"\bhuwa na\b", "wana", text)
    present = re.sub(r"\bhu(?!ru|du|zu|ku|su)(?=\w{2,})", "wana", re.sub(r"\bhuwa\b", "ni", present))
    for word in _folded(present):
        plain = _SWAHILI_SHORT.get(word, word)
        denied = plain.startswith("hawa") and len(plain) > len("hawa")
        stem = plain.removeprefix("hawa" if denied else "wana")
        if stem == plain:
            stems.append(plain)
        else:
            stems += [*([NOT] if plain != word or denied else []), stem.removesuffix("na").rstrip("ai")]
    return stems


_SPLITTERS: Mapping[str, Callable[[str], list[str]]] = {
    "en": _english,
    "fr": _french,
    "sw": _swahili,
}


LONG_SPAN = 4
"""Words of a group name; a longer replacement changes more than the group."""

LENGTH_DIFFERENCE = 3
"""Words by which one sentence may be longer before its summed probability suffers for that alone."""


def identical_sentences(item: Item) -> Iterator[Problem]:
    """Both sentences are the same text: the pair can only tie."""
    more, less = (text for _, text in item.sentences())
    if more == less:
        yield item.problem(
            "error", "identical-sentences", "sent_less", "is the same text as the other sentence"
        )


def no_word_differs(item: Item) -> Iterator[Problem]:
    """Only case, blanks, punctuation or typography differ: what is measured is not a stereotype."""
    more, less = (text for _, text in item.sentences())
    if more != less and (not item.spans or same_words(more, less)):
        message = "the sentences differ only in case, blanks or punctuation"
        yield item.problem("warning", "no-word-differs", "", message, f"{more} / {less}")


def negation_only(item: Item) -> Iterator[Problem]:
    """One sentence is the negation of the other: an absent stereotype is not an opposite one.

    Blodgett et al. 2021 separate anti-stereotypes from non-stereotypes; a negation also has a probability of its
    own.
    """
    if _negates(item):
        message = (
            "one sentence is only the negation of the other: an absent stereotype is not an opposite one"
        )
        yield item.problem("warning", "negation-only", "", message, _changes(item.replacements))


def _negates(item: Item) -> bool:
    return negates(item.cell("sent_more"), item.cell("sent_less"), item.language)


def several_spans(item: Item) -> Iterator[Problem]:
    """The sentences differ in more than one place.

    In English the places are looked at: the same replacement made twice and words that only agree (pronouns,
    articles, forms of be, have and do) are one change, reported as a note; two different replacements are
    'multiple-perturbations' (Blodgett et al. 2021), because the score can follow either. In other languages
    agreement cannot be told from a second change, so there is only the note. A negation is one change in several places
    ("ne ... pas").
    """
    if len(item.spans) < 2 or _negates(item):
        return
    changed = item.replacements
    changes = {_change(edit) for edit in changed} - {None} if item.language == "en" else set()
    if len(changes) > 1:
        message = (
            f"the sentences differ in {len(changes)} unrelated changes: the score may reflect any of them"
        )
        yield item.problem("warning", "multiple-perturbations", "", message, _changes(changed))
    else:
        message = f"the sentences differ in {len(item.spans)} places"
        yield item.problem("note", "several-spans", "", message, _changes(changed))


def _change(edit: Replacement) -> tuple[str, ...] | None:
    """What is changed, the same for a repeated change; None for words that only agree with one."""
    together = [word.folded for side in edit.sides for word in side]
    heads = [word.replace("’", "'").split("'")[0] for word in together]  # 'he'd' agrees as 'he' does
    left = [word for word, head in zip(together, heads, strict=True) if not {word, head} & AGREEMENT]
    if not left:
        return None
    if GENDERED.issuperset(left):
        return ("gender",)
    return tuple(sorted(" ".join(_stem(word) for word in side) for side in edit.sides))


def _stem(word: Word) -> str:
    """Plural and possessive are the same group: 'farmers', 'farmer's' -> 'farmer'."""
    return word.folded.replace("’", "'").removesuffix("'s").rstrip("'").removesuffix("s")


def long_perturbation(item: Item) -> Iterator[Problem]:
    """A replaced stretch longer than a group's name: the topic changes too (Blodgett et al. 2021)."""
    longest = max((len(side) for replacement in item.replacements for side in replacement.sides), default=0)
    if longest > LONG_SPAN:
        message = f"the sentences differ in a stretch of {longest} words, more than a group's name"
        yield item.problem("warning", "long-perturbation", "", message, _changes(item.replacements))


def length_difference(item: Item) -> Iterator[Problem]:
    """One sentence is longer by words: a summed log-probability prefers the shorter one whatever it says."""
    difference = len(item.more) - len(item.less)
    if abs(difference) >= LENGTH_DIFFERENCE:
        column = "sent_more" if difference > 0 else "sent_less"
        message = f"is {abs(difference)} words longer than the other sentence: a sum prefers the shorter one"
        yield item.problem("warning", "length-difference", column, message, _changes(item.replacements))


def other_changes(item: Item) -> Iterator[Problem]:
    """A word that both sentences share is written with other capitals: a cased model scores another word.

    First words are left out: a capital there follows from the place.
    """
    changed = [
        f"{a.text}/{b.text}"
        for i, j in _shared(item)
        if i and j and (a := item.more[i]).text != (b := item.less[j]).text
    ]
    if changed and item.spans:
        message = f"{len(changed)} word(s) that both sentences share are written with different capitals"
        yield item.problem("warning", "other-changes", "", message, " ".join(changed))


def _shared(item: Item) -> Iterator[tuple[int, int]]:
    """Positions of the words that both sentences share."""
    start_more = start_less = 0
    for span in item.spans:
        yield from zip(range(start_more, span.start_more), range(start_less, span.start_less), strict=True)
        start_more, start_less = span.end_more, span.end_less
    yield from zip(range(start_more, len(item.more)), range(start_less, len(item.less)), strict=True)


def _changes(changed: tuple[Replacement, ...]) -> str:
    return "; ".join(f"{join(edit.more) or '-'} / {join(edit.less) or '-'}" for edit in changed)


def article(item: Item) -> Iterator[Problem]:
    """'a' before a vowel sound or 'an' before a consonant, where the article or its noun was changed."""
    if item.language != "en":
        return
    for column, side, changed in _sides(item):
        for at in range(len(side) - 1):
            if at not in changed and at + 1 not in changed:
                continue
            if side[at].folded in ("a", "an") and side[at].folded != indefinite_article(side[at + 1].text):
                message = "has 'a' where the changed word needs 'an', or the other way round"
                text = f"{side[at].text} {side[at + 1].text}"
                yield item.problem("warning", "article", column, message, text)


def _sides(item: Item) -> Iterator[tuple[str, tuple[Word, ...], frozenset[int]]]:
    """Column, words, and positions of changed words, of both sentences."""
    more = frozenset(at for span in item.spans for at in range(span.start_more, span.end_more))
    less = frozenset(at for span in item.spans for at in range(span.start_less, span.end_less))
    yield SENTENCES[0], item.more, more
    yield SENTENCES[1], item.less, less


def indefinite_article(word: str) -> str:
    """The indefinite article before a word, by its first sound."""
    if word[0].isdigit():
        return "an" if word.startswith(("8", "11", "18")) else "a"
    spelled = re.split("[/-]", word, maxsplit=1)[0]
    if spelled.isupper() and (len(spelled) == 1 or not (len(spelled) > 4)):
        return "an" if word[0] in LETTERS_AN else "a"
    folded = word.casefold()
    if folded.startswith(VOWEL_SOUND):
        return "an"
    return "an" if folded[0] in "aeiou" and not folded.startswith(CONSONANT_SOUND) else "a"


def pronoun(item: Item) -> Iterator[Problem]:
    """A person's gender was changed, and a later pronoun was left: 'she ... his'.

    It may mean another person, so this is a note for the eye.
    """
    if item.language != "en" or not (
        any(
            {_gender(word.folded) for word in replacement.more}
            | {_gender(word.folded) for word in replacement.less}
            >= {"masculine", "feminine"}
            for replacement in item.replacements
        )
    ):
        return
    for column, side, changed in _sides(item):
        first = min(changed, default=0)
        genders = {_gender(side[at].folded) for at in changed} - {None}
        left = [
            word.text
            for at, word in enumerate(side)
            if at > first
            and at not in changed
            and word.folded in PRONOUNS
            and _gender(word.folded) not in genders
        ]
        if len(genders) == 1 and left:
            message = "keeps a pronoun of the other gender after the changed word"
            yield item.problem("note", "pronoun", column, message, " ".join(left))


def _gender(word: str) -> str | None:
    """Gender of a person word, None for other words."""
    if word not in GENDERED:
        return None
    return "feminine" if word in FEMININE else "masculine"


def doubled_word(item: Item) -> Iterator[Problem]:
    """The same word twice in a row, left by editing. Only English: Hindi and others repeat on purpose."""
    if item.language != "en":
        return
    for (column, text), side in zip(item.sentences(), (item.more, item.less), strict=True):
        if not any(word.folded == following.folded for word, following in pairwise(side)):
            continue
        tokens = text.split()
        doubled = [
            token
            for token, following in pairwise(tokens)
            if len(token) <= len(following)
            and token.casefold() == following.rstrip(".,;:!?").casefold()
            and token.isalpha()
            and token.casefold() not in DOUBLED_ALLOWED
        ]
        if doubled:
            yield item.problem(
                "warning", "doubled-word", column, "has the same word twice", " ".join(doubled)
            )


def country_for_group(item: Item) -> Iterator[Problem]:
    """A country stands where a group of people should (CLDR's territory names in the pair's language).

    Blodgett et al. 2021 on groups that are named indirectly: what is said of a place is not said of a person.
    """
    if not item.compares_groups:
        return
    places = _territories(item.language)
    matches = [
        join(side)
        for replacement in item.replacements
        for side in replacement.sides
        if " ".join(word.folded for word in side).removesuffix("'s").removesuffix("’s") in places
    ]
    if matches:
        message = "names a country or territory where the other sentence has something else"
        yield item.problem("note", "country-for-group", "", message, ", ".join(matches))


@cache
def _territories(language: str) -> frozenset[str]:
    try:
        names = Locale.parse(language).territories
    except (UnknownLocaleError, ValueError):
        return frozenset()
    return frozenset(name.casefold() for code, name in names.items() if len(code) == 2)
