"""What came in goes out: the columns of the user's table come through every step that makes a row from a row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands import app

pytestmark = pytest.mark.slow

IN = {
    "item_id": "p1",
    "sent_more": "The bakers are patient.",
    "sent_less": "The bakers are hasty.",
    "identity": "bakers",
    "attribute": "patient",
    "axis": "profession",
    "direction": "stereo",
    "country": "Senegal",
    "region": "Dakar",
    "nota propia": "42",
}
OTHER = IN | {
    "item_id": "p2",
    "identity": "fishers",
    "sent_more": "The fishers are loud.",
    "attribute": "loud",
}
CARRIED = ("axis", "direction", "country", "region", "identity", "nota propia")


def endoxa(*words: Any) -> None:
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, f"{done.output} {done.exception}"


@pytest.mark.parametrize(
    "step",
    [
        ["tuples", "--model", "sim/author-faultless", "--per-identity", 2],
        ["sentences", "--model", "sim/author-faultless", "--register", "dialogue"],
        ["expand", "--model", "sim/author-faultless", "--country", "Senegal", "--rows", 4],
        ["counter", "--model", "sim/author-faultless"],
        ["translate", "--to", "fr", "--model", "sim/translator-a"],
        ["label", "--scheme", "sentiment", "--model", "sim/author-faultless"],
    ],
    ids=lambda step: step[0],
)
def test_every_step_of_author(step: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame([IN, OTHER]).write_csv("in.csv")
    endoxa("author", step[0], "in.csv", *step[1:], "-o", "out.csv")
    out = pl.read_csv("out.csv", infer_schema=False)
    assert out.height
    new = ("axis", "identity") if step[0] == "expand" else ()
    for name in CARRIED:
        assert name in new or set(out[name]) == {IN[name], OTHER[name]}, name
