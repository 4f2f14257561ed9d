"""The associations that most models share, those of each model, and those that were planted in simulated tellers.

A figure cannot be blurred, so its rows name attributes only; the values stand in the table below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.harm.panel import BENIGN, HARMFUL
from endoxa.instruments.stories.options import Discovery
from endoxa.instruments.stories.report.results import (
    ARROW,
    ASSOCIATION,
    COLORS,
    SIDES,
    UNRATED,
    StoryResults,
    ends_field,
    value_field,
)
from endoxa.instruments.stories.report.sources import POOLED
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import Measure, block_figure, described, series_figure
from endoxa.report.plots import MOST_APART, Axis
from endoxa.report.tables import Cell, number_field, table_of, text_field
from endoxa.report.words import count, decimal, decimal_interval, percent, plural
from endoxa.sources.stereotales import OTHER, UNKNOWN
from endoxa.sources.stereotales.associations import PARTS

MOST_ROWS = 15
"""Associations that are drawn; the table of associations below holds all."""

LEAST_DOMAIN = 4.0
"""The axis of lifts reaches at least this far."""
LIFT = Measure("lift (1: as often as in all stories)", 1.0, "~g", 0.0, 1.0)


def strongest(results: StoryResults) -> Section | None:
    """The associations of the most models, of these the greatest lift first; None without pooled associations."""
    rows, kind = _ranked(results)
    if rows.is_empty():
        return None
    shown = rows.head(MOST_ROWS).with_row_index("number", offset=1)
    which = f"{kind}s" if shown.height > 1 else kind
    several = len(results.searched) > 1
    reading = "A dot is a model; intervals are in the CSV file."
    if len(results.writers) <= MOST_APART:
        reading = f"Bars are {results.level} intervals of the lift of a model."
    return Section(
        anchor="strongest",
        title=f"The {which} that most models share" if several else f"The strongest {which}",
        findings=(_strongest_finding(results, rows, kind),),
        figures=(_strongest_figure(results, shown, which),),
        tables=(
            table_of(
                "The same associations, numbered as in the figure",
                shown,
                (
                    text_field("number", lambda row: Cell(str(row["number"]), order=row["number"])),
                    *SIDES,
                    number_field("models", lambda row: count(len(row["models"]))),
                    value_field("mean lift" if several else "lift", "lift", decimal, 2),
                    ends_field("least to greatest" if several else f"{results.level} interval"),
                    value_field("stories", "count"),
                    value_field("harm, 1 to 5", "rating", decimal, 1) if results.harm is not None else None,
                ),
                unveil="Show the associations (they are stereotypes, some of them offensive)",
            ),
        ),
        notes=(
            "Lift is how many times more often the second trait comes in stories about people with the first than in "
            f"all stories of the table; right of the line: more often. {reading} Rows name attributes only; "
            "the values stand in the table under the same number. All associations are in the table of the next "
            "section.",
        ),
    )


def _ranked(results: StoryResults) -> tuple[pl.DataFrame, str]:
    """Harmful associations, or all where none is harmful, in the order shown, and what they are called."""
    pooled = results.associations.filter(pl.col("models").list.len() > 0)
    harmful = pooled.filter(pl.col("harmful") == HARMFUL)
    rows = (harmful if harmful.height else pooled).sort(
        pl.col("models").list.len(), "lift", descending=True, nulls_last=True, maintain_order=True
    )
    return rows, "harmful association" if harmful.height else "association"


def strongest_sentence(results: StoryResults) -> str:
    """The strongest association of the only model, as the lead of a page; empty where there are several or none."""
    rows, kind = _ranked(results)
    if len(results.searched) != 1 or rows.is_empty():
        return ""
    return f"{_strongest_finding(results, rows, kind).text} Lift 1: as often as in all stories."


def _strongest_finding(results: StoryResults, rows: pl.DataFrame, kind: str) -> Finding:
    """How many models share the first association, and how strong it is."""
    first, models = rows.row(0, named=True), len(results.searched)
    reach = len(first["models"])
    alike = rows.filter(pl.col("models").list.len() == reach).height
    # What it was chosen from: cells that were tested, or rows where that is not recorded.
    cells = int(results.tested.filter(POOLED)["cells"].sum())
    chosen_from = max(cells, rows.height)
    numbers = {
        "alike": alike,
        "models": models,
        "reach": reach,
        "number": 1,
        "lift": first["lift"],
        "of": chosen_from,
    }
    lift = decimal(first["lift"], 2)
    of_many = f"It was picked as the largest of {count(chosen_from)}{' cells tested' if cells else ''}: "
    smaller = f"{of_many}expect less of it in new stories." if chosen_from > 1 else ""
    if models == 1:
        low, high = first["low"], first["high"]
        text = f"The strongest {kind} (number 1 below) has a lift of {lift}"
        if low is None or high is None:
            return Finding(f"{text}. {smaller}".strip(), (numbers,))
        text += f" ({results.level} interval {decimal_interval(low, high, 2)})."
        if chosen_from > 1:
            numbers["least"] = _least_of(first["lift"], low, results.confidence, chosen_from)
            text += (
                f" {of_many}the interval that holds for all at once begins at {decimal(numbers['least'], 2)}."
            )
        return Finding(text, (numbers | {"low": low, "high": high},))
    mean = "mean lift" if reach > 1 else "lift"
    if alike == 1:
        most = f"One {kind} is found in more models than any other, {reach} of {models}"
        return Finding(f"{most} (number 1 below; {mean} {lift}). {smaller}".strip(), (numbers,))
    where = "each in one model only" if reach == 1 else f"each in {reach} of {models} models"
    return Finding(
        f"{plural(alike, kind)} {'are' if reach == 1 else 'are shared by the most models and'} found {where}; the "
        f"strongest of them (number 1 below) has a {mean} of {lift}. {smaller}".strip(),
        (numbers,),
    )


def _least_of(lift: float, low: float, confidence: float, number: int) -> float:
    """Lower end of the lift's interval, wide enough for the largest of several (Bonferroni on the log scale)."""
    from scipy.special import ndtri

    tail = (1 - confidence) / 2
    return float(lift * (low / lift) ** (ndtri(tail / number) / ndtri(tail)))


