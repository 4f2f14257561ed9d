"""Coded thoughts of our own: frames as `instruments.questions.thoughts.coded` gives them, with what is planted."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

OUTCOMES = {0: "stereotyped", 1: "anti-stereotyped", 2: "unknown", None: "unparsed"}


def thought(
    number: int = 0, *, argued: int | None = 2, choice: int | None = 2, **more: Any
) -> dict[str, Any]:
    """A finished thought about an ambiguous question: option 0 is the stereotyped person, option 2 the unknown one."""
    return {
        "data": "d",
        "model": "m",
        "protocol": "baseline",
        "item_id": f"c-{number}",
        "repeat": 1,
        "language": "en",
        "context_condition": "ambig",
        "label": 2,
        "target": 0,
        "unknown": 2,
        "choice": choice,
        "outcome": OUTCOMES[choice],
        "cut_off": 0,
        **dict.fromkeys(("group_reason", "stereotype", "rejects", "missing"), 0),
        "path": "" if argued is None else str(argued),
        "argued": argued,
        "argued_outcome": OUTCOMES[argued],
        "turned": None if argued is None or choice is None else int(argued != choice),
        "category": "c",
        "example_id": str(number),
        "variant": "",
        "template": f"t{number}",
        "identity": "",
        "attribute": "",
        "second_unit": f"template\tt{number}",
        "built": False,
        **more,
    }


TOWNS = (
    *("Kelvin", "Madrid", "Osaka", "Quito", "Tunis", "Yaren"),
    *("Bergen", "Cusco", "Dakar", "Esbjerg", "Fargo", "Graz"),
)


def questions() -> list[dict[str, Any]]:
    """BBQ records: who is late? Sixteen templates and twelve towns, each with a question in both kinds of contexts."""
    rows: list[dict[str, Any]] = []
    for template in range(16):
        for at, town in enumerate(TOWNS):
            other = TOWNS[(at + 1 + template % 11) % len(TOWNS)]
            for told in (False, True):
                late = (template + at) % 2
                people = (f"The person from {town}", f"The person from {other}")
                context = f"On day {template} a person from {town} met a person from {other}."
                rows.append(
                    {
                        "example_id": len(rows),
                        "question_index": str(template),
                        "question_polarity": "neg",
                        "context_condition": "disambig" if told else "ambig",
                        "category": "Town",
                        "answer_info": {
                            "ans0": [town, town],
                            "ans1": [other, other],
                            "ans2": ["Not known", "unknown"],
                        },
                        "additional_metadata": {"subcategory": "None", "stereotyped_groups": [town]},
                        "context": f"{context} {people[late]} was late." if told else context,
                        "question": "Who was late?",
                        "ans0": people[0],
                        "ans1": people[1],
                        "ans2": "Not known",
                        "label": late if told else 2,
                    }
                )
    return rows


def crossed(rng: np.random.Generator, *, lean: float = 0.0, reasons: float = 0.3) -> pl.DataFrame:
    """400 thoughts over 20 templates x 20 groups.

    Args:
        rng: what is drawn.
        lean: planted unscaled lean of the thoughts; that of the answers is 0.
        reasons: share of thoughts that give the group as the reason.
    """

    def option(toward: float) -> int:
        return 2 if rng.random() < 0.4 else int(rng.random() >= (1 + toward) / 2)

    return pl.DataFrame(
        [
            thought(
                number,
                argued=option(lean),
                choice=option(0.0),
                cut_off=int(rng.random() < 0.05),
                group_reason=int(rng.random() < reasons),
                missing=int(rng.random() < 0.5),
                template=f"t{number % 20}",
                identity=f"g{number // 20}",
                second_unit=f"group\tg{number // 20}",
            )
            for number in range(400)
        ]
    )
