"""Groups of models: large against small, open against closed, before against after tuning.

Items are paired: each has the mean over the models of a group. Where every group has at least six models they are a
sample, too, and Welch's variance of the models' values is added to that of the items; else they are taken as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.report.inputs import PAIRS, entries
from endoxa.report.words import count, listed, plural
from endoxa.schema import ALL
from endoxa.sources.frames import read_table
from endoxa.stats.intervals import NAN
from endoxa.stats.two_way import two_way_error
from endoxa.stats.verdicts import NO_QUESTION, UNTESTED
from endoxa.study.compare.changes import Change
from endoxa.study.compare.contrasts import Choices
from endoxa.study.compare.results import Contrasted
from endoxa.study.compare.sides import Compared
from endoxa.study.gate.contrast import FEWEST_UNITS
from endoxa.study.gate.measures import ANSWERED, OF_QUESTIONS, PREFERENCE_RATIO, Measure
from endoxa.study.gate.pairs import paired_scores
from endoxa.study.gate.questions import paired_answers, questions_cell
from endoxa.study.gate.run import MOST_LEFT_OUT
from endoxa.study.gate.runs import Side

COLUMNS = ("model", "group")


@dataclass(frozen=True, slots=True)
class Table:
    """Values of one measure under one rule: a row for each model, a column for each item that all of them have.

    Attributes:
        measure: the measure.
        rule: scoring rule or protocol.
        values: shape (models, items); the measure is the mean of a row, above the neutral value.
        first: code of each item's identity or template.
        second: code of its attribute or group.
        left_out: items that some model has no value for.
        units: what the two kinds of units are.
    """

    measure: Measure
    rule: str
    values: np.ndarray
    first: np.ndarray
    second: np.ndarray
    left_out: int
    units: tuple[str, str]

    @property
    def total(self) -> int:
        """All items."""
        return int(self.values.shape[1]) + self.left_out

    @property
    def gaps(self) -> bool:
        """Whether too many items have no value in some model."""
        return self.left_out > MOST_LEFT_OUT * self.total


def read_groups(words: str, models: Sequence[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Models by group, in the order of the table, and a note on models that it does not name.

    Args:
        words: `NAME=FILE`: a name for the grouping, and a table with the columns model and group.
        models: those of the run.

    Raises:
        UserError: the words or the table cannot be used, or fewer than two groups have a model.
    """
    name, equals, path = words.partition("=")
    if not (name and equals and path):
        raise UserError(
            f"--group {words}: expected NAME=FILE (a name for the groups, a table with the columns model and group) "
            "or size>=NUMBER."
        )
    groups: dict[str, list[str]] = {}
    for model, group in read_table(Path(path), COLUMNS).select(COLUMNS).iter_rows():
        if model in models and group:
            groups.setdefault(str(group), []).append(str(model))
    twice = [model for model in models if sum(model in members for members in groups.values()) > 1]
    if twice:
        raise UserError(f"'{path}' puts the model '{twice[0]}' into several groups. Name each model once.")
    if len(groups) < 2:
        raise UserError(
            f"'{path}' puts the models of the runs ({', '.join(models)}) into {plural(len(groups), 'group')}. Expected "
            "two groups or more."
        )
    lone = [model for model in models if not any(model in members for members in groups.values())]
    return groups, [f"Without a group, and left out: {listed(lone)}."] if lone else []


