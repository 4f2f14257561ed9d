"""Options of commands that let chat models read texts: statements of a survey, thoughts of other models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from endoxa.schema.options import MONEY, NETWORK, OUTPUT, Option, settings_from

if TYPE_CHECKING:
    from endoxa.runs.asking.readers import ReaderSettings

    Settings = TypeVar("Settings", bound=ReaderSettings)


@dataclass(frozen=True, slots=True)
class ReaderModels:
    """How chat models are asked to read.

    Attributes:
        batch: Reader models: use the provider's batch interface (half the price).
        max_cost: Reader models: stop before it costs more than this.
        price: Reader models: price in US dollars per million tokens.
        plan: Reader models: only print expected calls, tokens and cost.
    """

    batch: Annotated[bool, Option(group=NETWORK, only_on=True)] = False
    max_cost: Annotated[float | None, Option(group=MONEY, metavar="USD")] = None
    price: Annotated[str | None, Option(group=MONEY, metavar="IN,OUT", default="list price")] = None
    plan: Annotated[bool, Option(group=OUTPUT, only_on=True)] = False

    def settings(self, kind: type[Settings], data: Path, models: Sequence[str]) -> Settings:
        """Settings of their run."""
        options = {"batch": self.batch, "max_cost": self.max_cost, "price": self.price}
        values: dict[tuple[str, ...], Any] = {("data",): str(data), ("models",): tuple(models)}
        values |= {(name,): value for name, value in options.items() if value not in (None, False)}
        return settings_from(kind, values)
