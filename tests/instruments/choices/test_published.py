"""Stimuli and answers of Bai et al. (2025), as they are published."""

from pathlib import Path

import numpy as np
import pytest

from endoxa.instruments.choices.items import read_items
from endoxa.study.reproduce import RESULTS
from endoxa.study.reproduce.answers import Sorted, resampled_bias
from endoxa.study.reproduce.run import Inputs, compare, counted

pytestmark = pytest.mark.slow


def test_their_stimuli_are_read_as_they_are(shared: Path):
    """A list for each of their pairs of groups."""
    items = list(read_items(shared / "data/published/llm-implicit-bias/iat_stimuli.csv"))
    assert len(items) == 70
    assert len({item.item_id for item in items}) == 70
    racism = items[0]
    assert racism.options == ("White", "Black")
    assert [word.text for word in racism.words if word.group == 0][:2] == ["marvelous", "superb"]
    lists = {item.situation: item.words for item in items}
    assert (len(lists), sum(map(len, lists.values()))) == (21, 250)


def test_their_bias_of_every_answer_comes_out_again(shared: Path, tmp_path: Path):
    result = RESULTS.get("bai-word-lists")
    inputs = Inputs(shared / "data/published/llm-implicit-bias", (), tmp_path)
    cells = compare(result.name, result.citation, result.cells(inputs), result.compute(inputs))
    numbers = counted(cells)
    assert (numbers["agrees"], numbers["differs"]) == (250, 0)
    means = dict(cells.filter(table="bias_d").select("cell", "ours").iter_rows())
    assert means["mean of 32 answers, skintone"] == 1.0
    # Their own values lie around the paper's formula: sexuality's 32 have the mean -0.04.
    assert means["mean of 32 answers, sexuality"] == pytest.approx(-0.047, abs=0.001)


@pytest.mark.parametrize(("own", "words"), [((8, 8), (8, 8)), ((3, 4), (5, 7)), ((4, 0), (12, 0))])
def test_the_mean_of_resamples_is_that_of_drawn_ones(own, words):
    right, total = np.array(own), np.array(words)
    given = [right[0], total[0] - right[0], right[1], total[1] - right[1]]
    drawn = np.random.default_rng(1).multinomial(30, np.array(given) / total.sum(), size=100_000)
    bias = drawn[:, 0] / (drawn[:, :2].sum(1) + 0.01) + drawn[:, 2] / (drawn[:, 2:].sum(1) + 0.01) - 1
    mean, spread = resampled_bias(Sorted("", "", 0.0, own, words), 30)
    assert mean == pytest.approx(bias.mean(), abs=0.003)
    # Draws that miss a group altogether are too rare for a simulation, and count in ours.
    assert spread == pytest.approx(bias.std(), rel=0.02, abs=2e-5)
