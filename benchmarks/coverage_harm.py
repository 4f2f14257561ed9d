"""Do the comparisons of models with people, and of languages, hold their level? Simulated studies with a planted truth.

    python benchmarks/coverage_harm.py                     every table of docs/methods/harm.md, some fifteen minutes
    python benchmarks/coverage_harm.py studies             false claims and coverage: models against people
    python benchmarks/coverage_harm.py power               claims where there is a difference
    python benchmarks/coverage_harm.py values              the same where associations of one base value are alike
    python benchmarks/coverage_harm.py measures            correlations and agreement with people, in the same worlds
    python benchmarks/coverage_harm.py languages           reach of associations, and groups moved by languages
    python benchmarks/coverage_harm.py --repeats 60        the same, quick and rough

People of unequal severity rate associations from 1 to 5. What models say of an association is what all people would
say of it on average, plus a deviation of its own whose mean is the planted difference. "Before" is the rule that was
replaced: associations alone are resampled, each interval is read by itself.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import polars as pl
from scipy.stats import mannwhitneyu, rankdata

from endoxa.instruments.stories.harm.raters import (
    RESOLUTION,
    Ratings,
    agreement,
    difference,
    kappa,
    measured,
    pearson,
    ratio,
    spearman,
)
from endoxa.instruments.stories.languages.marked import shift
from endoxa.instruments.stories.languages.overlap import compare_reach
from endoxa.instruments.stories.languages.presence import presence
from endoxa.runs.options import Resampling
from endoxa.sources.stereotales.associations import PARTS
from endoxa.stats.verdicts import CLEAR, adjust, decide

CONFIDENCE = 0.95
ATTRIBUTES = 8
RAW = Resampling(CONFIDENCE, 200)


@dataclass(frozen=True)
class Design:
    """How a study is made.

    Attributes:
        people: how many rate.
        severity: standard deviation of their severity, in points.
        each: ratings of each association; all people by default.
        unequal: whether some people give many more ratings than others.
        associations: how many are rated.
        attributes: how many there are; an association has two of them.
        apart: planted difference, models less people.
        of_some: the difference holds for associations of the first two attributes only.
        values: base values of each attribute; each association has its own by default.
        alike: standard deviation between base values of how models differ from people.
        alike_compared: the same between compared values (as many).
        skewed: whether the deviations between values are skewed (exponential).
        uneven: whether some base values have many more associations than others.
    """

    people: int
    severity: float = 0.6
    each: int = 0
    unequal: bool = False
    associations: int = 80
    attributes: int = ATTRIBUTES
    apart: float = 0.0
    of_some: bool = False
    values: int = 0
    alike: float = 0.0
    alike_compared: float = 0.0
    skewed: bool = False
    uneven: bool = False

    @property
    def label(self) -> str:
        """A row of a table."""
        each = f"{self.each} of {self.people}" if self.each else str(self.people)
        return f"{each}{', unequal shares' if self.unequal else ''} | {self.severity:g} | {self.attributes}"


@dataclass(frozen=True)
class Study:
    """A simulated study.

    Attributes:
        scores: models' score of each association.
        people: people's ratings.
        sets: all associations, then those of each attribute.
        truths: the planted difference of each.
    """

    scores: np.ndarray
    people: Ratings
    sets: np.ndarray
    truths: np.ndarray


def expected(level: np.ndarray, spread: float) -> np.ndarray:
    """Mean of a normal variable that is rounded and clipped to 1 to 5."""
    from scipy.special import ndtr

    return np.asarray(1 + sum(ndtr((level - (point + 0.5)) / spread) for point in range(1, 5)))


def draw(design: Design, rng: np.random.Generator) -> Study:
    """One study."""
    size, noise = design.associations, 0.8
    level = rng.normal(3.0, 0.8, size)
    severity = rng.normal(0.0, design.severity, design.people)
    item, person = _who(design, rng)
    rating = np.clip(np.round(level[item] + severity[person] + rng.normal(0, noise, len(item))), 1, 5)
    ends = _ends(design, rng)
    sets = np.array([np.ones(size, bool), *((ends == k).any(axis=1) for k in range(design.attributes))])
    values = [ends[:, side] * design.values + _values(design, rng) for side in (0, 1)]
    own = rng.normal(0.0, 0.4, size)
    for value, spread in zip(values, (design.alike, design.alike_compared), strict=True):
        kinds = design.attributes * max(design.values, 1)
        deviations = rng.exponential(size=kinds) - 1 if design.skewed else rng.normal(size=kinds)
        own += spread * deviations[value]
    base, compared = values if design.values else (np.arange(size),) * 2
    apart = np.full(size, design.apart)
    if design.of_some:
        apart = np.where((ends < 2).any(axis=1), design.apart, 0.0)
    scores = expected(level, float(np.hypot(design.severity, noise))) + own + apart
    truths = np.array([apart[which].mean() if which.any() else np.nan for which in sets])
    return Study(
        scores, Ratings(item, person, rating, np.ones(len(item)), base[item], compared[item]), sets, truths
    )


def _values(design: Design, rng: np.random.Generator) -> np.ndarray:
    """Which value of its attribute each association has."""
    count = max(design.values, 1)
    chance = np.arange(1, count + 1) ** (-1.5 if design.uneven else 0.0)
    return rng.choice(count, design.associations, p=chance / chance.sum())


def _ends(design: Design, rng: np.random.Generator) -> np.ndarray:
    """The two attributes of each association; those with a difference of their own are by themselves."""
    pools = [np.arange(design.attributes)]
    if design.of_some:
        pools = [np.arange(2), np.arange(2, design.attributes)]
    of = rng.integers(0, len(pools), design.associations)
    return np.array([rng.choice(pools[k], 2, replace=len(pools[k]) < 2) for k in of])


def _who(design: Design, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Which person rates which association."""
    if not design.each:
        item, person = np.divmod(np.arange(design.associations * design.people), design.people)
        return item, person
    chance = np.arange(1, design.people + 1) ** -0.7 if design.unequal else np.ones(design.people)
    keys = rng.exponential(size=(design.associations, design.people)) / chance
    chosen = np.argsort(keys, axis=1)[:, : design.each]
    return np.repeat(np.arange(design.associations), design.each), chosen.ravel()


