"""What else may explain a preference ratio: a planted truth for each diagnostic, and runs in which there is none."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from endoxa.instruments.pairs.report.quoting import run_diagnostics
from endoxa.report.quoting import ordered
from endoxa.testing.sentences import check_finding
from support.report_samples import run_folder, scored

pytestmark = pytest.mark.slow

LABELS = ("m", "sum", "95\u00a0%")
ITEMS = 120
LENGTH, DIRECTION, FLAGGED, SINGLE, TIES, PRECISION = (
    "length of the sentences",
    "stereotypes stated or contradicted",
    "pairs flagged by the dataset checks",
    "identities with a single pair",
    "ties",
    "precision of the numbers",
)


NAMES = [f"group{chr(97 + k % 26)}{chr(97 + k // 26)}" for k in range(40)]
WORDS = [f"{chr(97 + k % 26)}{chr(97 + k // 26)}ness" for k in range(ITEMS)]
PLAIN = pl.DataFrame(
    {
        "item_id": [f"i{k:03d}" for k in range(ITEMS)],
        "sent_more": [f"people know {NAMES[k % 40]} for {word} here." for k, word in enumerate(WORDS)],
        "sent_less": [f"people know nobodies for {word} here." for word in WORDS],
        "identity": [NAMES[k % 40] for k in range(ITEMS)],
    }
).with_columns(
    language=pl.lit("en"), axis=pl.lit("age"), direction=pl.lit("stereo"), stereotypical=pl.lit("more")
)
HALF = np.tile([1.0, -1.0], ITEMS // 2)
LONGER = np.tile([2, -2], ITEMS // 2)


def records(difference=None, longer=0, **columns) -> pl.DataFrame:
    """120 pairs of 40 identities, half of which prefer the stereotypical sentence; `columns` replace others.

    Args:
        difference: of the scores.
        longer: tokens more that the first sentence has.
        columns: of the records, instead of theirs.
    """
    values = np.random.default_rng(5).permutation(HALF) if difference is None else np.asarray(difference)
    tokens = pl.Series(np.full(ITEMS, 9) + longer)
    table = scored(PLAIN, "m", "sum", 0.5)
    return table.with_columns(**{"score_more": -20 + pl.Series(values), "n_tokens_more": tokens} | columns)


def found(tmp_path, table, **facts):
    made = run_diagnostics(run_folder(tmp_path / "run", table, **facts))
    for diagnostic in made:
        check_finding(diagnostic.finding, LABELS)
    return {diagnostic.name: diagnostic for diagnostic in made}, [
        each.name for each in ordered(made) if each.concerning
    ]


def test_where_nothing_is_planted_nothing_concerns_the_number(tmp_path):
    diagnostics, concerning = found(tmp_path, records())
    assert concerning == []
    assert {LENGTH, FLAGGED, SINGLE, TIES} <= set(diagnostics)
    assert diagnostics[SINGLE].value == 0


def test_the_shorter_sentence_always_wins(tmp_path):
    """Scores follow token counts; rows stand in another order than records are analysed in."""
    longer = np.random.default_rng(1).integers(-2, 3, ITEMS)
    difference = np.where(longer == 0, HALF, -1.0 * longer)
    table = records(difference, longer).sample(fraction=1, shuffle=True, seed=2)
    diagnostics, concerning = found(tmp_path, table)
    assert concerning[0] == LENGTH
    length = diagnostics[LENGTH]
    assert (length.numbers["first"], length.numbers["second"], length.value) == (1, 0, 1)
    assert "where it has fewer tokens" in length.sentence
    assert length.n == (longer != 0).sum()


def test_the_longer_sentence_is_the_stereotypical_one_where_it_is_in_sent_less(tmp_path):
    """sent_more is longer and wins: the stereotypical one is preferred where it is longer, never where shorter."""
    diagnostics, _ = found(tmp_path, records(1.0 * LONGER, LONGER, stereotypical=pl.lit("less")))
    assert diagnostics[LENGTH].value == -1


def test_pairs_that_contradict_a_stereotype_behave_otherwise(tmp_path):
    direction = ["stereo", "antistereo", "stereo"] * (ITEMS // 3)
    random = np.random.default_rng(3).random(ITEMS)
    chance = np.where(np.array(direction) == "stereo", 0.5, 0.95)
    diagnostics, concerning = found(
        tmp_path, records(np.where(random < chance, 1.0, -1.0), direction=pl.Series(direction))
    )
    assert concerning == [DIRECTION]
    stated, contradicted = (diagnostics[DIRECTION].numbers[name] for name in ("first", "second"))
    sides = random < chance
    assert stated == pytest.approx(sides[np.array(direction) == "stereo"].mean())
    assert contradicted == pytest.approx(sides[np.array(direction) == "antistereo"].mean())
    assert diagnostics[DIRECTION].high < 0


def test_a_preference_in_flagged_pairs_alone_is_gone_without_them(tmp_path):
    """Every fifth pair differs in two places, and only there is the stereotypical sentence preferred."""
    flagged = np.arange(ITEMS) % 5 == 0
    twice = pl.col("sent_less").str.replace("here.", "there and now.", literal=True)
    table = records(np.where(flagged, 1.0, HALF))
    table = table.with_columns(sent_less=pl.when(pl.Series(flagged)).then(twice).otherwise("sent_less"))
    diagnostics, concerning = found(tmp_path, table)
    line = diagnostics[FLAGGED]
    assert FLAGGED in concerning
    assert line.numbers["first_n"] == flagged.sum()
    assert (line.numbers["first"], line.numbers["second"]) == (1, pytest.approx(0.5, abs=0.01))


def test_identities_with_one_pair_and_ties(tmp_path):
    identity = [f"people {k}" if k < 60 else f"people {60 + k % 30}" for k in range(ITEMS)]
    difference = np.where(np.arange(ITEMS) % 10 == 0, 0.0, HALF)
    diagnostics, concerning = found(tmp_path, records(difference, identity=pl.Series(identity)))
    assert concerning == [SINGLE, TIES]
    assert diagnostics[SINGLE].sentence.startswith("60 of 90 identities have a single pair")
    assert diagnostics[TIES].value == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("dtype", "size", "moved", "looked_at", "concerning"),
    [
        ("float32", 0.01, None, False, []),
        ("4-bit", 1.0, None, True, [PRECISION]),
        # Rounding by 20 / 256 says nothing of pairs that differ by 0.25; a move of 0.3 that was seen does.
        ("bfloat16", 0.25, 0.3, True, [PRECISION]),
        ("bfloat16", 0.35, 0.3, False, []),
    ],
)
def test_half_precision_concerns_where_it_was_not_measured_or_could_move_pairs(
    tmp_path, dtype, size, moved, looked_at, concerning
):
    measured = {} if moved is None else {"rounding": {"sum": {"pairs": 64, "largest": moved}}}
    diagnostics, first = found(
        tmp_path, records(size * HALF), models=[{"name": "m", "dtype": dtype, **measured}]
    )
    assert first == concerning
    assert moved or (PRECISION in diagnostics) == looked_at


def test_words_that_no_speaker_has_read(tmp_path):
    diagnostics, concerning = found(tmp_path, records(), own_words={"pair templates": ["hi"]})
    assert concerning == ["review by speakers"]
    assert diagnostics[concerning[0]].n == ITEMS


def test_calibrated_pairs_are_looked_at_after_calibration(tmp_path):
    """The shorter sentence always wins, and so it does with neutral identities: after calibration nothing is left."""
    longer = np.tile([2, -2, -2, 2], ITEMS // 4)
    rest = np.tile([1.0, 1.0, -1.0, -1.0], ITEMS // 4)
    table = records(-1.0 * longer, longer, neutral_difference=pl.Series(-1.0 * longer - rest))
    diagnostics, concerning = found(tmp_path, table)
    assert concerning == []
    assert "preferred, compared with others, in" in diagnostics[LENGTH].sentence
    assert diagnostics[LENGTH].value == 0
