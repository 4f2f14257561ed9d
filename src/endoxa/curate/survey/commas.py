"""Which commas of a sentence cut it: a list of statements, or one statement with a comma in it.

A comma cuts by default, because survey answers are lists. It does not cut

* behind an opening that needs a main clause: "In cities, women are ...", "If they work, people ...";
* before words that continue what was said: "strong, but fair", "rude, especially to guests";
* behind the subject, until the verb has come: "women, young and old, are ...";
* inside an enumeration of examples: "like things such as cars, phones and shoes";
* before a report: "Bakers are kind, my uncle used to say";
* between the objects of a verb or preposition: "bad at maths, science and engineering";
* between subjects that share a verb: "Doctors, nurses are kind" (only where the answer names the group itself).

A new statement with a subject of its own ends every one of these except the opening, the report and the shared verb.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from endoxa.curate.normalise import is_group
from endoxa.curate.survey.objects import further_object
from endoxa.curate.survey.wording import is_report

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
    r"|thus|whereas|while|without|unlike|than|compared (?:to|with)|as long as|as well as|too$|also$"
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
            return last if shared and all(_bare_subject(one, begins) for one in chunks[:last]) else first
    return first


def _continues(so_far: Sequence[str], chunk: str, begins: Begins) -> bool:
    """Whether `chunk` belongs to the statement that the chunks `so_far` have begun."""
    if is_report(chunk):
        return True
    own = begins(chunk)
    if len(so_far) == 1 and _OPENING.match(so_far[0]) and (own or is_pronoun(chunk)):
        return True
    if own and not is_pronoun(chunk):
        return False
    if _CONTINUES.match(chunk) or further_object(so_far, chunk):
        return True
    said = " ".join(so_far)
    waiting = len(so_far) > 1 and _bare_subject(so_far[0], begins) and not begins(said)
    return waiting or (bool(_EXAMPLES.search(said)) and not own)


def _bare_subject(chunk: str, begins: Begins) -> bool:
    """Whether a chunk could be a subject alone: a few words that end in a plural, without a verb."""
    return len(chunk.split()) <= _SUBJECT_WORDS and bool(_PLURAL.search(chunk)) and not begins(chunk)
