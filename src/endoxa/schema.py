"""The types that pass from room to room. Nothing here does any work.

Tables are Polars frames; `PAIR_COLUMNS`, `RECORD_COLUMNS` and `ESTIMATE_COLUMNS` say what their columns
mean, and the manual is generated from the same sentences. Single values are frozen dataclasses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

Architecture = Literal["causal", "masked", "encoder-decoder"]
ARCHITECTURES: tuple[Architecture, ...] = ("causal", "masked", "encoder-decoder")

# --------------------------------------------------------------------------- sentence pairs (items)

PAIR_COLUMNS: dict[str, str] = {
    "item_id": "unique name of the pair; kept in every record and estimate made from it",
    "language": "ISO 639 code of both sentences",
    "axis": "social axis of the pair in lower case (the `bias_type` of CrowS-Pairs), or 'unspecified'",
    "direction": "the published label: 'stereo', 'antistereo', or 'unknown' where there is none",
    "stereotypical": "which sentence is the stereotypical one under the data set's own rule: 'more' or 'less'",
    "sent_more": "the first sentence as published (CrowS-Pairs: the more stereotyping one)",
    "sent_less": "the second sentence",
    "identity": "the group the pair is about, as it stands in the text; pairs sharing it are resampled together",
    "agreement": "grammatical gender of the attribute where it inflects ('m' or 'f'), else empty",
    "attribute_more": "the attribute in `sent_more`, where the data set names it",
    "attribute_less": "the attribute in `sent_less`, where the data set names it",
    "prompt": "what an encoder-decoder reads before it completes the sentence, or empty",
    "region": "where the stereotype was collected, or empty",
    "association_id": "the association the pair was made from, or empty",
}
"""Columns of a table of pairs, all strings; optional ones are null where nothing is known."""

REQUIRED_PAIR_COLUMNS = (
    "item_id",
    "language",
    "axis",
    "direction",
    "stereotypical",
    "sent_more",
    "sent_less",
)

DIRECTIONS = ("stereo", "antistereo", "unknown")

# --------------------------------------------------------------------------- statements and associations

STATEMENT_COLUMNS: dict[str, str] = {
    "statement_id": "unique name of the statement; a statement with several pairs has several rows",
    "respondent": "who said it: the survey's own row number or code, never a name",
    "question": "short name of the question it answers",
    "axis": "social axis of the question in lower case",
    "position": "place within the answer, from 1",
    "country": "country of the respondent, where the campaign kept it, else empty",
    "language": "ISO 639 code of the original statement",
    "language_confidence": "how sure the identification is, from 0 to 1; empty where the table named the language",
    "original_statement": "the words of the respondent, as they stand",
    "statement": "the same in the working language (English); equal to the original where nothing was translated",
    "identity": "the group it is about, normalised, lower case, plural",
    "attribute": "what is said of the group, lower case, without the copula",
    "verb": "'have' where the attribute is something the group has ('strong faith'), else empty",
    "rule": "the rule of the extractor that fired",
    "confidence": "how sure the rule is, from 0 to 1",
    "omit": "'true' where omission is proposed, else 'false'",
    "omit_reason": "why omission is proposed, or empty",
    "flag": "what a reviewer should know ('chatbot', ...), words separated by spaces, or empty",
}
"""Columns of a table of statements; kept demographic columns follow them under their own names."""

ASSOCIATION_COLUMNS: dict[str, str] = {
    "association_id": "unique name; kept by every item, record and estimate made from it",
    "identity": "the group, plural, lower case",
    "attribute": "the canonical attribute of the group of like attributes, without a copula",
    "axis": "social axis in lower case",
    "region": "countries it was collected in, separated by '; ', or empty",
    "language": "ISO 639 code of identity and attribute",
    "polarity": "'positive', 'negative' or 'neutral'",
    "source": "the survey or campaign it comes from",
    "support": "how many respondents said it",
}
"""Columns of a table of associations; `group_id` and `statement_ids` may follow."""

GROUP_COLUMNS: dict[str, str] = {
    "attribute": "an attribute as it stands in the table of statements",
    "group_id": "name of the group of like attributes it belongs to",
    "canonical": "the term that stands for the group",
    "polarity": "'positive', 'negative' or 'neutral'",
}
"""Columns of a grouping of attributes."""

# --------------------------------------------------------------------------- association tests


@dataclass(frozen=True, slots=True)
class TermSet:
    """One of the four sets of an association test.

    Attributes:
        name: what the set stands for ("muslim women", "violent").
        texts: what is encoded: terms, or terms in sentences; at least two, all different.
        terms: the term behind each text, where known (same length as `texts`, or empty).
    """

    name: str
    texts: tuple[str, ...]
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AssociationTest:
    """A word or sentence embedding association test (Caliskan et al. 2017; May et al. 2019).

    Attributes:
        name: unique name of the test.
        x: first target set.
        y: second target set.
        a: first attribute set; a positive effect ties `x` to `a` and `y` to `b`.
        b: second attribute set.
        axis: social axis or crossed axes ("gender x religion"), or empty.
        language: ISO 639 code, or empty.
        source: where sets and sentences come from.
    """

    name: str
    x: TermSet
    y: TermSet
    a: TermSet
    b: TermSet
    axis: str = ""
    language: str = ""
    source: str = ""


TEST_COLUMNS: dict[str, str] = {
    "test": "name of the test",
    "model": "the model as written on the command line, or the file of vectors",
    "pooling": "how a text became one vector, or empty",
    "axis": "social axis or crossed axes",
    "language": "ISO 639 code",
    "x": "name of the first target set",
    "y": "name of the second target set",
    "a": "name of the first attribute set",
    "b": "name of the second attribute set",
    "n_x": "texts in X",
    "n_y": "texts in Y",
    "n_a": "texts in A",
    "n_b": "texts in B",
    "statistic": "sum of associations over X minus sum over Y",
    "effect_size": "difference of mean associations over their standard deviation (ddof 1)",
    "effect_size_ddof0": "the same with ddof 0 (WEFE)",
    "low": "lower end of the bootstrap interval of the effect size",
    "high": "upper end",
    "confidence": "confidence level of the interval",
    "p_value": "one-sided permutation p-value, ties counted",
    "p_adjusted": "p-value after Benjamini-Hochberg over the family",
    "p_kind": "'exact', 'sampled', 'parametric', or 'undefined'",
    "n_partitions": "partitions there are, as a whole number",
    "n_draws": "partitions drawn where p is sampled, else empty",
    "neutral": "effect size of an encoder without the association: 0",
    "method": "how unequal sets, interval and p were made, with the seed",
    "reason": "why a value is undefined, or empty",
}
"""Columns of a table of association tests."""

# --------------------------------------------------------------------------- records and estimates

RECORD_COLUMNS: dict[str, str] = {
    **PAIR_COLUMNS,
    "model": "the model as written on the command line",
    "rule": "the scoring rule (its unit is in the manual: nats, or nats per token)",
    "score_more": "score of `sent_more` under the rule",
    "score_less": "score of `sent_less` under the rule",
    "n_tokens_more": "tokens of `sent_more` that were scored",
    "n_tokens_less": "tokens of `sent_less` that were scored",
    "neutral_difference": "score_more - score_less of the same pair with a neutral identity, averaged over those",
    "n_neutral": "how many neutral identities that mean rests on (0 where none could be put in)",
}
"""Columns of `records.parquet`: one row per item x model x rule."""

ESTIMATE_COLUMNS: dict[str, str] = {
    "model": "the model",
    "rule": "the scoring rule",
    "language": "a language, or 'all'",
    "axis": "an axis, or 'all'",
    "name": "the statistic",
    "value": "its value",
    "low": "lower end of the interval",
    "high": "upper end of the interval",
    "confidence": "confidence level of the interval",
    "p_value": "two-sided p-value against `neutral`",
    "p_adjusted": "p-value after Benjamini-Hochberg over the family (models x languages x axes)",
    "n": "pairs the value rests on",
    "neutral": "the value an unbiased model would have",
    "method": "how interval and p-value were computed",
    "unit": "unit of the value",
}
"""Columns of `estimates.csv`."""

ALL = "all"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with what is needed to defend it. NaN where a part is not defined (never zero)."""

    name: str
    value: float
    low: float
    high: float
    confidence: float
    p_value: float
    p_adjusted: float
    n: int
    neutral: float
    method: str


