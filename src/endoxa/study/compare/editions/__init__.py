"""Two editions of a survey side by side: what is new, lost and kept, and whose share changed."""

from endoxa.study.compare.editions.comparison import (
    CHANGE_COLUMNS,
    EditionComparison,
    compare_editions,
    write_edition_page,
)

__all__ = ["CHANGE_COLUMNS", "EditionComparison", "compare_editions", "write_edition_page"]