def by_size(words: str, sides: Sequence[Compared]) -> dict[str, list[str]]:
    """Models with fewer parameters than a number, and those with as many or more, as their runs have counted them.

    Args:
        words: `size>=NUMBER`.
        sides: the models of the runs.

    Raises:
        UserError: the number cannot be read, a run does not know the size of its model, or all are on one side.
    """
    try:
        least = float(words.partition(">=")[2])
    except ValueError:
        least = NAN
    if not (words.partition(">=")[0].strip() == "size" and 0 < least < inf):
        raise UserError(f"--group {words}: expected size>=NUMBER of parameters, for example size>=7e9.")
    sizes: dict[str, int] = {
        each.side.model: entry["parameters"]
        for each in sides
        for entry in entries(each.side.run.facts.get("models"))
        if entry.get("name") == each.side.name and isinstance(entry.get("parameters"), int)
    }
    unknown = [each.side.model for each in sides if each.side.model not in sizes]
    if unknown:
        raise UserError(
            f"--group {words}: run.json holds no number of parameters of {listed(unknown)}; it is counted for weights "
            "on this machine (hf/...). Name the groups in a table with the columns model and group: --group size=FILE."
        )
    cut = f"{least / 1e9:g} billion parameters"
    groups: dict[str, list[str]] = {f"below {cut}": [], f"{cut} or more": []}
    for model, size in sorted(sizes.items()):
        groups[f"{cut} or more" if size >= least else f"below {cut}"].append(model)
    if not all(groups.values()):
        stated = listed([f"{model}: {size:,}" for model, size in sizes.items()])
        raise UserError(
            f"--group {words}: all models are on one side of it ({stated}). Choose a number between."
        )
    return groups


def contrasts_of(
    sides: Sequence[Compared], words: str, choices: Choices
) -> tuple[tuple[Compared, ...], list[Contrasted]]:
    """The groups in place of runs, and what changes between every two of them, before correction.

    Raises:
        UserError: the groups cannot be used, or the runs cannot be compared.
    """
    models = [each.side.model for each in sides]
    again = next((model for model in models if models.count(model) > 1), None)
    if again is not None:
        raise UserError(
            f"The model '{again}' is in several of the runs. With --group each model has one run: compare the groups "
            "in one condition or version at a time."
        )
    groups, notes = (by_size(words, sides), []) if ">=" in words else read_groups(words, models)
    order = [model for members in groups.values() for model in members]
    by_model = {each.side.model: each for each in sides}
    tables = list(_tables([by_model[model].side for model in order], choices.rules))
    sampled = min(map(len, groups.values())) >= FEWEST_UNITS
    sizes = listed([f"{name}: {len(members)}" for name, members in groups.items()])
    notes.append(
        f"Models are a sample as well ({sizes})."
        if sampled
        else f"The models are taken as they are, because groups have fewer than {FEWEST_UNITS} ({sizes}): others may "
        "differ."
    )
    notes += [
        f"Not tested, {table.measure.name} ({table.rule}): {count(table.left_out)} of {count(table.total)} items have "
        "no value in some model."
        for table in tables
        if table.gaps
    ]
    shown = {
        name: replace(
            by_model[members[0]],
            label=f"{name} ({plural(len(members), 'model')})",
            members=tuple(members),
            served=(),
        )
        for name, members in groups.items()
    }
    at = {name: [order.index(model) for model in members] for name, members in groups.items()}
    contrasts = [
        Contrasted(
            shown[before],
            shown[after],
            (),
            tuple(
                _change(table, at[before], at[after], choices.confidence, sampled=sampled) for table in tables
            ),
            (),
            pl.DataFrame(schema=dict.fromkeys(("item_id", "direction"), pl.String)),
            tuple(notes),
            identical=False,
        )
        for before, after in combinations(groups, 2)
    ]
    return tuple(shown.values()), contrasts


def _change(
    table: Table, before: Sequence[int], after: Sequence[int], confidence: float, *, sampled: bool
) -> Change:
    """The change of one measure between two groups of models."""
    means = [table.values[list(rows)].mean(axis=0) for rows in (before, after)]
    difference = means[1] - means[0]
    neutral = table.measure.neutral
    error = two_way_error(difference, table.first, table.second, confidence)
    if sampled:
        error = error.plus(*_welch(table.values, before, after))
    interval, p_value = error.student(float(difference.mean()), 0.0, confidence)
    items = len(difference)
    number = error.second if error.sampled == "second" else error.first
    if error.first < FEWEST_UNITS or table.gaps:
        number, p_value = error.first, NAN
    tested = not np.isnan(p_value)
    crossed = error.sampled == "both" and error.second < items
    unit = f"{table.units[0]} x {error.second} {table.units[1]}" if crossed else table.units[0]
    return Change(
        table.measure.name,
        table.rule,
        ALL,
        ALL,
        (neutral or 0.0) + float(means[0].mean()),
        (neutral or 0.0) + float(means[1].mean()),
        float(difference.mean()),
        interval.low if tested else NAN,
        interval.high if tested else NAN,
        p_value,
        NAN,
        NO_QUESTION if tested else UNTESTED,
        items,
        number,
        f"{unit} x {len(before)} and {len(after)} models" if sampled else unit,
        "bias" if neutral is not None else "price",
    )