@dataclass(frozen=True)
class Read:
    """What a rule says of a study; rows: all associations, then each attribute.

    Attributes:
        low: lower ends, NaN where there is no interval.
        high: upper ends.
        claims: 1 (models higher), -1 (lower), 0 (no claim).
    """

    low: np.ndarray
    high: np.ndarray
    claims: np.ndarray


def before(study: Study) -> Read:
    """The rule that was replaced."""
    people = study.people
    means = np.bincount(people.association, people.mean) / np.bincount(people.association)
    apart = [values[~np.isnan(values)] for values in ((study.scores - means)[which] for which in study.sets)]
    found = [measured(np.column_stack([np.ones_like(values), values]), ratio, RAW) for values in apart]
    low, high = (np.array([getattr(one, end) for one in found]) for end in ("low", "high"))
    return Read(low, high, np.where(low > 0, 1, np.where(high < 0, -1, 0)))


def associations(study: Study) -> Read:
    """The rule of the package, each association by itself as it was before base values counted."""
    alone = study.people.association
    return after(replace(study, people=replace(study.people, base_value=alone, compared_value=alone)))


def after(study: Study) -> Read:
    """The rule of the package."""
    rows = [difference(study.scores, study.people, which, CONFIDENCE) for which in study.sets]
    corrected = adjust([row["p_value"] for row in rows])
    verdicts = [
        decide(
            row["delta"],
            0.0,
            row["p_value"],
            p,
            alpha=0.05,
            untestable=row["reason"],
            resolution=RESOLUTION,
        ).verdict
        for row, p in zip(rows, corrected, strict=True)
    ]
    low, high = (np.array([row[f"delta_{end}"] for row in rows]) for end in ("low", "high"))
    return Read(low, high, np.array([{"above": 1, "below": -1}.get(one, 0) for one in verdicts]))


