"""Kinds of fault that showed on respondents whose answers nobody had seen while the rules were written (issue 18).

Every sentence is ours and about other groups than those of the survey.
"""

from __future__ import annotations

import pytest

from endoxa.curate.extract import Question, extract

OPEN = Question("other", "other")
WOMEN = Question("women", "gender", "women")


def pairs(statement, question=OPEN, country="Peru"):
    return [(one.identity, one.attribute) for one in extract(statement, question, country)]


def omitted(statement, question=OPEN):
    return all(one.omit for one in extract(statement, question, "Peru"))


@pytest.mark.parametrize(
    ("statement", "attribute"),
    [
        ("Plumbers are less polite", "less polite"),
        ("Plumbers are less polite than painters", "less polite than painters"),
        ("Plumbers are not less polite", "not less polite"),
        ("Plumbers are the least polite", "the least polite"),
        ("Plumbers are much less polite", "much less polite"),
        ("Plumbers have less patience", "less patience"),
        ("Plumbers are not as polite as painters", "not as polite as painters"),
        ("Plumbers are not just polite", "not just polite"),
        ("Plumbers are not better", "not better"),
        ("Plumbers are not so polite", "not polite"),
    ],
)
def test_grading_never_becomes_denial_or_the_other_way_round(statement, attribute):
    assert pairs(statement) == [("plumbers", attribute)]


@pytest.mark.parametrize(
    ("statement", "attribute"),
    [
        ("Plumbers aren't rude", "aren't rude"),
        ("A plumber isn't rude", "aren't rude"),
        ("Plumbers arent rude", "aren't rude"),
        ("Plumbers are not rude", "not rude"),
        ("Plumbers can’t dance", "can't dance"),
        ("Plumbers cannot dance", "cannot dance"),
        ("Plumbers do not dance", "do not dance"),
        ("Plumbers don't dance", "don't dance"),
        ("Plumbers never dance", "never dance"),
        ("No plumber can dance", "cannot dance"),
        ("No plumber has manners", "no manners"),
        ("No plumber is rude", "not rude"),
        ("None of the plumbers dance", "do not dance"),
    ],
)
def test_contractions_stay_and_denials_keep_their_meaning(statement, attribute):
    assert pairs(statement) == [("plumbers", attribute)]


@pytest.mark.parametrize(
    ("said", "attributes"),
    [
        ("are neat and rich", ["neat", "rich"]),
        ("are neat, rich and polite", ["neat", "rich", "polite"]),
        ("are gossips and drunkards", ["gossips", "drunkards"]),
        ("are money-minded and wicked", ["money-minded", "wicked"]),
        ("are business minded and hardworking", ["business minded", "hardworking"]),
        ("are quick to anger and slow to forgive", ["quick to anger", "slow to forgive"]),
        ("are neat and not friendly", ["neat", "not friendly"]),
        ("are not neat and friendly", ["not neat and friendly"]),
        ("are neat or rich", ["neat or rich"]),
        ("are neat, unlike painters", ["neat, unlike painters"]),
        ("are stubborn, and do not listen", ["stubborn", "do not listen"]),
        ("are tall, they also like beer", ["tall", "like beer"]),
        ("are tall and they sing", ["tall", "sing"]),
        ("like beer and football", ["like beer and football"]),
        ("cheat customers and drink beer", ["cheat customers", "drink beer"]),
    ],
)
def test_lists_are_taken_apart_by_one_rule(said, attributes):
    assert pairs(f"Plumbers {said}") == [("plumbers", attribute) for attribute in attributes]


@pytest.mark.parametrize(
    ("who", "identity"),
    [
        ("People from the northern part of the country", "people from northern peru"),
        ("People in the northern states", "people from northern peru"),
        ("People from the southern part of Chile", "people from southern chile"),
        ("People from the western side", "people from western peru"),
        ("The northern part of Chile", "people from northern chile"),
        ("The north", "people from northern peru"),
        ("Northern people", "people from northern peru"),
        ("Northerners from Chile", "people from northern chile"),
        ("Peruvians from the north", "people from northern peru"),
        ("People from western", "people from western peru"),
        ("People from central region", "people from central peru"),
        ("People who come from the south", "people from southern peru"),
        ("People hailing from Cusco", "people from cusco"),
        ("Ladies from the coast", "ladies from the coast"),
        ("Ladies from the south", "ladies from southern peru"),
        ("People from Quechua land", "quechua people"),
        ("People from the Tamil speaking areas", "tamil people"),
        ("People from Kerala state", "people from kerala state"),
        ("People from the state of Kerala", "people from the state of kerala"),
        ("People from Bengali State", "people from bengali state"),
        ("People from South Africa", "south africans"),
        ("People from the east coast", "people from the east coast"),
    ],
)
def test_regions(who, identity):
    assert pairs(f"{who} are calm") == [(identity, "calm")]
    assert pairs(f"{who} drink tea") == [(identity, "drink tea")]


