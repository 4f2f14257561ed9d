"""Bleached sentences: what a term is put into, in every language, and that the checker would see a mistake."""

from pathlib import Path

import pytest
from lemminflect import getInflection

from endoxa.errors import UserError
from endoxa.instruments.association_tests.items import load_lists, load_templates
from endoxa.instruments.association_tests.items.lists import Term
from endoxa.instruments.association_tests.items.templates import sentences
from endoxa.sources.frames import read_table
from support.bleached_sentences import check_sentence, check_templates

LISTS = load_lists()
TEMPLATES = load_templates()
TERMS = [(one.language, term) for one in LISTS.sets for term in one.terms]


def test_every_term_of_every_list_in_every_sentence():
    assert check_templates(TERMS, TEMPLATES) == []


SENTENCES = [tuple(row) for row in read_table(Path(__file__).with_name("bleached.csv")).fill_null("").rows()]


@pytest.mark.parametrize(("language", "kind", "code", "form", "sentence", "fault"), SENTENCES)
def test_the_checker_sees_mistakes_of_careless_templates_and_ours_make_none(
    language, kind, code, form, sentence, fault
):
    if fault:
        assert fault in "; ".join(check_sentence(sentence, form, kind, language, code))
    else:
        assert next(sentences(Term(kind, {code: form}), TEMPLATES[language]))[0] == sentence


def test_a_term_says_where_its_first_letter_sounds_otherwise():
    term = Term("noun", {"s": "herb"}, vowel=True)
    assert next(sentences(term, TEMPLATES["en"]))[0] == "This is an herb."


def test_english_plurals_are_those_of_the_dictionary():
    nouns = [term.forms for language, term in TERMS if language == "en" and {"s", "p"} <= term.forms.keys()]
    odd = {form["p"] for form in nouns if form["p"] not in getInflection(form["s"], "NNS", inflect_oov=True)}
    assert len(nouns) > 60
    assert odd <= {"persons"}


# Endings that show the gender of a noun (reference grammars), and the nouns here that do otherwise.
ENDINGS = {
    "es": ({"fs": ("a", "ción", "dad", "paz"), "ms": ("o", "or")}, "colega"),
    "pt": ({"fs": ("a", "ção", "dade"), "ms": ("o", "or")}, "colega gestão união"),
    "fr": ({"fs": ("tion", "esse", "ille", "ance"), "ms": ("eau", "age", "ier")}, "rage"),
    "hi": (
        {"fs": ("ी", "ता", "ियाँ"), "ms": ("ा",)},
        "अधिकारी पड़ोसी साथी निवासी पिता चाचा आदमी महिला पीड़ा दया सुरक्षा भाई",
    ),
}


def forms(language):
    """Code and form of every noun of a language."""
    nouns = [term for spoken, term in TERMS if spoken == language and term.kind in ("noun", "mass")]
    return [each for term in nouns for each in term.forms.items()]


def shown(form, endings):
    """The gender of the longest ending that fits."""
    fits = [(len(end), gender) for gender, ends in endings.items() for end in ends if form.endswith(end)]
    return max(fits)[1] if fits else None


@pytest.mark.parametrize("language", ENDINGS)
def test_declared_gender_agrees_with_endings(language):
    endings, known = ENDINGS[language]
    found = {
        form
        for code, form in forms(language)
        if code in ("ms", "fs") and shown(form, endings) not in (None, code)
    }
    assert found <= set(known.split())


def test_swahili_classes_agree_with_prefixes():
    prefixes = {"2": ("wa", "w"), "3": "m", "4": "mi", "6": "ma", "7": "ki", "14": ("u", "w"), "15": "ku"}
    same = "kaka baba babu dada mama shangazi bibi raia majirani mabinamu marafiki jamaa"
    found = {form for code, form in forms("sw") if code in prefixes and not form.startswith(prefixes[code])}
    assert found <= set(same.split())


def own(tmp_path, text):
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_language_is_added_by_a_file_and_little_words_need_the_form_that_is_asked_for(tmp_path):
    words = 'language = "eo"\nagreement = { s = "one", p = "many" }\nwords = { la = { s = "la" } }\n'
    path = own(tmp_path, words + '[templates.noun]\ns = ["Jen {la} {term}."]\np = ["Jen {la} {term}."]\n')
    found = load_templates(path)
    assert list(sentences(Term("noun", {"s": "domo"}), found["eo"])) == [("Jen la domo.", "s")]
    assert found["en"] == TEMPLATES["en"]
    assert found["eo"].source == "own.toml"
    with pytest.raises(UserError, match="'la' has no form for 'p'"):
        list(sentences(Term("noun", {"p": "domoj"}), found["eo"]))


BAD = [
    ("language = ", "is not valid TOML"),
    ('language = "eo"', "templates: it is missing"),
    ('language = "eo"\nfoo = 1\n[templates]', "foo: it is not known"),
    ('language = "eo"\nvowel = { letters = 3 }\n[templates]', "vowel.letters: expected a text, found 3"),
    ('language = "eo"\n[templates.nuon]\n"*" = ["{term}."]', "templates.nuon"),
    ('language = "eo"\n[templates.name]\n"*" = []', "name.*: Tuple should have at least 1 item"),
    ('language = "eo"\n[templates.name]\n"*" = ["Jen."]', "must hold {term}"),
    ('language = "eo"\n[templates.name]\n"*" = ["{la} {term}"]', "not a table under [words]"),
    ('language = "eo"\n[templates.name]\nxs = ["{term}"]', "'xs' is not under [agreement]"),
]


@pytest.mark.parametrize(("text", "sentence"), BAD)
def test_bad_templates(tmp_path, text, sentence):
    with pytest.raises(UserError) as problem:
        load_templates(own(tmp_path, text))
    assert sentence in str(problem.value)
