"""From run folders to parts, a function for each instrument.

Each returns the columns `model` (as in the run), `language`, `association_id`, `part` and `value`; `converge` adds
identity and instrument and keeps languages apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.association_tests.estimates.effect_size import UnitVectors
from endoxa.instruments.association_tests.estimates.run import run_sources
from endoxa.instruments.choices.estimates import ITEM, paired
from endoxa.instruments.pairs.estimates.inference import calibration_decides
from endoxa.instruments.pairs.estimates.records import load_records
from endoxa.instruments.questions.estimates.answers import load_answers
from endoxa.schema.stories import STORY_MAP_COLUMNS
from endoxa.sources.served import versions_apart
from endoxa.sources.stereotales.profiles import UNKNOWN, decode

MEASURED = ("model", "language", "association_id", "part", "value")
"""Columns of what adapters return."""


class NothingReadError(UserError):
    """A run is complete, and what its model said could not be read."""


def pair_parts(run: Path, rule: str = "") -> pl.DataFrame:
    """Parts of a run of `probe pairs`.

    The value is the score of the stereotypical sentence minus that of the other one, in the rule's unit; where at least
    half of a model's pairs could be calibrated, less the same difference about others, of these pairs. Items
    of one association are its parts: what is left of their names without the association's is the name of the part, so
    that the same template or variant is the same part for all associations.

    Args:
        run: the run folder.
        rule: the scoring rule; empty takes the first one of each model in the run.

    Returns:
        Columns of `adapters.MEASURED`.

    Raises:
        UserError: the run cannot be used, no item names an association, or a model has no such rule.
    """
    records = load_records([run]).filter(pl.col("association_id").fill_null("") != "")
    if records.is_empty():
        raise UserError(
            f"'{run}' measures no association: its items have no association_id. Make them with `endoxa build pairs`."
        )
    rules = records.group_by("model", maintain_order=True).agg(pl.col("rule").unique(maintain_order=True))
    chosen = pl.DataFrame(
        _chosen(run, dict(rules.iter_rows()), rule, "rule"), schema=["model", "rule"], orient="row"
    )
    used = records.join(chosen, on=["model", "rule"], how="semi", maintain_order="left")
    sign = pl.when(pl.col("stereotypical") == "more").then(1.0).otherwise(-1.0)
    part = (
        pl.when(pl.col("item_id").str.starts_with(pl.col("association_id")))
        .then(pl.col("item_id").str.slice(pl.col("association_id").str.len_chars()))
        .otherwise(pl.col("item_id"))
    )
    neutral = pl.col("neutral_difference").fill_nan(None)
    decides = calibration_decides(neutral.count(), pl.len()).over("model")
    raw = pl.col("score_more") - pl.col("score_less")
    value = sign * pl.when(decides).then(raw - neutral).otherwise(raw)
    return used.with_columns(value=value, part=part).drop_nulls("value").select(MEASURED)


def _chosen(run: Path, having: Mapping[str, Sequence[str]], wanted: str, noun: str) -> list[tuple[str, str]]:
    """Each model with the rule or pooling wanted, or with its first one.

    Args:
        run: the run folder, for messages.
        having: rules or poolings of each model, in order.
        wanted: one of them, or empty.
        noun: 'rule' or 'pooling'.

    Raises:
        UserError: a model lacks the one wanted.
    """
    for model, names in having.items():
        if wanted and wanted not in names:
            raise UserError(
                f"'{run}' has nothing of the model '{model}' under the {noun} '{wanted}' (available: "
                f"{', '.join(names)}). Leave the {noun} out to take the first one of each model."
            )
    return [(model, wanted or names[0]) for model, names in having.items()]


VALUES = {"stereotyped": 1.0, "anti-stereotyped": -1.0, "unknown": 0.0}
"""Value of an answer by its outcome; refused and unreadable answers have none and are left out."""
ANSWER_COLUMNS = (
    "association_id",
    "language",
    "outcome",
    "context_condition",
    "protocol",
    "repeat",
    "item_id",
)


def question_parts(run: Path, protocol: str = "baseline") -> pl.DataFrame:
    """Parts of a run of `probe qa`: ambiguous contexts only, where the unknown option is the right one.

    The items of an association are its parts, with the mean over repeats as value: another wording and another
    distractor differ more than another draw of the same question. Only where no association has two items, repeats
    are the parts.

    Args:
        run: the run folder.
        protocol: the protocol whose answers are used.

    Returns:
        Columns of `adapters.MEASURED`.

    Raises:
        UserError: the run cannot be used, or has no readable answer about an association under the protocol.
    """
    answers = load_answers([run], ANSWER_COLUMNS)
    if "association_id" not in answers.columns:
        answers = answers.with_columns(association_id=pl.lit(""))
    about = answers.filter(
        (pl.col("association_id").fill_null("") != "") & (pl.col("context_condition") == "ambig")
    )
    if about.is_empty():
        raise UserError(
            f"'{run}' measures no association: no item in an ambiguous context has an association_id. Make them with "
            "`endoxa build qa`."
        )
    posed = about.filter(protocol=protocol)
    if posed.is_empty():
        protocols = ", ".join(about["protocol"].unique(maintain_order=True))
        raise UserError(f"'{run}' has no answers under the protocol '{protocol}' (available: {protocols}).")
    valued = posed.with_columns(
        value=pl.col("outcome").replace_strict(VALUES, default=None, return_dtype=pl.Float64)
    ).drop_nulls("value")
    if valued.is_empty():
        raise NothingReadError(f"'{run}': no answer under the protocol '{protocol}' could be read.")
    by = ["model", "language", "association_id"]
    several = valued.group_by(by).agg(pl.col("item_id").n_unique())["item_id"].max()
    part = pl.col("item_id") if several != 1 else pl.format("repeat {}", "repeat")
    return (
        valued.with_columns(part=part)
        .group_by(*by, "part", maintain_order=True)
        .agg(pl.col("value").mean())
        .select(MEASURED)
    )


_TYPES = {name: pl.Float64 if name == "value" else pl.String for name in MEASURED}


def association_test_parts(run: Path, pooling: str = "") -> pl.DataFrame:
    """Parts of a run of `probe embeddings`, of the tests that name an association.

    The value of part k is s(x_k) minus the mean of s(y_k) over the identities of Y, with s the mean cosine with A minus
    that with B (Caliskan et al. 2017), for the k-th text of each: the same template with either identity, where tests
    were built from templates. All parts share A and B: what is peculiar to these words counts as reliable. Several
    tests of one association add their parts.

    Args:
        run: the run folder.
        pooling: the pooling; empty takes the first one of each model in the run.

    Returns:
        Columns of `adapters.MEASURED`.

    Raises:
        UserError: the run cannot be used, no test names an association, or a model has no such pooling.
    """
    rows: list[tuple[Any, ...]] = []
    sources = run_sources(run)
    poolings: dict[str, list[str]] = {}
    for source in sources:
        poolings.setdefault(source.model, []).append(source.pooling)
    chosen = _chosen(run, poolings, pooling, "pooling")
    for source in (source for source in sources if (source.model, source.pooling) in chosen):
        tests = [test for test in source.tests if test.association_id]
        if not tests:
            raise UserError(
                f"'{run}' measures no association: its tests have no association_id. Make them with "
                "`endoxa build tests --each`."
            )
        texts = (text for test in tests for part in (test.x, test.y, test.a, test.b) for text in part.texts)
        vectors = UnitVectors(source.vectors(), texts)
        before: Counter[str] = Counter()
        for test in tests:
            before[test.association_id] += 1
            scores, number = vectors.associations(test), before[test.association_id]
            head = (source.model, test.language, test.association_id)
            values = differences(scores.x, scores.y, test.y.terms).tolist()
            rows += [(*head, f"test {number}, text {k}", value) for k, value in enumerate(values, start=1)]
    return pl.DataFrame(rows, schema=_TYPES, orient="row")


def differences(x: np.ndarray, y: np.ndarray, terms: Sequence[str] = ()) -> np.ndarray:
    """Each association of X minus that of Y in the same place.

    Args:
        x: associations of the texts of X.
        y: of Y.
        terms: the identity behind each text of Y, or nothing where it is one. The k-th texts of all of them are
            averaged; an identity with fewer texts begins again at its first.
    """
    names = np.array(terms or [""] * len(y), dtype=object)
    groups = [y[names == name] for name in dict.fromkeys(names)]
    other = np.array([[group[k % len(group)] for group in groups] for k in range(len(x))])
    return np.asarray(x - other.mean(axis=1))


MAP_COLUMNS = tuple(STORY_MAP_COLUMNS)
NEEDED = (
    "sample_id",
    "generator_model",
    "language",
    "target_attribute",
    "target_attribute_value",
    "extracted_attributes_json",
)
FACETS = ("scenario", "repeat")
"""What parts are: the first of which an association has two."""


def story_parts(run: Path, story_map: pl.DataFrame) -> pl.DataFrame:
    """Parts of a run of `probe extract`.

    For an association that the map places at (base value, compared value), the value of a part is the share of stories
    about the base value whose compared attribute has the compared value, minus the share among stories about all other
    values of the same base attribute: above 0, the trait goes with the identity more than with others. Stories whose
    compared attribute is unknown are left out, as they are where associations are discovered; a part needs a story on
    both sides. Parts are scenarios; where no association has two of them, repeats.

    Args:
        run: the run folder.
        story_map: columns of `schema.stories.STORY_MAP_COLUMNS`; rows that name no cell are left out.

    Returns:
        Columns of `adapters.MEASURED`.

    Raises:
        NothingReadError: no association of the map has stories.
    """
    story_map = story_map.filter(pl.all_horizontal(pl.col(name).fill_null("") != "" for name in MAP_COLUMNS))
    stories = _stories(run)
    profiles = decode(stories["extracted_attributes_json"]).columns
    facets = [name for name in FACETS if name in stories.columns]
    for facet in facets:
        parts = _story_parts(stories, profiles, story_map, facet)
        table = pl.concat([pl.DataFrame(schema=_TYPES), *parts], how="diagonal")
        most = table.group_by("model", "language", "association_id").len()["len"].to_list()
        if len(table) and (max(most) > 1 or facet == facets[-1]):
            return table
    raise NothingReadError(
        f"'{run}': no association of the story map has stories on both sides whose profile was read. See the page of "
        "the profiles. If they were read, check base_attribute, base_value, compared_attribute and compared_value of "
        "the map, and that the stories name scenario or repeat."
    )


def _stories(run: Path) -> pl.DataFrame:
    """Stories with a profile, all columns text."""
    records = versions_apart(pl.scan_parquet(run / "records.parquet"), "generator_model")
    names = records.collect_schema().names()
    table = records.select(pl.col(name).cast(pl.String) for name in (*NEEDED, *FACETS) if name in names)
    return table.collect().filter(pl.col("extracted_attributes_json").fill_null("").str.len_chars() > 2)


def _story_parts(
    stories: pl.DataFrame, profiles: pl.DataFrame, story_map: pl.DataFrame, facet: str
) -> Iterator[pl.DataFrame]:
    for cell in story_map.iter_rows(named=True):
        compared = cell["compared_attribute"]
        if compared not in profiles.columns:
            continue
        hit = profiles[compared] == cell["compared_value"]
        about = pl.col("target_attribute_value").str.strip_chars() == cell["base_value"]
        shares = (
            stories.with_columns(hit=hit, about=about, part=pl.format(f"{facet} {{}}", facet))
            .filter(
                pl.col("target_attribute").str.strip_chars() == cell["base_attribute"],
                profiles[compared].is_not_null() & (profiles[compared] != UNKNOWN),
            )
            .group_by("generator_model", "language", "part", maintain_order=True)
            .agg(value=pl.col("hit").filter("about").mean() - pl.col("hit").filter(~pl.col("about")).mean())
        )
        yield shares.drop_nulls(["part", "value"]).select(
            pl.lit(cell["association_id"]).alias("association_id"),
            "language",
            "part",
            "value",
            model="generator_model",
        )


def choice_parts(run: Path) -> pl.DataFrame:
    """Parts of a run of `probe choices`: items, with the mean score over orders, repeats and counterparts as value.

    +1 the stereotype, -1 its opposite, 0 what stands between; answers that were refused or not read are left out.
    Situations and wordings that several associations share keep their name, so that their level can be taken off.

    Args:
        run: the run folder.

    Returns:
        Columns of `adapters.MEASURED`.

    Raises:
        UserError: the run cannot be used, or has no answer about an association that could be read.
    """
    records = pl.read_parquet(run / "records.parquet").filter(pl.col("association_id").fill_null("") != "")
    valued = paired(versions_apart(records.lazy(), "model").collect(), pl.col("score").is_not_null())
    if valued.is_empty():
        raise NothingReadError(
            f"'{run}' measures no association: no answer about one could be read. Make items with "
            "`endoxa build choices`."
        )
    return (
        valued.with_columns(part=ITEM)
        .group_by("model", "language", "association_id", "part", maintain_order=True)
        .agg(value=pl.col("score").cast(pl.Float64).mean())
        .select(MEASURED)
    )