@pytest.mark.parametrize(
    ("statement", "identity"),
    [
        ("People hailing from Cusco like tea", "people from cusco"),
        ("People from the east coast like tea", "people from the east coast"),
        ("The north like tea", "people from northern peru"),
        ("Women from the upper class like tea", "women from the upper class"),
    ],
)
def test_like_can_be_the_verb_behind_a_place(statement, identity):
    assert pairs(statement) == [(identity, "like tea")]


@pytest.mark.parametrize(
    ("statement", "pair"),
    [
        ("Plumber - rich", ("plumbers", "rich")),
        ("Plumber: rich", ("plumbers", "rich")),
        ("Basque - proud", ("basque people", "proud")),
        ("Basque-proud", ("basque people", "proud")),
        ("Proud - Basques", ("basque people", "proud")),
        ("Basques (proud)", ("basque people", "proud")),
        ("Plumber disappoint customers", ("plumbers", "disappoint customers")),
        ("Basque's love dancing", ("basque people", "love dancing")),
        ("Catholic people: they pray a lot", ("catholic people", "pray a lot")),
        ("Our plumbers are rich", ("plumbers", "rich")),
        ("The army are proud", ("armies", "proud")),
    ],
)
def test_labels_and_slips_are_not_proposed_for_omission(statement, pair):
    assert pairs(statement) == [pair]
    assert not omitted(statement)


@pytest.mark.parametrize(
    "statement", ["Too soft", "Soft - always", "- soft", "old-fashioned", "over-protective", "soft - women"]
)
def test_fragments_take_the_subject_of_their_question(statement):
    assert not omitted(statement, WOMEN)
    assert pairs(statement, WOMEN)[0][0] == "women"


@pytest.mark.parametrize(
    ("who", "identity"),
    [
        ("Basque ladies", "basque ladies"),
        ("Most Basque girls", "basque girls"),
        ("People from Peru who travel", "people from peru who travel"),
        ("A man who cooks", "men who cook"),
        ("Any woman that drinks", "women that drink"),
        ("Married men in their 40s", "married men in their 40s"),
        ("Les Corsicans", "corsican people"),
        ("The majority of Basques", "basque people"),
        ("A lot of Basque men", "basque men"),
        ("A typical Basque man", "basque men"),
        ("Basques in general", "basque people"),
        ("Basques as a people", "basque people"),
        ("Basque's men", "basque men"),
        ("The Buddhist religion", "buddhists"),
    ],
)
def test_modifiers_stay_in_the_subject(who, identity):
    assert pairs(f"{who} are calm") == [(identity, "calm")]


@pytest.mark.parametrize(
    "opening",
    [
        "While", "The idea that", "A common belief that", "The most common stereotype is that", "There's a belief that",
        "It's often said that", "It is believed", "Many say", "I've heard that", "Additionally,", "In addition",
        "On the other hand,", "For example", "Firstly,", "Generally,", "Nowadays", "These days", "In my opinion",
        "Some people think that", "According to people",
    ],
)  # fmt: skip
def test_what_only_leads_to_a_statement_is_left_out(opening):
    assert pairs(f"{opening} plumbers are calm") == [("plumbers", "calm")]


@pytest.mark.parametrize(
    "statement",
    [
        "As for plumbers, they are calm",
        "Plumbers, they are calm",
        "When it comes to plumbers, they are calm",
        "One stereotype about plumbers is that they are calm",
    ],
)
def test_a_topic_is_the_subject_of_its_pronoun(statement):
    assert pairs(statement) == [("plumbers", "calm")]


def test_a_place_in_front_goes_behind_the_subject():
    assert pairs("In Lima, plumbers are calm") == [("plumbers in lima", "calm")]