def _strongest_figure(results: StoryResults, shown: pl.DataFrame, which: str) -> Figure:
    """The lift of every association in every model; rows as '1. urbanicity → pet', without values that could offend."""
    models = len(results.searched)
    names = (pl.col(f"{end}_attribute").str.replace_all("_", " ") for end in ("base", "compared"))
    lift = pl.col("lift").map_elements(lambda value: decimal(value, 2), return_dtype=pl.String)
    reach = pl.format(f", {{}} of {models} models", pl.col("models").list.len()) if models > 1 else pl.lit("")
    labelled = shown.select(
        *PARTS,
        label=pl.format(f"{{}}. {{}} {ARROW} {{}}", "number", *names),
        note=pl.format("× {}{}", lift, reach),
    )
    lifts = results.claimed.filter(POOLED).select(*PARTS, "model", "lift", "lift_low", "lift_high")
    frame = labelled.join(lifts, on=PARTS, maintain_order="left").select(
        "label",
        "note",
        series=pl.col("model").map_elements(results.label, return_dtype=pl.String),
        value="lift",
        low="lift_low",
        high="lift_high",
        filled=pl.lit(value=True),
    )
    ends = [end for name in ("value", "low", "high") for end in frame[name].drop_nulls() if end > 0] or [1.0]
    texts = (f"{label}: {note}" for label, note in labelled.select("label", "note").iter_rows())
    return series_figure(
        frame,
        LIFT,
        [results.label(model) for model in results.writers],
        name="strongest",
        title=f"Lift of the {which} that most models share"
        if models > 1
        else f"Lift of the strongest {which}",
        alt=described(
            f"Lift of numbered associations in the stories of {plural(models, 'model')}, 1: none", texts
        ),
        domain=(min(0.8, 0.9 * min(ends)), max(LEAST_DOMAIN, 1.1 * max(ends))),
        log=True,
    )


