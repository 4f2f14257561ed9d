"""State by digest, and the corrections that make a component reviewed."""

from __future__ import annotations

import tomllib

import pytest

from endoxa.errors import UserError
from endoxa.words import COMPONENTS, languages_of, states, texts_of, unreviewed
from endoxa.words.corrections import SPEAKERS, corrections_of, entry_of
from endoxa.words.items import items
from endoxa.words.state import Review, digest, read_reviews

pytestmark = pytest.mark.usefixtures("nothing_reviewed")

STORIES = "story prompts"


def outcomes(language="hi", component=STORIES, **changes):
    """Every text of a component, natural by two speakers, but for those that `changes` names by their text."""
    rows = []
    for row in items(language, [component]):
        state, correction = changes.get(row["text"], ("natural", ""))
        rows.append(
            {**row, "review_state": state, "correction": correction, "review_judgements": "2", "names": ""}
        )
    return rows


def test_without_a_review_on_record_nothing_is_reviewed():
    found = states()
    assert {one.word for one in found if one.language != "en"} == {"unreviewed"}
    assert {one.word for one in found if one.language == "en"} == {"source"}


def test_reviews_on_record_are_of_components_that_there_are():
    for review in read_reviews():
        assert review.language in languages_of(COMPONENTS[review.component])
        assert review.speakers >= SPEAKERS


def test_corrections_complete_the_review_of_a_component():
    rows = outcomes(**{"एक पुरुष": ("corrected", " एक मर्द ")})
    rows[0]["names"] = "Asha; Ravi"
    made = corrections_of(rows, "2026-11-23")
    (row,) = made.rows
    assert row["file"].endswith("words/hi/stories.yaml")
    assert (row["key"].split("/")[0], row["text"], row["correction"]) == ("persons", "एक पुरुष", "एक मर्द")
    assert made.left == ()
    (review,) = made.reviews
    assert (review.speakers, review.names) == (2, ("Asha", "Ravi"))
    before = digest(texts_of(COMPONENTS[STORIES], "hi"))
    assert review.digest != before
    (entry,) = tomllib.loads(entry_of(review))["review"]
    assert Review(**{**entry, "names": tuple(entry["names"])}) == review
    (natural,) = corrections_of(outcomes(), "2026-11-23").reviews
    assert natural.digest == before


def test_what_is_not_settled_is_listed_and_not_corrected():
    rows = outcomes(**{"एक पुरुष": ("offensive", ""), "एक विद्यार्थी": ("corrected", "एक छात्र")})
    rows[3]["text"] = "something else"
    made = corrections_of(rows, "2026-11-23")
    assert len(made.rows) == 1
    assert made.reviews == ()
    assert {reason for _, reason in made.left} == {"offensive", "the text has changed since; make new items"}


@pytest.mark.parametrize(
    "change", [{"review_judgements": "1"}, {"review_state": "waiting"}, {"review_state": "disputed"}]
)
def test_one_text_without_two_speakers_keeps_a_component_unreviewed(change):
    rows = outcomes(component="examples")
    rows[-1] |= change
    assert corrections_of(rows, "2026-11-23").reviews == ()
    assert corrections_of(rows[:-1], "2026-11-23").reviews == ()


def test_names_of_items_that_are_of_no_component_are_refused():
    with pytest.raises(UserError, match="The component 't1' is unknown"):
        corrections_of(
            [
                {
                    "item_id": "t1",
                    "text": "x",
                    "review_state": "natural",
                    "correction": "",
                    "review_judgements": "2",
                }
            ],
            "",
        )


def test_the_line_names_components_and_languages():
    used = [(STORIES, ["hi", "en"]), ("answer words", ["bn", "hi"]), ("page texts", [])]
    assert unreviewed(used) == (
        "Not yet checked by native speakers: endoxa's own story prompts and answer words in Hindi."
    )
    assert unreviewed([(STORIES, ["en"]), ("answer words", ["tlh"])]) == ""
    with pytest.raises(UserError, match="Unknown component"):
        unreviewed([("stories", ["hi"])])


def test_the_digest_changes_with_a_letter_and_not_with_the_order():
    texts = texts_of(COMPONENTS["examples"], "hi")
    assert digest(texts) == digest(reversed(texts))
    assert digest(texts) != digest(texts[1:])
