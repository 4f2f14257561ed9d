"""State of components by the digest of their texts, and the line about those that nobody has reviewed."""

from __future__ import annotations

import pytest

from endoxa.errors import UserError
from endoxa.words.components import COMPONENTS, languages_of, texts_of
from endoxa.words.state import digest, read_reviews, states, unreviewed

pytestmark = pytest.mark.usefixtures("nothing_reviewed")

STORIES = "story prompts"


def test_without_a_review_on_record_nothing_is_reviewed():
    rows = states()
    assert {row.word for row in rows if row.language != "en"} == {"unreviewed"}
    assert {row.word for row in rows if row.language == "en"} == {"source"}


def test_reviews_on_record_are_of_components_that_there_are():
    for review in read_reviews():
        assert review.language in languages_of(COMPONENTS[review.component])
        assert review.speakers >= 2


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
