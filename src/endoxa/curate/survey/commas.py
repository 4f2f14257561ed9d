"""Commas that separate statements, and commas inside one statement.

A comma separates by default, because survey answers are lists. It does not separate

* behind an opening that needs a main clause: "In cities, women are ...", "If they work, people ...";
* before words that continue a statement: "strong, but fair", "rude, especially to guests";
* behind the subject, until the verb has come: "women, young and old, are ...";
* inside an enumeration of examples: "like things such as cars, phones and shoes";
* between the objects of a verb or preposition: "bad at maths, science and engineering";
* between subjects that share a verb: "Doctors, nurses are kind" (only where the answer names the group itself).

A new statement with a subject of its own ends every one of these except the opening and the shared verb.

Who a piece is about that names nobody itself: the group of its sentence, of its heading, or of its question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from endoxa.curate.english import (
    can_be,
    in_dictionary,
    is_plain_verb,
    is_plural,
    is_third_person,
    lemma,
    tokens,
    words,
)
from endoxa.curate.extract import Extraction, Question, begins_statement
from endoxa.curate.extract.omission import heading as is_heading
from endoxa.curate.extract.split import is_closed
from endoxa.curate.normalise.identity import normal_identity
from endoxa.curate.normalise.names import Tables, is_group

_LONGEST = 4
"""Words of an object at most."""
_JOINER = re.compile(r"(?:^|\s+)(?:and|or|&)\s+")
_AGENT = re.compile(r"(?:ers|ors|ists|ians|men|wives|husbands|girls|boys|kids|people)$")


def further_object(so_far: Sequence[str], chunk: str) -> bool:
    """Whether `chunk` names nothing but things, and what was said so far ends in things that a word governs.

    People are no further object: they may as well be what the group is ("good at cooking, mothers").

    Args:
        so_far: the chunks in front that make one statement.
        chunk: what stands behind the next comma.
    """
    phrases = [tokens(phrase) for phrase in _JOINER.split(chunk.lower()) if phrase.strip()]
    heads = [phrase[-1] for phrase in phrases if _noun_phrase(phrase)]
    # One of them must be no verb as well: "gossip" and "dance and shout" could be what people do.
    if len(heads) < len(phrases) or all(map(is_plain_verb, heads)) or any(map(_person, heads)):
        return False
    *earlier, last = so_far
    return _governed(tokens(last.lower())) or (bool(earlier) and further_object(earlier, last))


def _governed(low: Sequence[str]) -> bool:
    """Whether a text ends in an object: of a verb ("hate dogs") or of a preposition ("bad at maths")."""
    if not low or can_be(low[-1], "ADJ") or not (can_be(low[-1], "NOUN") or low[-1].endswith("ing")):
        return False
    for place in range(len(low) - 2, max(len(low) - 2 - _LONGEST, -1), -1):
        word, before = low[place], low[max(place - 1, 0)]
        if word in words("prepositions"):
            # A preposition may only describe a noun that a copula joins ("are heads of the house").
            noun = can_be(before, "NOUN") and not can_be(before, "ADJ") and not can_be(before, "VERB")
            return not (noun and words("copulas") & set(low[:place]))
        if word in words("copulas") or word in words("modals"):
            return False
        follows = place == 0 or before == "to" or is_closed(before) or is_plural(before) or is_group(before)
        if word in words("auxiliaries") or (follows and _is_verb(word)):
            return can_be(low[-1], "NOUN")
    return False


def _is_verb(word: str) -> bool:
    return (is_plain_verb(word) or is_third_person(word)) and not can_be(word, "ADJ")


def _noun_phrase(phrase: Sequence[str]) -> bool:
    *front, head = phrase
    described = all(
        can_be(word, "NOUN") or can_be(word, "ADJ") or word in words("determiners") for word in front
    )
    noun = can_be(head, "NOUN") and not can_be(head, "ADJ") and len(phrase) <= _LONGEST
    return noun and described and not (front and _is_verb(front[0]))


def _person(word: str) -> bool:
    return is_group(word) or bool(_AGENT.search(word))


Begins = Callable[[str], bool]

_PRONOUN = re.compile(
    r"(?:they|he|she|it|we|you|i|these|those|this|that|ils|elles|il|elle|on|nous|vous)(?:'|’|\s|$)",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"(?:in|among|amongst|according to|for|from|when|whenever|if|because|although|though|since|while|as|whether"
    r"|unlike|despite|compared (?:to|with)|dans|chez|selon|pour|quand|lorsque|lorsqu'|si|bien que|comme|parce que"
    r"|contrairement|en|au|aux|en el|según|cuando|porque|aunque|entre)\s+\S",
    re.IGNORECASE,
)
_CONTINUES = re.compile(
    r"(?:but|yet|though|although|because|cause|cuz|(?:since|so) (?:they|he|she|it|that)|especially|particularly"
    r"|in particular|notably|namely|mainly when|including|such as|e\.?g|i\.?e|for example|for instance|which|who|whom"
    r"|whose|where|when|whenever|if|unless|except|even (?:though|if|when|after)|rather than|instead of|hence|therefore"
    r"|thus|whereas|while|without|unlike|than|compared (?:to|with)|as long as|as well as|too$|also$|p\.? ?e[jx]"
    r"|mais|surtout|notamment|particulièrement|car|parce que|parce qu|puisque|qui|dont|quand|lorsque|sauf|même si"
    r"|tels? que|telles? que|par exemple|y compris|sans|pero|sobre todo|porque|que|cuando|aunque|incluso)\b",
    re.IGNORECASE,
)
_EXAMPLES = re.compile(
    r"\b(?:such as|including|for example|for instance|e\.?g\.?|namely|tels? que|telles? que|par exemple|tales como|como"
    r" por ejemplo)(?:\s|$)",
    re.IGNORECASE,
)
_PREDICATE = re.compile(
    r"(?:are|is|was|were|aren['’]?t|isn['’]?t|be|can|cannot|can['’]?t|could|couldn['’]?t|should|shouldn['’]?t|must|will"
    r"|won['’]?t|would|wouldn['’]?t|may|might|do|does|don['’]?t|doesn['’]?t|have|has|haven['’]?t|hasn['’]?t|tend|tends"
    r"|need|needs|seem|seems|sont|est|ont|ne|n['’]|peuvent|doivent|son|están|tienen|são|têm)(?:\s|$)",
    re.IGNORECASE,
)
_PLURAL = re.compile(
    r"(?:people|men|women|children|youths?|folks?|police|elderly|young|old|[\w'’-]{2,60}(?<!s)(?<!ou)(?<!les)(?<!'|’)s)$",
    re.IGNORECASE,
)
_CONJUNCTION = re.compile(r"\s(?:and|or|et|ou)\s", re.IGNORECASE)
_SUBJECT_WORDS = 4
_LONGEST_LIST = 100
"""Chunks of one statement, at most."""
_SHARED_SUBJECTS = 4
"""How many chunks in a row may be subjects that wait for a common verb."""


def is_pronoun(text: str) -> bool:
    """Whether a text begins with a pronoun, so that its subject is the one before."""
    return bool(_PRONOUN.match(text))


def group_chunks(chunks: Sequence[str], *, elliptical: bool, begins: Begins) -> list[tuple[int, int]]:
    """Groups of neighbouring chunks that are one statement, as (first, last) indices.

    Args:
        chunks: what stands between the commas of one sentence.
        elliptical: the question fixes the group, so a noun alone is no subject.
        begins: whether a text has a subject and a verb of its own.
    """
    groups = []
    first = 0
    while first < len(chunks):
        last = _subjects_end(chunks, first, elliptical=elliptical, begins=begins)
        end = min(first + _LONGEST_LIST, len(chunks))
        while last + 1 < end and _continues(chunks[first : last + 1], chunks[last + 1], begins):
            last += 1
        groups.append((first, last))
        first = last + 1
    return groups


def _subjects_end(chunks: Sequence[str], first: int, *, elliptical: bool, begins: Begins) -> int:
    """Index of the chunk with the verb that the subjects from `first` on share, else `first`.

    Behind another statement, and where the question fixes the group, only the name of a group begins such a list:
    "ride horses" and "beggars" continue what was said.
    """
    named = is_group(chunks[first]) or is_group(chunks[first].split()[-1])
    if not _bare_subject(chunks[first], begins) or not (named or (first == 0 and not elliptical)):
        return first
    ends = range(first + 1, min(first + _SHARED_SUBJECTS + 1, len(chunks)))
    for last in ends:
        chunk = chunks[last]
        if _PREDICATE.match(chunk):
            return last
        verb_follows = last + 1 in ends and bool(_PREDICATE.match(chunks[last + 1]))
        if (begins(chunk) or begins(_CONJUNCTION.split(chunk, maxsplit=1)[-1])) and not verb_follows:
            shared = first == 0 and not elliptical and not is_pronoun(chunk)
            return last if shared and all(_bare_subject(begun, begins) for begun in chunks[:last]) else first
    return first


def _continues(so_far: Sequence[str], chunk: str, begins: Begins) -> bool:
    """Whether `chunk` belongs to the statement that the chunks `so_far` have begun."""
    begins_here = begins(chunk)
    if len(so_far) == 1 and _OPENING.match(so_far[0]) and (begins_here or is_pronoun(chunk)):
        return True
    if begins_here and not is_pronoun(chunk):
        return False
    if _CONTINUES.match(chunk) or further_object(so_far, chunk):
        return True
    text = " ".join(so_far)
    waiting = len(so_far) > 1 and _bare_subject(so_far[0], begins) and not begins(text)
    return waiting or (bool(_EXAMPLES.search(text)) and not begins_here)


def _bare_subject(chunk: str, begins: Begins) -> bool:
    """Whether a chunk could be a subject alone: a few words that end in a plural, without a verb."""
    return len(chunk.split()) <= _SUBJECT_WORDS and bool(_PLURAL.search(chunk)) and not begins(chunk)


_LABELLED = re.compile(r"\s(?:[-–—:=]|[-=]?>)\s|\w:\s|[→⇒]")
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
    who = tokens(bare.rstrip(" :*_").rpartition(" about ")[2])
    parts = list(takewhile(lambda word: not is_closed(word.lower()), who))
    if not parts or _is_kind(parts[-1]):
        return None
    names = re.split(r"\s+(?:and|or|&)\s+|\s*[,/]\s*", " ".join(parts))
    if not all(_is_name(name, question) for name in names):
        return Named()
    groups = tuple(normal_identity(name, country, tables) for name in names)
    return Named(groups, groups)


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
    formed = question.identity is None or bool(_AGENT.search(head)) or not in_dictionary(head)
    return is_group(text) or is_group(head) or (is_plural(head) and formed)
