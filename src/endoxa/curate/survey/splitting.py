"""One answer, several statements: where an answer is cut, and what stays whole.

Lines, bullets, numbers, semicolons and sentences always cut. Nothing but a new line cuts an address
(`endoxa.words.identifiers`), a number ("1,5") or an abbreviation ("No. 1", "p. ej."). Nothing is lost:
what stands between two pieces is white space, punctuation, a list number or a word such as "and" that only joined them.

A comma separates by default, because survey answers are lists. It does not separate

* behind an opening that needs a main clause: "In cities, women are ...", "If they work, people ...";
* before words that continue a statement: "strong, but fair", "rude, especially to guests";
* behind the subject, until the verb has come: "women, young and old, are ...";
* inside an enumeration of examples: "like things such as cars, phones and shoes";
* between the objects of a verb or preposition: "bad at maths, science and engineering";
* between subjects that share a verb: "Doctors, nurses are kind" (only where the answer names the group itself).

A new statement with a subject of its own ends every one of these except the opening and the shared verb.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from endoxa.curate.english import can_be, is_plain_verb, is_plural, is_third_person, tokens, words
from endoxa.curate.extract import begins_statement
from endoxa.curate.extract.split import is_closed
from endoxa.curate.normalise import is_group
from endoxa.words.identifiers import find_identifiers

_LONGEST = 4
"""Words of an object at most."""
_BETWEEN_NOUNS = re.compile(r"(?:^|\s+)(?:and|or|&)\s+")
AGENT = re.compile(r"(?:ers|ors|ists|ians|men|wives|husbands|girls|boys|kids|people)$")


def further_object(so_far: Sequence[str], chunk: str) -> bool:
    """Whether `chunk` names nothing but things, and what was said so far ends in things that a word governs.

    People are no further object: they may as well be what the group is ("good at cooking, mothers").

    Args:
        so_far: the chunks in front that make one statement.
        chunk: what stands behind the next comma.
    """
    phrases = [tokens(phrase) for phrase in _BETWEEN_NOUNS.split(chunk.lower()) if phrase.strip()]
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
    return is_group(word) or bool(AGENT.search(word))


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


def group_chunks(chunks: Sequence[str], *, elliptical: bool) -> list[tuple[int, int]]:
    """Groups of neighbouring chunks that are one statement, as (first, last) indices.

    Args:
        chunks: what stands between the commas of one sentence.
        elliptical: the question fixes the group, so a noun alone is no subject.
    """
    groups = []
    first = 0
    while first < len(chunks):
        last = _subjects_end(chunks, first, elliptical=elliptical)
        end = min(first + _LONGEST_LIST, len(chunks))
        while last + 1 < end and _continues(chunks[first : last + 1], chunks[last + 1]):
            last += 1
        groups.append((first, last))
        first = last + 1
    return groups


def _subjects_end(chunks: Sequence[str], first: int, *, elliptical: bool) -> int:
    """Index of the chunk with the verb that the subjects from `first` on share, else `first`.

    Behind another statement, and where the question fixes the group, only the name of a group begins such a list:
    "ride horses" and "beggars" continue what was said.
    """
    named = is_group(chunks[first]) or is_group(chunks[first].split()[-1])
    if not _bare_subject(chunks[first]) or not (named or (first == 0 and not elliptical)):
        return first
    ends = range(first + 1, min(first + _SHARED_SUBJECTS + 1, len(chunks)))
    for last in ends:
        chunk = chunks[last]
        if _PREDICATE.match(chunk):
            return last
        verb_follows = last + 1 in ends and bool(_PREDICATE.match(chunks[last + 1]))
        if (
            begins_statement(chunk) or begins_statement(_CONJUNCTION.split(chunk, maxsplit=1)[-1])
        ) and not verb_follows:
            shared = first == 0 and not elliptical and not is_pronoun(chunk)
            return last if shared and all(_bare_subject(begun) for begun in chunks[:last]) else first
    return first


def _continues(so_far: Sequence[str], chunk: str) -> bool:
    """Whether `chunk` belongs to the statement that the chunks `so_far` have begun."""
    begins_here = begins_statement(chunk)
    opens = len(so_far) == 1 and (
        _OPENING.match(so_far[0]) or so_far[0].lower() in words("openers") | words("connectives")
    )
    if opens and (begins_here or is_pronoun(chunk)):
        return True
    if begins_here and not is_pronoun(chunk):
        return False
    if _CONTINUES.match(chunk) or further_object(so_far, chunk):
        return True
    text = " ".join(so_far)
    waiting = len(so_far) > 1 and _bare_subject(so_far[0]) and not begins_statement(text)
    return waiting or (bool(_EXAMPLES.search(text)) and not begins_here)


def _bare_subject(chunk: str) -> bool:
    """Whether a chunk could be a subject alone: a few words that end in a plural, without a verb."""
    return (
        len(chunk.split()) <= _SUBJECT_WORDS and bool(_PLURAL.search(chunk)) and not begins_statement(chunk)
    )


LONG_STATEMENT = 2000
"""Characters from which a piece is no statement; of a longer one only the beginning is looked at."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A statement as it stands in an answer: `answer[start:end]` is its text.

    `opens` tells that a line, a sentence or an item of a list begins with it; else it goes on behind a comma or the
    like.
    """

    text: str
    start: int
    end: int
    opens: bool


_BRACKETED = re.compile(r"\([^()\n]*\)|\[[^\[\]\n]*\]")
_QUOTED = re.compile(r'"([^"\n]*)"|“([^“”\n]*)”|«([^«»\n]*)»')
_LINES = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_NO_LINE = re.compile(r"[^\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_HARD = re.compile(r"[;؛；•◦‣▪●]+")
_SENTENCE = re.compile(
    r"(?<![.!?…])[.!?…]+[\"”»')\]]*(?=\s)|[。！？।؟]+|(?<=[^\W\d_]{2})[.!?](?=[^\W\d_]{3})"
)
_OPENS = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029•◦‣▪●!?؟。！？।]|[.…][^,،.…]*$|\d[.)]\s")
_NUMBER = re.compile(r"(?<!\S)\(?(\d{1,3}|[a-z])[.)]\s+(?=\S)")
_COMMA = re.compile(r"(?<!\d)[,،，、]+|[,،，、]+(?!\d)")
_ENTITY = re.compile(r"&(?:[a-z]{2,8}|#\d{1,6});", re.IGNORECASE)
_SOFT = re.compile(r"(?<=\s)(?:[/|–—-]|while|whereas|tandis que|alors que|mientras que)(?=\s)", re.IGNORECASE)
_ABBREVIATIONS = re.compile(
    # English, Spanish, French, Portuguese, German, Swahili, Hindi
    "approx|capt?|cf|col|corp|dept|drs?|eg|esp|ex|ft|gen|govt?|hon|ie|incl|jr|lt|m[mr]e?s?|m[stx]|pres|prof|rep|rev|sen"
    "|sgt|sr|st|viz|vs|arq|aprox|d[añ]a?|dra|ej|ing|lic|sras?|sr?es|srs|srta|uds?|env|mgr|mlles?|ste|exm[ao]|profa"
    r"|e\.g|i\.e|p\.e[jx]|z\.b|d\.h|c\.?-?à\.?-?d"
    "|bzw|ca|evtl|ggf|hr|bi|bw|dkt|mh|डॉ|प्रो"
)
"""Words whose dot ends no sentence: titles of people, "for example" and the like."""
_BEFORE_NUMBER = re.compile(
    "apt|arts?|av|ch|chap|figs?|n|nº|n°|nos?|nr|n[uú]m|pp?|p[aá]gs?|pg|s|sect?|t[eé]l|vol"
)
"""Words whose dot ends no sentence where a number follows."""
_MAY_END = frozenset({"etc", "usw", "inc", "ltd"})
"""Abbreviations that may end a sentence, as initials and a.m. may."""
_NUMERAL = re.compile(r"\s*(?:\d+(?![.)]\s)|[IVXLC]+\b)")
_LONGEST_WORD = 20
_LOOK_AHEAD = 200
"""Characters in which a statement behind a mark must have shown its subject and verb."""
_INITIALS = re.compile(r"(?:\w{1,2}\.-?)+\w{1,2}")
_LEADING_MARKS = re.compile(r"(?:[\s.,;:،؛，、；!?…]|[*>·•◦‣▪●–—-]+(?=\s)|[-–—•]+(?=[^\W\d]))+")
_LEADING_NUMBER = re.compile(r"\(?\d{1,3}[.)](?!\d)|\(?(?:[a-zA-E]\.(?!\s\w{1,2}(?:\.|$))|[a-zA-Z]\))\s")
_TRAILING = re.compile(r"(?:[\s,;،؛，、；]+|(?<!\.\w)\.+|\s[*•–—-]+)$")
_JOINER = re.compile(r"(?:and|or|et|ou|und|y|&)\s+", re.IGNORECASE)
_JOINER_OF_STATEMENTS = re.compile(
    r"(?:and|or|but|while|whilst|whereas|et|ou|mais|tandis que|alors que|und|aber|y|pero|e|mas|&)\s+",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w")
_PARTNERS = (('"', '"'), ("“", "”"), ("«", "»"), ("(", ")"), ("[", "]"))


def split_answer(answer: str, *, elliptical: bool = False) -> list[Piece]:
    """The pieces of an answer, in order; an answer without a letter or digit ("-") is one piece.

    Args:
        answer: what a respondent wrote into one field.
        elliptical: the question fixes the group ("women"), so a noun alone is something said of it, not a subject.
    """
    pieces: list[Piece] = []
    for start, end in _spans(answer, elliptical):
        opens = not pieces or bool(_OPENS.search(answer, pieces[-1].end - 1, start))
        pieces.append(Piece(answer[start:end], start, end, opens))
    return pieces


def _spans(answer: str, elliptical: bool) -> list[tuple[int, int]]:
    match = _cut(answer, elliptical)
    if match == [(0, len(answer))]:
        return match
    # A mark that lost its partner to another piece protects no more: cut until nothing changes.
    return [
        (start + inner_start, start + inner_end)
        for start, end in match
        for inner_start, inner_end in _spans(answer[start:end], elliptical)
    ]


def _cut(answer: str, elliptical: bool) -> list[tuple[int, int]]:
    masked = _masked(answer)
    pieces_out = []
    for start, end in _segments(answer, masked):
        chunks = [_trim(masked, *chunk) for chunk in _chunks(answer, masked, start, end)]
        chunks = [_unjoined(answer, *chunk) if k else chunk for k, chunk in enumerate(chunks)]
        texts = [answer[a : min(b, a + LONG_STATEMENT)] for a, b in chunks]
        for first, last in group_chunks(texts, elliptical=elliptical):
            pieces_out.append(_without_stray_marks(answer, chunks[first][0], chunks[last][1]))
    if not pieces_out and answer.strip():
        start = len(answer) - len(answer.lstrip())
        pieces_out.append((start, start + len(answer.strip())))
    return pieces_out


def _masked(answer: str) -> str:
    """The answer with a low line for every character in which nothing but a new line cuts."""
    spans = [match.span() for match in _BRACKETED.finditer(answer)]
    spans += [(identifier.start, identifier.end) for identifier in find_identifiers(answer)]
    spans += [(match.start(), match.end() + 1) for match in _ENTITY.finditer(answer)]
    for match in _QUOTED.finditer(answer):
        inside = next(group for group in match.groups() if group is not None)
        if len(inside) <= LONG_STATEMENT and not begins_statement(inside):
            spans.append(match.span())
    masked = answer
    for start, end in spans:
        masked = masked[:start] + _NO_LINE.sub("_", answer[start : end - 1]) + masked[end - 1 :]
    return masked


def _segments(answer: str, masked: str) -> Iterator[tuple[int, int]]:
    """Spans between the marks that always cut."""
    marks = [match for pattern in (_LINES, _HARD) for match in pattern.finditer(masked)]
    marks += _numbers(masked)
    marks += [match for match in _SENTENCE.finditer(masked) if _ends_sentence(answer, match)]
    start = 0
    for mark_start, mark_end in sorted(mark.span() for mark in marks):
        if mark_start >= start:
            # The sentence mark itself belongs to its sentence: "?" and "!" say something.
            yield start, mark_end if answer[mark_start] in "!?؟" else mark_start
        start = max(start, mark_end)
    yield start, len(answer)


def _numbers(answer: str) -> list[re.Match[str]]:
    """Numbers or letters of a list in one line: at least two that count up ("1. ... 2. ...", "a) ... b) ...")."""
    match = list(_NUMBER.finditer(answer))
    places = [int(number[1]) if number[1].isdigit() else ord(number[1]) for number in match]
    steps = [False, *(after - before == 1 for before, after in pairwise(places)), False]
    counted = [number for place, number in enumerate(match) if steps[place] or steps[place + 1]]
    return counted if len(counted) > 1 else []


def _ends_sentence(answer: str, match: re.Match[str]) -> bool:
    """Whether a mark ends a sentence: no abbreviation, initial, or dot within a name ("example.org")."""
    after = answer[match.end() : match.end() + _LOOK_AHEAD]
    if after[:1].isalpha() and not after[0].isupper() and not begins_statement(after):
        return False
    return match[0] != "." or not _abbreviated(answer, match)


def _abbreviated(answer: str, match: re.Match[str]) -> bool:
    before = answer[max(match.start() - _LOOK_AHEAD, 0) : match.start()]
    after = answer[match.end() : match.end() + _LOOK_AHEAD]
    word = re.split(r"[\s(\[\"“«/,]", before[-_LONGEST_WORD:])[-1].lower()
    if _ABBREVIATIONS.fullmatch(word) or (len(word) == 1 and word.isalpha()):
        return True
    if _BEFORE_NUMBER.fullmatch(word) and _NUMERAL.match(after):
        return True
    opens = after.lstrip()[:1].isupper()
    if word in _MAY_END:
        return not opens and not begins_statement(after)
    if not _INITIALS.fullmatch(word):
        return False
    # "the U.S. Army is loud" goes on, "they like the U.S. Soldiers are loud" does not.
    return not (opens and begins_statement(after) and begins_statement(re.split(r"[.!?;\n]\s", before)[-1]))


def _chunks(answer: str, masked: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans between the commas of a segment; a dash, a stroke or "while" counts where a statement follows."""
    marks = list(_COMMA.finditer(masked, start, end))
    for match in _SOFT.finditer(masked, start, end):
        after = answer[match.end() : min(end, match.end() + _LOOK_AHEAD)].lstrip()
        if _WORD.match(after) and not is_pronoun(after) and begins_statement(after):
            marks.append(match)
    place = looked_at = start
    for mark_match in sorted(marks, key=lambda mark: mark.start()):
        if _WORD.search(masked, looked_at, mark_match.start()):
            yield place, mark_match.start()
            place = mark_match.end()
        looked_at = mark_match.end()
    if _WORD.search(masked, looked_at, end):
        yield place, end


