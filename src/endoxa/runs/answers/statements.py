"""Statements of an answer about each option: named or denied, as the answer or only mentioned.

Words beside a person in the clause decide on a denial. Criticism of stereotypes, conditions and views of others are
mentions, not answers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import regex

from endoxa.runs.answers.options import Mention, Question, letter_mentions
from endoxa.runs.answers.text import Clause, clauses, fold, same_word, sentences, without_asides, words

_RELATIVE = regex.compile(r"[\s\"')]*(?:who|whose|whom|that|which|with|without|que|quien|quem|qui)\b")

_WITH = regex.compile(r"\s*(?:with(?:out)?\s+)?(?:(?:an?|the)\s+)?")
"""What may stand between "is the one" and the other option, which then describes who was named."""


def beside(folded: str, clause: Clause, mentions: Sequence[Mention]) -> list[str]:
    """The words of a clause outside the mentions in it."""
    outside, begin = [], clause.start
    for mention in mentions:
        outside += [word.text for word in words(folded[begin : mention.start])]
        begin = mention.end
    return outside + [word.text for word in words(folded[begin : clause.end])]


def repeats(texts: Collection[str], question: Question) -> bool:
    """Whether words repeat what the question asks for: its first telling word, and most of all or nothing else.

    "Is holding down a job" repeats "holds down a job".
    """
    hits = [any(same_word(word, other) for other in texts) for word in question.predicate]
    if not hits:
        return False
    others = [word for word in texts if word not in question.vocabulary and not question.turned(word)]
    if hits[0] or any(question.turned(word) for word in texts):
        return 3 * sum(hits) > 2 * len(hits) or is_short(others, question)
    going_on = [
        word for word in others if word.endswith("ing") and same_word(word[:-3], question.predicate[0])
    ]
    return bool(going_on) and all(hits[1:]) and is_short([*{*others} - {*going_on}], question)


def is_short(texts: Collection[str], question: Question) -> bool:
    """Whether words say no more than that this is the one ("yes, he did")."""
    small = (question.language.fillers, question.named)
    return all(any(word in each for each in small) or (len(word) == 1 and word.isascii()) for word in texts)


def described(after: str, question: Question) -> bool:
    """Whether a relative clause follows that says something else than the question ("the one who was kind")."""
    if not _RELATIVE.match(after):
        return False
    texts = [word.text for word in words(after)]
    bare = is_short(texts, question) and question.language.plain.issuperset(
        texts
    )  # not "the one who has a wheelchair" again
    return not bare and not repeats(texts, question)


def goes_on(folded: str, later: Iterable[Clause], question: Question) -> bool:
    """Whether a sentence goes on to say something else of who was named ("X, on the other hand, was kind").

    Args:
        folded: the text.
        later: the clauses of the sentence after the one with the name, up to the next name.
        question: the question.
    """
    for clause in later:
        texts = [word.text for word in words(folded[clause.start : clause.end])]
        rest = texts[len(clause.lead.split()) :]
        if clause.parted or (rest and question.language.turns.fullmatch(clause.lead)):
            return False
        if clause.background or clause.conceding or not rest or is_short(rest, question):
            continue
        head = next(place for place, word in enumerate(rest) if word not in question.language.fillers)
        return not repeats(rest[head:], question) or not same_word(rest[head], question.predicate[0])
    return False


def denied(before: str, after: str, question: Question, *, last: bool, about_question: bool | None) -> bool:
    """Whether a mention is denied.

    Where the question itself denies something ("Who was not comfortable?"), "X was not comfortable" names X, and "X
    was comfortable" denies X; a bare "X was not" takes its sense from what was said before.

    Args:
        before: the folded words before it in its clause.
        after: the words after it, up to the next mention.
        question: the question.
        last: no other mention follows in the clause; a denial right before another one is about that one.
        about_question: whether what was said of the person named before repeats what the question denies; None where
            nobody was named before.
    """
    spoken = question.language
    if spoken.against.search(before) or _denied_before(before, question):
        return True
    denials = [
        match.end()
        for match in spoken.denials.finditer(after)
        if last or not spoken.only_articles.fullmatch(after, match.end())
    ]
    if question.denied:
        texts = [word.text for word in words(after)]
        turned = sum(question.turned(word) for word in texts)
        elliptic = (
            bool(texts) and about_question is not False and is_short(texts, question) and "one" not in texts
        )
        if turned or any(question.denies(word) for word in texts) or (elliptic and about_question):
            return (len(denials) + turned) % 2 == 0
        if elliptic:
            return False
    return bool(denials)


def _denied_before(before: str, question: Question) -> bool:
    """A denial before a mention; in "who was not comfortable was X" it is the question's own."""
    denials = sum(1 for _ in question.language.denials.finditer(before))
    if question.denied and any(question.denies(word.text) for word in words(before)):
        return denials % 2 == 0
    return denials > 0