CLASSES = (HARMFUL, BENIGN, UNRATED)


def associations_by_model(results: StoryResults) -> Section | None:
    """Bars under the names of providers, most harmful first, and the counts; None without pooled associations."""
    counted = class_counts(results)
    parts = [name for name in CLASSES if counted[name].sum()]
    if not parts:
        return None
    note = pl.concat_str([pl.col(part).cast(pl.String) for part in parts], separator=" / ")
    ends = [pl.sum_horizontal(parts[: place + 1]) for place in range(len(parts))]
    # The parts of a model's bar, one behind the other.
    bars = pl.concat(
        counted.with_row_index("row").select(
            "row",
            "label",
            block="provider",
            note=note,
            part=pl.lit(part),
            end=end,
            start=end - pl.col(part),
        )
        for part, end in zip(parts, ends, strict=True)
    ).sort("row", maintain_order=True)
    spoken = (
        f"{row['label']}: " + ", ".join(f"{count(row[part])} {part}" for part in parts)
        for row in counted.iter_rows(named=True)
    )
    classified = HARMFUL in parts or BENIGN in parts
    return Section(
        anchor="by-model",
        title="Associations of each model",
        findings=tuple(_count_findings(counted)),
        figures=(
            block_figure(
                bars.drop("row"),
                {part: COLORS[part] for part in parts},
                Axis((0, int(max(bars["end"]))), "associations", "d"),
                legend=len(parts) > 1,
                name="associations-by-model",
                title="Harmful and benign associations" if classified else "Associations",
                alt=described("Associations of each model", spoken),
            ),
        ),
        tables=(
            table_of(
                "Associations of each model, counted",
                counted,
                (text_field("model", "label"), text_field("provider"), *map(value_field, parts)),
                folded=True,
            ),
        ),
        notes=(
            "All languages of a model together. A model with more stories, or whose stories tell more of their "
            "protagonists, can show more associations: compare models with as many stories.",
        ),
    )


def class_counts(results: StoryResults) -> pl.DataFrame:
    """A row for each model that was tested or has associations: `provider`, `label`, how many are of each class.

    Providers stand together, the one with the most harmful associations of a model first.
    """
    classes = results.associations.select(*PARTS, "harmful")
    rows = results.claimed.filter(POOLED).join(classes, on=PARTS, how="left", maintain_order="left")
    kind = pl.col("harmful").fill_null(UNRATED)
    shown = rows.group_by("model", maintain_order=True).agg(
        (kind == name).sum().cast(pl.Int64).alias(name) for name in CLASSES
    )
    tested = results.tested.filter(POOLED, pl.col("tables") > 0).select("model")
    models = pl.concat([shown.select("model"), tested]).unique(maintain_order=True)
    counted = models.join(shown, on="model", how="left", maintain_order="left").fill_null(0)
    named = counted.with_columns(
        label=pl.col("model").map_elements(results.label, return_dtype=pl.String),
        provider=pl.col("model").map_elements(
            lambda model: results.names[model].provider, return_dtype=pl.String
        ),
    )
    total = pl.sum_horizontal(CLASSES)
    harmful = pl.col(HARMFUL)
    return named.sort(
        *(harmful.max().over("provider"), total.max().over("provider"), "provider", harmful, total),
        descending=True,
        maintain_order=True,
    )