@pytest.mark.parametrize(
    ("said", "attribute"),
    [
        ('are "very calm"', "very calm"),
        ('are the "real" bosses', "the real bosses"),
        ("are the 'real' bosses", "the real bosses"),
        ("are calm, etc.", "calm"),
        ("are calm and so on", "calm"),
        ("are calm lol", "calm"),
        ("are.... calm", "calm"),
        ("seem to like tea", "like tea"),
        ("have always liked tea", "have always liked tea"),
    ],
)
def test_stray_quotes_and_closing_words_are_left_out(said, attribute):
    assert pairs(f"Plumbers {said}") == [("plumbers", attribute)]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("Plumbers are calm painters are loud", [("plumbers", "calm"), ("painters", "loud")]),
        ("Plumbers are calm. Painters are loud", [("plumbers", "calm"), ("painters", "loud")]),
        ("While plumbers are calm, painters are loud", [("plumbers", "calm"), ("painters", "loud")]),
        ("Plumbers are sure painters are loud", [("plumbers", "sure painters are loud")]),
        ("Plumbers as well as painters are calm", [("plumbers", "calm"), ("painters", "calm")]),
        ("Both plumbers and painters are calm", [("plumbers", "calm"), ("painters", "calm")]),
        ("Young and old people are calm", [("young people", "calm"), ("old people", "calm")]),
        ("Deaf and mute people are calm", [("deaf and mute people", "calm")]),
        ("Plumbers and their wives are calm", [("plumbers and their wives", "calm")]),
    ],
)
def test_two_subjects_are_not_read_as_one(statement, expected):
    assert pairs(statement) == expected


@pytest.mark.parametrize(
    ("statement", "pair"),
    [
        ("Unfair: Assuming plumbers are rude", ("plumbers", "rude")),
        ("*Unfair*: Stereotyping plumbers as objects of pity", ("plumbers", "objects of pity")),
        ("Expectations that plumbers should sing", ("plumbers", "should sing")),
    ],
)
def test_a_report_behind_a_label_is_left_out(statement, pair):
    assert pairs(statement) == [pair]


@pytest.mark.parametrize(
    ("statement", "pair"),
    [
        ("They're weak", ("women", "weak")),
        ("They've no patience", ("women", "no patience")),
        ("They'll cheat", ("women", "will cheat")),
        ("All of them are liars", ("women", "liars")),
        ("Women; weak", ("women", "weak")),
        ("Women!! weak", ("women", "weak")),
        ("If a woman is rich she is proud", ("women", "if a woman is rich she is proud")),
    ],
)
def test_pronouns_and_marks(statement, pair):
    assert pairs(statement, WOMEN) == [pair]


@pytest.mark.parametrize("words", ["they, ", "and ", "men are ", "men, ", "a. "])
def test_long_answers_of_repeated_words_are_read(words):
    """They took minutes once; nothing is asserted on time."""
    assert extract((words * 700)[:2000], OPEN)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("Plumbers are proud:", [("plumbers", "proud")]),
        ("white/black women are loud", [("white women", "loud"), ("black women", "loud")]),
        ("Igbo and Hausa women are loud", [("igbo women", "loud"), ("hausa women", "loud")]),
        ("Basque men and women are loud", [("basque men", "loud"), ("basque women", "loud")]),
        ("The Basque tribe works hard", [("basque people", "work hard")]),
        ("Most of the Igbo community sells fish", [("igbo people", "sell fish")]),
        ("Plumbers they like money", [("plumbers", "like money")]),
        ("Quuxek They like money", [("quuxek people", "like money")]),
        ("Plumbers\tproud", [("plumbers", "proud")]),
        ("It is considered that plumbers are proud", [("plumbers", "proud")]),
        ("Other communities believe plumbers are proud", [("plumbers", "proud")]),
        ("When drunk, plumbers are loud", [("plumbers", "loud when drunk")]),
        ("If a plumber is drunk, he is loud", [("plumbers", "loud if a plumber is drunk")]),
        ("In Peru plumbers are loud", [("plumbers in peru", "loud")]),
        ("In Igbo culture, a woman is proud", [("igbo women", "proud")]),
        ("Plumbers of today are lazy", [("plumbers", "lazy")]),
        ("About 75% of plumbers are lazy", [("plumbers", "lazy")]),
        ("Plumbers are seen as neat and calm", [("plumbers", "neat"), ("plumbers", "calm")]),
        ("Plumbers are believed to love tea", [("plumbers", "love tea")]),
        ("Plumbers are not rude or loud", [("plumbers", "not rude"), ("plumbers", "not loud")]),
        ("Plumbers are violent people", [("plumbers", "violent")]),
        ("People from the coast believe dogs are wise", [("people from the coast", "believe dogs are wise")]),
        ("Everyone that travels is rich", [("people that travel", "rich")]),
    ],
)
def test_kinds_of_statements_that_other_people_made(statement, expected):
    """Kinds of fault seen in half of SAFARI's respondents (issue 34); the groups and qualities are ours."""
    assert pairs(statement) == expected


@pytest.mark.parametrize(
    "further",
    [". It is a pity", ". Politics is dirty", ". If you go there, you see it", ", I think", "; this is bad"],
)
def test_a_sentence_about_something_else_is_not_said_of_the_group_before(further):
    assert pairs(f"Plumbers are loud{further}") == [("plumbers", "loud")]
    assert pairs("Plumbers are loud. They drink tea") == [("plumbers", "loud"), ("plumbers", "drink tea")]
