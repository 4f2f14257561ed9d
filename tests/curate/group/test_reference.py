"""Groups of the AfriStereo attributes (dev half) against the README's figures and the project's targets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from endoxa.curate.encoders import Encoder, load_encoder
from endoxa.curate.group import group_attributes, read_attributes
from endoxa.curate.opposites import load_lexicon
from endoxa.curate.polarity import published
from support.known_pairs import Constraint, read_constraints, score

pytestmark = pytest.mark.slow

LEXICON = load_lexicon()


@pytest.fixture(scope="module")
def data(shared: Path) -> Path:
    return shared / "data" / "afristereo"


@pytest.fixture(scope="module")
def counts(data: Path) -> dict[str, int]:
    return read_attributes(data / "cluster_attributes_dev.csv")


@pytest.fixture(scope="module")
def constraints(data: Path) -> list[Constraint]:
    return read_constraints(data / "cluster_constraints_dev.csv")


@pytest.fixture(scope="module")
def encoder(counts: dict[str, int]) -> Encoder:
    """The default encoder, each text once for all tests."""
    load, known = load_encoder(), {}

    def encode(texts: Sequence[str], /) -> np.ndarray:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, load(new), strict=True))
        return np.stack([known[text] for text in texts])

    return encode


@pytest.fixture(scope="module")
def grouped(counts: dict[str, int], encoder: Encoder) -> pl.DataFrame:
    return group_attributes(counts, encoder, LEXICON)


def groups_of(table: pl.DataFrame) -> dict[str, str]:
    return dict(table.select("attribute", "group_id").iter_rows())


def test_vader_column_is_the_published_one(data: Path) -> None:
    table = pl.read_csv(data / "cluster_attributes_dev.csv")
    assert [published(text) for text in table["attribute"]] == table["vader"].to_list()


def test_cosines_are_the_published_ones(data: Path, encoder: Encoder) -> None:
    table = pl.read_csv(data / "cluster_constraints_dev.csv")
    one, other = encoder(table["attribute_a"].to_list()), encoder(table["attribute_b"].to_list())
    gap = np.abs((one * other).sum(axis=1) - table["minilm_cosine"].to_numpy())
    # A few of the published cosines were taken from another spelling of the attribute.
    assert np.mean(gap < 0.001) > 0.97


def test_published_method_gives_the_figures_of_the_readme(
    data: Path, encoder: Encoder, constraints: list[Constraint]
) -> None:
    counts = read_attributes(data / "cluster_attributes_dev.csv", as_written=True)
    groups = groups_of(group_attributes(counts, encoder, LEXICON, method="afristereo"))
    found = score(groups, constraints)
    assert found.united == pytest.approx(0.738, abs=5e-4)
    assert found.opposites_merged == pytest.approx(16 / 208)
    assert found.negations_merged == pytest.approx(8 / 22)
    assert found.f1 == pytest.approx(0.722, abs=5e-4)
    judged = [pair for pair in constraints if pair.source == "judged_sample"]
    assert score(groups, judged).f1 == pytest.approx(0.455, abs=5e-4)


def test_our_method_reaches_the_targets(grouped: pl.DataFrame, constraints: list[Constraint]) -> None:
    found = score(groups_of(grouped), constraints)
    assert found.united is not None
    assert found.opposites_merged is not None
    assert found.f1 is not None
    assert found.united >= 0.98
    assert found.opposites_merged <= 0.01
    assert found.negations_merged == 0
    assert found.f1 >= 0.89


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("should lead", "should not be leaders"),
        ("vaccinated", "unvaccinated"),
        ("believers in God", "atheists"),
        ("mock their teachers", "are mocked by their teachers"),
        ("don't eat fish", "don't eat bread"),
    ],
)
def test_one_word_may_make_the_difference(encoder: Encoder, one: str, other: str) -> None:
    """At a threshold at which everything alike would meet."""
    assert group_attributes({one: 1, other: 1}, encoder, LEXICON, tau=0.3)["group_id"].n_unique() == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("like dancing", "love dancing"),
        ("dress well", "well dressed"),
        ("have many kids", "have many children"),
    ],
)
def test_words_alike_may_stand_in_each_others_place(encoder: Encoder, one: str, other: str) -> None:
    assert group_attributes({one: 1, other: 1}, encoder, LEXICON)["group_id"].n_unique() == 1
