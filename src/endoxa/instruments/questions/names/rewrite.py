"""Phrases that name a group, rewritten with slots for names, for all records about the same people."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from endoxa.instruments.questions.names import lexicon
from endoxa.instruments.questions.names.bank import Gender
from endoxa.instruments.questions.names.gender import required_genders
from endoxa.instruments.questions.names.phrases import Phrase, UnwritableError, find_phrases, singular
from endoxa.instruments.questions.names.text import (
    OPTIONS,
    GroupWords,
    Row,
    mended,
    option_label,
    people_options,
    starts_sentence,
)
from endoxa.sources.check.wording import indefinite_article


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of a name."""

    group: str


Part = str | Slot


@dataclass(frozen=True, slots=True)
class Draft:
    """A text with places for names; `parts` put together are the text."""

    parts: tuple[Part, ...]

    def text(self, names: Mapping[str, str]) -> str:
        """The text with these names (group -> name)."""
        return "".join(part if isinstance(part, str) else names[part.group] for part in self.parts)

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups in the order in which their names stand."""
        return tuple(part.group for part in self.parts if isinstance(part, Slot))


@dataclass(slots=True)
class Story:
    """What a text has told of the people in it so far.

    Attributes:
        descriptions: nouns and adjectives said of the person of a group; a group without a key has no person yet.
        collective: the family, team or the like of a group.
        before: words of the text that stand before the phrase at hand, in lower case.
    """

    descriptions: dict[str, set[str]] = field(default_factory=dict)
    collective: dict[str, str] = field(default_factory=dict)
    before: set[str] = field(default_factory=set)

    def person(self, group: str, words: Sequence[str] = ()) -> None:
        """Take note of words said of a person."""
        self.descriptions.setdefault(group, set()).update(words)


_WORD = re.compile(r"[\w-]+")


def rewrite(text: str, words: GroupWords, story: Story) -> Draft:
    """A text in which names can stand for groups, with the grammar of names.

    A person who is introduced with "a" becomes "a man named ..."; one who is introduced as somebody's friend stays that
    friend ("my friend NAME"); later the name is enough. What belongs to a group (family, team, home) belongs to the
    person (Pelosio et al. 2025, 4.1.1 and Figure 2).

    Args:
        text: without slips (`text.mended`).
        words: what names a group.
        story: what was told before; what this text tells is added.

    Raises:
        UnwritableError: a phrase that cannot be put into natural English with a name.
    """
    parts: list[Part] = []
    at = 0
    for phrase in find_phrases(text, words):
        parts.append(text[at : phrase.start])
        story.before = {word.lower() for word in _WORD.findall(text[: phrase.start])}
        parts += _raised(_replacement(phrase, story), text, phrase)
        at = phrase.end
    parts.append(text[at:])
    return Draft(tuple(part for part in parts if part != ""))


def _replacement(phrase: Phrase, story: Story) -> list[Part]:
    if phrase.kind == "predicate":
        return _predicate(phrase, story)
    if len(phrase.groups) == 2:
        return _pair(phrase, story)
    if phrase.kind == "person":
        return _person(phrase, story)
    if phrase.kind == "one":
        group = phrase.groups[0]
        if phrase.determiner in lexicon.INDEFINITE:
            raise UnwritableError("it is not told what 'one' stands for", phrase.said)
        if group not in story.descriptions and group in story.collective:
            return ["the one from ", Slot(group), f"'s {story.collective[group]}"]
        story.person(group)
        return [Slot(group)]
    return _owned(phrase, story)


def _person(phrase: Phrase, story: Story) -> list[Part]:
    group = phrase.groups[0]
    introduced = group in story.descriptions
    fresh = _fresh(phrase, story.descriptions.get(group, set()))
    new_role = phrase.head not in story.descriptions.get(group, set())
    story.person(group, (phrase.head, *phrase.modifiers, *phrase.compound))
    if phrase.determiner in lexicon.INDEFINITE:
        if introduced:
            raise UnwritableError("it is not clear whether this is somebody new", phrase.said)
        named = not phrase.owner
    elif phrase.determiner in lexicon.POSSESSIVE:
        named = False
        if new_role or fresh:
            return [f"{phrase.determiner} {_noun(phrase)} ", Slot(group)]
    else:
        named = bool(fresh or phrase.of_mine)
        if named and introduced:
            raise UnwritableError(f"'{' '.join(fresh) or phrase.of_mine.strip()}' would be lost", phrase.said)
    if not named:
        return [Slot(group)]
    return [f"{_determined(phrase)}{phrase.of_mine} named ", Slot(group)]


def _pair(phrase: Phrase, story: Story) -> list[Part]:
    first, second = map(Slot, phrase.groups)
    between = f" {phrase.joined} "
    if phrase.kind == "collective":
        if phrase.determiner in lexicon.POSSESSIVE or _fresh(phrase, story.before):
            raise UnwritableError("a name cannot stand beside these words", phrase.said)
        return [first, f"'s{between}", second, f"'s {' '.join((*phrase.compound, phrase.head))}"]
    head = singular(phrase.head)
    new_role = any(head not in story.descriptions.get(group, set()) for group in phrase.groups)
    for group in phrase.groups:
        story.person(group, (head, *phrase.modifiers, *phrase.compound))
    if phrase.determiner in lexicon.POSSESSIVE and new_role:
        return [f"{phrase.determiner} {_noun(phrase)}{phrase.of_mine} ", first, between, second]
    return [first, between, second]


def _owned(phrase: Phrase, story: Story) -> list[Part]:
    """What belongs to a group belongs to the person; fans are those of the person's team, where there is one."""
    group = phrase.groups[0]
    if phrase.determiner in lexicon.POSSESSIVE:
        raise UnwritableError("what has an owner cannot have another by name", phrase.said)
    lost = _fresh(phrase, story.before)
    if lost:
        raise UnwritableError(f"'{' '.join(lost)}' would be lost", phrase.said)
    if phrase.kind == "following" and group in story.collective:
        return [f"the {phrase.head} of ", Slot(group), f"'s {story.collective[group]}"]
    for noun in (*phrase.compound, phrase.head):
        if noun in lexicon.COLLECTIVE:
            story.collective[group] = noun
    return [Slot(group), f"'s {' '.join((*phrase.compound, phrase.head))}"]