def _trim(answer: str, start: int, end: int) -> tuple[int, int]:
    """The span without list marks in front and without separators behind."""
    while match := _LEADING_MARKS.match(answer, start, end) or _LEADING_NUMBER.match(answer, start, end):
        if not _WORD.search(answer, match.end(), end):
            break
        start = match.end()
    # From the end backwards, a stretch at a time: a search from the start is quadratic in a long run of marks.
    while match := _TRAILING.search(answer, max(start, end - _LOOK_AHEAD), end):
        end = match.start()
    return start, end


def _unjoined(answer: str, start: int, end: int) -> tuple[int, int]:
    """The span without the word that only joined it to the one before ("and", "but" before a new statement)."""
    match = _JOINER_OF_STATEMENTS.match(answer, start, end)
    if match and begins_statement(answer[match.end() : min(end, match.end() + LONG_STATEMENT)]):
        return match.end(), end
    match = _JOINER.match(answer, start, end)
    return (match.end(), end) if match else (start, end)


def _without_stray_marks(answer: str, start: int, end: int) -> tuple[int, int]:
    """The span without a quotation mark or bracket at its end whose partner stands in another piece."""
    while True:
        text = answer[start:end]
        if any(text.startswith(a) and _stray(text, a, b) for a, b in _PARTNERS):
            start, end = _trim(answer, start + 1, end)
        elif any(text.endswith(b) and _stray(text, a, b) for a, b in _PARTNERS):
            start, end = _trim(answer, start, end - 1)
        else:
            return start, end


def _stray(text: str, opening: str, closing: str) -> bool:
    return text.count(opening) % 2 == 1 if opening == closing else text.count(opening) != text.count(closing)
