"""What the printed numbers of the papers imply about one another: nothing is measured, so nothing is needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from endoxa.study.reproduce.declaration import (
    EXACT,
    Cell,
    Key,
    Need,
    Ours,
    PublishedResult,
    Tolerance,
    rounding,
)
from endoxa.study.reproduce.given import Given
from endoxa.study.reproduce.tables import printed

NAMES, INDIBIAS, LACES, AFRISTEREO, STEREOTALES = (
    "Name-based BBQ",
    "IndiBias",
    "LACES",
    "AfriStereo",
    "StereoTales",
)

AXIS_SHARES = {
    "Gender": 35.03,
    "Socioeconomic": 19.14,
    "Religion": 14.46,
    "Age": 11.06,
    "Caste": 8.65,
    "Physical-appearance": 7.37,
    "Disability": 4.25,
}
"""Percent of the 800 pairs (IndiBias, appendix E, table 6, column Overall)."""

LACES_SCORES = {
    "GPT-3.5-Turbo": ((0.12, 0.03, 0.04), (0.53, 0.23, 0.34)),
    "GPT-4o-mini": ((0.14, 0.01, 0.01), (0.68, 0.52, 0.20)),
    "Llama 3.1-8B": ((0.10, 0.00, 0.02), (0.55, 0.38, 0.39)),
}
"""Bias scores of baseline, explanation and reprompting, on BBQ and on LACES (LACES, 5.3, table 2)."""

Pair = tuple[Cell, Ours]


def _names() -> Iterator[Pair]:
    """Table 3 from tables 1 and 5 by equation 2; table 6 from tables 1 and 2 by 4.3.3."""
    rows = printed("names_bbq").iter_rows(named=True)
    value = {(row["table"], row["model"], row["column"]): row for row in rows}

    def number(*key: Any) -> float:
        return float(value[key]["value"])

    def spread(*key: Any) -> float:
        return float(value[key]["sd"])

    for (table, model, column), row in value.items():
        if table == "3":
            error, unscaled = 1 - number("1", model, column), number("5", model, column)
            together = spread("1", model, column) * spread("5", model, column)
            width = 0.0005 * (1 + abs(unscaled) + error) + together
            reason = "printed with 3 decimals; mean of products over three seeds, not product of means"
            ours = error * unscaled
        elif table == "6":
            from_table = "1" if column == "Ambiguous" else "2"
            errors = [1 - number(from_table, model, name) for name in ("Name", "Nationality")]
            ours = errors[0] / errors[1]
            width = 0.005 + ours * 0.0005 * sum(1 / error for error in errors)
            reason = "printed with 2 decimals, from accuracies printed with 3"
        else:
            continue
        about = "table 1 and 5, equation 2" if table == "3" else f"table {from_table}, 4.3.3"
        cell = Cell(
            f"{NAMES}, table {table}",
            f"{model}, {column}",
            float(row["value"]),
            Tolerance(width, reason),
            "the tables were rounded from other numbers than these, or one of them has a slip",
            f"{NAMES}, table {table}, {model}, {column}; ours from {about}",
            3,
        )
        yield cell, Ours(ours)


def _indibias() -> Iterator[Pair]:
    """ICS (mean) of table 2 as the mean of the axes, weighted with their shares of the pairs."""
    rows = printed("indibias").filter(table="2")
    total = sum(AXIS_SHARES.values())
    for (language, model), part in rows.group_by("language", "model", maintain_order=True):
        values = dict(part.select("row", "value").iter_rows())
        ours = sum(share * float(values[axis]) for axis, share in AXIS_SHARES.items()) / total
        cell = Cell(
            f"{INDIBIAS}, table 2",
            f"ICS (mean), {language}, {model}",
            float(values["ICS (mean)"]),
            Tolerance(0.05, "axes and their shares are printed with 2 decimals"),
            "the axes of this model do not average to its printed mean",
            f"{INDIBIAS}, 6.1, table 2; ours from its axes and the shares in appendix E, table 6",
        )
        yield cell, Ours(ours)


def _laces() -> Iterator[Pair]:
    """The factors and reductions in the text of 5.3, from table 2; sums of tables 1 and 3."""
    table, source = f"{LACES}, 5.3", f"{LACES}, 5.3; ours from table 2"
    scores = list(LACES_SCORES.values())
    factor = sum(laces[0] / bbq[0] for bbq, laces in scores) / len(scores)
    yield (
        Cell(
            table,
            "baseline bias, LACES over BBQ",
            4.92,
            Tolerance(0.26, "from scores printed with 2 decimals: the worst that rounding can do"),
            "",
            source,
        ),
        Ours(factor),
    )
    for place, protocol in ((1, "explanation"), (2, "reprompting")):
        for side, name in ((0, "BBQ"), (1, "LACES")):
            shares = [1 - own[side][place] / own[side][0] for own in scores]
            percent = {("explanation", "BBQ"): 89, ("explanation", "LACES"): 37} | {
                ("reprompting", "BBQ"): 80,
                ("reprompting", "LACES"): 45,
            }
            yield (
                Cell(
                    table,
                    f"reduction by {protocol}, {name}, percent",
                    percent[protocol, name],
                    Tolerance(0.5, "printed without decimals"),
                    "the mean of the models' reductions is not the printed one",
                    source,
                    1,
                ),
                Ours(100 * sum(shares) / len(shares)),
            )
    topics = (792, 641, 609, 591, 571, 388, 338, 239, 223, 137, 130, 130)
    yield (
        Cell(
            f"{LACES}, 4",
            "pairs in both languages",
            4789,
            EXACT,
            "",
            f"{LACES}, 4; ours the sum of table 1",
            0,
        ),
        Ours(sum(topics)),
    )
    for model, evaluated, dropped in (
        ("GPT-3.5-Turbo", 4695, 23),
        ("Llama 3.1-8B", 4695, 23),
        ("GPT-4o-mini", 4718, 0),
    ):
        yield (
            Cell(
                f"{LACES}, table 3",
                f"questions asked, {model}",
                4789,
                EXACT,
                "questions are made from all 4,789 pairs (appendix B.1), and the paper does not say where 71 went",
                f"{LACES}, 4; ours evaluated + dropped of table 3",
                0,
            ),
            Ours(evaluated + dropped),
        )


def _afristereo() -> Iterator[Pair]:
    pilot, synthetic = (343, 225, 190, 184, 178, 43), (344, 417, 1282, 1412, 370, 92)
    table, known = f"{AFRISTEREO}, table 5", ""
    for name, total, ours in (
        ("Total, Pilot", 1163, sum(pilot)),
        ("Total, Synthetic Augmentation", 3917, sum(synthetic)),
        ("Combined Total", 5080, sum(pilot) + sum(synthetic)),
    ):
        yield Cell(table, name, total, EXACT, known, f"{table}; ours the sum of the axes", 0), Ours(ours)
    table = f"{AFRISTEREO}, table 2"
    ages = {"26-35": (52, 49), "18-25": (22, 21), "36-50": (22, 21), "Over 50": (9, 8), "Under 18": (1, 1)}
    yield (
        Cell(
            table,
            "participants",
            107,
            EXACT,
            "the five age groups sum to one person less",
            f"{table}; ours the ages",
            0,
        ),
        Ours(sum(people for people, _ in ages.values())),
    )
    for name, (people, percent) in ages.items():
        yield (
            Cell(
                table, f"age {name}, percent", percent, rounding(0), "", f"{table}; ours the people of 107", 1
            ),
            Ours(100 * people / 107),
        )


def _stereotales() -> Iterator[Pair]:
    table = f"{STEREOTALES}, human study"
    yield (
        Cell(
            f"{STEREOTALES}, associations",
            "global associations",
            784,
            EXACT,
            "",
            f"{table}; ours harmful + benign",
            0,
        ),
        Ours(118 + 666),
    )
    rated = (
        "247 people with 50 associations each give 7.8 ratings on 1,580 associations and 15.8 on 784: the rated set "
        "has "
        "1,580, although the harmful and benign ones sum to 784"
    )
    yield (
        Cell(table, "ratings per association", 7.9, rounding(1), rated, f"{table}; ours 247 x 50 / 1,580", 2),
        Ours(247 * 50 / 1580),
    )
    yield (
        Cell(
            f"{STEREOTALES}, language specificity",
            "associations in total, which must be those by language or more",
            1580,
            EXACT,
            "2,106 by language cannot be among 1,580 in total; the article does not say what is left out of the total",
            f"{STEREOTALES}: 1,580 in total, 2,106 from the analysis by language",
            0,
        ),
        Ours(2106),
    )


def _pairs() -> list[Pair]:
    return [*_names(), *_indibias(), *_laces(), *_afristereo(), *_stereotales()]


def _cells(_given: Given) -> list[Cell]:
    return [cell for cell, _ in _pairs()]


def _compute(_given: Given) -> Mapping[Key, Ours]:
    return {cell.key: ours for cell, ours in _pairs()}


RESULT = PublishedResult(
    name="arithmetic",
    title="What printed numbers of five papers imply about one another (sums, means, products)",
    citation=(
        "name-based BBQ: Pelosio et al. 2025; IndiBias: Sahoo et al. 2024; LACES: associations of Latin America, 2025; "
        "AfriStereo: Le Beux et al. 2025; StereoTales: Le Jeune et al. 2026, the article"
    ),
    needs=(Need("nothing", "nothing", "the printed numbers are in endoxa"),),
    cells=_cells,
    compute=_compute,
    notes=(
        "Both sides are printed numbers: `published` is one of them, `ours` is computed from others of the same "
        "paper. A "
        "difference is a slip or a rounding in the paper, and says nothing about any model.",
    ),
)
