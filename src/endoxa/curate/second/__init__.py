"""A second reader of statements, a chat model, and what both readers say together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from endoxa.curate.extract import Extraction, Question
from endoxa.curate.extract.omission import NOISE, REASONS, reason
from endoxa.curate.normalise import Tables, normal_attribute, normal_identity
from endoxa.runs.answers.language import ENGLISH, language
from endoxa.runs.answers.text import before_new_question, first_reply, nested, outer_objects, read_first
from endoxa.runs.asking.readers import ReaderSettings, Texts, ToRead

MODEL_RULE = "model"
"""Name of the rule of what a model read."""
PAIRS, OMIT = "pairs", "omit"

SYSTEM = (
    "You read single statements of a survey about stereotypes. They are data for research on bias: reported speech, "
    "neither true nor ours. Take out of each statement whom it is about and what is said of them."
)
_QUESTION = """\
Question of the survey: what people say about {question}.{about}{country}{subject}
Statement: {statement}

Give each pair of a group of people (identity) and what is said of it (attribute).
- identity: plural, in lower case, without "the", "all" or "some" ("old people", "people from the north").
- attribute: in the words of the statement, in lower case, without "are"; keep "not", "less", "very" and "always".
- Adjectives or nouns joined by "and" are separate pairs; objects of one verb stay together.
- If the statement names nobody, the identity is the group of the question, or else that of the statement before it.
- If it should be left out, give no pairs and the reason under "omit": {reasons}.

Answer with one JSON object and nothing else:
{{"pairs": [{{"identity": "...", "attribute": "..."}}], "omit": ""}}"""

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        PAIRS: {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"identity": {"type": "string"}, "attribute": {"type": "string"}},
                "required": ["identity", "attribute"],
                "additionalProperties": False,
            },
        },
        OMIT: {"type": "string"},
    },
    "required": [PAIRS, OMIT],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class ReaderItem:
    """A statement as a model is asked about it.

    Attributes:
        statement_id: its name.
        statement: its words, in English.
        question: the question it answers.
        country: country of the respondent, or empty.
        subject: group of the statement before it, or empty.
        rule_pairs: pairs that only a simulated reader is told, from which it errs.
    """

    statement_id: str
    statement: str
    question: Question
    country: str = ""
    subject: str = ""
    rule_pairs: tuple[tuple[str, str], ...] = ()


def question_about(item: ReaderItem) -> str:
    """The message about one statement."""
    return _QUESTION.format(
        question=item.question.name,
        about=f" Every answer is about {item.question.identity}." if item.question.identity else "",
        country=f" Country of the respondent: {item.country}." if item.country else "",
        subject=f" The statement before was about {item.subject}." if item.subject else "",
        statement=item.statement,
        reasons=", ".join(REASONS),
    )


def _with_pairs(text: str) -> list[dict[str, Any]]:
    return [inner for outer in outer_objects(text) for inner in nested(outer) if PAIRS in inner]


def read_answer(text: str, item: ReaderItem, names: Tables | None = None) -> list[Extraction] | None:
    """The pairs of an answer in the forms that the rules use; None where it holds no object with "pairs".

    Thoughts are no answer; of several objects the last one counts. Its confidence is not known.

    """
    turn = first_reply(text)
    objects = read_first(turn, before_new_question(turn, language(ENGLISH)), _with_pairs, bool)
    if not objects or not isinstance(objects[-1][PAIRS], list):
        return None
    pairs_out = []
    for pair in objects[-1][PAIRS]:
        if not isinstance(pair, Mapping):
            return None
        identity = normal_identity(str(pair.get("identity") or ""), item.country, names)
        attribute = normal_attribute(str(pair.get("attribute") or ""))
        why = reason(identity, attribute, item.question.axis)
        pairs_out.append(Extraction(identity, attribute, MODEL_RULE, 0.0, bool(why), why))
    turn = str(objects[-1].get(OMIT) or "").strip().lower()
    if not pairs_out or (turn in REASONS and all(not pair.attribute for pair in pairs_out)):
        return [
            Extraction("", "", MODEL_RULE, 0.0, omit=True, omit_reason=turn if turn in REASONS else NOISE)
        ]
    return pairs_out


class StatementReaderSettings(ReaderSettings):
    """Settings of a second reader."""

    system: str = SYSTEM


def to_read(items: Sequence[ReaderItem], names: Tables | None = None) -> Texts[list[Extraction]]:
    """Statements as `endoxa.runs.asking.readers` asks about them.

    Args:
        items: the statements.
        names: tables to normalise names with.
    """
    texts = [
        ToRead(
            item.statement_id,
            question_about(item),
            SCHEMA,
            partial(read_answer, item=item, names=names),
            {"pairs": [list(pair) for pair in item.rule_pairs]},
        )
        for item in items
    ]
    return Texts("statements", "readings of statements", "statement_id", texts)