def _count_findings(counted: pl.DataFrame) -> Iterator[Finding]:
    if not counted[HARMFUL].sum():
        return
    none = int((counted[HARMFUL] == 0).sum())
    ordered = counted.sort(HARMFUL)
    least, most = ordered.row(0, named=True), ordered.row(-1, named=True)
    rows = ({"none": none, "models": counted.height}, least, most)
    if counted.height == 1:
        yield Finding(f"{most['label']} makes {plural(most[HARMFUL], 'harmful association')}.", rows)
    else:
        without = f" Models that show none: {count(none)} of {count(counted.height)}." if none else ""
        per_model = (
            f"from {count(least[HARMFUL])} ({least['label']}) to {count(most[HARMFUL])} ({most['label']})"
        )
        if least[HARMFUL] == most[HARMFUL]:
            per_model = f"{count(most[HARMFUL])} in each"
        yield Finding(
            f"Harmful associations per model: {per_model}. No test compares these numbers: they are not a ranking."
            f"{without}",
            rows,
        )


DETECTED, MISSED = "yes", "no"
NO_STORIES, TOO_FEW = "not asked", "too few stories"
TESTABLE = (DETECTED, MISSED)
TABLE = ("base_attribute", "compared_attribute")


TRUTH = {**dict.fromkeys(PARTS, pl.String), "expected_fraction": pl.Float64, "expected_lift": pl.Float64}
MEASURED = ("fraction", "lift", "lift_low", "lift_high")


def planted_associations(model: str) -> tuple[Mapping[str, Any], ...] | None:
    """What was planted in a simulated teller, as its name says; None for every other model."""
    from endoxa.models.chat import parse_chat_model
    from endoxa.models.chat.simulated import SimulatedModel

    if not model.startswith("sim/"):
        return None
    try:
        description = SimulatedModel(parse_chat_model(model)).describe()
    except UserError:  # a respondent of another version
        return None
    probes: Mapping[str, Any] = description["probes"]
    stated = probes.get("stories", {}).get("associations")  # latent strengths state none
    return None if stated is None else tuple(stated)


def compare_planted(results: StoryResults, model: str) -> pl.DataFrame | None:
    """Every association planted in a model beside what its stories show; None where it is no simulated teller.

    Returns:
        `model`; columns of `TRUTH`; `stories`, those of its base value that tell the compared attribute, null where the
        stories are not there; `power`, the probability that so many pass both steps (`associations.cells`), null where
        it is not testable; columns of `MEASURED`, null where it was not found; `outcome`, one of `TESTABLE`, or why it
        could not be found.
    """
    truth = planted_associations(model)
    if truth is None:
        return None
    alphas = results.tested.filter(POOLED, model=model)["alpha"]
    alpha = float(alphas[0]) if len(alphas) else Discovery().alpha
    written = results.protagonists.filter(model=model)
    numbers = [
        (None, None) if written.is_empty() else _stories_and_power(written, entry, alpha) for entry in truth
    ]
    claims = results.claimed.filter(POOLED, model=model).select(*PARTS, *MEASURED)
    stories, power = pl.col("stories"), pl.col("power")
    return (
        pl.DataFrame([dict(entry) for entry in truth], schema=TRUTH)
        .with_columns(
            pl.Series("stories", [number for number, _ in numbers], dtype=pl.Int64),
            pl.Series("power", [chance for _, chance in numbers], dtype=pl.Float64),
            model=pl.lit(model),
        )
        .join(claims, on=PARTS, how="left", maintain_order="left")
        .with_columns(
            outcome=pl.when(pl.col("lift").is_not_null())
            .then(pl.lit(DETECTED))
            .when(stories.is_null() | power.is_not_null())
            .then(pl.lit(MISSED))
            .otherwise(pl.when(stories > 0).then(pl.lit(TOO_FEW)).otherwise(pl.lit(NO_STORIES)))
        )
    )


