"""The figure of a survey's summary: which associations are said most."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from endoxa.errors import UserError


def save_frequencies(table: pl.DataFrame, folder: Path, *, top: int = 8) -> tuple[Path, Path]:
    """Write `frequencies.svg` and `frequencies.png` and return their paths.

    Args:
        table: axis, identity, attribute, respondents.
        folder: where to; it must be there.
        top: bars per axis at most.

    Raises:
        UserError: the folder cannot be written.
    """
    from endoxa.report.document import Figure
    from endoxa.report.figures.frequencies import NOTICE, frequencies
    from endoxa.report.render import picture, save

    first = table.sort("respondents", descending=True).row(0, named=True)
    figure = Figure(
        name="frequencies",
        title="Most frequent associations by axis",
        alt=(
            f"Bars of the number of respondents behind the most frequent associations of each axis; the longest "
            f"has {first['respondents']}. {NOTICE}"
        ),
        chart=frequencies(table, top=top),
    )
    try:
        save(figure, picture(figure), folder)
    except OSError as error:
        raise UserError(f"'{folder}' cannot be written: {error.strerror or error}.") from error
    return folder / "frequencies.svg", folder / "frequencies.png"
