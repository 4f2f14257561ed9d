"""Names in place of groups as a way of asking: each question as `build names` wrote it, in all of its variants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from endoxa.errors import UserError
from endoxa.schema import QaItem


def by_question(named: Iterable[QaItem], file: str) -> dict[tuple[str, str], list[QaItem]]:
    """The variants of each question, by category and example_id.

    Args:
        named: questions of a file that `build names` wrote.
        file: its name, for errors.

    Raises:
        UserError: a question has no names in place of its groups.
    """
    variants: dict[tuple[str, str], list[QaItem]] = {}
    for item in named:
        if not item.names:
            raise UserError(
                f"--names {file}: the question '{item.item_id}' has no names in place of groups. Expected a file of "
                "`endoxa build names`."
            )
        variants.setdefault((item.category, item.example_id), []).append(item)
    return variants


def with_names(
    questions: Iterable[QaItem], variants: dict[tuple[str, str], list[QaItem]], file: str
) -> Iterator[QaItem]:
    """The variants of these questions, in their order; questions that have none are left out.

    Raises:
        UserError: a variant has another context or right answer than its question.
    """
    for question in questions:
        for item in variants.get((question.category, question.example_id), ()):
            if (item.condition, item.label) != (question.condition, question.label):
                raise UserError(
                    f"--names {file}: '{item.item_id}' has another context or right answer than the question "
                    f"'{question.item_id}' of the data. Make the file from these data with `endoxa build names`."
                )
            yield item
