"""The same group in Spanish and French is one identity with both names, whatever is asked about it."""

import polars as pl
import pytest

from endoxa.curate.associations import associations
from endoxa.curate.normalise.identity import with_identity_keys
from endoxa.curate.novelty import read_concepts
from endoxa.instruments.pairs.items import build_pairs
from endoxa.instruments.questions.estimates.analysis import identity_bias
from endoxa.study.compare.editions.comparison import read_edition

pytestmark = pytest.mark.slow

SAID = pl.DataFrame(
    {
        "identity": ["mujeres", "femmes", "los habitantes de Kenia", "les gens du Kenya", "immigrants"],
        "attribute": ["amables", "bavardes", "amables", "bavards", "kind"],
        "language": ["es", "fr", "es", "fr", "en"],
        "support": ["5"] * 5,
    }
)
KEYS = ["women", "women", "kenyans", "kenyans", "migrants"]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "said.csv"
    SAID.write_csv(path)
    return path


def test_translations_of_a_group_have_one_key_and_keep_their_names():
    keyed = with_identity_keys(SAID)
    assert keyed["identity_key"].to_list() == KEYS
    assert keyed["identity"].equals(SAID["identity"])
    stated = keyed.with_columns(identity_key=pl.Series(["mine", *[""] * 4]))
    assert with_identity_keys(stated)["identity_key"].to_list() == ["mine", *KEYS[1:]]


def test_every_table_and_instrument_joins_the_languages_by_it(table):
    made = associations(SAID.drop("support"), None).table
    pairs = build_pairs(SAID).pairs
    for each in (made, pairs):
        women = each.filter(identity_key="women")["identity"].str.to_lowercase()
        assert {name.split()[-1] for name in women} == {"mujeres", "femmes"}
    keyed = dict(read_edition(table, None).counts.select("identity", "identity_key").iter_rows())
    assert [keyed[name] for name in SAID["identity"]] == KEYS
    read = read_concepts(table, "attribute", ("es", "fr"))
    assert {name for names in read.identities for name in names} == {"women", "kenyans"}


def test_a_table_by_identity_pools_translations_in_a_row_with_both_names():
    names = [*["mujeres"] * 3, *["femmes"] * 2, "hommes"]
    answers = pl.DataFrame(
        {
            **{name: ["x"] * 6 for name in ("data", "model", "protocol")},
            "identity": names,
            "identity_key": [*["women"] * 5, "men"],
            "item_id": list("abcdef"),
            "context_condition": ["ambig"] * 6,
            "outcome": ["stereotyped"] * 4 + ["anti-stereotyped"] * 2,
            "target": [0] * 6,
        }
    )
    rows = identity_bias(answers, 0.95)
    assert rows.select("identity", "n", "n_biased").rows() == [("femmes; mujeres", 5, 4), ("hommes", 1, 0)]
    apart = identity_bias(answers.drop("identity_key"), 0.95)
    assert apart["identity"].to_list() == ["mujeres", "femmes", "hommes"]
