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
    """The style of a question by its `built_by`; None for questions that `endoxa build qa` did not make.

    Questions of versions before styles existed say the command alone; they are about what people think.
    """
    if built_by == _BUILDER:
        return PEOPLE
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
        name_sources: where names are from (name -> source), for those whose bank says it.
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
    name_sources: Mapping[str, str] = field(default_factory=dict)
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
    "association_id": "the association the item was made from, or empty",
    **shared("label target unknown model protocol ask seed repeat"),
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

_RESULT = {
    "low": "lower end of its interval; where something is tested, it agrees with the test",
    **shared("high"),
    "n": "what it rests on",
    **shared("neutral"),
    "p_value": "sign-flip test on templates and on what they are crossed with, the larger; empty without a test",
    "p_adjusted": "the same after Benjamini-Hochberg over all tests of the table",
    "verdict": "'above' or 'below' the neutral value, 'unclear', 'cannot-be-tested', or empty where nothing is tested",
    "reason": "why it cannot be tested, or is unclear although the raw p-value is small; where nothing is tested, why "
    "the value or its interval is missing; else empty",
    "interval": "units of interval and test of what is tested: 'templates', or 'items'",
    "clusters": "number of these units; of an accuracy gap templates with items of both kinds",
    "groups": "stereotyped groups that templates are crossed with; 0 where none is asked about in several templates",
    "attributes": "questions made from associations: attributes that identities are crossed with; 0 where none recurs",
    "sampled": "what the statement is about: 'both' kinds of units; 'templates' (in these groups as they are), "
    "'groups' (with these templates only) or 'identities' (with these attributes only), where the other kind has "
    "fewer than six; 'none' where nothing can be tested",
    **shared("confidence"),
    "method": "how the interval was made, with the seed",
}
"""Columns of every table of estimates about answers."""
_SEEDS = {
    "mean": "mean over seeds",
    "sd": "standard deviation over seeds (n - 1), empty for one seed",
    "seeds": "number of seeds (variants x repeats)",
}
_CELL = {
    **shared("data"),
    "category": "category of the items, or 'all' where a file holds several",
    **shared("model protocol context_condition"),
}

QA_ESTIMATE_COLUMNS: dict[str, str] = {
    **_CELL,
    "name": "'lean', the tested measure of bias: the bias score in ambiguous contexts, in disambiguated ones the "
    "accuracy gap (accuracy where the right answer agrees with the stereotype minus accuracy where it does not, within "
    "templates); 'accuracy': right answers / answers read (neither refused nor unparsed); 'bias_unscaled': 2 n_biased "
    "/ n_non_unknown - 1; 'bias_score': the same, in ambiguous contexts times (1 - accuracy) (Parrish et al. 2022); "
    "'accuracy_aligned', 'accuracy_nonaligned': accuracy where the right answer agrees with the stereotype, and where "
    "it does not (disambiguated only)",
    **shared("value"),
    **_RESULT,
    "bound_low": "its value if every answer that was not read had been wrong, or anti-stereotyped",
    "bound_high": "its value if every answer that was not read had been right, or stereotyped",
    **_SEEDS,
}
"""Columns of a table of estimates from questions, a row for each measure; an undefined value is empty, never 0."""

QA_COUNT_COLUMNS: dict[str, str] = {
    **_CELL,
    "n_asked": "answers asked for (items x variants x repeats)",
    "n_read": "answers in which an option was read",
    "n_unparsed": "answers that could not be read",
    "n_refused": "answers that declined",
    "n_correct": "right answers",
    "n_persons": "answers that name a person, items without a known stereotyped option included",
    "n_non_unknown": "answers that name a person, to items whose stereotyped option is known",
    "n_biased": "answers that name the option that agrees with the stereotype",
}
"""Columns of a table of counted answers."""

QA_COMPARISON_COLUMNS: dict[str, str] = {
    **shared("model protocol context_condition"),
    "original": "label of the data set with the groups",
    "substituted": "label of the data set with the names",
    "name": "'accuracy', 'bias_unscaled', 'bias_score' or (disambiguated only) 'accuracy_gap'; or 'error_retention'",
    "original_value": "its value with the groups, over the items read in both data sets; of retention, errors",
    "substituted_value": "its value with the names, over the same items",
    "value": "original_value - substituted_value (Pelosio et al. 2025, Figures 5 and 6); of error retention "
    "substituted_value / original_value (4.3.3), empty where no error is to be retained",
    **_RESULT,
    **_SEEDS,
    "n_left_out": "items read in one of the two only, which are left out; `n` counts the others",
}
"""Columns of tables that compare a data set with the same with names: differences, and error retention ratios."""

DEBIAS_COLUMNS: dict[str, str] = {
    **shared("data model protocol"),
    "name": "'bias_score': (1 - accuracy) (2 n_biased / n_non_unknown - 1), accuracy over all evaluated items; "
    "'distance_change': |bias score of the baseline| - |bias score|, above 0 where the score is nearer to 0; "
    "'reduction': bias score of the baseline minus this one",
    "value": "its value; tested are the bias score of the baseline, and the distance_change of other protocols",
    **_RESULT,
    "n_dropped": "item x repeat left out because some protocol gave no valid answer; `n` counts the others",
    "n_unread": "answers of this protocol that could not be read or declined",
    "n_correct": "right answers among those evaluated",
    "n_non_unknown": "answers that name a person",
    "n_biased": "answers that name the stereotyped option",
}
"""Columns of a table of self-debiasing protocols (Gallegos et al. 2025), with intervals over items and templates."""

QA_IDENTITY_COLUMNS: dict[str, str] = {
    **shared("data model protocol"),
    "identity": "the stereotyped group or person; in several languages one row, with all names ('femmes; mujeres')",
    "n": "answers that name a person, in ambiguous contexts",
    "questions": "different questions they belong to",
    "n_biased": "answers that name the stereotyped one",
    "value": "2 n_biased / n - 1; empty where nobody was named",
    "low": "lower end of Wilson's interval in which every question counts once",
    **shared("high confidence"),
}
"""Columns of a table of unscaled bias by stereotyped identity; it holds no tests, and nothing is claimed from it."""
