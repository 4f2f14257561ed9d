"""Two kinds of units that observations belong to, in words: identities and attributes, templates and groups."""

from __future__ import annotations

from dataclasses import dataclass

from endoxa.report.words import plural
from endoxa.stats.two_way import Sampled

ONLY = ("with this {} only", "with these {} only")


@dataclass(frozen=True, slots=True)
class Kinds:
    """What the units of both kinds are called, and what may be said where one kind has too few.

    Attributes:
        first: singular and plural.
        second: singular and plural.
        alone: whether the second kind can be the only sample. Attributes cannot: they do not speak for groups that
            nobody asked about.
        second_taken: how one unit of the second kind is taken where it is no sample, and how several are.
        first_taken: the same of the first.
    """

    first: tuple[str, str]
    second: tuple[str, str]
    alone: bool
    second_taken: tuple[str, str] = ONLY
    first_taken: tuple[str, str] = ONLY

    @property
    def sampled(self) -> dict[Sampled, str]:
        """Values of the column `sampled`."""
        return {"both": "both", "first": self.first[1], "second": self.second[1], "none": "none"}

    def counted(self, first: int, second: int, sampled: str) -> str:
        """'30 identities x 10 attributes', and which of them were no sample.

        Args:
            first: number of units of the first kind.
            second: of the second kind; 0 where none recurs.
            sampled: value of the column.
        """
        firsts, seconds = plural(first, *self.first), plural(second, *self.second)
        if not second or sampled == "none":
            return firsts
        if sampled == self.first[1]:
            return f"{firsts}, {_taken(second, self.second, self.second_taken)}"
        if sampled == self.second[1]:
            return f"{seconds}, {_taken(first, self.first, self.first_taken)}"
        return f"{firsts} x {seconds}"


def _taken(count: int, noun: tuple[str, str], taken: tuple[str, str]) -> str:
    return taken[0].format(noun[0]) if count == 1 else taken[1].format(plural(count, *noun))


IDENTITIES_ATTRIBUTES = Kinds(("identity", "identities"), ("attribute", "attributes"), alone=False)
TEMPLATES_GROUPS = Kinds(
    ("template", "templates"),
    ("group", "groups"),
    alone=True,
    second_taken=("in this {} as it is", "in these {} as they are"),
)