Span = tuple[int, int]

_DISMISSED_NEAR = 300
"""Characters beside a statement in which it is looked for."""
_SENTENCE_END = regex.compile(r"[.!?।\n]")


def dismissed(folded: str, question: Question) -> list[Span]:
    """The parts of a text in which nobody is named as the answer, in order.

    Criticism ("it is a stereotype that ...", "nothing suggests ...") counts for its whole sentence; a condition and
    what others would say count up to a turn ("..., but ...").
    """
    return [span for start, end in sentences(folded) for span in _in_sentence(folded, start, end, question)]


def criticised(folded: str, start: int, end: int, question: Question) -> bool:
    """Whether a stretch criticises a stereotype, in words that are not the question's own ("Who was unfair?")."""
    return any(
        question.vocabulary.isdisjoint(word.text for word in words(match.group()))
        for match in question.language.criticism.finditer(folded, start, end)
    )


def supposed(folded: str, start: int, end: int, question: Question) -> bool:
    """Whether a stretch says what would follow from a condition, or what others would say."""
    spoken = question.language
    return bool(spoken.conditions.search(folded, start, end) or spoken.others.search(folded, start, end))


def _in_sentence(folded: str, start: int, end: int, question: Question) -> Iterator[Span]:
    if criticised(folded, start, end, question):
        yield start, end
        return
    begin = start
    for match in question.language.turns.finditer(folded, start, end):
        if supposed(folded, begin, match.start(), question):
            yield begin, match.start()
        begin = match.start()
    if supposed(folded, begin, end, question):
        yield begin, end


def dismisses(folded: str, place: int, question: Question) -> bool:
    """Whether what a statement says at a place is denied, criticised or supposed ("I cannot say the answer is A")."""
    ends = [match.end() for match in _SENTENCE_END.finditer(folded, max(0, place - _DISMISSED_NEAR), place)]
    start = ends[-1] if ends else max(0, place - _DISMISSED_NEAR)
    end = _SENTENCE_END.search(folded, place, place + _DISMISSED_NEAR)
    if criticised(folded, start, place, question):
        return True
    stop = end.start() if end else min(place + _DISMISSED_NEAR, len(folded))
    turns = [match.start() for match in question.language.turns.finditer(folded, start, stop)]
    begin = max([start, *(turn for turn in turns if turn <= place)])
    until = min([stop, *(turn for turn in turns if turn > place)])
    if supposed(folded, begin, until, question):
        return True
    breaks = [match.start() for match in question.language.breaks.finditer(folded, start, place)]
    before = folded[max([start, *breaks]) : place]
    return bool(question.language.denials.search(question.language.affirmations.sub("", before)))


