"""AfriStereo's composition: stereotypes by axis (table 5) and who answered (table 2)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from endoxa.errors import UserError
from endoxa.sources.frames import read_table
from endoxa.study.reproduce.afristereo import CITATION, GOLD, HOME, RESPONDENTS, SURVEY, not_the_survey
from endoxa.study.reproduce.declaration import EXACT, Cell, Key, Need, Ours, PublishedResult, rounding
from endoxa.study.reproduce.given import Given

NAME = "afristereo-composition"
AXES = {
    "Gender": (("women", "men"), 343, 344),
    "Age": (("age",), 225, 417),
    "Profession": (("profession",), 190, 1282),
    "Ethnicity": (("ethnicity",), 184, 1412),
    "Religion": (("religion",), 178, 370),
    "Others": (("other",), 43, 92),
}
"""Axis -> questions of the survey, stereotypes of the pilot, of the augmentation (table 5)."""
PILOT = 1163
SYNTHETIC = "synthetic.csv"
COUNTRIES = {"Nigeria": 68, "Kenya": 20, "Senegal": 11}
GENDERS = {"Female": 50, "Male": 50}
AGES = {"26-35": 49, "18-25": 21, "36-50": 21, "Over 50": 8, "Under 18": 1}
_FIVE, _TWO = "Table 5", "Table 2"
_RULE = (
    "the paper does not say which statements count as one: here the reviewed statements that were kept, each "
    "identity and "
    "attribute once per axis"
)


def _cells(_given: Given) -> list[Cell]:
    pilot = [Cell(_FIVE, f"{axis}, Pilot", n, EXACT, _RULE, decimals=0) for axis, (_, n, _) in AXES.items()]
    added = [
        Cell(_FIVE, f"{axis}, Synthetic Augmentation", n, EXACT, decimals=0)
        for axis, (_, _, n) in AXES.items()
    ]
    shares = {"Country": COUNTRIES, "Gender": GENDERS, "Age": AGES}
    return [
        *pilot,
        Cell(_FIVE, "Total, Pilot", PILOT, EXACT, _RULE, decimals=0),
        *added,
        Cell(_FIVE, "Total, Synthetic Augmentation", 3917, EXACT, decimals=0),
        Cell(_TWO, "participants", RESPONDENTS, EXACT, decimals=0),
        *(
            Cell(_TWO, f"{about}, {name}, percent", percent, rounding(0), decimals=1)
            for about, values in shares.items()
            for name, percent in values.items()
        ),
    ]


def _compute(given: Given) -> Mapping[Key, Ours]:
    gold, survey = given.find(*GOLD), given.find(*SURVEY)
    if gold is None and survey is None:
        given.need(NAME, HOME, *GOLD, *SURVEY)
    people = _people(survey) if survey is not None else {}
    respondents = int(people["participants"]) if people else None
    found: dict[Key, Ours] = {}
    if gold is not None:
        found |= _counted(gold, respondents)
    for name, value in people.items():
        other = not_the_survey(respondents or 0)
        found[_TWO, name] = Ours(value, other, not other)
    for age in AGES:
        found[_TWO, f"Age, {age}, percent"] = Ours(None, "the file at hand has no ages")
    return found | _added(given)


def _counted(path: Path, respondents: int | None) -> dict[Key, Ours]:
    """Distinct pairs of identity and attribute among the statements that reviewers kept, by axis."""
    import polars as pl

    table = read_table(path, ("respondent", "question", "status", "gold_identity_final", "gold_attribute"))
    people = respondents or table["respondent"].n_unique()
    other = not_the_survey(people)
    kept = table.filter(status="kept")
    counts = {
        axis: kept.filter(pl.col("question").is_in(questions))
        .select("gold_identity_final", "gold_attribute")
        .unique()
        .height
        for axis, (questions, _, _) in AXES.items()
    }
    counts["Total"] = sum(counts.values())
    printed = {axis: pilot for axis, (_, pilot, _) in AXES.items()} | {"Total": PILOT}
    return {(_FIVE, f"{name}, Pilot"): _of_part(n, printed[name], other) for name, n in counts.items()}


def _of_part(n: int, printed: int, other: str) -> Ours:
    """A count; that of a part of the respondents is judged only where it exceeds the print for all of them."""
    if other and n > printed:
        return Ours(n, f"{other} and already more than the print has of all")
    return Ours(n, other, not other)


def _added(given: Given) -> dict[Key, Ours]:
    """Rows of the augmentation by axis."""
    names = [*AXES, "Total"]
    path = given.find(SYNTHETIC)
    if path is None:
        why = f"needs the augmentation ({SYNTHETIC} with a column axis; {HOME})"
        return {(_FIVE, f"{name}, Synthetic Augmentation"): Ours(None, why) for name in names}
    rows = read_table(path, ("axis",))["axis"].fill_null("").str.to_lowercase().to_list()
    counts = {axis: rows.count(axis.lower()) for axis in AXES} | {"Total": len(rows)}
    return {(_FIVE, f"{name}, Synthetic Augmentation"): Ours(counts[name]) for name in names}


def _people(path: Path) -> dict[str, float]:
    """Participants, and percent of them by country and gender; several answers in a cell end with ' *'."""
    table = read_table(path, ("respondent",))
    found = {"participants": float(table.height)}
    for about, words, values in (
        ("Country", "country do you live", COUNTRIES),
        ("Gender", "gender", GENDERS),
    ):
        column = next((name for name in table.columns if words in name), None)
        if column is None:
            raise UserError(
                f"{path} has no column about '{words}'. Expected the survey with its own headers."
            )
        given = [str(cell or "").split("*")[0].strip() for cell in table[column].to_list()]
        found |= {f"{about}, {name}, percent": 100 * given.count(name) / table.height for name in values}
    return found


RESULT = PublishedResult(
    name=NAME,
    title="AfriStereo: stereotypes by axis (table 5) and participants (table 2)",
    citation=f"{CITATION}, tables 2 and 5",
    needs=(
        Need("file", " or ".join(GOLD), f"{HOME} (reviewed statements)", optional=True),
        Need("file", " or ".join(SURVEY), f"{HOME} (survey)", optional=True),
        Need("file", SYNTHETIC, f"{HOME} (augmentation)", optional=True),
    ),
    cells=_cells,
    compute=_compute,
)