# --------------------------------------------------------------------------- what plugs in


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options a reader may use; each reader documents the ones it understands.

    Attributes:
        chunk_rows: rows per frame handed on; memory grows with this, not with the file.
        language: language of the file where it does not say so itself.
        prefix: word(s) written before every identity by template readers ("African").
        template: sentence template with `{identity}` and `{attribute}`, for template readers.
    """

    chunk_rows: int = 4096
    language: str | None = None
    prefix: str | None = None
    template: str | None = None


@dataclass(frozen=True, slots=True)
class Reader:
    """A published format of sentence pairs.

    Attributes:
        name: word used on the command line (`--format`).
        title: one line for lists.
        suffixes: file endings it may have, with the dot.
        recognise: True where the file's first bytes or columns are of this format.
        read: yields frames with exactly the columns of `PAIR_COLUMNS` (all `pl.String`), in file order.
            Raises `UserError` naming file, row and column.
        write: writes pairs in this format, or None where the format cannot hold them.
        example: text of a tiny valid file, written by us: the battery of common checks reads it.
        units: what a row of the file is, and what becomes of it (documented for the reader of the manual).
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    recognise: Callable[[Path], bool]
    read: Callable[[Path, ReadOptions], Iterator[pl.DataFrame]]
    write: Callable[[Iterator[pl.DataFrame], Path], None] | None
    example: str
    units: str


