"""Mentions of options in an answer: by full text, by distinctive words, or by letter.

Distinctive words name one option and no other. Letters are read in the spellings that models use, apart from the
article "A". Texts come twice, as they are and folded (`endoxa.runs.answers.text`): words are compared folded, and
the case of a letter is looked up in the original.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import regex

from endoxa.runs.answers.language import Language, language
from endoxa.runs.answers.text import Word, fold, key, normal, same_word, words
from endoxa.schema import QaItem

_LONGEST = 40
"""Words of an option beyond which only its whole text names it."""

Phrase = tuple[str, ...]


def phrases(
    keys: Sequence[Phrase], option: int, unknown: int, spoken: Language, question: Collection[str]
) -> Iterator[Phrase]:
    """The whole text of an option, and for a person what tells them from the other person.

    Args:
        keys: the words of each option without articles in front.
        option: which one.
        unknown: the option that it cannot be known.
        spoken: the language.
        question: words of the question; one of them alone names nobody.
    """
    name = keys[option]
    if not name or keys.count(name) > 1:
        return
    yield name
    if option == unknown or len(name) > _LONGEST:
        return
    other = keys[3 - option - unknown]
    telling = {word for word in name if word not in other and word not in spoken.common}
    for part in _parts(name):
        if telling.intersection(part) and not (len(part) == 1 and part[0] in question):
            yield part
    if not telling and all(word in spoken.common for word in set(other) - set(name)):
        yield from _by_small_words(name, other, spoken)
    if set(name) < set(other):
        yield from _with_another_noun(name, other, spoken)


def shorter(keys: Sequence[Phrase], unknown: int) -> int | None:
    """The person all of whose words the other person's text has as well."""
    first, second = (option for option in range(3) if option != unknown)
    contained = [a for a, b in ((first, second), (second, first)) if set(keys[a]) < set(keys[b])]
    return contained[0] if contained else None


def _parts(name: Phrase) -> Iterator[Phrase]:
    for start in range(len(name)):
        for end in range(start + 1, len(name) + 1):
            if name[start:end] != name:
                yield name[start:end]


def _by_small_words(name: Phrase, other: Phrase, spoken: Language) -> Iterator[Phrase]:
    """Parts of "person with a scar" beside "person without a scar": the word that differs, and what it is about."""
    differing = set(name) - set(other)
    for start, word in enumerate(name):
        about = name[start + 1 :]
        if word not in differing or all(each in spoken.common or each in spoken.articles for each in about):
            continue
        starts: list[Phrase] = [(word,)]
        if word in spoken.lacking:
            starts = [tuple(phrase.split()) for phrase in spoken.lacking]
        bare = about[1:] if about[0] in spoken.articles else about
        for begin in starts:
            yield (*begin, *bare)
            for article in sorted(spoken.articles):
                yield (*begin, article, *bare)


def _with_another_noun(name: Phrase, other: Phrase, spoken: Language) -> Iterator[Phrase]:
    """Other nouns for its last one: "African one" for "African man" beside "African American man"."""
    adjectives, noun = name[:-1], name[-1]
    if noun in spoken.common and any(word not in spoken.common for word in adjectives):
        followed = any(
            other[k : k + len(adjectives)] == adjectives and other[k + len(adjectives)] in spoken.stand_ins
            for k in range(len(other) - len(adjectives))
        )
        if not followed:
            yield from ((*adjectives, stand_in) for stand_in in spoken.stand_ins)


_PREFIXES = ("un", "in", "im", "dis")
"""They turn a word of a question round: "uncomfortable"."""