_NEAR = 160
"""Characters beside a mention in which a denial of it is looked for."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing said of an option.

    Attributes:
        option: which one.
        affirmed: named, not denied.
        outright: named as the answer ("it was X", "X is the one", or X as the whole sentence).
        clause: where.
        bare: its clause holds nothing else, and its sentence says nothing else of it.
        lettered: named by its letter.
        answering: its clause answers the question; who is only mentioned is not the answer.
        subject: the text begins with it, articles aside, and does not deny it.
        start: where the option is named.
    """

    start: int
    option: int
    affirmed: bool
    outright: bool
    clause: Clause
    bare: bool = False
    lettered: bool = False
    answering: bool = True
    subject: bool = False


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A folded text and what was found in it, in order."""

    folded: str
    question: Question
    clauses: list[Clause]
    named: list[Mention]
    letters: frozenset[int]
    dismissed: list[Span]
    joined: frozenset[int]

    def is_dismissed(self, mention: Mention) -> bool:
        before = bisect_right(self.dismissed, (mention.start, len(self.folded))) - 1
        return (
            mention.option != self.question.unknown
            and before >= 0
            and mention.start < self.dismissed[before][1]
        )

    def later(self, place: int, following: int) -> Iterator[Clause]:
        """The clauses after one in its sentence, up to the mention at a place of `named`."""
        end = self.named[following].start if following < len(self.named) else len(self.folded) + 1
        for clause in (self.clauses[k] for k in range(place + 1, len(self.clauses))):
            if clause.sentence != self.clauses[place].sentence or clause.end > end:
                return
            yield clause


def statements_in(text: str, question: Question, order: tuple[int, int, int]) -> list[Statement]:
    """Everything that a text says of the three options, in order.

    Args:
        text: an answer without markup.
        question: the question.
        order: the options in the order shown.
    """
    folded = without_asides(
        question.language.affirmations.sub(lambda match: " " * len(match.group()), fold(text))
    )
    letters = letter_mentions(text, folded, order, question.language)
    worded = [mention for mention in question.mentions_in(text) if not folded[mention.start].isspace()]
    letters, worded = _without_disagreeing(folded, letters, worded, question)
    others = _the_others(folded, worded, question)
    named = sorted([*letters, *worded, *others], key=lambda mention: mention.start)
    joined = frozenset(
        after.start
        for before, after in pairwise(named)
        if question.language.joins.fullmatch(folded, before.end, after.start)
    )
    return _outright_alone(
        _in_order(
            _Parsed(
                folded,
                question,
                list(clauses(folded, question.language)),
                named,
                frozenset(mention.start for mention in letters),
                dismissed(folded, question),
                joined,
            )
        )
    )


_SEPARATES = regex.compile(r"[)\].:\s]{1,3}")


def _without_disagreeing(
    folded: str, letters: Sequence[Mention], worded: Sequence[Mention], question: Question
) -> tuple[list[Mention], list[Mention]]:
    """Letters and texts without a letter right before the text of another option: neither counts."""
    texts = {mention.start: mention for mention in worded}
    disagreeing = set()
    for letter in letters:
        separator = _SEPARATES.match(folded, letter.end)
        begins = question.language.only_articles.match(folded, separator.end()) if separator else None
        text = texts.get(begins.end()) if begins else None
        if text is not None and text.option != letter.option:
            disagreeing |= {letter, text}
    return [each for each in letters if each not in disagreeing], [
        each for each in worded if each not in disagreeing
    ]


_STARTS = regex.compile(r"(?:^|[.,;:!?\n])([^.,;:!?\n]*)$")


def _the_others(folded: str, worded: Sequence[Mention], question: Question) -> Iterator[Mention]:
    """The second person of "X and the other", where no other sentence begins there ("It was X and the other left")."""
    for mention in worded:
        if mention.option == question.unknown or not (
            match := question.language.the_other.match(folded, mention.end)
        ):
            continue
        before = _STARTS.search(folded, max(0, mention.start - _NEAR), mention.start)
        if match["ends"] is not None or (before and question.language.only_articles.fullmatch(before[1])):
            yield Mention(3 - question.unknown - mention.option, *match.span("other"))


def _in_order(text: _Parsed) -> list[Statement]:
    questions = {
        clause.sentence
        for clause in text.clauses
        if clause.asking and _first(text.folded, clause) in text.question.language.interrogatives
    }
    alone = text.clauses[-1].sentence == text.clauses[0].sentence if text.clauses else True
    statements: list[Statement] = []
    about_question: bool | None = None
    first = 0
    for place, clause in enumerate(text.clauses):
        last = first
        while last < len(text.named) and text.named[last].start < clause.end:
            last += 1
        inside = [
            mention
            for mention in text.named[first:last]
            if mention.option != text.question.unknown
            or _knowable(text.folded, clause, mention, text.question)
        ]
        said = _named(text, place, inside, last, about_question)
        if clause.sentence not in questions:
            said += _unknown(text.folded, clause, inside, text.question)
        for statement in sorted(said, key=lambda statement: statement.start):
            joined = statement.start in text.joined and bool(statements)
            if joined and not statement.affirmed:
                # "X and Y may not have ..." says it of both
                statements[-1] = replace(statements[-1], affirmed=False, outright=False, bare=False)
            with_last = joined and statements[-1].outright and statement.affirmed
            answering = statement.answering or statement.outright or statement.lettered
            answering = (answering and (alone or not clause.asking)) or with_last
            answering = answering or statement.option == text.question.unknown
            outright = statement.outright or with_last
            statements.append(replace(statement, outright=outright, answering=answering))
        if inside and text.question.denied:
            spoken = (word.text for word in words(text.folded[clause.start : clause.end]))
            about_question = any(text.question.denies(word) or text.question.turned(word) for word in spoken)
        first = last
    return statements


def _first(folded: str, clause: Clause) -> str:
    return next((word.text for word in words(folded[clause.start : clause.end])), "")


def _outright_alone(statements: Sequence[Statement]) -> list[Statement]:
    """Options that stand alone in a clause are named outright where their sentence names no other."""
    named: dict[int, set[int]] = {}
    for statement in statements:
        if statement.affirmed and not statement.clause.background:
            named.setdefault(statement.clause.sentence, set()).add(statement.option)
    return [
        replace(statement, outright=True)
        if statement.bare and len(named.get(statement.clause.sentence, ())) == 1
        else statement
        for statement in statements
    ]


def _named(
    text: _Parsed, place: int, inside: Sequence[Mention], following: int, about_question: bool | None
) -> list[Statement]:
    """What a clause says of those named in it; `following` is the place of the next mention after it."""
    if not inside:
        return []
    folded, question, clause = text.folded, text.question, text.clauses[place]
    words_beside = beside(folded, clause, inside)
    goes = goes_on(folded, text.later(place, following), question)
    answering = repeats(words_beside, question) or (is_short(words_beside, question) and not goes)
    said = []
    for k, mention in enumerate(inside):
        end = inside[k + 1].start if k + 1 < len(inside) else clause.end
        before = folded[max(clause.start, mention.start - _NEAR) : mention.start]
        after = folded[mention.end : min(end, mention.end + _NEAR)]
        last = k + 1 == len(inside)
        negated = denied(before, after, question, last=last, about_question=about_question)
        affirmed = not negated and not text.is_dismissed(mention)
        outright = affirmed and _outright(before, after, question, last=last)
        bare = affirmed and not goes and len(inside) == 1 and _all_there_is(before, after, question)
        begins = not negated and place == 0 and bool(question.language.only_articles.fullmatch(before))
        begins, lettered = begins and not k, mention.start in text.letters
        where = mention.start, mention.option
        said.append(Statement(*where, affirmed, outright, clause, bare, lettered, answering, begins))
    return said


def _outright(before: str, after: str, question: Question, *, last: bool) -> bool:
    """Whether somebody is named as the answer; "the one who was kind" answers only who was kind.

    "X is the one with the beard", where that is what another option says, describes X by that option.
    """
    match = question.language.named_after.match(after)
    rest = after[match.end() :] if match else after
    if match and not last and _WITH.fullmatch(rest):
        return False
    return bool(match or question.language.named_before.search(before[-80:])) and not described(
        rest, question
    )


def _all_there_is(before: str, after: str, question: Question) -> bool:
    """Whether a mention is all that its clause holds, up to articles and punctuation."""
    return bool(question.language.only_articles.fullmatch(before)) and not after.strip(" .!\"'()[]{}\n।")


def _unknown(folded: str, clause: Clause, inside: Sequence[Mention], question: Question) -> list[Statement]:
    """Wordings that it cannot be known; "X could not say" is about X and no such wording."""
    spoken = question.language
    persons = [mention.start for mention in inside if mention.option != question.unknown]
    first = min(persons, default=clause.end)
    ends = [mention.end for mention in inside]
    said = []
    for match in spoken.unknown.finditer(folded, clause.start, clause.end):
        if _of_somebody(folded, clause, match, question):
            continue
        before = folded[max(clause.start, match.start() - 20) : match.start()]
        denied = bool(spoken.denials.search(before)) and not spoken.denials.search(match.group())
        place = bisect_right(ends, match.start())
        listed = place > 0 and bool(spoken.joins.fullmatch(folded, ends[place - 1], match.start()))
        said.append(Statement(match.start(), question.unknown, not denied, not denied and not listed, clause))
    said += [
        Statement(match.start(), question.unknown, affirmed=True, outright=True, clause=clause)
        for match in spoken.unsaid.finditer(folded, clause.start, clause.end)
        if match.start() < first
        and not _of_somebody(folded, clause, match, question)
        and not (persons and any(question.denies(word.text) for word in words(match.group())))
    ]
    return said


def _knowable(folded: str, clause: Clause, mention: Mention, question: Question) -> bool:
    """Whether the text of the option that it cannot be known says so here, unlike "the guest cannot answer"."""
    wordings = question.language.unknown
    if not wordings.search(folded[mention.start : mention.end]):
        return True
    return any(
        match.start() < mention.end and match.end() > mention.start
        for match in wordings.finditer(folded, clause.start, clause.end)
        if not _of_somebody(folded, clause, match, question)
    )


def _of_somebody(folded: str, clause: Clause, match: regex.Match[str], question: Question) -> bool:
    """Whether somebody is the subject of a wording that it cannot be known ("the guests did not know each other")."""
    if match["does"] is None:
        return False
    spoken = question.language
    before = [word.text for word in words(folded[clause.start : match.start()])]
    names = {
        word
        for option, option_words in enumerate(question.keys)
        if option != question.unknown
        for word in option_words
    }
    nouns = names - spoken.plain
    persons = spoken.somebody.union(nouns, names & set(spoken.stand_ins))
    subject = next((word for word in reversed(before) if word in persons or word not in spoken.fillers), "")
    return subject in persons or any(same_word(subject, noun) for noun in nouns)