def _stories_and_power(
    written: pl.DataFrame, entry: Mapping[str, Any], alpha: float
) -> tuple[int, float | None]:
    """Stories that could show an association, and with which power; None where it is in no table that is tested."""
    from endoxa.instruments.stories.associations.cells import power, table_power
    from endoxa.instruments.stories.associations.tables import FEWEST

    compared = entry["compared_attribute"]
    if compared not in written.columns:
        return 0, None
    value = pl.col(compared).cast(pl.String)
    telling = written.filter(
        pl.col("base_attribute") == entry["base_attribute"],
        value.is_not_null(),
        ~value.is_in([UNKNOWN, OTHER]),
    )
    counts = dict(telling.group_by("base_value").len().iter_rows())
    stories = int(counts.get(entry["base_value"], 0))
    values = sum(n >= FEWEST for n in counts.values())
    columns = telling[compared].n_unique()
    if stories < FEWEST or values < 2 or columns < 2:
        return stories, None
    rate = entry["expected_fraction"] / entry["expected_lift"]
    shared = {"base_rate": rate, "lift": min(entry["expected_lift"], values, 1 / rate), "alpha": alpha}
    kept = table_power(stories, values=values, columns=columns, **shared)
    return stories, kept * power(stories, values=values, cells=values * columns, **shared)


def planted(results: StoryResults) -> Section | None:
    """Every planted association with its true and its measured lift; None where no teller is simulated."""
    compared = {model: compare_planted(results, model) for model in results.writers}
    tellers = {model: rows for model, rows in compared.items() if rows is not None}
    if not tellers:
        return None

    return Section(
        anchor="planted",
        title="Planted and found",
        findings=tuple(_planted_finding(results, model, rows) for model, rows in tellers.items()),
        tables=(
            table_of(
                "Planted associations",
                pl.concat(tellers.values()),
                (
                    text_field("model", "model", results.label),
                    ASSOCIATION,
                    value_field("planted share", "expected_fraction", percent, 0),
                    value_field("measured share", "fraction", percent, 0),
                    value_field("planted lift", "expected_lift", decimal, 2),
                    value_field("measured lift", "lift", decimal, 2),
                    ends_field(f"{results.level} interval", "lift_"),
                    value_field("stories"),
                    value_field("power", "power", percent, 0),
                    text_field("found", "outcome"),
                ),
                most_open=30,
            ),
        ),
        notes=(
            "Simulated tellers write stories in which these associations were planted; everything else is independent. "
            "Where a value is raised for one trait, the others of that table fall, so further cells of the same "
            "table are true findings. Stories are those about the first trait that tell the second attribute; power is "
            "the probability that so many show the planted lift, if stories of one prompt do not depend on each other.",
        ),
    )


def _planted_finding(results: StoryResults, model: str, rows: pl.DataFrame) -> Finding:
    """How many planted associations were found, of those that the stories could show, and what else was found."""
    claims = results.claimed.filter(POOLED, model=model)
    hit = claims.join(rows, on=PARTS, how="semi").height
    beside = claims.join(rows, on=TABLE, how="semi").height - hit
    other = claims.height - hit - beside
    testable = rows.filter(pl.col("outcome").is_in(TESTABLE))
    unasked, few = (rows.filter(outcome=why).height for why in (NO_STORIES, TOO_FEW))
    power = float(rows["power"].sum())
    numbers = {
        "hit": hit,
        "testable": testable.height,
        "power": round(power, 1),
        "beside": beside,
        "other": other,
        "asked": unasked,
        "few": few,
    }
    shown = "the stories could show none of the planted associations"
    if testable.height:
        computed = testable["power"].null_count() == 0
        expected = f" ({decimal(power, 1)} were to be expected with so many stories)" if computed else ""
        # A table alone does not say what its stories were asked about.
        showable = " that the stories could show" if rows["stories"].count() else ""
        shown = (
            f"{count(hit) if hit else 'none'} of {plural(testable.height, 'planted association')}{showable} "
            f"{'were' if hit > 1 else 'was'} found{expected}"
        )
    if unasked:
        shown += f"; {count(unasked)} {'was' if unasked == 1 else 'were'} not asked for"
    if few:
        shown += f"{', ' if unasked else '; '}{count(few)} had too few stories"
    also = [f"in the same tables: {count(beside)}"] * bool(beside)
    also += [f"in tables where nothing was planted: {count(other)}, all false"] * bool(other)
    end = f" Also found {'; '.join(also)}." if also else ""
    return Finding(f"{results.label(model)}: {shown}.{end}", (numbers,))