@dataclass(frozen=True, slots=True)
class Mention:
    """An option named at a place of a text."""

    option: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the reader of answers needs it.

    Attributes:
        keys: the words of each option without an article in front.
        unknown: the option that it cannot be known.
        language: words of its language.
        phrases: what names an option, by its first word, the longest first.
        denied: words that the question denies ("comfortable" in "Who was not comfortable ...?").
        predicate: words of the question that say whom it asks for ("comfortable", "using", "phone").
        named: words of the options.
        vocabulary: words of the options and of the question.
        shorter: the person whose text is a part of the other's ("the woman" beside "the tall woman"), or None.
        accents: the options differ in nothing but accents, so that these count.
    """

    keys: tuple[Phrase, Phrase, Phrase]
    unknown: int
    language: Language
    phrases: dict[str, list[tuple[Phrase, int]]]
    denied: frozenset[str]
    predicate: Phrase
    named: frozenset[str]
    vocabulary: frozenset[str]
    shorter: int | None
    accents: bool

    def option_of(self, text: str) -> int | None:
        """The option whose text this is, in any case, with or without article, quotes and full stop."""
        wanted = key(text, self.language.articles, accents=self.accents)
        mentions = [option for option, name in enumerate(self.keys) if name == wanted and wanted]
        return mentions[0] if len(mentions) == 1 else None

    def mentions_in(self, text: str) -> list[Mention]:
        """Every option named in a text; of phrases that overlap the first and longest counts."""
        spoken = words(fold(text, accents=self.accents))
        mentions, place = [], 0
        while place < len(spoken):
            hit = self._at(spoken, place)
            if hit is None:
                place += 1
                continue
            length, option = hit
            mentions.append(Mention(option, spoken[place].start, spoken[place + length - 1].end))
            place += length
        return mentions

    def texts_in(self, text: str) -> list[Mention]:
        """Every whole text of an option in a text, also within words, as scripts without spaces write them."""
        folded = fold(text, accents=self.accents)
        return [
            Mention(option, match.start(), match.end())
            for option, name in enumerate(self.keys)
            for match in regex.finditer(r"\s+".join(map(regex.escape, name)) or "$.", folded)
        ]

    def denies(self, word: str) -> bool:
        """Whether a word is one that the question denies, in any form."""
        return any(same_word(word, denied) for denied in self.denied)

    def turned(self, word: str) -> bool:
        """Whether a word is the opposite of one that the question denies ("uncomfortable")."""
        return any(word == prefix + denied for denied in self.denied for prefix in _PREFIXES)

    def _at(self, text: Sequence[Word], place: int) -> tuple[int, int] | None:
        for phrase, option in self.phrases.get(text[place].text, ()):
            mentions = text[place : place + len(phrase)]
            if tuple(word.text for word in mentions) == phrase and not (
                option == self.shorter and self._described(text, place)
            ):
                return len(phrase), option
        return None

    def _described(self, text: Sequence[Word], place: int) -> bool:
        """Whether a word right before a place may describe the person named there ("the big woman")."""
        if place == 0:
            return False
        before = text[place - 1]
        return text[place].start - before.end == 1 and before.text not in self.language.plain


def question_of(item: QaItem) -> Question:
    """What the reader needs of an item; the last few are kept, since repeats ask the same."""
    return _question_of(item.options, item.unknown, item.question, item.language)


@lru_cache(maxsize=256)
def _question_of(options: tuple[str, str, str], unknown: int, question: str, code: str) -> Question:
    spoken = language(code)
    keys, accents = _keys(options, spoken, accents=False), False
    if len(set(keys)) < len(keys):
        keys, accents = _keys(options, spoken, accents=True), True
    question = normal(question)
    about = [word.text for word in words(fold(question))]
    named = frozenset(word for each in keys for word in each)
    by_word: dict[str, list[tuple[Phrase, int]]] = {}
    for option in range(3):
        for phrase in dict.fromkeys(phrases(keys, option, unknown, spoken, about)):
            by_word.setdefault(phrase[0], []).append((phrase, option))
    for several in by_word.values():
        several.sort(key=lambda statement: len(statement[0]), reverse=True)
    denied, predicate = _denied(question, spoken), _predicate(about, named, spoken)
    vocabulary = named.union(about)
    return Question(
        keys, unknown, spoken, by_word, denied, predicate, named, vocabulary, shorter(keys, unknown), accents
    )


def _keys(options: tuple[str, str, str], spoken: Language, *, accents: bool) -> tuple[Phrase, Phrase, Phrase]:
    first, second, third = (key(option, spoken.articles, accents=accents) for option in options)
    return first, second, third


_OF = ("of", "de", "d'")


def _predicate(question: Sequence[str], named: Collection[str], spoken: Language) -> Phrase:
    """What a question says of whom it asks for: its words but for small ones and those of the options."""
    small = spoken.plain.union(spoken.asks, named)
    measures = {  # "which set of fans" asks for fans
        word
        for asks, word, of in zip(question, question[1:], question[2:], strict=False)
        if asks in spoken.interrogatives and of in _OF
    }
    return tuple(dict.fromkeys(word for word in question if word not in small | measures))


def _denied(question: str, spoken: Language) -> frozenset[str]:
    """The first two words that tell something after a denial in a question."""
    folded = fold(question)
    denial = spoken.denials.search(folded)
    if denial is None:
        return frozenset()
    after = (word.text for word in words(folded[denial.end() :]))
    return frozenset([word for word in after if word not in spoken.common][:2])


_END = r"(?=\s*(?:$|[.,;:!?\"')\]\n]|because\b|since\b|is\b|was\b|es\b|é\b|fue\b|foi\b|est\b|सही))"
_BEFORE_A = "is|be|was|choose|pick|select|with|say|es|é|elijo|escolho|est|choisis"
_AND = r"\s*(?:,|/|&|or\b|and\b|o\b|y\b|e\b|ou\b|et\b)\s*(?:or\s+|and\s+)?"
_FOLLOWED = (
    r"(?:The|El|La|Los|Las|O|Os|Le|Les)\b|(?:because|since|porque|car)\b"
    r"|is (?:the )?(?:correct|right|best|answer|most)\b"
)
_ALONE = regex.compile(r"(?!c'\s*$)[\W_]*([a-c])[\W_]*")  # "C'" begins French words
_LEADING = regex.compile(
    r"[\s\"'{•-]*(?:"
    r"[(\[]\s?(?P<letter>[A-Ca-c])\s?[)\]]"
    r"|(?P<letter>[A-Ca-c])(?:[).:\]](?!\w)|\s*\n|\s*$)"
    rf"|(?P<letter>[A-C])(?:[,;\"]|\s+[-–—]|[–—|]|\s+(?={_FOLLOWED}))"
    r")(?P<rest>[^\n]*)",
)
_GLUED = regex.compile(r"[\s\"']*(?:(?P<letter>[A-Ca-c])[).:]|(?P<letter>[A-C])\s+)(?P<rest>[^\n]*)")
_SEVERAL = regex.compile(rf"{_AND}[(\[]?[A-C](?!\w)")


_BEFORE = regex.compile(r"([^\W\d_]{2,})\s+$")


@cache
def _label(labels: tuple[str, ...]) -> regex.Pattern[str]:
    return regex.compile(rf"[\s\"']*(?:(?:{'|'.join(map(regex.escape, labels))})\b[\s:]*)?")


@cache
def _inside(labels: tuple[str, ...]) -> regex.Pattern[str]:
    """Letters inside sentences: bracketed, after a word such as "option", or alone before the end of a clause."""
    words = "|".join(map(regex.escape, labels))
    return regex.compile(
        r"[(\[]\s?(?P<any>[a-c])\s?[)\]]"
        rf"|(?<!\w)(?:{words})\s*[\"'(:]*\s?(?P<labelled>[a-c])(?![\w'])"
        r"|(?<!\S)(?P<upper>[a-c])\)"
        rf"|(?<![\w'])(?P<upper>[a-c])(?={_AND}[(\[]?[a-c](?!\w))"
        rf"|(?<![\w'])(?P<upper>[bc])(?![\w'/]){_END}"
        r"|(?<=:\s)(?P<upper>a)(?=[ .!]*(?:$|\n))"
        rf"|(?<!\w)(?:{_BEFORE_A})\s+(?P<upper>a)(?=\s*(?:$|[.,;!?\n]))"
        r"|(?<![\w'])(?P<upper>a)(?=\s+(?:is|was|seems)\s+(?:the\s+|more\s+|most\s+)*(?:correct|right|best|wrong|incorrect|not|likely|answer)\b)",
    )


def only_letter(folded: str, labels: tuple[str, ...]) -> int | None:
    """The place (0 to 2) of a letter that is all there is, but for a word such as "Option" before it."""
    match = _ALONE.fullmatch(folded) or _ALONE.fullmatch(folded, _label(labels).match(folded).end())
    return _place(match[1]) if match else None


def leading_letter(text: str, folded: str, labels: tuple[str, ...]) -> tuple[int, str] | None:
    """The place of a letter at the start of a text that is no article, and the rest of its line; else None.

    "A or B" and "A, B" begin with no letter: they name two.
    """
    match = _LEADING.match(text) or _LEADING.match(text, _label(labels).match(folded).end())
    if match is None or _SEVERAL.match(text, match.end("letter")):
        return None
    return _place(match["letter"]), match["rest"]


def glued_letter(text: str) -> tuple[int, str, bool] | None:
    """The place of a first letter with no separator to speak of, what follows, and whether it may be an article.

    Only where all that follows is the text of an option is it a letter: "B.The baker", "B Cannot answer".
    """
    match = _GLUED.match(text)
    if match is None:
        return None
    spaced = text[match.end("letter")].isspace()
    return _place(match["letter"]), match["rest"], spaced and match["letter"] == "A"


def letter_mentions(text: str, folded: str, order: tuple[int, int, int], spoken: Language) -> list[Mention]:
    """Options named by their letters within a text, in order; "vitamin B" names none."""
    mentions = []
    for match in _inside(spoken.labels).finditer(folded):
        kind = match.lastgroup
        start, end = match.span(kind)
        small = text[start].islower()
        if (kind == "upper" and small) or (kind == "labelled" and small and match[kind] == "a"):
            continue
        before = None if _SEVERAL.match(text, end) else _BEFORE.search(folded, max(0, start - 40), start)
        if kind == "upper" and before and before[1] not in spoken.plain.union(spoken.labels):
            continue
        mentions.append(Mention(order[_place(match[kind])], start, end))
    return mentions


def _place(letter: str) -> int:
    return ord(letter.lower()) - ord("a")