def _predicate(phrase: Phrase, story: Story) -> list[Part]:
    group = phrase.groups[0]
    if not phrase.plural:
        story.person(group)
        return ["named ", Slot(group)]
    if group not in story.collective:
        raise UnwritableError("a whole group cannot be given one person's name", phrase.said)
    link = "supporters of" if phrase.head in lexicon.FOLLOWING else "from"
    return [f"{link} ", Slot(group), f"'s {story.collective[group]}"]


def _fresh(phrase: Phrase, descriptions: set[str]) -> list[str]:
    """Modifiers that tell something new; those that tell two people apart do not, as names do that."""
    return [word for word in phrase.modifiers if word not in lexicon.CONTRAST and word not in descriptions]


def _noun(phrase: Phrase) -> str:
    return " ".join((*phrase.modifiers, *phrase.compound, phrase.head))


def _determined(phrase: Phrase) -> str:
    noun = _noun(phrase)
    return f"{indefinite_article(noun) if phrase.determiner in ('a', 'an') else phrase.determiner} {noun}"


def _raised(parts: list[Part], text: str, phrase: Phrase) -> list[Part]:
    """With a capital where a sentence begins, or where the phrase had one."""
    first, stated, determiner = parts[0], phrase.said, phrase.determiner
    capital = stated[0].isupper() and bool(determiner) and stated.lower().startswith(determiner)
    inside = phrase.start > 0 and starts_sentence(text, phrase.start)
    if isinstance(first, str) and (capital or inside):
        return [first[0].upper() + first[1:], *parts[1:]]
    return parts


@dataclass(frozen=True, slots=True)
class Drafts:
    """What is written anew of a record: its context, and the options that name people (by field)."""

    context: Draft
    options: Mapping[str, Draft]


@dataclass(frozen=True, slots=True)
class Prepared:
    """Records about the same people.

    Attributes:
        rows: as published.
        drafts: one for each row.
        genders: group -> gender that its person must have, in the order of the options.
        words: all words of the rows in lower case.
    """

    rows: tuple[Row, ...]
    drafts: tuple[Drafts, ...]
    genders: Mapping[str, Gender | None]
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Unwritten:
    """A record that is left out, and why.

    Attributes:
        row: as published.
        reason: why.
        phrase: the words that could not be written with a name, or empty.
        follows: another record about the same people is the reason.
    """

    row: Row
    reason: str
    phrase: str = ""
    follows: bool = False


def prepare(rows: tuple[Row, ...], words: GroupWords) -> Prepared:
    """Drafts of records about the same people: all of them are written, or none is.

    Ambiguous and disambiguated contexts, and both questions, stay in balance that way.

    Raises:
        UnwritableError: one of the records cannot be written with names.
    """
    drafts = []
    for row in rows:
        try:
            drafts.append(_drafts(row, words))
        except UnwritableError as problem:
            problem.row = row
            raise
    texts = [mended(row[field]) for row in rows for field in ("context", *people_options(row))]
    required = required_genders(texts, [row["question"] for row in rows], words)
    first = [draft.groups[0] for draft in drafts[0].options.values()]
    genders = {group: required[group] for group in dict.fromkeys([*first, *required])}
    published = [str(row[field]) for row in rows for field in ("context", "question", *OPTIONS)]
    vocabulary = frozenset(token.folded for text in published for token in words.tokens(text))
    return Prepared(rows, tuple(drafts), genders, vocabulary)


def left_out(rows: tuple[Row, ...], problem: UnwritableError) -> list[Unwritten]:
    """Records about the same people, of which one cannot be written: the first where none is named."""
    culprit = problem.row or rows[0]
    with_it = f"goes with example_id {culprit['example_id']}, which cannot be written"
    return [
        Unwritten(row, problem.reason, problem.phrase)
        if row is culprit
        else Unwritten(row, with_it, follows=True)
        for row in rows
    ]


def _drafts(row: Row, words: GroupWords) -> Drafts:
    people = people_options(row)
    if row.get("names"):
        raise UnwritableError("it has names already", "")
    if len(people) != 2:
        raise UnwritableError(f"{len(people)} options are people, not 2", "")
    story = Story()
    context = rewrite(mended(row["context"]), words, story)
    options = {field: rewrite(mended(row[field]), words, story) for field in people}
    for draft in (context, *options.values()):
        if left := words.left_in(draft.text(dict.fromkeys(draft.groups, ""))):
            raise UnwritableError("a word for a group is left", left[0])
    for option, draft in options.items():
        if len(set(draft.groups)) != 1:
            group = option_label(row, option)
            named_words = not group or group in words.forms
            reason = (
                "the option names no group of the bank"
                if named_words
                else f"the bank has no names for '{group}'"
            )
            raise UnwritableError(reason, row[option])
        if draft.groups[0] not in context.groups:
            raise UnwritableError("the context does not name the group of this option", row[option])
    if len({draft.groups for draft in options.values()}) != 2:
        raise UnwritableError("both options are of one group", row[people[0]])
    if any(token.group for token in words.tokens(row["question"])):
        raise UnwritableError("the question names a group", row["question"])
    return Drafts(context, options)
