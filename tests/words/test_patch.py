"""State by digest, changing texts in place, and the patch that makes a component reviewed."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endoxa.errors import UserError
from endoxa.words import COMPONENTS, languages_of, states, texts_of, unreviewed
from endoxa.words.components import file_of, leaves, parsed
from endoxa.words.items import items
from endoxa.words.patch import SPEAKERS, make_patch, replaced
from endoxa.words.state import REVIEWS, digest, read_reviews

pytestmark = pytest.mark.usefixtures("nothing_reviewed")

STORIES = "story prompts"
SAMPLES = [
    ("words/hi/pairs.toml", ("said",), "{attribute} होते हैं"),
    ("words/hi/opposites.csv", ("5", "other"), 'आलसी, "सुस्त"'),
    ("words/hi/stories.yaml", ("request",), "एक कहानी: {person}, {scenario}।"),
    ("words/ar/stories.yaml", ("scenarios", "family", "3"), "سر: في العائلة"),
    ("collect/locale/hi/LC_MESSAGES/django.po", ("Pace and care",), 'गति "और" सावधानी\nदो'),
    ("collect/presets/panel.toml", ("texts", "about", "hi"), "पहली पंक्ति\nदूसरी"),
    ("words/hi/answers.toml", ("denials", "2"), "नहीं तो"),
    ("words/fr/answers.toml", ("unsaid", "1"), r"\bne dit pas\b"),
]


@pytest.mark.parametrize(("name", "path", "new"), SAMPLES)
def test_only_the_text_is_changed_and_comments_stay(name, path, new):
    content = file_of(name).read_text(encoding="utf-8")
    old = dict(leaves(parsed(name, content)))[path]
    changed = replaced(name, content, path, new)
    assert dict(leaves(parsed(name, changed))) == {**dict(leaves(parsed(name, content))), path: new}
    lines = set(content.splitlines()) - set(changed.splitlines())
    assert len(lines) <= max(1, old.count("\n") + 2)
    if not name.endswith(
        ".yaml"
    ):  # a folded text is written on one line, one with a colon in quotation marks
        assert replaced(name, changed, path, old) == content


@pytest.mark.parametrize("name", ["words/hi/pairs.toml", "words/es/unkind.toml"])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_writing_back_leaves_the_bytes(name, data):
    content = file_of(name).read_text(encoding="utf-8")
    texts = {path: text for path, text in leaves(parsed(name, content)) if isinstance(text, str)}
    path = data.draw(st.sampled_from(list(texts)))
    assert replaced(name, content, path, texts[path]) == content
    new = data.draw(st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=20))
    changed = replaced(name, content, path, new)
    assert replaced(name, changed, path, texts[path]) == content


def test_a_text_that_is_not_there_is_refused():
    with pytest.raises(UserError, match="has no text 'hi/nothing'"):
        replaced("a.toml", '[hi]\nsaid = "x"\n', ("hi", "nothing"), "y")


@pytest.fixture
def package(tmp_path):
    """A copy of the files of two components in a repository of its own."""
    folder = tmp_path / "copy" / "src" / "endoxa"
    for name in {name for state in states((STORIES, "examples", "unkind words")) for name in state.files}:
        file_of(name, folder).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file_of(name), file_of(name, folder))
    (folder / REVIEWS).write_text("# Reviews.\n", encoding="utf-8")
    return folder


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


def test_patch_applies_and_makes_the_component_reviewed(package):
    rows = outcomes(**{"एक पुरुष": ("corrected", "एक मर्द")})
    rows[0]["names"] = "Asha; Ravi"
    made = make_patch(rows, "2026-11-23", package)
    assert (made.changed, made.left, len(made.reviews)) == (1, (), 1)
    root = package.parent.parent
    (root / "hindi.diff").write_text(made.diff, encoding="utf-8", newline="\n")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "apply", "hindi.diff"], cwd=root, check=True)
    # Another path: what was read of the files before is kept by path.
    after = root.rename(root.with_name("after")) / "src" / "endoxa"
    (state,) = states([STORIES], ["hi"], after)
    assert (state.word, state.names) == ("reviewed by 2", ("Asha", "Ravi"))
    assert "एक मर्द" in {text.text for text in texts_of(COMPONENTS[STORIES], "hi", after)}
    assert unreviewed([(STORIES, ["hi", "en"])], after) == ""
    assert "story prompts in Arabic" in unreviewed([(STORIES, ["hi", "ar"])], after)
    # A text that changes afterwards makes it unreviewed.
    file = after / "words/hi/stories.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("एक मर्द", "एक आदमी"), encoding="utf-8")
    later = after.parent.parent.rename(root.with_name("later")) / "src" / "endoxa"
    (state,) = states([STORIES], ["hi"], later)
    assert state.word == "unreviewed"


def test_what_is_not_settled_is_listed_and_not_patched(package):
    rows = outcomes(**{"एक पुरुष": ("offensive", ""), "एक विद्यार्थी": ("corrected", "एक छात्र")})
    rows[3]["text"] = "something else"
    made = make_patch(rows, "2026-11-23", package)
    assert made.changed == 1
    assert made.reviews == ()
    assert REVIEWS not in made.diff
    assert {reason for _, reason in made.left} == {"offensive", "the text has changed since; make new items"}


@pytest.mark.parametrize(
    "change", [{"review_judgements": "1"}, {"review_state": "waiting"}, {"review_state": "disputed"}]
)
def test_one_text_without_two_speakers_keeps_a_component_unreviewed(package, change):
    rows = outcomes(component="examples")
    rows[-1] |= change
    assert make_patch(rows, "2026-11-23", package).reviews == ()
    assert make_patch(rows[:-1], "2026-11-23", package).reviews == ()


def test_names_of_items_that_are_of_no_component_are_refused(package):
    with pytest.raises(UserError, match="The component 't1' is unknown"):
        make_patch(
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
            package,
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
