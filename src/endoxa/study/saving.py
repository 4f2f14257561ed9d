"""What results of comparisons and gates have in common: files by their suffix, and how notebooks show them."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from endoxa.errors import UserError
from endoxa.report.files import refuse_folder, replace_text

if TYPE_CHECKING:
    from endoxa.report.frame import Page
    from endoxa.schema.headline import Headline


class Result(ABC):
    """A result with a headline, a page, and text files."""

    __slots__ = ()
    suffixes: ClassVar[tuple[str, ...]] = (".html", ".json")
    """What it can be written as."""

    @abstractmethod
    def headline(self) -> Headline:
        """The table that the terminal shows."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """What the JSON file holds; undefined numbers are None."""

    @abstractmethod
    def page(self) -> Page:
        """The page; the run folders must still be there."""

    def texts(self) -> Mapping[str, Callable[[], str]]:
        """Text files by their suffix."""
        return {".json": lambda: as_json(self.to_dict())}

    def save(self, path: str | Path) -> Path:
        """Write it as its suffix says, one of `suffixes`.

        Raises:
            UserError: another suffix, or the file cannot be written.
        """
        output = Path(path)
        require_suffix(output, self.suffixes)
        refuse_folder(output)
        try:
            output.parent.mkdir(parents=True, exist_ok=True)
            if output.suffix.lower() == ".html":
                self.write_page(output)
            else:
                replace_text(output, self.texts()[output.suffix.lower()]())
        except OSError as error:
            raise UserError(f"'{output}' cannot be written: {error.strerror or error}.") from error
        return output

    def write_page(self, output: Path) -> None:
        """Write the page, and its figures beside it.

        Raises:
            OSError: a file cannot be written.
        """
        from endoxa.report.frame import write_page

        write_page(self.page(), output)

    def _repr_html_(self) -> str:
        return self.headline()._repr_html_()


def as_json(content: Mapping[str, Any]) -> str:
    """The text of a JSON file, for people too."""
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def require_suffix(output: Path, suffixes: tuple[str, ...]) -> None:
    """Refuse a file whose suffix says nothing.

    Raises:
        UserError: it is none of those that are written.
    """
    if output.suffix.lower() not in suffixes:
        raise UserError(
            f"'{output}' has the suffix '{output.suffix}'. Expected one of: {', '.join(suffixes)}."
        )
