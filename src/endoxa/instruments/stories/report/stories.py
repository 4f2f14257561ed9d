"""Who the protagonists are, the stories to read, and what was planted in simulated tellers beside what was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from string import ascii_uppercase
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.options import Discovery
from endoxa.instruments.stories.report.results import (
    ASSOCIATION,
    StoryResults,
    attribute_name,
    ends_field,
    side,
    value_field,
    value_name,
)
from endoxa.instruments.stories.report.sources import POOLED, Sample, shares
from endoxa.report.charts import square_legend
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import described, share_figure
from endoxa.report.items import Items, items_section
from endoxa.report.tables import Table, number_field, table_of, text_field
from endoxa.report.words import count, decimal, language_name, p_value, percent, plural
from endoxa.sources.stereotales import OTHER, UNKNOWN
from endoxa.sources.stereotales.associations import PARTS
from endoxa.stats.verdicts import ABOVE, UNTESTED

COLORS = ("#0b5fa5", "#f2b489", "#00795a", "#c6dff3", "#7b3f98", "#e3d29b", "#1b1f24")
DARK = frozenset({"#0b5fa5", "#00795a", "#7b3f98", "#1b1f24"})
"""Dark and light take turns, so that prints without colour can be read."""
REST = "other values"
LAST = {REST: "#ffffff", OTHER: "#d5d9de", UNKNOWN: "#f4f6f8"}
"""Values that come last, drawn pale."""
LEAST_LABELLED, LEAST_LETTERED = 0.12, 0.035
"""Shares with room for letter and percentage, and for the letter alone."""


SIDES = {"model": "models", "language": "languages", "theme": "themes"}
MOST_PARTS = 7
"""Values with a part of their own in a bar; the rarer ones share one."""
LEAST_P = 0.001
"""Smaller p-values are printed as below it."""


def distributions(results: StoryResults) -> Section | None:
    """For models, languages and themes the attribute in which they surely differ most, and all shares by model."""
    if results.counts.is_empty():
        return None
    figures, findings = [], []
    for by, spoken in SIDES.items():
        apart = results.differences.filter(pl.col("by") == by)
        if apart.height:
            findings += list(_findings(apart, spoken))
        beyond = apart.filter(pl.col("verdict") == ABOVE)["attribute"]
        figures += [_figure(results, by, name) for name in beyond.head(1)]
    if not figures:
        figures.append(_figure(results, "model", str(results.counts["attribute"][0])))
    return Section(
        anchor="distributions",
        title="Who the protagonists are",
        findings=tuple(findings),
        figures=tuple(figures),
        tables=(_table(results),),
        notes=(
            "A story counts for every attribute but the one that its prompt named. Unknown means that the story "
            "does not tell it. Where few stories are behind a bar, bars differ by chance alone: a difference is stated "
            "only where a permutation test over all attributes rejects it as chance. Stories of one prompt keep "
            "together. Differences between languages also hold what translated prompts suggest, those between themes "
            "what their scenarios suggest.",
        ),
        template="distributions.html.j2",
    )


def _findings(apart: pl.DataFrame, spoken: str) -> Iterator[Finding]:
    """The attribute of the largest difference that chance does not explain, or that none is seen or can be tested."""
    # Each as an estimate: its value, and the neutral one that chance makes.
    estimates = apart.with_columns(value="distance", neutral="by_chance").rows(named=True)
    tested = [row for row in estimates if row["verdict"] != UNTESTED]
    untested = [row for row in estimates if row["verdict"] == UNTESTED]
    beyond = [row for row in tested if row["verdict"] == ABOVE]
    if beyond:
        most = beyond[0]
        yield Finding(
            f"The largest difference between {spoken} beyond chance is in {attribute_name(most['attribute'])} "
            f"({count(most['n'])} stories; permutation test, p {p_value(most['p_adjusted'])}): "
            f"between the two {spoken} furthest apart, {percent(most['distance'], 0)} of the stories would need "
            f"another value to make them alike; with {spoken} exchanged at random it is "
            f"{percent(most['by_chance'], 0)} on average. "
            f"Differences beyond chance are seen in {count(len(beyond))} of {plural(len(tested), 'attribute')}.",
            (most, {"beyond": len(beyond), "tested": len(tested), "least_shown": LEAST_P}),
        )
    elif tested:
        least = min(tested, key=lambda row: float(row["p_adjusted"]))
        numbers = {
            "tested": len(tested),
            "n": max(row["n"] for row in tested),
            "least_shown": LEAST_P,
        }
        yield Finding(
            f"Differences between {spoken} are not distinguishable from chance ({plural(len(tested), 'attribute')}, "
            f"up to {plural(numbers['n'], 'story', 'stories')}; permutation test, least p "
            f"{p_value(least['p_adjusted'])}).",
            (least, numbers),
        )
    if untested:
        which = f" in {plural(len(untested), 'attribute')}" if tested else ""
        yield Finding(
            f"Differences between {spoken}{which} cannot be tested: {untested[0]['reason']}.",
            (untested[0], {"untested": len(untested)}),
        )


def values_in_order(rows: pl.DataFrame) -> list[str]:
    """The values of one attribute, most frequent first, then 'other' and 'unknown'."""
    total = rows.group_by("value", maintain_order=True).agg(pl.col("n").sum())
    names: list[str] = total.sort("n", descending=True, maintain_order=True)["value"].to_list()
    last = list(LAST)
    return sorted(names, key=lambda name: last.index(name) if name in last else -1)


def group_label(results: StoryResults, by: str, name: str) -> str:
    """How a model, a language or a theme is called."""
    if by == "model":
        return results.label(name)
    return language_name(name) if by == "language" else name or "no theme recorded"


def _figure(results: StoryResults, by: str, attribute: str) -> Figure:
    rows = results.counts.filter(pl.col("attribute") == attribute)
    order = values_in_order(rows)
    drawn = [name for name in order if name not in LAST][:MOST_PARTS]
    shown = rows.with_columns(
        value=pl.when(pl.col("value").is_in([*drawn, OTHER, UNKNOWN])).then("value").otherwise(pl.lit(REST))
    )
    parts = [*drawn, *(name for name in LAST if name in set(shown["value"]))]
    groups = results.writers if by == "model" else sorted(set(rows[by]))
    place = pl.col(by).replace_strict(groups, list(range(len(groups))), return_dtype=pl.Int64)
    frame = (
        shares(shown, by)
        .sort(place)
        .select(
            "share",
            label=pl.col(by).map_elements(
                lambda name: group_label(results, by, name), return_dtype=pl.String
            ),
            part=pl.col("value").map_elements(value_name, return_dtype=pl.String),
        )
    )
    bars = (
        f"{label}: "
        + ", ".join(f"{part} {percent(share, 0)}" for part, share in rows.select("part", "share").rows())
        for (label,), rows in frame.group_by(["label"], maintain_order=True)
    )
    return stacked_bars(
        frame,
        [value_name(name) for name in parts],
        name=f"{by}s-{attribute.replace('_', '-')}",
        title=f"{attribute_name(attribute).capitalize()}, by {by}",
        alt=described(f"Share of each {attribute_name(attribute)} among protagonists", bars),
    )


def stacked_bars(frame: pl.DataFrame, parts: Sequence[str], **figure: Any) -> Figure:
    """One bar per label, parts always in the same order; wide ones carry their letter and percentage.

    The letters stand in the legend, too, so that bars can be read where colours cannot be told apart.

    Args:
        frame: `label` (what the bar is about), `part` (a value) and `share` (of the bar's stories); bars are drawn in
            the order of their first rows.
        parts: the values in order; those of `LAST` are drawn pale.
        figure: settings of `Figure`.
    """
    drawn = [part for part in parts if part not in LAST]
    colors = {part: COLORS[k % len(COLORS)] for k, part in enumerate(drawn)} | LAST
    letters = dict(zip(parts, ascii_uppercase, strict=False))
    named = {part: f"{letter}  {part}" for part, letter in letters.items()}
    letter = pl.col("part").replace_strict(letters, return_dtype=pl.String)
    percentage = pl.format(" {} %", (100 * pl.col("share")).round(0).cast(pl.Int64))
    text = letter + pl.when(pl.col("share") >= LEAST_LABELLED).then(percentage).otherwise(pl.lit(""))
    return share_figure(
        frame.select(
            "label",
            "share",
            part=pl.col("part").replace_strict(named, return_dtype=pl.String),
            text=pl.when(pl.col("share") >= LEAST_LETTERED).then(text).otherwise(pl.lit("")),
        ),
        {name: colors[part] for part, name in named.items()},
        dark=[named[part] for part in drawn if colors[part] in DARK],
        of="stories",
        legend=square_legend(columns=2, labelLimit=165),
        **figure,
    )


def _table(results: StoryResults) -> Table:
    frame = shares(results.counts, "model")
    share_of = {
        (row["attribute"], row["value"], row["model"]): row["share"] for row in frame.rows(named=True)
    }
    writers = set(results.counts["model"])

    def shown(model: str, row: tuple[str, str]) -> str:
        return percent(share_of.get((*row, model), 0.0))

    return table_of(
        "Share of every value, by model",
        (
            (attribute, value)
            for (attribute,), values in frame.group_by(["attribute"], maintain_order=True)
            for value in values_in_order(values)
        ),
        (
            text_field("attribute", lambda row: attribute_name(row[0])),
            text_field("value", lambda row: value_name(row[1])),
            *(
                number_field(results.label(model), partial(shown, model))
                for model in results.writers
                if model in writers
            ),
        ),
        folded=True,
    )


def distribution_data(results: StoryResults) -> dict[str, Any]:
    """The counts for scripts: lists of names, and the places of its names and n for each row of the counts."""
    counts = results.counts
    sides = {
        "model": results.writers,
        "language": sorted(set(counts["language"])),
        "theme": sorted(set(counts["theme"])),
    }
    attributes = counts["attribute"].unique(maintain_order=True).to_list()
    values = {name: values_in_order(counts.filter(pl.col("attribute") == name)) for name in attributes}
    flat = [(name, value) for name in attributes for value in values[name]]
    places = {pair: place for place, pair in enumerate(flat)}
    columns = {
        by: counts[by].replace_strict(names, list(range(len(names))), return_dtype=pl.Int64).to_list()
        for by, names in sides.items()
    }
    return {
        **{f"{by}s": [group_label(results, by, name) for name in names] for by, names in sides.items()},
        "attributes": [[attribute_name(name), list(map(value_name, values[name]))] for name in attributes],
        **columns,
        "value": [places[pair] for pair in counts.select("attribute", "value").iter_rows()],
        "n": counts["n"].to_list(),
    }


MOST_BYTES = 9_000_000
"""Room for the packed stories."""

FACETS = {
    "language": "language",
    "attribute": "prompt names",
    "value": "with the value",
    "scenario": "scenario",
}


def stories(results: StoryResults, most_bytes: int = MOST_BYTES) -> Section | None:
    """The stories and what was read off them: those that models wrote for the same prompt are one item."""
    if not results.samples:
        return None
    samples = pl.DataFrame(
        [
            (
                results.label(sample.model),
                sample.language,
                attribute_name(sample.attribute),
                value_name(sample.value),
                sample.scenario,
                _outcome(sample),
                _told(sample),
            )
            for sample in results.samples
        ],
        schema=dict.fromkeys(
            ("model", "language", "attribute", "value", "scenario", "outcome", "text"), pl.String
        ),
        orient="row",
    )
    prompt = ("language", "attribute", "value", "scenario")
    numbered = samples.with_columns(number=pl.int_range(1, pl.len() + 1).over("model", *prompt)).with_columns(
        id=pl.concat_str(*prompt, "number", separator=" / ")
    )
    answers = numbered.select(
        "id", "model", "outcome", "text", condition=pl.lit(""), value=pl.lit(None, dtype=pl.Float64)
    )
    return items_section(
        "stories",
        Items("prompt", "", numbered.unique("id", keep="first", maintain_order=True), answers, FACETS, {}),
        title="Stories, and what was read off them",
        lead="Of each model and language, taken at even distances through the run: nobody picked them. What a story "
        "does not tell is left out of its profile.",
        unveil="Show all stories and profiles (some are offensive)",
        most_bytes=most_bytes,
    )


def _outcome(sample: Sample) -> str:
    return "refusal" if sample.refused else "story" if sample.profile else "story without a usable profile"


def _told(sample: Sample) -> str:
    """The story, and what was read off it."""
    traits = [side(name, value) for name, value in (sample.profile or {}).items() if value != UNKNOWN]
    unread = (
        "No usable profile." if sample.profile is None else "Nothing could be told about the protagonist."
    )
    return f"{sample.story or '(no text)'}\n\n→ {'; '.join(traits) or unread}"


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
        stories are not there; `power`, the probability that so many pass both steps (`associations.lift`), null where
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
    from endoxa.instruments.stories.associations.lift import TABLES, power
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
    lift = min(entry["expected_lift"], values, 1 / rate)
    shape = {"values": values, "columns": columns, "tables": TABLES}
    return stories, power(stories, base_rate=rate, lift=lift, alpha=alpha, **shape)


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
