"""Grouping: parts against other implementations, planted groups, existing groups, files and the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist

from endoxa.curate.encoders import CELLS, load_encoder, neighbours
from endoxa.curate.group import first_members, group_attributes, language_of, read_attributes, read_existing
from endoxa.curate.group.method import asserted, link
from endoxa.curate.group.terms import clean, key
from endoxa.curate.opposites import concepts, flipped, load_lexicon
from endoxa.errors import UserError

pytestmark = pytest.mark.slow

LEXICON = load_lexicon()
NOTHING: frozenset[tuple[str, int]] = frozenset()


def unit_rows(seed: int, count: int, dimensions: int = 6) -> np.ndarray:
    """Random unit vectors about a few centres."""
    drawn = np.random.default_rng(seed)
    centres = drawn.normal(size=(max(2, count // 5), dimensions))
    rows = centres[drawn.integers(len(centres), size=count)] + 0.4 * drawn.normal(size=(count, dimensions))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def letters(texts: Sequence[str], /) -> np.ndarray:
    """An encoder by letters: texts of like letters lie near each other."""
    rows = np.array(
        [[text.count(letter) + 0.01 for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]
    )
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def as_sets(labels: Sequence[object]) -> set[frozenset[int]]:
    """Groups as sets of rows."""
    return {frozenset(np.flatnonzero([label == one for label in labels])) for one in set(labels)}


@pytest.mark.parametrize("threshold", [0.3, 0.6, 0.85])
def test_without_constraints_the_clusters_are_scipys(threshold: float) -> None:
    vectors = unit_rows(0, 60)
    found = link(vectors, [NOTHING] * 60, neighbours(vectors, threshold), threshold)
    tree = linkage(pdist(vectors.astype(np.float64), "cosine"), method="average")
    assert as_sets(list(found)) == as_sets(list(fcluster(tree, 1 - threshold, "distance")))


def merged_greedily(
    vectors: np.ndarray, facts: Sequence[frozenset[tuple[str, int]]], threshold: float
) -> set:
    """Constrained average linkage as it is defined: the most similar allowed pair, again and again."""
    similar = vectors.astype(np.float64) @ vectors.T.astype(np.float64)
    clusters = [[row] for row in range(len(vectors))]

    def allowed(one: list[int], other: list[int]) -> bool:
        left = {concept for row in one for concept in facts[row]}
        return not any((scale, 1 - end) in left for row in other for scale, end in facts[row])

    while True:
        pairs = [
            (similar[np.ix_(one, other)].mean(), i, j)
            for i, one in enumerate(clusters)
            for j, other in enumerate(clusters[:i])
            if allowed(one, other)
        ]
        best = max(pairs, default=(-1.0, 0, 0))
        if best[0] < threshold:
            return {frozenset(cluster) for cluster in clusters}
        clusters[best[2]] += clusters.pop(best[1])


@pytest.mark.parametrize("seed", range(2))
def test_with_constraints_the_clusters_are_those_of_the_definition(seed: int) -> None:
    vectors = unit_rows(seed, 24)
    drawn = np.random.default_rng(seed)
    facts = [
        frozenset({(f"scale {drawn.integers(3)}", int(drawn.integers(2)))})
        if drawn.random() < 0.6
        else NOTHING
        for _ in vectors
    ]
    found = link(vectors, facts, neighbours(vectors, 0.5), 0.5)
    assert as_sets(list(found)) == merged_greedily(vectors, facts, 0.5)


def nearest_by_full_matrix(vectors: np.ndarray, threshold: float, most: int) -> list[list[int]]:
    """The definition: each row names its nearest, of equals the first; the relation holds both ways."""
    similar = vectors @ vectors.T
    np.fill_diagonal(similar, -np.inf)
    named = np.zeros(similar.shape, dtype=bool)
    for row, cosines in enumerate(similar):
        nearest = np.argsort(-cosines, kind="stable")[:most]
        named[row, nearest[cosines[nearest] >= threshold]] = True
    return [np.flatnonzero(row).tolist() for row in named | named.T]


@pytest.mark.parametrize("most", [1, 3, 96])
@pytest.mark.parametrize("cells", [1, 900, CELLS])
def test_neighbours_in_blocks_are_those_of_the_definition(most: int, cells: int) -> None:
    alike = np.eye(4, dtype=np.float32)[np.arange(90) % 4]  # exactly equal cosines: the first win
    for vectors in (unit_rows(most, 120), alike):
        found = neighbours(vectors, 0.4, most, cells)
        assert [rows.tolist() for rows in found] == nearest_by_full_matrix(vectors, 0.4, most)
        assert all(rows.dtype == np.int32 for rows in found)


def test_published_rule_in_blocks_is_the_plain_loop() -> None:
    vectors = unit_rows(1, 600)
    openers: list[int] = []
    plain = []
    for row, vector in enumerate(vectors):
        hit = next((opener for opener in openers if vectors[opener] @ vector >= 0.8), None)
        if hit is None:
            openers.append(row)
        plain.append(row if hit is None else hit)
    assert first_members(vectors, 0.8) == plain


@given(st.text(max_size=30))
@settings(deadline=None)
def test_cleaning_is_done_once_and_never_empties(text: str) -> None:
    once = clean(text, LEXICON)
    assert key(text, LEXICON) or not text
    assert clean(once, LEXICON) == once or not once


# --------------------------------------------------------------------------- groups

COUNTS = {"strong": 5, "are strong": 2, "stronger": 1, "weak": 3, "not strong": 1, "tall": 2, "talls": 1}


def groups_of(table: pl.DataFrame) -> dict[str, str]:
    """Group id by attribute."""
    return dict(table.select("attribute", "group_id").iter_rows())


def test_no_group_holds_opposites_even_where_the_encoder_sees_no_difference() -> None:
    def same(texts: Sequence[str], /) -> np.ndarray:
        return np.tile(unit_rows(0, 1), (len(texts), 1))

    attributes = ["strong", "weak", "not weak", "lazy", "hard-working", "kind", "unkind", "rich"]
    groups = groups_of(group_attributes(dict.fromkeys(attributes, 1), same, LEXICON))
    for one in attributes:
        for other in attributes:
            opposed = concepts(one, LEXICON) & flipped(concepts(other, LEXICON))
            assert not (opposed and groups[one] == groups[other])


@given(st.permutations(list(COUNTS)))
@settings(deadline=None, max_examples=8)
def test_order_of_rows_changes_nothing(order: list[str]) -> None:
    table = group_attributes({name: COUNTS[name] for name in order}, letters, LEXICON)
    assert table.equals(group_attributes(COUNTS, letters, LEXICON))


# --------------------------------------------------------------------------- existing groups

EDITED = """attribute,group_id,canonical,polarity,note
strong,g7,mighty,positive,kept together by hand
weak,g7,mighty,positive,
tall,x,tall people,neutral,Ann
"""


def edited(tmp_path: Path, text: str = EDITED) -> Path:
    path = tmp_path / "edited.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_existing_rows_stay_as_they_are(tmp_path: Path) -> None:
    existing = read_existing(edited(tmp_path))
    new = {"strong": 9, "are strong": 1, "zebra": 1, "very tall": 2}
    table = group_attributes(new, letters, LEXICON, existing=existing)
    assert table.head(3).select(existing.table.columns).equals(existing.table)
    added = {row["attribute"]: row for row in table.slice(3).iter_rows(named=True)}
    assert added["are strong"]["group_id"] == "g7"
    assert added["are strong"]["canonical"] == "mighty"
    assert added["very tall"]["group_id"] == "x"
    assert added["zebra"]["group_id"] == "g0008"
    assert added.keys() == {"are strong", "very tall", "zebra"}


def test_a_new_attribute_joins_by_meaning_and_existing_groups_are_never_merged(tmp_path: Path) -> None:
    text = "attribute,group_id,canonical\nabba,a,abba\nabbab,b,abbab\n"
    table = group_attributes({"babab": 1}, letters, LEXICON, existing=read_existing(edited(tmp_path, text)))
    assert table["group_id"].to_list()[:2] == ["a", "b"]
    assert table["group_id"].to_list()[2] == "b"


# --------------------------------------------------------------------------- files and commands


def test_statements_count_respondents_and_leave_out_omitted_rows(tmp_path: Path) -> None:
    path = tmp_path / "statements.csv"
    path.write_text(
        "respondent,attribute,omit\n1,kind,false\n1,kind,false\n2, kind ,false\n3,kind,true\n4,,false\n5,loud,\n",
        encoding="utf-8",
    )
    assert read_attributes(path) == {"kind": 2, "loud": 1}


def test_other_tables_sum_counts_or_count_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("word,count\nkind,3\nloud,1\nkind,2\n", encoding="utf-8")
    assert read_attributes(path, "word") == {"kind": 5, "loud": 1}
    path.write_text("word\nkind\nkind\n", encoding="utf-8")
    assert read_attributes(path, "word") == {"kind": 2}


def test_a_missing_folder_of_an_encoder_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "huggingface_hub.constants.HF_HUB_OFFLINE", True
    )  # a name is not asked for again and again
    with pytest.raises(UserError, match="cannot be loaded"):
        load_encoder(f"hf/{tmp_path / 'nothing'}")


def test_statements_of_another_language_are_left_to_it(tmp_path: Path) -> None:
    path = tmp_path / "statements.csv"
    path.write_text(
        "respondent,language,original_statement,statement,attribute\n"
        "1,en,Bakers are kind,Bakers are kind,kind\n"
        "2,fr,Les boulangers sont calmes,Les boulangers sont calmes,calmes\n"
        "3,fr,Les boulangers sont forts,Bakers are strong,strong\n",
        encoding="utf-8",
    )
    said: list[str] = []
    assert read_attributes(path, language="en", tell=said.append) == {"kind": 1, "strong": 1}
    assert said[0].startswith("1 attributes in other languages than 'en' (fr)")
    assert read_attributes(path, language="fr", tell=said.append) == {"calmes": 1}
    assert language_of(path) == "en"
    path.write_text("attribute,language,original_statement,statement\nforts,fr-CM,a,a\n", encoding="utf-8")
    assert language_of(path) == "fr"
    path.write_text("attribute,language,original_statement,statement\nstrong,fr,a,b\n", encoding="utf-8")
    assert language_of(path) == "en"


def test_a_denial_stays_apart_from_what_denies_nothing() -> None:
    assert not may_meet("don't believe in hard work", "hardworking")
    assert not may_meet("never eat fish", "eat fish often")
    assert may_meet("can't be trusted", "untrustworthy")
    assert may_meet("don't share", "never share")


def may_meet(one: str, other: str) -> bool:
    return asserted(one, LEXICON).isdisjoint(flipped(asserted(other, LEXICON)))
