"""Options of commands that let chat models read texts: statements of a survey, thoughts of other models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from endoxa.commands.verbs import plan_line
from endoxa.errors import UserError
from endoxa.schema.headline import Headline
from endoxa.schema.options import MONEY, NETWORK, OUTPUT, Option, settings_from

if TYPE_CHECKING:
    from endoxa.runs.asking.readers import ReaderSettings, Texts

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

    def require(self, readers: Sequence[str] | str | None) -> None:
        """Refuse these options where no model reads.

        Raises:
            UserError: one was given.
        """
        if self != ReaderModels() and not readers:
            raise UserError(
                "--batch, --max-cost, --price and --plan need --reader. Name the model that reads."
            )

    def planned(self, texts: Texts[Any], settings: ReaderSettings) -> Headline:
        """What reading would take."""
        from endoxa.runs.asking.cost import plan_table
        from endoxa.runs.asking.readers import plan_readers

        return plan_line(plan_table(plan_readers(texts, settings)))

    def settings(self, kind: type[Settings], data: Path, models: Sequence[str]) -> Settings:
        """Settings of their run."""
        options = {"batch": self.batch, "max_cost": self.max_cost, "price": self.price}
        values: dict[tuple[str, ...], Any] = {("data",): str(data), ("models",): tuple(models)}
        values |= {(name,): value for name, value in options.items() if value not in (None, False)}
        return settings_from(kind, values)
