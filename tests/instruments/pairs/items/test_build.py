"""Pairs from associations: sentences, denials, opposites, and what is refused."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.errors import UserError
from endoxa.instruments.pairs.items import BUILT_COLUMNS, PairOptions, build_pairs, load_templates
from endoxa.schema import PAIR_COLUMNS, ReadOptions
from endoxa.sources import READERS
from endoxa.sources.check import check_pairs
from endoxa.sources.frames import read_table, write_table
from endoxa.sources.typography import differing_spans, words


def made(*rows, columns=("identity", "attribute"), **options):
    table = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")
    return build_pairs(table, PairOptions(**options))


def both(identity, attribute, evidence="", **options):
    built = made((identity, attribute, evidence), columns=("identity", "attribute", "predicate"), **options)
    assert built.problems.filter(outcome="left out").is_empty(), built.problems["reason"].to_list()
    return built.pairs.row(0, named=True)["sent_more"], built.pairs.row(0, named=True)["sent_less"]


def refusal(identity, attribute, **options):
    built = made((identity, attribute), **options)
    assert built.pairs.is_empty(), built.pairs.rows()
    return built.problems["reason"][0]


# The four pairs that the AfriStereo paper prints (3.3.4), from its identities and attributes.
PRINTED = [
    ("women", "caring", "Women are caring.", "Women are uncaring."),
    ("old people", "intelligent", "Old people are intelligent.", "Old people are unintelligent."),
    (
        "igbo people",
        "business-oriented",
        "Igbo people are business-oriented.",
        "Igbo people are not business-oriented.",
    ),
]


@pytest.mark.parametrize(("identity", "attribute", "more", "less"), PRINTED)
def test_printed_examples(identity, attribute, more, less):
    assert both(identity, attribute) == (more, less)


def test_printed_example_with_a_negation():
    more, less = both("maasai", "warriors", negation_only=True)
    assert (more, less) == ("Maasai are warriors.", "Maasai are not warriors.")


def test_published_anti_stereotypes(shared):
    """Of the ten that were published, at least seven are made in the same words, and none is made wrongly."""
    table = pl.read_csv(shared / "data/afristereo/s_as_pairs.csv")
    built = build_pairs(table.select("identity", attribute="canonical_attribute"))
    assert built.pairs.height == table.height
    assert built.pairs["sent_more"].str.to_lowercase().to_list() == [
        f"{who} are {what}." for who, what in table.select("identity", "canonical_attribute").iter_rows()
    ]
    same = sum(
        ours == theirs
        for ours, theirs in zip(built.pairs["attribute_less"], table["anti_stereotype"], strict=True)
    )
    assert same >= 7


KINDS = [
    ("strong", "are strong", "are not strong"),
    ("are strong", "are strong", "are not strong"),
    ("a threat", "are a threat", "are not a threat"),
    ("warriors", "are warriors", "are not warriors"),
    ("good cooks", "are good cooks", "are not good cooks"),
    ("from rich families", "are from rich families", "are not from rich families"),
    ("expected to cook", "are expected to cook", "are not expected to cook"),
    ("being ignored", "are being ignored", "are not being ignored"),
    ("very patient", "are very patient", "are not very patient"),
    ("family oriented", "are family oriented", "are not family oriented"),
    ("talk too much", "talk too much", "do not talk too much"),
    ("love money", "love money", "do not love money"),
    ("loves money", "love money", "do not love money"),
    ("cook", "cook", "do not cook"),
    ("cheat customers", "cheat customers", "do not cheat customers"),
    ("have many children", "have many children", "do not have many children"),
    ("have been ignored", "have been ignored", "have not been ignored"),
    ("can cook", "can cook", "cannot cook"),
    ("should stay home", "should stay home", "should not stay home"),
    ("must work", "must work", "need not work"),
    ("not smart", "are not smart", "are smart"),
    ("don't know life", "do not know life", "know life"),
    ("doesn’t know life", "do not know life", "know life"),
    ("cannot drive", "cannot drive", "can drive"),
    ("have no patience", "have no patience", "have patience"),
    ("never on time", "are never on time", "are always on time"),
    ("always complain", "always complain", "never complain"),
    ("were warriors", "were warriors", "were not warriors"),
    ("strong and brave", "are strong and brave", "are not strong and brave"),
    ("  “strong”. ", "are strong", "are not strong"),
    ("strong 💪", "are strong", "are not strong"),
    ("a thief", "are thieves", "are not thieves"),
    ("an honest person", "are honest people", "are not honest people"),
    ("a good leader of the house", "are good leaders of the house", "are not good leaders of the house"),
    ("not a leader", "are not leaders", "are leaders"),
    ("a matter of luck", "are a matter of luck", "are not a matter of luck"),
    ("hard worker", "are hard workers", "are not hard workers"),
    ("used to be poor", "used to be poor", "did not use to be poor"),
    ("used to hard work", "are used to hard work", "are not used to hard work"),
    ("called early birds", "are called early birds", "are not called early birds"),
    ("taught by monks", "are taught by monks", "are not taught by monks"),
    ("don't want to work anymore", "do not want to work anymore", "want to work"),
    ("nothing but trouble", "are nothing but trouble", "are not nothing but trouble"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("attribute", "said", "denied"), KINDS)
def test_english_predicates(attribute, said, denied):
    assert both("women", attribute, negation_only=True) == (f"Women {said}.", f"Women {denied}.")


UNCLEAR = [
    ("", "the attribute is empty"),
    ("🙂🙂", "holds no word"),
    ("threat", "singular noun"),
    ("went to school", "past form"),
    ("clean houses", "adjective or a verb"),
    ("wise but are slow", "two predicates"),
    ("rigid and not easy to please", "two predicates"),
    ("not rich but happy", "two predicates"),
    ("had a hard life", "past form"),
    ("built houses", "past form"),
    ("a man who sings", "write 'men'"),
    ("don't have any patience", "stands with a negation only"),
    ("strong and love money", "two predicates"),
    ("lazy/slow", "'/'"),
    ("strong, patient", "','"),
    ("are", "only a copula"),
    ("x" * 300, "too long"),
]


@pytest.mark.parametrize(("attribute", "reason"), UNCLEAR)
def test_unclear_attributes_are_left_out_with_the_reason(attribute, reason):
    assert reason in refusal("women", attribute)


def test_evidence_decides_where_words_can_be_read_either_way():
    assert "first part of a noun" in refusal("bakers", "plant pots")
    assert both("bakers", "plant pots", "verb")[0] == "Bakers plant pots."
    assert both("bakers", "plant pots", "copula")[0] == "Bakers are plant pots."
    assert both("bakers", "strong arms", "have")[1] == "Bakers have weak arms."


# Ours, from other places than the published survey.
OPPOSITES = [
    ("farmers", "patient", "impatient"),
    ("bakers", "bad drivers", "good drivers"),
    ("people from the coast", "poor", "rich"),
    ("grandmothers", "very generous", "very stingy"),
    ("engineers", "providers", "dependents"),
    ("scots", "from rich families", "from poor families"),
    ("peruvian men", "less patient than women", "more patient than women"),
]


@pytest.mark.parametrize(
    ("identity", "attribute", "more", "less"),
    [
        ("Bolivia", "poor", "Bolivians are poor.", "Bolivians are rich."),
        ("Female", "weak", "Women are weak.", "Women are strong."),
        ("Northerners", "Intelligent", "Northerners are intelligent.", "Northerners are unintelligent."),
        ("Farmers", "Hard Working", "Farmers are hard working.", None),
        ("Farmers", "British", "Farmers are British.", "Farmers are not British."),
        ("Cooks", "do any kind of work", "Cooks do any kind of work.", "Cooks do not do any kind of work."),
    ],
)  # fmt: skip
def test_published_tables_make_sentences(identity, attribute, more, less):
    """Countries, adjectives and title case as SPICE, LACES and SeeGULL have them."""
    row = made((identity, attribute)).pairs.row(0, named=True)
    assert row["sent_more"] == more
    assert less is None or row["sent_less"] == less


def test_a_place_whose_people_is_not_known_is_refused():
    assert "is a place: write its people" in refusal("Antarctica", "cold")


@pytest.mark.parametrize(("identity", "attribute", "opposite"), OPPOSITES)
def test_natural_opposites(identity, attribute, opposite):
    built = made((identity, attribute))
    assert built.pairs["attribute_less"].to_list() == [opposite]
    assert built.pairs["how"].to_list() == ["antonym"]


@pytest.mark.parametrize(
    "attribute",
    [
        "good cooks (at home)",
        "hoping that poor families will come",
        "too emotional",
        "being free",
        "used to hard work",
        "full of life",
        "cheats",
        "dance well",
        "curse with black magic",
        "judge other black people",
        "attracted to tall men",
        "religious supremacists",
        "fair ladies",
        "god sent",
        "want to be respected",
        "only good at fishing",
        "eat sweet food",
        "like to eat fish",
        "love of money",
        "more businesses than others",
        "responsible for the household",
        "speak badly of the poor",
        "freedom-loving people",
    ],
)
def test_no_opposite_is_forced_where_it_would_not_fit(attribute):
    assert made(("farmers", attribute)).pairs["how"].to_list() == ["negation"]


def test_an_opposite_never_names_the_group_itself():
    assert both("old people", "advise young people")[1] == "Old people do not advise young people."


IDENTITIES = [
    ("igbo people", "Igbo people are patient."),
    ("young nigerian men", "Young Nigerian men are patient."),
    ("people from northern nigeria", "People from northern Nigeria are patient."),
    ("people from south africa", "People from South Africa are patient."),
    ("doctors in nairobi", "Doctors in Nairobi are patient."),
    ("muslims", "Muslims are patient."),
    ("polish people", "Polish people are patient."),
    ("native americans", "Native Americans are patient."),
    ("gay people", "Gay people are patient."),
    ("Old Etonians", "Old Etonians are patient."),
    ("the elderly", "The elderly are patient."),
    ("clergy", "Clergy are patient."),
    ("gen z's", "Gen Zs are patient."),
    ("gen x", "Gen X are patient."),
    ("only children", "Only children are patient."),
]


@pytest.mark.parametrize(("identity", "sentence"), IDENTITIES)
def test_identities_start_the_sentence_with_their_capitals(identity, sentence):
    assert both(identity, "patient")[0] == sentence


def test_capitals_inside_the_sentence():
    row = made(("young nigerian men", "good muslims"), prefix="Happy").pairs.row(0, named=True)
    assert row["sent_more"] == "Happy young Nigerian men are good Muslims."
    assert row["prompt"] == "What are Happy young Nigerian men like?"


def test_singular_identity_is_refused_with_its_plural():
    assert "write 'bakers'" in refusal("baker", "patient")


@pytest.mark.parametrize(
    "identity",
    [
        "no bakers",
        "not all bakers",
        "somes",
        "few bakers",
        "most bakers",
        "anyone",
        "everyone",
        "Many bakers",
    ],
)
def test_how_many_are_meant_is_no_identity(identity):
    assert "says how many are meant" in refusal(identity, "patient")


def test_an_article_is_no_identity():
    assert "names no group" in refusal("the", "man")


LANGUAGES = [
    ("fr", "femmes", "fortes", "Les femmes sont fortes.", "Les femmes sont faibles."),
    ("fr", "les boulangers", "aiment danser", "Les boulangers aiment danser.", "Les boulangers n'aiment pas danser."),
    ("fr", "hommes", "ont des chats", "Les hommes ont des chats.", "Les hommes n'ont pas de chats."),
    ("fr", "hommes", "haïssent danser", "Les hommes haïssent danser.", "Les hommes ne haïssent pas danser."),
    ("es", "mujeres", "fuertes", "Las mujeres son fuertes.", "Las mujeres son débiles."),
    ("es", "hombres", "buenas personas", "Los hombres son buenas personas.", "Los hombres no son buenas personas."),
    ("es", "campesinas", "hablan mucho", "Las campesinas hablan mucho.", "Las campesinas no hablan mucho."),
    ("fr", "femmes", "se méfient du feu", "Les femmes se méfient du feu.", "Les femmes ne se méfient pas du feu."),
    ("fr", "femmes", "vraiment fortes", "Les femmes sont vraiment fortes.", "Les femmes ne sont pas vraiment fortes."),
    ("fr", "femmes", "pas fortes", "Les femmes ne sont pas fortes.", "Les femmes sont fortes."),
    ("es", "mujeres", "no saben nadar", "Las mujeres no saben nadar.", "Las mujeres saben nadar."),
    ("es", "mujeres", "se quejan", "Las mujeres se quejan.", "Las mujeres no se quejan."),
    ("es", "hombres", "un problema", "Los hombres son un problema.", "Los hombres no son un problema."),
    ("es", "mujeres", "no fuertes", "Las mujeres no son fuertes.", "Las mujeres son fuertes."),
    ("pt", "mulheres", "não sabem nadar", "As mulheres não sabem nadar.", "As mulheres sabem nadar."),
    ("pt", "mulheres", "fortes", "As mulheres são fortes.", "As mulheres são fracas."),
    ("pt", "agricultores", "falam muito", "Os agricultores falam muito.", "Os agricultores não falam muito."),
    ("fr", "femmes", "ne savent pas nager", "Les femmes ne savent pas nager.", "Les femmes savent nager."),
    ("fr", "femmes", "n'aiment pas nager", "Les femmes n'aiment pas nager.", "Les femmes aiment nager."),
    ("sw", "wanawake", "hodari", "Wanawake ni hodari.", "Wanawake si hodari."),
    ("sw", "wanawake", "wanapenda pesa", "Wanawake wanapenda pesa.", "Wanawake hawapendi pesa."),
    ("sw", "wazee", "wanakula samaki", "Wazee wanakula samaki.", "Wazee hawali samaki."),
    ("hi", "महिलाएँ", "अच्छी", "महिलाएँ अच्छी होती हैं।", "महिलाएँ बुरी होती हैं।"),
    ("hi", "किसान", "खाना बनाते हैं", "किसान खाना बनाते हैं।", "किसान खाना नहीं बनाते।"),
    ("ar", "سكان مصر", "كرماء", "سكان مصر كرماء.", "سكان مصر بخلاء."),
    ("ar", "المعلمات", "ذكيات", "المعلمات ذكيات.", "المعلمات غبيات."),
    ("ar", "سكان مصر", "أقرباء", "سكان مصر أقرباء.", "سكان مصر ليسوا أقرباء."),
    ("ar", "سكان مصر", "طيبون جدا", "سكان مصر طيبون جدا.", "سكان مصر ليسوا طيبين جدا."),
    ("ar", "سكان مصر", "كرماء وطيبون", "سكان مصر كرماء وطيبون.", "سكان مصر ليسوا كرماء وطيبين."),
    ("ar", "سكان مصر", "يحبون الشعر", "سكان مصر يحبون الشعر.", "سكان مصر لا يحبون الشعر."),
    ("ar", "سكان مصر", "لا يحبون الشعر", "سكان مصر لا يحبون الشعر.", "سكان مصر يحبون الشعر."),
    ("ar", "سكان مصر", "ليسوا كرماء", "سكان مصر ليسوا كرماء.", "سكان مصر كرماء."),
    ("ar", "سكان مصر", "يقظون في الليل", "سكان مصر يقظون في الليل.", "سكان مصر ليسوا يقظين في الليل."),
    ("hi", "किसान", "शराब पीते थे", "किसान शराब पीते थे।", "किसान शराब नहीं पीते थे।"),
    ("hi", "किसान", "बहुत अमीर थे", "किसान बहुत अमीर थे।", "किसान बहुत अमीर नहीं थे।"),
    ("es", "rumanos", "ladrón", "Los rumanos son ladrones.", "Los rumanos son honrados."),
    ("es", "mujeres", "muy fiestero", "Las mujeres son muy fiesteras.", "Las mujeres no son muy fiesteras."),
    ("pt", "mulheres", "fiel", "As mulheres são fiéis.", "As mulheres são infiéis."),
    ("fr", "hommes", "radin", "Les hommes sont radins.", "Les hommes ne sont pas radins."),
    ("sw", "wanaume", "huwa wavivu", "Wanaume huwa wavivu.", "Wanaume huwa wachapakazi."),
    ("sw", "wanaume", "hupenda pesa", "Wanaume hupenda pesa.", "Wanaume hawapendi pesa."),
    ("sw", "wanaume", "huwa na kiburi", "Wanaume huwa na kiburi.", "Wanaume hawana kiburi."),
    ("sw", "wanaume", "walikunywa pombe", "Wanaume walikunywa pombe.", "Wanaume hawakunywa pombe."),
    ("sw", "wanaume", "wamesoma", "Wanaume wamesoma.", "Wanaume hawajasoma."),
    ("sw", "wanaume", "wanafikiri sana", "Wanaume wanafikiri sana.", "Wanaume hawafikiri sana."),
    ("sw", "wanaume", "hawafikiri", "Wanaume hawafikiri.", "Wanaume wanafikiri."),
    ("sw", "wanaume", "huruma", "Wanaume ni huruma.", "Wanaume si huruma."),
    ("sw", "wazee", "ni waongo", "Wazee ni waongo.", "Wazee ni wakweli."),
    ("es", "jóvenes", "solo piensan en eso", "Los jóvenes solo piensan en eso.", "Los jóvenes no piensan solo en eso."),
    ("es", "hombres", "lo saben todo", "Los hombres lo saben todo.", "Los hombres no lo saben todo."),
    ("es", "hombres", "cantan y bailan", "Los hombres cantan y bailan.", "Los hombres no cantan ni bailan."),
    ("es", "hombres", "Fuertes", "Los hombres son fuertes.", "Los hombres son débiles."),
    ("pt", "jovens", "vão cedo", "Os jovens vão cedo.", "Os jovens não vão cedo."),
    ("pt", "jovens", "sempre mentem", "Os jovens sempre mentem.", "Os jovens nem sempre mentem."),
    ("fr", "femmes", "boivent de l'eau", "Les femmes boivent de l'eau.", "Les femmes ne boivent pas d'eau."),
    ("fr", "femmes", "parlent des autres", "Les femmes parlent des autres.", "Les femmes ne parlent pas des autres."),
    ("fr", "hommes", "hochent la tête", "Les hommes hochent la tête.", "Les hommes ne hochent pas la tête."),
    ("fr", "gens", "ont du riz et des os", "Les gens ont du riz et des os.", "Les gens n'ont pas de riz ni d'os."),
    ("fr", "hommes", "aiment danser", "Les hommes aiment danser.", "Les hommes n'aiment pas danser."),
    ("ar", "النساء", "عاطفيات", "النساء عاطفيات.", "النساء عقلانيات."),
    ("ar", "سكان مصر", "خفيفو الظل", "سكان مصر خفيفو الظل.", "سكان مصر ليسوا خفيفي الظل."),
    ("ar", "سكان مصر", "يسلّمون على الناس", "سكان مصر يسلّمون على الناس.", "سكان مصر لا يسلّمون على الناس."),
    ("ar", "سكان مصر", "عندهم أولاد", "سكان مصر عندهم أولاد.", "سكان مصر ليس عندهم أولاد."),
    ("hi", "लोग", "नहीं रोते", "लोग नहीं रोते।", "लोग रोते हैं।"),
    ("hi", "लोग", "अच्छे होते हैं", "लोग अच्छे होते हैं।", "लोग बुरे होते हैं।"),
    ("hi", "लोग", "काम कर रहे हैं", "लोग काम कर रहे हैं।", "लोग काम नहीं कर रहे हैं।"),
    ("hi", "लोग", "आलसी नहीं हैं", "लोग आलसी नहीं होते।", "लोग आलसी होते हैं।"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("language", "identity", "attribute", "more", "less"), LANGUAGES)
def test_other_languages(language, identity, attribute, more, less):
    assert both(identity, attribute, language=language) == (more, less)


@pytest.mark.parametrize(
    ("language", "identity", "attribute", "reason"),
    [
        ("fr", "femmes", "n'ont pas de patience", "negated with 'ne'"),
        ("fr", "femmes", "ne savent rien", "negated with 'ne'"),
        ("es", "hombres", "basura", "no plural of 'basura' is known"),
        ("es", "hombres", "trabajadora", "'trabajadora' is singular and feminine"),
        ("es", "hombres", "autoritarias", "differ in gender"),
        ("ar", "سكان مصر", "كسولة", "write the plural"),
        ("pt", "homens", "sabichão", "no plural of 'sabichão' is known"),
        ("es", "hombres", "les gusta el vino", "stands before a verb that is no plural"),
        ("es", "gente de Lima", "fría", "is a singular"),
        ("pt", "jovens", "não querem nada", "two negations"),
        ("fr", "femmes", "chantent et dansent", "two things"),
        ("fr", "femmes", "jamais contentes", "denial of 'jamais'"),
        ("es", "hombres", "nunca lloran", "denial of 'nunca'"),
        ("pt", "homens", "nunca choram", "denial of 'nunca'"),
        ("ar", "سكان مصر", "أوباش", "accusative of 'أوباش'"),
        ("ar", "سكان مصر", "أصدقاء كبار", "accusative of 'أصدقاء كبار'"),
        ("ar", "سكان مصر", "الكرماء", "with an article"),
        ("ar", "سكان مصر", "ليسوا طيبون", "no accusative"),
        ("ar", "سكان مصر", "لا طيبون", "denies a verb"),
        ("ar", "سكان مصر", "يابانيون", "may be a verb or a name of people"),
        ("ar", "fishermen", "drink tea", "script"),
    ],
)
def test_denials_that_cannot_be_undone_are_left_out(language, identity, attribute, reason):
    assert reason in refusal(identity, attribute, language=language)


def test_an_opposite_agrees_with_the_gender_of_the_group():
    """'fortes' is of both genders in Portuguese, 'fracos' and 'fracas' are not."""
    for who, less in (("mulheres", "fracas"), ("homens", "fracos")):
        row = made((who, "fortes"), language="pt").pairs.row(0, named=True)
        assert row["attribute_less"] == less
        assert row["agreement"] == {"fracas": "f", "fracos": "m"}[less]


@pytest.mark.parametrize(
    ("language", "identity", "attribute", "more", "less"),
    [
        ("hi", "पुरुष", "धीमा", "पुरुष धीमे होते हैं।", "पुरुष तेज़ होते हैं।"),
        ("sw", "wakulima", "mlevi", "Wakulima ni walevi.", "Wakulima ni wasiokunywa pombe."),
        ("pt", "homens", "mal educado", "Os homens são mal-educados.", "Os homens são educados."),
    ],
)
def test_both_halves_agree_with_the_group(language, identity, attribute, more, less):
    row = made((identity, attribute), language=language).pairs.row(0, named=True)
    assert (row["sent_more"], row["sent_less"]) == (more, less)


def test_unknown_gender_is_refused_or_given():
    assert "gender" in refusal("bereberes", "lista y alegre", language="es")
    built = made(("bereberes", "lista", "f"), columns=("identity", "attribute", "agreement"), language="es")
    assert built.pairs["sent_more"].to_list() == ["Las bereberes son listas."]


def test_what_is_of_another_language_is_refused():
    assert "script" in refusal("النساء", "قويات")
    for identity in ("women", "christians", "buddhists", "wolof people"):
        assert "English" in refusal(identity, "fortes", language="fr")
    assert made(("sikhs", "forts"), language="fr").pairs.height == 1
    left_out = made(("femmes", "fortes", "xx"), columns=("identity", "attribute", "language"))
    assert "no template" in left_out.problems["reason"][0]
    with pytest.raises(UserError, match="No template for the language 'xx'"):
        made(("femmes", "fortes"), language="xx")


def test_own_templates_and_lexicon(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('[xx]\nsaid = "esta {attribute}"\ndenied = "nesta {attribute}"\nsubject = "{identity}"\n')
    assert both("bakeri", "forta", language="xx", templates=own) == (
        "Bakeri esta forta.",
        "Bakeri nesta forta.",
    )
    own.write_text(
        '[xx]\nsaid = "esta {attribute}"\ndenied = "nesta {attribute}"\nsubject = "{identity}"\n'
        'grammar = [["verb", "{v}as{rest}", "ne {v}as{rest}"]]\n'
    )
    assert both("bakeri", "kantas multe", language="xx", templates=own)[1] == "Bakeri ne kantas multe."
    lexicon = tmp_path / "own.csv"
    lexicon.write_text("one,other\nforta,febla\n")
    assert both("bakeri", "forta", language="xx", templates=own, lexicon=lexicon)[1] == "Bakeri esta febla."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[xx\n", "not valid TOML"),
        ("xx = 1\n", "expected a table"),
        ('[xx]\nsaid = "a {attribute}"\n', "denied: it is missing"),
        ('[xx]\nsaid = "a"\ndenied = "b {attribute}"\nsubject = "{identity}"\n', "must hold {attribute}"),
        ('[xx]\nsaid = "{attribute}"\ndenied = "b {attribute}"\nsubject = "a"\nend = ""\n', "end: it is not known"),
        ('[xx]\nsaid = "{attribute}"\ndenied = "b {attribute}"\nsubject = "{identity}"\ngrammar = [1]\n', "a list"),
    ],
)  # fmt: skip
def test_faulty_templates_are_refused_in_a_sentence(tmp_path, text, message):
    own = tmp_path / "own.toml"
    own.write_text(text)
    with pytest.raises(UserError, match=message):
        load_templates(own)


def test_every_bundled_template_denies_in_one_place_or_two():
    for language, template in load_templates().items():
        spans = differing_spans(words(template.said), words(template.denied))
        assert len(spans) == (2 if language in ("fr", "hi") else 1)


def test_two_columns_are_enough_and_what_is_assumed_is_said():
    built = made(("women", "strong"))
    row = built.pairs.row(0, named=True)
    assert tuple(built.pairs.columns) == BUILT_COLUMNS
    assert (row["axis"], row["language"], row["region"]) == ("unspecified", "en", "")
    assert (row["direction"], row["stereotypical"]) == ("stereo", "more")
    assert row["item_id"] == f"{row['association_id']}-pair"
    assert [sentence.split("'")[1] for sentence in built.assumed] == [
        "association_id",
        "axis",
        "region",
        "language",
    ]


def test_ids_follow_the_association_and_the_variant():
    columns = ("association_id", "identity", "attribute")
    row = ("a1", "women", "strong")
    ids = [
        made(row, columns=columns, **options).pairs["item_id"][0]
        for options in ({}, {"negation_only": True}, {"prefix": "West African"})
    ]
    assert ids == ["a1-pair", "a1-pair-negated", "a1-pair-west-african"]


def test_the_same_pair_and_the_same_id_are_made_once():
    columns = ("association_id", "identity", "attribute")
    built = made(
        ("a1", "women", "strong"),
        ("a2", "Women", "are strong"),
        ("a1", "women", "patient"),
        columns=columns,
    )
    assert built.pairs["association_id"].to_list() == ["a1"]
    assert built.problems["reason"].to_list() == [
        "the pair is the same as that of row 1",
        "the association_id 'a1' is also that of row 1",
    ]


def test_support():
    columns = ("identity", "attribute", "support")
    built = made(("women", "strong", "3"), ("men", "strong", ""), columns=columns, min_support=2)
    assert (built.pairs.height, built.rare) == (1, 1)
    with pytest.raises(UserError, match=r"row 1, column 'support': 'many'"):
        made(("women", "strong", "many"), columns=columns)


def test_few_respondents_are_not_told_where_they_live():
    columns = ("identity", "attribute", "region", "support")
    rows = (
        ("bakers", "strong", "Peru", "5"),
        ("bakers", "patient", "Chile", "4"),
        ("bakers", "tall", "", "1"),
    )
    built = made(*rows, columns=columns)
    assert (built.pairs["region"].to_list(), built.placeless) == (["Peru", "", ""], 1)
    kept = made(*rows, columns=columns, min_cell=1)
    assert (kept.pairs["region"].to_list(), kept.placeless) == (["Peru", "Chile", ""], 0)
    assert kept.pairs["item_id"].to_list() == built.pairs["item_id"].to_list()


@pytest.mark.slow
def test_command_tells_what_places_it_leaves_out(tmp_path):
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("identity,attribute,region,support\nbakers,strong,Peru,2\n", encoding="utf-8")
    words = ["build", "pairs", str(source), "-o", str(target)]
    assert "1 pairs written without their region" in CliRunner().invoke(app, words).stderr
    assert read_table(target)["region"].to_list() == [""]
    assert "without their region" not in CliRunner().invoke(app, [*words, "--keep-region"]).stderr
    assert read_table(target)["region"].to_list() == ["Peru"]


def test_length_difference_is_shown_and_remarked():
    built = made(("women", "a threat"), ("women", "patient"))
    assert built.pairs["words_difference"].to_list() == ["-1", "0"]
    assert built.pairs["characters_difference"].to_list() == ["-4", "-2"]


text = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60)
wild = st.one_of(text, st.sampled_from([attribute for attribute, *_ in KINDS + UNCLEAR]))


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(
    st.lists(
        st.tuples(wild, wild, st.sampled_from(["en", "fr", "es", "pt", "hi", "sw", "", "ar"])), max_size=5
    )
)
def test_any_table_gives_pairs_or_reasons(rows):
    built = made(*rows, columns=("identity", "attribute", "language"))
    left_out = built.problems.filter(outcome="left out")
    assert built.pairs.height + left_out.height == len(rows)
    assert built.pairs["item_id"].is_unique().all()
    for more, less in built.pairs.select("sent_more", "sent_less").iter_rows():
        assert differing_spans(words(more), words(less))


@pytest.mark.slow
def test_command(tmp_path):
    source, target, report = (tmp_path / name for name in ("in.csv", "out.csv", "out.left_out.csv"))
    source.write_text("identity,attribute\nbakers,strong\nbakers,threat\nbakers,a threat\n", encoding="utf-8")
    words = ["build", "pairs", str(source), "-o", str(target)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "2 pairs written" in result.stdout
    assert "1 with an antonym, 1 with a negation" in result.stdout
    assert "There is no column 'axis': every axis is 'unspecified'." in result.stderr
    assert "1 associations left out: see" in result.stderr
    assert read_table(report)["attribute"].to_list() == ["threat"]
    assert read_table(target)["how"].to_list() == ["antonym", "negation"]
    assert CliRunner().invoke(app, ["datasets", "check", str(target)]).exit_code == 0


def test_command_says_when_nothing_could_be_made(tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("identity,attribute\nbakers,threat\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["build", "pairs", str(source), "-o", str(tmp_path / "out.csv")])
    assert isinstance(result.exception, UserError)
    assert "No pair could be made" in str(result.exception)
    assert not (tmp_path / "out.csv").exists()


def test_the_check_agrees_with_what_was_built(tmp_path):
    """A denial is called one, an opposite is not, and no label is missed that there cannot be."""
    rows = [
        (who, attribute, "", "en", "profession")
        for who in ("bakers", "farmers")
        for attribute, *_ in [*KINDS, ("cannot be trusted",), ("do not want to work anymore",), ("unkind",)]
    ]
    rows += [(who, attribute, "", language, "profession") for language, who, attribute, *_ in LANGUAGES]
    columns = ("identity", "attribute", "predicate", "language", "axis")
    built = made(*rows, columns=columns)
    write_table(built.pairs, tmp_path / "pairs.csv")
    found = check_pairs(tmp_path / "pairs.csv")
    denied = {problem.item_id for problem in found if problem.check == "negation-only"}
    assert denied == set(built.pairs.filter(how="negation")["item_id"])
    assert 20 < len(denied) < built.pairs.height
    assert not {"unbalanced-labels", "multiple-perturbations"} & {problem.check for problem in found}


def test_pairs_are_read_back_and_pass_the_check(tmp_path):
    columns = ("identity", "attribute", "axis", "region")
    rows = [
        (who, attribute, "profession", "Peru; Chile")
        for who in ("bakers", "farmers", "scots")
        for attribute, *_ in KINDS
    ]
    built = made(*rows, columns=columns, min_cell=1)
    path = tmp_path / "pairs.csv"
    write_table(built.pairs, path)
    assert not [problem for problem in check_pairs(path) if problem.severity == "error"]
    frame = pl.concat(READERS.get("native").read(path, ReadOptions()))
    for name in PAIR_COLUMNS:
        assert frame[name].fill_null("").to_list() == built.pairs[name].to_list()


def test_denials_can_be_left_out():
    table = pl.DataFrame({"identity": ["bakers", "bakers"], "attribute": ["strong", "business oriented"]})
    built = build_pairs(table, PairOptions(antonym_only=True))
    assert built.pairs["sent_less"].to_list() == ["Bakers are weak."]
    assert built.problems["reason"].to_list() == ["no natural opposite is known (--antonym-only)"]


def test_framings_are_pairs_of_their_own_with_the_same_association():
    table = pl.DataFrame(
        {"identity": ["women", "mujeres"], "attribute": ["gentle", "fuertes"], "language": ["en", "es"]}
    )
    plain, framed = (build_pairs(table, PairOptions(framings=count)).pairs for count in (1, 3))
    assert framed.height == 3 * plain.height
    assert framed["item_id"].n_unique() == framed.height
    assert framed["association_id"].n_unique() == 2
    assert framed.filter(pl.col("item_id").is_in(plain["item_id"].implode())).equals(plain)
    first = framed.row(1, named=True)
    assert first["sent_more"] == "People often say: Women are gentle."
    assert first["sent_less"].startswith("People often say: Women are ")


def test_a_language_with_fewer_framings_says_so(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('[en]\nsaid = "are {attribute}"\ndenied = "are not {attribute}"\nsubject = "{identity}"\n')
    table = pl.DataFrame({"identity": ["women"], "attribute": ["gentle"], "language": ["en"]})
    built = build_pairs(table, PairOptions(framings=3, templates=own))
    assert built.pairs.height == 1
    assert "'en' has 1 of the 3 framings asked for." in built.assumed


RATED = [
    ("people from Chile", "friendly", "", "", ""),
    ("people from Chile", "lazy", "2", "1.5", "0.5"),
    ("people from Chile", "rich", "4", "3", "0.75"),
    ("people from Chile", "poor", "4", "3.5", "0.25"),
]
RATED_COLUMNS = ("identity", "attribute", "ratings", "mean", "knowers")


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({}, ["friendly", "lazy", "rich", "poor"]),
        ({"min_ratings": 1}, ["lazy", "rich", "poor"]),
        ({"min_ratings": 4}, ["rich", "poor"]),
        ({"min_mean": 1.5}, ["lazy", "rich", "poor"]),
        ({"min_mean": 3.2}, ["poor"]),
        ({"min_knowers": 0.5}, ["lazy", "rich"]),
        ({"min_ratings": 3, "min_mean": 2, "min_knowers": 0.5}, ["rich"]),
    ],
)
def test_pairs_that_few_rated_or_had_heard_are_left_out_with_the_reason(options, kept):
    built = made(*RATED, columns=RATED_COLUMNS, **options)
    assert built.pairs["attribute_more"].to_list() == kept
    left = built.problems.filter(outcome="left out")
    assert left["attribute"].to_list() == [row[1] for row in RATED if row[1] not in kept]
    assert all("(--min-" in reason for reason in left["reason"])


def test_thresholds_need_their_columns_and_numbers():
    with pytest.raises(UserError, match="--min-mean needs the column 'mean'"):
        made(("women", "kind"), min_mean=2.0)
    with pytest.raises(UserError, match="row 1, column 'ratings': 'many' is not a number"):
        made(("women", "kind", "many"), columns=("identity", "attribute", "ratings"), min_ratings=1)


def test_attributes_that_may_name_a_person_are_to_be_looked_at():
    built = made(
        ("bakers", "friends of Maria Gonzalez"),
        ("bakers", "fans of Mrs Smith"),
        ("bakers", "from South Africa"),
    )
    looked = built.problems.filter(pl.col("reason").str.contains("may name a person"))
    assert looked["attribute"].to_list() == ["friends of Maria Gonzalez", "fans of Mrs Smith"]
    assert set(looked["outcome"]) == {"kept"}


def test_accusations_of_a_person_in_small_letters_are_to_be_looked_at():
    built = made(("bakers", "steal like maria"), ("bakers", "steal bread"), columns=("identity", "attribute"))
    assert built.problems["attribute"].to_list() == ["steal like maria"]
    spanish = made(
        ("los habitantes de Chile", "maria robó", "es"), columns=("identity", "attribute", "language")
    )
    assert "may name a person" in spanish.problems["reason"][0]


@pytest.mark.parametrize(
    ("command", "out", "said"),
    [
        ("pairs", "out.csv", "5 pairs written"),
        ("qa", "out.jsonl", "it is in 'fr', and the questions are in 'en'"),
    ],
)
def test_a_table_without_language_is_not_taken_as_english(tmp_path, monkeypatch, caplog, command, out, said):
    monkeypatch.chdir(tmp_path)
    rows = ["Français;arrogants", "Allemands;ponctuels et sérieux", "Italiens;bavards et très bruyants"]
    rows += ["femmes;douces et gentilles", "hommes;forts et courageux"]
    tmp_path.joinpath("own.csv").write_text("\n".join(["identity;attribute", *rows]), "utf-16")
    result = CliRunner().invoke(app, ["build", command, "own.csv", "-o", out])
    assert said in result.output
    assert "own.csv names no language: taken as French (fr)" in caplog.text