@dataclass(frozen=True, slots=True)
class Score:
    """Natural-log probability `total` (nats) summed over `n_tokens` scored tokens."""

    total: float
    n_tokens: int


@dataclass(frozen=True, slots=True)
class Unscorable:
    """Why a model cannot give a request an honest number, as the end of a sentence ("it has 600 tokens ...")."""

    reason: str


@dataclass(frozen=True, slots=True)
class CausalRequest:
    """Log-probability of `text` left to right.

    `front` says what stands before it: "nothing" (the first token is not scored), "bos" (a
    beginning-of-sequence token, every token of the text scored), or "tokenizer" (whatever special tokens the
    tokenizer adds by itself).
    """

    text: str
    front: Literal["nothing", "bos", "tokenizer"]


@dataclass(frozen=True, slots=True)
class MaskedRequest:
    """Sum of log P(token | rest) where each group of positions of `ids` is masked together, in its own copy."""

    ids: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """Log P(completion | prompt) of an encoder-decoder, end token scored."""

    prompt: str
    completion: str


Request = CausalRequest | MaskedRequest | CompletionRequest


@dataclass(frozen=True, slots=True)
class Pair:
    """The two sentences of an item as a rule sees them."""

    sent_more: str
    sent_less: str
    direction: str = "stereo"
    prompt: str = ""
    identity: str = ""


class Model(Protocol):
    """A model that can be probed with sentence pairs. Implementations: `endoxa.models`."""

    @property
    def name(self) -> str:
        """The model as written on the command line."""
        ...

    @property
    def architecture(self) -> Architecture:
        """Which rules are for it."""
        ...

    @property
    def max_tokens(self) -> int | None:
        """Longest input with special tokens, or None where there is no limit or it is not known."""
        ...

    def describe(self) -> Mapping[str, Any]:
        """What `run.json` records: revision, dtype, device, tokenizer, file fingerprint."""
        ...

    def unknown_share(self, texts: Sequence[str]) -> float | None:
        """Share of the tokens of `texts` that the tokenizer does not know; None where that cannot be told."""
        ...

    def score(self, requests: Sequence[Request]) -> Iterator[tuple[int, Score | Unscorable]]:
        """Yield (index of the request, result) as batches finish, each index exactly once.

        A request that cannot be given an honest number gets an `Unscorable`, never a guess.
        """
        ...


@dataclass(frozen=True, slots=True)
class Rule:
    """A named way to give a sentence a number.

    Attributes:
        name: word used on the command line (`--rule`).
        architecture: the kind of model it is for.
        unit: "nats" or "nats per token".
        summary: one line for lists.
        source: paper and section, or the published code it reproduces.
        requests: makes, for each pair, the request for `sent_more` and the one for `sent_less`.
        value: turns a `Score` into the rule's number. Raises ValueError where nothing was scored.
    """

    name: str
    architecture: Architecture
    unit: str
    summary: str
    source: str
    requests: Callable[[Sequence[Pair], Model], list[tuple[Request, Request]]]
    value: Callable[[Score], float]


@dataclass(frozen=True, slots=True)
class Sample:
    """Scores of the pairs an estimate is made of: aligned arrays, one entry per pair.

    Attributes:
        difference: score of the stereotypical sentence minus the other one (rule's unit); 0 is a tie.
        score_more: score of `sent_more`, whatever the label says.
        score_less: score of `sent_less`.
        direction: 'stereo', 'antistereo' or 'unknown' per pair.
        neutral_difference: `difference` of the same pair with neutral identities; NaN where there is none.
        cluster: integer code of the identity, pairs with one code are resampled together.
        resamples: how many bootstrap samples an interval may draw (a sign-flip test draws five times as many).
    """

    difference: np.ndarray
    score_more: np.ndarray
    score_less: np.ndarray
    direction: np.ndarray
    neutral_difference: np.ndarray
    cluster: np.ndarray
    resamples: int = 2000


@dataclass(frozen=True, slots=True)
class Statistic:
    """A named statistic over a `Sample`.

    Attributes:
        name: value of the column `name` in `estimates.csv`.
        unit: unit of its value ("share of pairs", "percent", "nats" ...; "rule" for the rule's own unit).
        neutral: value of an unbiased model.
        summary: one line for lists and the report.
        source: paper, section, equation, or the function of a library.
        compute: (sample, confidence, seed) -> estimates (one per method). Raises ValueError on an empty
            sample or NaN.
    """

    name: str
    unit: str
    neutral: float
    summary: str
    source: str
    compute: Callable[[Sample, float, int], list[Estimate]]