def _welch(values: np.ndarray, before: Sequence[int], after: Sequence[int]) -> tuple[float, float]:
    """Variance of the difference of two means of models, and its degrees of freedom (Welch 1947)."""
    models = values.mean(axis=1)
    parts = [float(models[list(rows)].var(ddof=1)) / len(rows) for rows in (before, after)]
    weights = sum(part**2 / (len(rows) - 1) for part, rows in zip(parts, (before, after), strict=True))
    return sum(parts), sum(parts) ** 2 / weights if weights else float(len(before) + len(after) - 2)


def _tables(sides: Sequence[Side], rules: tuple[str, ...]) -> Iterator[Table]:
    """Every measure under every rule, over the items that all models have a value for."""
    yield from (_of_pairs if sides[0].run.kind == PAIRS else _of_questions)(sides, rules)


def _couples(sides: Sequence[Side]) -> Iterator[tuple[Side, Side]]:
    first, *others = sides
    yield from ((replace(first, role="baseline"), replace(other, role="candidate")) for other in others)


def _of_pairs(sides: Sequence[Side], rules: tuple[str, ...]) -> Iterator[Table]:
    scored = [paired_scores(couple, rules)[0] for couple in _couples(sides)]
    shared = [rule for rule in scored[0].by_rule if all(rule in each.by_rule for each in scored)]
    for rule in shared:
        tables = []
        for place, each in enumerate(scored):
            names = dict(each.items.select("item", "item_id").rows())
            wanted = each.by_rule[rule] if place == 0 else each.by_rule[rule][1:]
            tables += [
                pl.DataFrame(
                    {
                        "item_id": [names[item] for item in scores.item.tolist()],
                        "value": np.sign(scores.sample.difference) / 2,
                        "first": scores.sample.cluster,
                        "second": np.arange(len(scores.item))
                        if scores.sample.attribute is None
                        else scores.sample.attribute,
                    }
                )
                for scores in wanted
            ]
        common = tables[0].select("item_id")
        for table in tables[1:]:
            common = common.join(table, on="item_id", how="semi")
        kept = [table.join(common, on="item_id", how="semi").sort("item_id") for table in tables]
        yield Table(
            PREFERENCE_RATIO,
            rule,
            np.array([table["value"].to_numpy() for table in kept]),
            kept[0]["first"].to_numpy(),
            kept[0]["second"].to_numpy(),
            max(table.height for table in tables) - common.height,
            ("identities", "attributes"),
        )


def _of_questions(sides: Sequence[Side], rules: tuple[str, ...]) -> Iterator[Table]:
    joined = [paired_answers(couple, rules)[0] for couple in _couples(sides)]
    for protocol in joined[0]:
        if not all(protocol in each for each in joined):
            continue
        frames = [each[protocol] for each in joined]
        read = np.all([(frame["read"] & frame["read_other"]).to_numpy() for frame in frames], axis=0)
        for measure in OF_QUESTIONS:
            kept = frames if measure is ANSWERED else [frame.filter(pl.Series(read)) for frame in frames]
            cells = [questions_cell(measure, protocol, ALL, frame) for frame in kept]
            posed = [questions_cell(measure, protocol, ALL, frame) for frame in frames[:1]]
            present = [cell.values for cell in cells if cell.values is not None]
            if len(present) < len(cells):
                continue
            items = len(present[0].cluster)
            total = posed[0].numbers[0] + posed[0].left_out
            attribute = present[0].attribute
            yield Table(
                measure,
                protocol,
                np.array([present[0].baseline, *(values.candidate for values in present)]),
                present[0].cluster,
                np.arange(items) if attribute is None else attribute,
                max(total - items, 0),
                ("templates", "groups"),
            )
