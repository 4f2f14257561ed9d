"""What `compare` and `gate` take from runs of an instrument: its measures, and a table of what one model answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from endoxa.runs.folder import RECORDS

if TYPE_CHECKING:
    import polars as pl

Kind = Literal["bias", "price"]


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure: the mean of one value per item.

    Attributes:
        name: its name, which is the column with its values.
        neutral: value of an unbiased model, from which columns are measured; None where none is neutral.
        summary: what it is, for pages.
        use: where it is used.
        biased: a measure of bias although no value is neutral.
        reach: the largest difference of one item between two models; infinite where nothing bounds it.
        units: columns of the units that are samples, where they are not those of the instrument; their names are nouns.
        instead: column of the units that stand in place of fewer than six units of the first kind.
        within: column of the units within which it weighs items whose `aligned` is true against the others.
    """

    name: str
    neutral: float | None
    summary: str
    use: Literal["both", "compare", "gate"] = "both"
    biased: bool = False
    reach: float = 1.0
    units: tuple[str, ...] = ()
    instead: str = ""
    within: str = ""

    @property
    def kind(self) -> Kind:
        """Whether it says how biased a model is, or what that comes with."""
        return "bias" if self.biased or self.neutral is not None else "price"


def answers_of(folder: Path, model: str) -> pl.DataFrame:
    """The records of one model, where they have the columns that `Measured.answers` asks for."""
    import polars as pl

    return pl.read_parquet(folder / RECORDS).filter(model=model)


@dataclass(frozen=True, slots=True)
class Measured:
    """What an instrument declares for `compare` and `gate` (`Instrument.measured`).

    Attributes:
        measures: in the order in which they are shown.
        units: columns of the two kinds of units that are samples; their names are nouns in the plural.
        answers: reads what one model answered in a finished run: a row for each rule, item and repeat. Columns:
            `item_id`, those of `keys` and `units`, `answer` (equal in two runs that are alike), and one for each
            measure: null where it does not ask about the item, NaN where the model gave no value, else its distance
            from the neutral value. As far as they differ from what stands in brackets, also `rule` and `axis` (all),
            `identity` (the first unit), `outcome` in words (`answer`), and `lean`, how far it goes towards the
            stereotype (the first measure).
        keys: columns that tell rows of one rule and item apart.
        rule: what a rule is called.
    """

    measures: Sequence[Measure]
    units: tuple[str, str]
    answers: Callable[[Path, str], pl.DataFrame] = answers_of
    keys: tuple[str, ...] = ()
    rule: str = "rule"
