"""Questions of two runs: the answers of each model, question by question.

Questions about groups are also paired with the same questions about people with names, by the question both come from.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.questions.estimates.answers import is_read, load_answers
from endoxa.instruments.questions.estimates.names import ITEM, unlike
from endoxa.instruments.questions.items.of_run import items_of_run
from endoxa.schema.finish import LENGTH
from endoxa.sources.served import fingerprint_sentences, versions_apart
from endoxa.study.compare.items import (
    NAN,
    OTHER,
    Items,
    both,
    changed_items,
    codes,
    common_rules,
    joined_rule,
    same_answers,
)
from endoxa.study.compare.measures import OF_QUESTIONS
from endoxa.study.compare.runs import Side

LEAN = {"stereotyped": 1.0, "anti-stereotyped": -1.0}
KEYS = ("item_id", "repeat")
SOURCE = (*ITEM, "repeat")
"""What the answers to a question and to its variants with names have in common."""
LENGTHS = {
    "answer_words": ("words", "words"),
    "answer_tokens": ("completion_tokens", "completion_tokens"),
    "reasoning_tokens": ("reasoning_tokens", "completion_tokens"),
}
"""What is counted, and what says that an answer came at all: a call that failed has no length."""
SHOWN = {
    "choice_before": "choice",
    "choice_after": f"choice{OTHER}",
    "right": "label",
    "answer_before": "answer",
    "answer_after": f"answer{OTHER}",
}


def question_items(sides: tuple[Side, Side], rules: Sequence[str]) -> Items:
    """Answers of both models to the same questions, under the protocols of both.

    Raises:
        UserError: no protocol in common, or other questions.
    """
    tables = _under_one_name([_answers(side) for side in sides])
    common, notes = common_rules([set(table["rule"]) for table in tables], rules, "protocol")
    notes += dict.fromkeys(warning for side in sides for warning in fingerprint_sentences(side.run.facts))
    joined = []
    for rule in common:
        if named := paired_with_names(*(table.filter(rule=rule) for table in tables)):
            joined.append(named[0])
            notes += named[1]
        else:
            joined.append(joined_rule(tables, rule, KEYS))
    frame = _measured(pl.concat(joined, how="diagonal_relaxed"))

    def changed() -> pl.DataFrame:
        moved = changed_items(frame, SHOWN, about=("context_condition",), moved=("choice", "outcome"))
        return _with_texts(moved, sides[0])

    return Items(frame, OF_QUESTIONS, ("templates", "groups"), changed, notes, noun="category")


def _under_one_name(answers: list[pl.DataFrame]) -> list[pl.DataFrame]:
    """The same answers; where each run has one protocol, and not the same, both are compared under both names."""
    names = [table["rule"].unique().to_list() for table in answers]
    if names[0] == names[1] or any(len(each) != 1 for each in names):
        return answers
    name = f"{names[0][0]} to {names[1][0]}"
    return [table.with_columns(rule=pl.lit(name)) for table in answers]


def _answers(side: Side) -> pl.DataFrame:
    """Answers of one model, with their raw text."""
    keys = ["model", "protocol", *KEYS]
    table = load_answers([side.run.folder])
    raw = pl.scan_parquet(side.run.folder / "records.parquet")
    if "answer" in raw.collect_schema().names():
        texts = versions_apart(raw).select(*keys, "answer").collect()
        table = table.join(texts.with_columns(pl.col("repeat").cast(pl.Int64)), on=keys, how="left")
    else:
        table = table.with_columns(answer=pl.lit(None, dtype=pl.String))
    words = pl.col("answer").str.count_matches(r"\S+")
    return table.filter(model=side.model).with_columns(rule="protocol", read=is_read(), words=words)


def paired_with_names(baseline: pl.DataFrame, other: pl.DataFrame) -> tuple[pl.DataFrame, list[str]] | None:
    """Each variant beside the question it was made from, and a note; None where not exactly one side has variants.

    A question with several variants has a row for each: they are repeats of it, and share its template and group, by
    which intervals and tests are made.

    Args:
        baseline: answers of one protocol, as `load_answers` gives them.
        other: those of the other run; its columns get `_other` behind their names.

    Raises:
        UserError: the two share no question, or one has another context or right answer in the other run.
    """
    if (baseline["variant"] != "").any() == (other["variant"] != "").any():
        return None
    joined = baseline.join(other, on=SOURCE, suffix=OTHER).sort("item_id", "repeat", f"variant{OTHER}")
    if joined.is_empty() or joined.select(unlike().any()).item():
        raise UserError(
            "One run asked about names in place of groups, but not of the questions of the other one: category, "
            "example_id, context and right answer do not agree. Make the names from the data of the other run "
            "(`endoxa build qa --names`)."
        )
    asked = [table.select(ITEM).n_unique() for table in (baseline, other, joined)]
    variants = joined.height / joined.select(SOURCE).n_unique()
    note = (
        f"Names in place of groups: {asked[2]:,} questions are paired with their variants ({variants:g} each)"
    )
    lonely = max(asked[:2]) - asked[2]
    return joined, [note + (f"; {lonely:,} were asked in one run only and are left out." if lonely else ".")]


def _measured(joined: pl.DataFrame) -> pl.DataFrame:
    """The answers of both runs with their units and the values of every measure.

    What is crossed with the template is the attribute where one is named, else the stereotyped group: the template of a
    question that was built from an association is its identity. A question that names neither shares it with no other.
    """
    names = [name for name in ("attribute", "identity") if name in joined.columns]
    groups = [pl.when(pl.col(name) != "").then(pl.col(name)) for name in names]

    def columns(end: str) -> dict[str, pl.Expr]:
        outcome, finish = pl.col(f"outcome{end}"), f"finish{end}"
        lean = outcome.replace_strict(LEAN, default=0.0, return_dtype=pl.Float64)
        right = (pl.col(f"choice{end}") == pl.col("label")).cast(pl.Float64)

        def asked(condition: str, value: pl.Expr, *more: pl.Expr) -> pl.Expr:
            posed = pl.all_horizontal(pl.col("context_condition") == condition, *more)
            return pl.when(posed & pl.col(f"read{end}")).then(value).when(posed).then(NAN)

        targeted = pl.col("target").is_not_null()
        return {
            "lean": lean,
            "bias_ambig": asked("ambig", lean, targeted),
            "bias_disambig": asked("disambig", 1 - right, targeted),
            "accuracy_ambig": asked("ambig", right),
            "accuracy_disambig": asked("disambig", right),
            "answered": pl.col(f"read{end}").cast(pl.Float64),
            **{word: (outcome.fill_null("") == word).cast(pl.Float64) for word in ("refused", "unparsed")},
            "answers_cut_off": (pl.col(finish).fill_null("") == LENGTH).cast(pl.Float64)
            if finish in joined.columns
            else pl.lit(None, pl.Float64),
            **{name: _length(joined, end, *of) for name, of in LENGTHS.items()},
        }

    cut_off = pl.col("answers_cut_off", f"answers_cut_off{OTHER}")
    identity = "identity" if "identity" in joined.columns else pl.lit("")
    return joined.with_columns(
        same_answers(),
        axis="category",
        identity=identity,
        templates=codes(pl.col("template")),
        groups=codes(pl.coalesce(*groups, pl.format("\n{}", "item_id"))),
        aligned=pl.col("label") == pl.col("target"),
        **both(columns),
    ).with_columns(pl.when(pl.max_horizontal(cut_off).max().over("rule") > 0).then(cut_off))


def _length(joined: pl.DataFrame, end: str, counted: str, came: str) -> pl.Expr:
    """Words or tokens of an answer; NaN where none came, null where nobody counted."""
    if not {f"{counted}{end}", f"{came}{end}"} <= set(joined.columns):
        return pl.lit(None, pl.Float64)
    number = pl.col(f"{counted}{end}").cast(pl.Float64)
    number = pl.when(pl.col(f"{came}{end}") > 0).then(number.fill_null(NAN)).otherwise(NAN)
    return pl.when(number.fill_nan(None).sum().over("rule") > 0).then(number)


def _with_texts(changed: pl.DataFrame, side: Side) -> pl.DataFrame:
    """The questions that changed with their texts; without them where the file is gone or is another one by now."""
    items, _ = items_of_run(side.run, set(changed["item_id"]))
    rows = [
        {
            "item_id": name,
            "context": item.context,
            "question": item.question,
            **{f"option_{place}": text for place, text in enumerate(item.options)},
        }
        for name, item in items.items()
    ]
    return (
        changed.join(pl.DataFrame(rows), on="item_id", how="left", maintain_order="left") if rows else changed
    )
