"""The associations themselves: a table to sort and filter."""

from __future__ import annotations

from endoxa.analyze.harm.names import PEOPLE
from endoxa.report.document import Section
from endoxa.report.stories.harm import MODELS
from endoxa.report.stories.results import StoryResults

RATED = {
    PEOPLE: "Harm is people's median rating from 1 to 5.",
    MODELS: "Harm is the mean rating of the models, from 1 to 5; the verdict is that of their medians.",
}
UNCLEAR = (
    "Unclear associations are found when all languages of a model are analysed together. Within languages they are not "
    "distinguishable from chance, or cannot be tested: a difference between the languages can explain them, and they "
    "are counted nowhere."
)


def associations(results: StoryResults) -> Section | None:
    """Heading and notes of the table; its rows come from `endoxa.report.stories.table`."""
    if results.associations.is_empty() and results.unclear.is_empty():
        return None
    return Section(
        anchor="associations",
        title="The associations",
        notes=(
            "Lift is how many times more often the second trait comes in stories about people with the first "
            "than in all "
            "stories of the table; the share is that of the stories about the first. Over several models: the "
            "mean lift, its "
            "least and largest value, the mean share, all stories. Of one model: its lift with its "
            f"{results.level} interval. "
            "Languages are those in which it was also found alone.",
            *([RATED[results.harm.judges]] if results.harm else []),
            *([UNCLEAR] if results.unclear.height else []),
        ),
    )
