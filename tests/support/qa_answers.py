"""Answers to made-up questions, as `endoxa.analyze.qa` takes them."""

from __future__ import annotations

import polars as pl

from endoxa.instruments.questions.estimates.answers import NEEDED

STEREOTYPED, ANTI, UNKNOWN = 0, 1, 2
"""Options of every question made here: the stereotyped person, the other one, nobody can know."""

OUTCOMES = {STEREOTYPED: "stereotyped", ANTI: "anti-stereotyped", UNKNOWN: "unknown"}


def answer(number, choice, *, template="T-1", condition="ambig", label=None, **other):
    """One answer; `choice` is an option, 'refused' or 'unparsed'."""
    label = label if label is not None else (UNKNOWN if condition == "ambig" else STEREOTYPED)
    read = choice if isinstance(choice, int) else None
    row = {
        "data": "Cities",
        "category": "Nationality",
        "example_id": str(number),
        "variant": "",
        "template": template,
        "context_condition": condition,
        "label": label,
        "target": STEREOTYPED,
        "unknown": UNKNOWN,
        "model": "m",
        "protocol": "baseline",
        "repeat": 1,
        "choice": read,
        "outcome": OUTCOMES.get(choice, choice),
    } | other
    name = f"{row['category']}-{row['example_id']}"
    return {"item_id": f"{name}-{row['variant']}" if row["variant"] else name, **row}


def frame(rows):
    return pl.DataFrame(rows, schema=NEEDED)


def answers(choices, *, templates=25, start=0, **other):
    """Answers to questions numbered from `start`, spread over templates in turn."""
    return frame(
        [
            answer(start + place, choice, template=f"T-{place % templates}", **other)
            for place, choice in enumerate(choices)
        ]
    )


def times(stereotyped=0, anti=0, unknown=0, refused=0, unparsed=0):
    """A list of choices with these counts."""
    return (
        [STEREOTYPED] * stereotyped
        + [ANTI] * anti
        + [UNKNOWN] * unknown
        + ["refused"] * refused
        + ["unparsed"] * unparsed
    )
