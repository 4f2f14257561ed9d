"""Multiple-choice questions about people, and what models answered to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from endoxa.schema.columns import shared

Condition = Literal["ambig", "disambig"]
Polarity = Literal["neg", "nonneg"]

OUTCOMES = ("stereotyped", "anti-stereotyped", "unknown", "refused", "unparsed")
"""What an answer can be, kept apart: the option that agrees with the stereotype, the other person, the unknown
option, a refusal to answer, or nothing that can be read."""

NOT_KNOWN = "person, target not known"
"""Outcome of an answer that names a person where nobody knows which one the stereotype is about."""

SHOWN_OUTCOMES = (*OUTCOMES[:2], NOT_KNOWN, *OUTCOMES[2:])
"""Outcomes in the order in which they are shown."""

PROTOCOLS = ("baseline", "explanation", "reprompting")
"""How a question is put (Gallegos et al. 2025): at once, after the model explained invalid assumptions, or
again with the request to remove bias."""

PERSON, PEOPLE, OWN = "person", "people", "own"
STYLES = {
    PERSON: (
        "questions about two persons",
        "nothing says which of the two has the attribute, so a model that names the person of the group that it is "
        "reported of applies the stereotype to a person.",
    ),
    PEOPLE: (
        "questions about what people think",
        "a model that names the person of the group that an attribute is reported of shows that it knows the "
        "stereotype, not that it shares it.",
    ),
    OWN: (
        "questions in the user's words",
        "what it shows that a model names a person depends on how the questions are worded.",
    ),
}
"""What questions that endoxa made ask: their name, and what an answer that names a person shows."""

_BUILDER = "endoxa build qa"


def built_with(style: str) -> str:
    """What `built_by` says of questions of a style."""
    return f"{_BUILDER} --templates" if style == OWN else f"{_BUILDER} --style {style}"


def style_of(built_by: str) -> str | None:
    """The style of a question by its `built_by`; None for questions that `endoxa build qa` did not make."""
    return next((style for style in STYLES if built_by == built_with(style)), None)


@dataclass(frozen=True, slots=True)
class QaItem:
    """One question with three options (Parrish et al. 2022).

    Attributes:
        item_id: unique within the file: 'CATEGORY-EXAMPLE_ID', and '-VARIANT' where there are variants.
        category: category of the item ("Nationality").
        example_id: the file's own number, unique within category and variant.
        variant: which drawing of names it is ("1", "2", "3"), or empty.
        template: what is resampled together in cluster bootstraps: 'CATEGORY-QUESTION_INDEX' for BBQ; the identity, in
            the name that all languages share, for questions made from associations.
        polarity: "neg" asks who the stereotype holds for, "nonneg" who the opposite holds for.
        condition: "ambig" (the right answer is the unknown option) or "disambig".
        language: ISO 639 code.
        context: what is told.
        question: what is asked.
        options: the three options as shown, trimmed.
        label: the right option, 0 to 2.
        target: the option that agrees with the stereotype, or None where nobody knows.
        unknown: the option that says it cannot be known.
        identity: the stereotyped group or person of this item, where the file names it, else empty.
        identity_key: one name for it in all languages, where the file has one.
        region: region of that group, where the file names it, else empty.
        names: names put in the place of groups (group -> name); empty in an original.
        association_id: the association it was made from, or empty.
        attribute: what that association says of the identity, or empty.
        built_by: the command that made it ('endoxa build qa --style person'), or empty.
        words: endoxa's own words that it was made with (`schema.provenance`), or empty.
        no_target: why the target is not known, or empty.
    """

    item_id: str
    category: str
    example_id: str
    variant: str
    template: str
    polarity: Polarity
    condition: Condition
    language: str
    context: str
    question: str
    options: tuple[str, str, str]
    label: int
    target: int | None
    unknown: int
    identity: str = ""
    identity_key: str = ""
    region: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    association_id: str = ""
    attribute: str = ""
    built_by: str = ""
    words: str = ""
    no_target: str = ""

    @property
    def other(self) -> int | None:
        """The person who is not the target, or None where the target is not known."""
        return None if self.target is None else 3 - self.target - self.unknown


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer as it was read.

    Attributes:
        choice: the option of the item (0 to 2, in the file's order), or None.
        refused: the model declined to answer.
        rule: which rule of the reader decided ("letter", "option-text", ...), or why nothing was read.
    """

    choice: int | None
    refused: bool
    rule: str


QA_RECORD_COLUMNS: dict[str, str] = {
    **shared("item_id"),
    "category": "category of the item",
    "example_id": "number of the item within category and variant",
    "variant": "number of the draw of names, or empty",
    "template": "template of the item; items of one template are resampled together",
    "question_polarity": "'neg' or 'nonneg'",
    **shared("context_condition language"),
    "identity": "the stereotyped group or person, where the file names it",
    **shared("association_id label target unknown model protocol ask seed repeat"),
    "order": "the options in the order shown: '201' shows option 2 first",
    "answer": "the last answer of the conversation, as it came",
    "turns": "JSON list of all answers of the conversation",
    "reasoning": "JSON list of the thoughts that came beside each answer, or empty",
    **shared("served_model finish choice"),
    "outcome": "one of `OUTCOMES`; empty where a person was named and the stereotyped one is unknown",
    "rule": "the rule of the answer reader that decided",
    **shared("prompt_tokens completion_tokens reasoning_tokens error"),
    "attribute": "what the association says of the identity, or empty",
    **shared("identity_key"),
}
"""Columns of `records.parquet` of a run of questions: one row per item x model x protocol x repeat."""

_RESULT = (
    *("low", "high", "n", "neutral", "p_value", "p_adjusted", "verdict", "reason", "interval", "clusters"),
    *("groups", "attributes", "sampled", "confidence", "method"),
)
"""Columns of every table of estimates about answers; docs/analyze/qa.md says what they and those below mean."""
_SEEDS = ("mean", "sd", "seeds")
_CELL = ("data", "category", "model", "protocol", "context_condition")

QA_ESTIMATE_COLUMNS = (*_CELL, "name", "value", *_RESULT, "bound_low", "bound_high", *_SEEDS)
"""Columns of a table of estimates from questions, a row for each measure; an undefined value is empty, never 0."""

QA_COUNT_COLUMNS = (
    *_CELL,
    *("n_asked", "n_read", "n_unparsed", "n_refused", "n_correct", "n_persons", "n_non_unknown", "n_biased"),
)
"""Columns of a table of counted answers."""

QA_COMPARISON_COLUMNS = (
    *("model", "protocol", "context_condition", "original", "substituted", "name"),
    *("original_value", "substituted_value", "value", *_RESULT, *_SEEDS, "n_left_out"),
)
"""Columns of tables that compare a data set with the same with names: differences, and error retention ratios."""

DEBIAS_COLUMNS = (
    *("data", "model", "protocol", "name", "value", *_RESULT),
    *("n_dropped", "n_unread", "n_correct", "n_non_unknown", "n_biased"),
)
"""Columns of a table of self-debiasing protocols (Gallegos et al. 2025), with intervals over items and templates."""

QA_IDENTITY_COLUMNS: dict[str, str] = {
    **shared("data model protocol"),
    "identity": "the stereotyped group or person; in several languages one row, with all names ('femmes; mujeres')",
    "n": "answers that name a person, in ambiguous contexts",
    "questions": "different questions they belong to",
    "n_biased": "answers that name the stereotyped one",
    "value": "2 n_biased / n - 1; empty where nobody was named",
    **shared("low high confidence"),
}
"""Columns of a table of unscaled bias by stereotyped identity; it holds no tests, and nothing is claimed from it."""
