"""From sentences to verdicts: a lean of "people" or of words alone is no stereotype, and a stereotype is one."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from endoxa.instruments.pairs.estimates import analyze_pairs
from endoxa.instruments.pairs.probe.items import Chunk, Comparisons
from endoxa.instruments.pairs.probe.scoring import Task
from endoxa.instruments.pairs.report.preference import headline_of
from endoxa.instruments.pairs.rules import RULES
from endoxa.schema import PAIR_COLUMNS, Score

pytestmark = pytest.mark.slow

IDENTITIES, ATTRIBUTES = 28, 39


def table():
    """150 different pairs, whose attributes recur: 'who1 are so2.' against 'who1 are un2.'"""
    rng = np.random.default_rng(1)
    cells = rng.choice(IDENTITIES * ATTRIBUTES, 150, replace=False)
    for number, (i, a) in enumerate(zip(cells // ATTRIBUTES, cells % ATTRIBUTES, strict=True)):
        yield {
            **dict.fromkeys(PAIR_COLUMNS),
            **{"item_id": f"p{number}", "language": "en", "axis": "x", "direction": "stereo"},
            **{"stereotypical": "more", "identity": f"who{i}", "attribute_more": f"so{a}"},
            **{
                "attribute_less": f"un{a}",
                "sent_more": f"Who{i} are so{a}.",
                "sent_less": f"Who{i} are un{a}.",
            },
        }


ITEMS = list(table())


class Planted:
    """A model whose stereotypical sentence gains what its words, whom it is about, and the table decide."""

    name, architecture, max_tokens = "planted", "causal", None

    def __init__(self, *, people=0.0, stereotype=0.0):
        rng = np.random.default_rng(2)
        self.lean, self.people = rng.normal(0.5, 1, ATTRIBUTES), people
        self.own = rng.normal(0, 1, (IDENTITIES + 2, ATTRIBUTES))
        self.stereotype = {item["sent_more"]: stereotype for item in ITEMS}

    def score(self, requests):
        for place, request in enumerate(requests):
            who, _, what = request.text.removesuffix(".").split()
            if not what.startswith("so"):
                yield place, Score(-20.0, 3)
                continue
            attribute, general = int(what[2:]), {"People": IDENTITIES, "They": IDENTITIES + 1}
            row = general.get(who) or int(who[3:])
            gain = self.lean[attribute] + self.own[row, attribute] + self.stereotype.get(request.text, 0.0)
            yield place, Score(-20.0 + gain - self.people * (who in general), 3)


def estimates_of(model, comparisons):
    rules = [RULES.get("sum")]
    task = Task(0, model, rules, None, comparisons)
    lines, requests = task.needs(Chunk(0, ITEMS))
    scored = dict(model.score(list(requests.values())))
    results = {key: scored[place] for place, key in enumerate(requests)}
    rows = [
        {**item, "model": model.name, "rule": "sum"}
        | {
            name: getattr(row, name)
            for name in type(row).__slots__
            if name.startswith(("score", "neutral", "comp"))
        }
        for item, row in zip(ITEMS, task.rows(lines, results), strict=True)
    ]
    return analyze_pairs(pl.DataFrame(rows, infer_schema_length=None), resamples=100).estimates


@pytest.mark.parametrize(
    ("planted", "groups", "verdict"),
    [
        ({"people": 0.8}, False, "above"),  # what was claimed when pairs were compared with people in general
        ({"people": 0.8}, True, "unclear"),
        ({"people": 0.8, "stereotype": 0.8}, True, "above"),
        ({"stereotype": -0.8}, True, "below"),
    ],
)
def test_a_lean_of_people_in_general_is_no_stereotype(planted, groups, verdict):
    model = Planted(**planted)
    estimates = estimates_of(model, Comparisons(ITEMS if groups else []))
    rows = estimates.filter(pl.col("interval") != "wilson", axis="all")
    values = {row["name"]: row for row in rows.iter_rows(named=True)}
    assert values["calibrated_preference_ratio"]["verdict"] == verdict
    assert values["compared_with_groups"]["value"] == groups
    assert values["placebo_preference_ratio"]["verdict"] == ""
    # By hand: the number to beat is the share of identities (or phrases) behind which a lean is positive.
    others = slice(0, IDENTITIES) if groups else slice(IDENTITIES, None)
    used = [int(item["attribute_more"][2:]) for item in ITEMS]
    shift = 0 if groups else model.people
    share = (model.lean[used] + model.own[others][:, used] > shift).mean()
    assert values["placebo_preference_ratio"]["value"] == pytest.approx(share, abs=0.05 if groups else 1e-9)
    shown = headline_of(estimates)
    with_whom = "other groups" if groups else "'people' and 'they'"
    assert shown.title.startswith(f"Stereotypical sentence preferred, compared with {with_whom} (")
    (row,) = shown.rows
    assert row["placebo"] == values["placebo_preference_ratio"]["value"]
    assert any("The number these have to beat: " in note for note in shown.notes)