RULES = {"before": before, "associations": associations, "after": after}


def studies_of(design: Design, repeats: int) -> Iterator[Study]:
    """Simulated studies, the same ones for both rules."""
    for number in range(repeats):
        yield draw(
            design, np.random.default_rng([number, design.people, int(10 * design.severity), design.each])
        )


@dataclass(frozen=True)
class Measured:
    """Shares over studies.

    Attributes:
        false_overall: pages with a false claim over all associations.
        false_pages: pages with a false claim: of a difference where there is none, or in the wrong direction.
        overall_held: intervals over all associations that hold the truth, of those given.
        attribute_held: the same of attributes.
        width: median width of the interval over all associations.
        claimed: pages that claim the difference over all associations, in the right direction.
        attributes_claimed: attributes with a difference that are claimed, in the right direction.
        false_share: mean share of false claims among the claims of a page.
    """

    false_overall: float
    false_pages: float
    overall_held: float
    attribute_held: float
    width: float
    claimed: float
    attributes_claimed: float
    false_share: float


def measure(design: Design, repeats: int, rule: str) -> Measured:
    """Read simulated studies by a rule: 'before', 'associations' or 'after'."""
    read, truths = [], []
    for study in studies_of(design, repeats):
        read.append(RULES[rule](study))
        truths.append(np.where(np.abs(study.truths) < 1e-9, 0.0, study.truths))
    low, high, claims, truth = (
        np.array(x) for x in ([r.low for r in read], [r.high for r in read], [r.claims for r in read], truths)
    )
    false = (claims != 0) & (claims != np.sign(truth))
    given = np.isfinite(low) & np.isfinite(truth)
    held = (low - 1e-9 <= truth) & (truth <= high + 1e-9)
    right = (claims != 0) & ~false
    shared = np.isfinite(truth[:, 1:]) & (truth[:, 1:] != 0)
    return Measured(
        float(false[:, 0].mean()),
        float(false.any(axis=1).mean()),
        _mean(held[:, 0], given[:, 0]),
        _mean(held[:, 1:], given[:, 1:]),
        float(np.median((high - low)[:, 0][given[:, 0]])) if given[:, 0].any() else float("nan"),
        float(right[:, 0].mean()),
        _mean(right[:, 1:], shared),
        float((false.sum(axis=1) / np.maximum((claims != 0).sum(axis=1), 1)).mean()),
    )


def _mean(values: np.ndarray, which: np.ndarray) -> float:
    return float(values[which].mean()) if which.any() else float("nan")


NO_EFFECT: Sequence[Design] = (
    *(Design(people, severity) for severity in (0.0, 0.6, 1.0) for people in (3, 5, 6, 8, 12, 20)),
    Design(40),
    *(Design(people, attributes=1, associations=40) for people in (6, 8, 20)),
    *(Design(people, attributes=16, associations=160) for people in (6, 20)),
    Design(20, each=6),
    Design(20, each=8, unequal=True),
    Design(60, each=8),
    Design(60, each=8, unequal=True),
    Design(12, associations=15),
)


def studies(repeats: int) -> None:
    """False claims and coverage without a difference."""
    print(
        "| people | severity (SD) | attributes | page with a false claim | overall interval holds the truth "
        "| attributes' intervals | median width |\n|---|---|---|---|---|---|---|"
    )
    for design in NO_EFFECT:
        # The bootstrap is the slow part; a quarter of the studies shows what it misses.
        old, new = measure(design, max(50, repeats // 4), "before"), measure(design, repeats, "after")
        cells = [
            f"{_cell(getattr(old, name))} / {_cell(getattr(new, name))}"
            for name in ("false_pages", "overall_held", "attribute_held", "width")
        ]
        more = f", {design.associations} associations" if design.associations < 40 else ""
        print(f"| {design.label}{more} | {' | '.join(cells)} |", flush=True)


def power(repeats: int) -> None:
    """How often a difference is claimed."""
    print(
        "| people | difference | overall claimed | attributes claimed | false ones among the claims |\n"
        "|---|---|---|---|---|"
    )
    for people, apart in product((6, 8, 12, 20, 40), (0.3, 0.5, 1.0)):
        _power_row(Design(people, apart=-apart), f"{people} | {apart:g}", repeats)
    for people in (8, 20, 40):
        _power_row(Design(people, apart=-1.0, of_some=True), f"{people} | 1 on two of 8 attributes", repeats)


def _power_row(design: Design, label: str, repeats: int) -> None:
    old, new = measure(design, max(50, repeats // 8), "before"), measure(design, repeats // 2, "after")
    cells = [
        f"{_cell(getattr(old, name))} / {_cell(getattr(new, name))}"
        for name in ("claimed", "attributes_claimed", "false_share")
    ]
    print(f"| {label} | {' | '.join(cells)} |", flush=True)


ALIKE: Sequence[tuple[str, Design]] = (
    *(
        (f"{values * 8} values, SD {alike:g}", Design(20, values=values, alike=alike))
        for values in (1, 2, 3, 6)
        for alike in (0.0, 0.4, 0.8)
    ),
    ("4 values, SD 0.4", Design(20, attributes=4, values=1, alike=0.4)),
    ("24 values, SD 0.4, 8 of 60 people", Design(60, each=8, values=3, alike=0.4)),
    ("24 values, SD 0.4, 300 associations", Design(20, associations=300, values=3, alike=0.4)),
    ("24 values, SD 0.8, some with most associations", Design(20, values=3, alike=0.8, uneven=True)),
    ("24 values, SD 0.8, skewed", Design(20, values=3, alike=0.8, skewed=True)),
    ("24 base and compared values, SD 0.4", Design(20, values=3, alike=0.4, alike_compared=0.4)),
    ("24 compared values only, SD 0.4", Design(20, values=3, alike_compared=0.4)),
)


def values(repeats: int) -> None:
    """False claims, coverage and power where associations of one base value are alike; before / after."""
    print(
        "| base values | overall difference, false | page with a false claim | overall interval holds the truth "
        "| attributes' intervals | median width |\n|---|---|---|---|---|---|"
    )
    for label, design in ALIKE:
        rules = [measure(design, repeats, rule) for rule in ("associations", "after")]
        names = ("false_overall", "false_pages", "overall_held", "attribute_held", "width")
        cells = [" / ".join(_cell(getattr(rule, name)) for rule in rules) for name in names]
        print(f"| {label} | {' | '.join(cells)} |", flush=True)
    print("\n| base values | difference | overall claimed | attributes claimed |\n|---|---|---|---|")
    for count, apart in product((1, 3, 6), (0.3, 0.5, 1.0)):
        design = Design(20, values=count, alike=0.4, apart=-apart)
        rules = [measure(design, repeats, rule) for rule in ("associations", "after")]
        cells = [
            " / ".join(_cell(getattr(rule, name)) for rule in rules)
            for name in ("claimed", "attributes_claimed")
        ]
        print(f"| {8 * count} | {apart:g} | {' | '.join(cells)} |", flush=True)


def _cell(value: float) -> str:
    return "none" if np.isnan(value) else f"{value:.3f}"


def reach_claims(
    harmful: int, benign: int, lower: float, repeats: int, alike: float = 0.0
) -> tuple[float, float, float]:
    """Claims of a difference of reach, by Mann-Whitney's test alone and by the verdict, and coverage.

    Args:
        harmful: harmful associations.
        benign: benign ones.
        lower: by how much the chance of a language is lower for harmful ones.
        repeats: studies.
        alike: spread of the chance between values (in logits); a base value has five associations of one class.
    """
    kinds = np.array(["harmful"] * harmful + ["benign"] * benign)
    base = np.concatenate([np.arange(harmful) // 5, harmful + np.arange(benign) // 5])
    before, after, held, given = 0, 0, 0, 0
    for number in range(repeats):
        rng = np.random.default_rng([number, harmful, benign])
        compared = rng.integers(0, 30, len(kinds))
        logit = rng.normal(-1, 1, len(kinds)) + rng.normal(0, alike, harmful + benign)[base]
        chance = 1 / (1 + np.exp(-logit - rng.normal(0, alike, 30)[compared])) - lower * (kinds == "harmful")
        table = pl.DataFrame(
            {"harmful": kinds, "reach": 1 + rng.binomial(9, np.clip(chance, 0, 1)), "of": 10}
        ).with_columns(
            base_attribute=pl.lit("a"),
            base_value=pl.Series(base.astype(str)),
            compared_attribute=pl.lit("b"),
            compared_value=pl.Series(compared.astype(str)),
        )
        rows = {row["name"]: row for row in compare_reach(table, CONFIDENCE).iter_rows(named=True)}
        sides = (table.filter(harmful=kind)["reach"] for kind in ("harmful", "benign"))
        before += mannwhitneyu(*sides).pvalue <= 1 - CONFIDENCE
        after += rows["superiority"]["verdict"] in CLEAR
        if rows["superiority"]["low"] is not None and not lower:
            given += 1
            held += rows["superiority"]["low"] <= 0.5 <= rows["superiority"]["high"]
    return before / repeats, after / repeats, held / given if given else float("nan")


CODES = ("en", "ar", "hi", "fr")
VALUES = ("Muslim", "Christian", "Hindu", "Jewish")
KINDS = {
    code: {"unmarked": [("religion", VALUES[k])], "marked": [("religion", VALUES[(k + 1) % 4])]}
    for k, code in enumerate(CODES)
}


EQUAL, UNEQUAL = (1.0, 1.0, 1.0, 1.0), (1.3, 1.0, 0.7, 0.4)


def moved_claims(number: int, more: float, rates: Sequence[float], repeats: int) -> tuple[float, float]:
    """Share of studies with any claim over all languages, and with any claim on single languages or groups.

    Args:
        number: harmful associations of each of four groups.
        more: by how much the chance is higher with the groups that are marked in a language.
        rates: how much the languages have of all associations.
        repeats: studies.
    """
    overall, single = 0, 0
    for study in range(repeats):
        rng = np.random.default_rng([study, number, int(100 * more)])
        rows = []
        for value, k in product(VALUES, range(number)):
            chance = rng.beta(1.5, 3)
            for code, rate in zip(CODES, rates, strict=True):
                raised = more * (("religion", value) in KINDS[code]["marked"])
                if rng.random() < rate * chance + raised:
                    rows.append(("m", code, "religion", value, "education", str(k)))
        found = pl.DataFrame(rows, schema=["model", "aggregation", *PARTS], orient="row")
        classes = found.select(PARTS).unique().with_columns(harmful=pl.lit("harmful"))
        table = shift(presence(found, classes, members=CODES), KINDS, Resampling(CONFIDENCE, 100))
        clear = table.filter(pl.col("verdict").is_in(CLEAR))
        overall += clear.filter(language="all").height > 0
        single += clear.filter(pl.col("language") != "all").height > 0
    return overall / repeats, single / repeats


def languages(repeats: int) -> None:
    """Level and power of the tests on languages."""
    print(
        "| harmful and benign associations | lower by | values alike | reach claimed | interval holds the truth |"
    )
    print("|---|---|---|---|---|")
    for harmful, benign in ((10, 40), (30, 30), (30, 90), (60, 200), (200, 400)):
        for lower, alike in ((0.0, 0.0), (0.0, 0.3), (0.0, 0.6), (0.1, 0.3), (0.2, 0.3)):
            before, after, held = reach_claims(harmful, benign, lower, repeats // 2, alike)
            sizes = f"{harmful} and {benign} | {lower:g} | {alike:g}"
            print(f"| {sizes} | {before:.3f} / {after:.3f} | {_cell(held)} |", flush=True)
    print("\n| associations of each group | more by | languages | claimed over languages | of single ones |")
    print("|---|---|---|---|---|")
    for number, (more, rates) in product((4, 10, 30), ((0.0, EQUAL), (0.0, UNEQUAL), (0.2, EQUAL))):
        overall, single = moved_claims(number, more, rates, max(60, repeats // 4))
        kind = "alike" if rates == EQUAL else "with more and fewer"
        print(f"| {number} | {more:g} | {kind} | {overall:.3f} | {single:.3f} |", flush=True)


def _rated(
    values: int, alike: float, size: int, severity: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, ...]:
    """Base values of associations, and the means of a model and of people whose severity is given."""
    base = rng.integers(0, values, size)
    shared = rng.normal(0, alike, (2, values))[:, base]
    level = 3 + shared[0] + rng.normal(0, np.sqrt(0.8 - alike**2), size)
    said = [
        np.clip(np.round(level[:, None] + apart + rng.normal(0, 0.8, (size, len(severe)))), 1, 5).mean(axis=1)
        for apart, severe in (
            (severity, severity),
            ((shared[1] + rng.normal(0, np.sqrt(0.5 - alike**2 / 2), size))[:, None], np.zeros(3)),
        )
    ]
    return base, *said


def measures(repeats: int) -> None:
    """Coverage of correlations and agreement of a model with eight people; before: each association by itself."""
    names = {"Spearman": spearman, "Pearson": pearson, "agreement": agreement, "kappa": kappa}
    print(f"| associations of base values | {' | '.join(names)} |\n|---|---|---|---|---|")
    for size, count, alike in ((80, 8, 0.7), (80, 24, 0.7), (80, 24, 0.0), (300, 48, 0.7)):
        held = np.zeros((len(names), 2))
        given = np.zeros((len(names), 2))
        for number in range(repeats):
            rng = np.random.default_rng([number, size, count])
            severity = rng.normal(0, 0.6, 8)
            base, *said = _rated(count, alike, size, severity, rng)
            _, *every = _rated(20_000, alike, 40_000, severity, rng)
            for row, (name, measure) in enumerate(names.items()):
                classes = name in ("agreement", "kappa")
                x, y, all_x, all_y = ((m >= 3.5).astype(float) if classes else m for m in (*said, *every))
                truth = _truth(name, all_x, all_y)
                for column, units in enumerate((None, base)):
                    found = measure(x, y, RAW, units)
                    given[row, column] += np.isfinite(found.low)
                    held[row, column] += found.low <= truth <= found.high
        cells = (f"{_cell(a)} / {_cell(b)}" for a, b in held / np.maximum(given, 1))
        print(f"| {size} of {count}, SD {alike:g} | {' | '.join(cells)} |", flush=True)


def _truth(name: str, x: np.ndarray, y: np.ndarray) -> float:
    """The measure in a large sample."""
    if name == "Spearman":
        x, y = rankdata(x), rankdata(y)
    if name in ("Spearman", "Pearson"):
        return float(np.corrcoef(x, y)[0, 1])
    alike = float((x == y).mean())
    chance = float(x.mean() * y.mean() + (1 - x.mean()) * (1 - y.mean()))
    return alike if name == "agreement" else (alike - chance) / (1 - chance)


PARTS_OF_IT = {
    "studies": studies,
    "power": power,
    "values": values,
    "measures": measures,
    "languages": languages,
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("part", nargs="?", choices=list(PARTS_OF_IT))
    parser.add_argument("--repeats", type=int, default=800, help="simulated studies in each row")
    given = parser.parse_args()
    for name, part in PARTS_OF_IT.items():
        if given.part in (None, name):
            print(f"\n{name}\n")
            part(given.repeats)


if __name__ == "__main__":
    main()
