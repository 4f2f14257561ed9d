"""Unkind words in all languages: what lists of words say, what is covered, what nobody judged."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from endoxa.words.packs import words_by_language
from endoxa_collect.cards import answering, drawing
from endoxa_collect.entry.proposing import propose
from endoxa_collect.entry.seeding import SeedRow, add_seeds, unkind
from endoxa_collect.entry.words import bare, is_slur, negative, read_words
from endoxa_collect.models import Action, Moderation, Pair, Via
from endoxa_collect.organiser.decisions import decide, reasons, revision, undo
from endoxa_collect.organiser.moderation import line
from endoxa_collect.presets import load_preset

UNKIND = (
    ("en", "are backward"),
    ("en", "breed like rabbits"),
    ("en", "are primitive"),
    ("en", "are animals"),
    ("en", "never wash"),
    ("en", "smell"),
    ("en", "never pay their debts"),
    ("en", "are terrible cooks"),
    ("es", "son flojos"),
    ("es", "muy TACAÑAS"),
    ("pt", "são preguiçosos"),
    ("fr", "ils sont paresseux"),
    ("ar", "هم بخلاء"),
    ("ar", "الكسالى"),
    ("ar", "كاذبات"),
    ("ar", "مغرورات"),
    ("hi", "bahut kanjoos hote hain"),
    ("sw", "ni mashoga"),
    ("hi", "वे आलसी हैं"),
    ("sw", "ni wavivu"),
)
UNKNOWN = (
    ("en", "dance tango"),
    ("en", "aren’t backward"),
    ("en", "smell good"),
    ("es", "bailan tango"),
    ("es", "no son flojos"),
    ("fr", "ne sont pas paresseux"),
    ("pt", "tomam café"),
    ("ar", "ليسوا بخلاء"),
    ("hi", "आलसी नहीं हैं"),
    ("sw", "si wavivu"),
    ("sw", "wanacheza mpira"),
    ("ha", "suna son shayi"),
)
LISTS = words_by_language("unkind.toml")


@pytest.mark.parametrize(("language", "text"), UNKIND)
def test_lists_of_words_know_common_unkind_words(language, text):
    assert negative(text, language) is True


@pytest.mark.parametrize(("language", "text"), UNKNOWN)
def test_what_no_list_holds_or_is_negated_is_not_known(language, text):
    assert negative(text, language) is None


@pytest.mark.parametrize("language", LISTS)
def test_lists_are_sizeable_find_their_own_words_and_hold_none_twice(language):
    words = LISTS[language]["words"]
    assert 60 <= len(words) <= 200
    assert len(set(map(bare, words))) == len(words)
    assert all(negative(word.replace("*", ""), language) for word in words)


@pytest.mark.parametrize("text", ["love poetry", "are friendly", "help each other"])
def test_english_words_are_kind_only_where_vader_says_so(text):
    assert negative(text, "en") is False


@given(st.text(max_size=120), st.sampled_from(sorted({*LISTS, "de"} - {"en"})))
def test_a_list_never_says_that_words_are_kind(text, language):
    assert negative(text, language) in {True, None}


@pytest.mark.parametrize("name", ["laces", "afristereo"])
def test_no_list_contradicts_the_marks_of_our_own_seeds(name):
    seeds = load_preset(name).seeds
    assert not [seed for seed in seeds if seed.negative is False and negative(seed.attribute, seed.language)]


def say(person, text, language="es"):
    return propose(person, None, country="AR", text=text, language=language, via=Via.ATTRIBUTE).pair


def act(pair, user, action, **facts):
    pair = Pair.objects.get(pk=pair.pk)
    return decide(pair.campaign, user, pair.public_id, Action(action), revision(pair), **facts)


@pytest.mark.parametrize(
    ("text", "language", "judged", "covered"),
    [
        ("son tacaños", "es", True, True),
        ("bailan tango", "es", None, True),
        ("love poetry", "en", False, False),
        ("dance tango", "en", None, True),
        ("are terrible cooks", "en", True, True),
    ],
)
def test_what_people_add_is_covered_unless_it_is_known_to_be_kind(person, text, language, judged, covered):
    pair = say(person, text, language)
    assert (pair.negative, pair.may_hurt) == (judged, covered)


@pytest.mark.parametrize(
    ("row", "judged", "covered"),
    [
        (SeedRow("AR", "son flojos", "es"), True, True),
        (SeedRow("AR", "son flojos", "es", "", False), False, False),
        (SeedRow("AR", "bailan tango", "es"), None, False),
        (SeedRow("AR", "bailan tango", "es", "", True), True, True),
    ],
)
def test_organisers_answer_for_seeds_they_did_not_mark(campaign, row, judged, covered):
    add_seeds(campaign, [row])
    pair = Pair.objects.get()
    assert (unkind(row), pair.negative, pair.may_hurt) == (judged, judged, covered)


@pytest.mark.slow
def test_approving_uncovers_what_nobody_judged_but_not_what_is_unkind(campaign, person, make_account):
    moderator = make_account("mo", campaign, "moderator")
    unjudged, unkind_one = say(person, "bailan tango"), say(person, "son tacaños")
    approved = act(unjudged, moderator, "approve")
    act(unkind_one, moderator, "approve")
    assert not Pair.objects.get(pk=unjudged.pk).may_hurt
    assert Pair.objects.get(pk=unjudged.pk).negative is None
    assert Pair.objects.get(pk=unkind_one.pk).may_hurt
    undo(campaign, moderator, approved.public_id)
    assert Pair.objects.get(pk=unjudged.pk).may_hurt


@pytest.mark.slow
def test_an_approval_is_of_the_words_that_stood_there(campaign, person, make_account):
    moderator = make_account("mo", campaign, "moderator")
    pair = say(person, "bailan tango")
    for action, words, covered in (
        ("approve", {}, False),
        ("edit", {"text": "cantan milongas", "language": "es"}, True),
        ("approve", {}, False),
    ):
        done = act(Pair.objects.get(), moderator, action, **words)
        assert Pair.objects.get(pk=pair.pk).may_hurt is covered
    undo(campaign, moderator, done.public_id)
    assert Pair.objects.get(pk=pair.pk).may_hurt


@pytest.mark.slow
def test_moderators_see_covered_what_contributors_do_and_what_waits(campaign, person, make_account):
    moderator = make_account("mo", campaign, "moderator")
    pair = say(person, "bailan tango")
    Pair.objects.update(moderation=Moderation.LIVE)
    assert line(Pair.objects.get(), open_words=False)["covered"]
    Pair.objects.update(moderation=Moderation.PENDING)
    act(pair, moderator, "approve")
    assert not line(Pair.objects.get(), open_words=False)["covered"]


@pytest.mark.slow
def test_new_words_are_judged_anew(campaign, person, make_account):
    moderator = make_account("mo", campaign, "moderator")
    pair = say(person, "bailan tango")
    act(pair, moderator, "mark", negative=False)
    act(pair, moderator, "edit", text="son flojos", language="es")
    assert Pair.objects.get(pk=pair.pk).negative is True
    act(pair, moderator, "edit", text="bailan tango siempre", language="es")
    assert Pair.objects.get(pk=pair.pk).negative is True


@pytest.mark.slow
@pytest.mark.parametrize(("sent", "stored"), [("true", True), ("false", False), ("unknown", None)])
def test_moderators_can_say_yes_no_or_that_they_do_not_know(
    client, campaign, person, make_account, sent, stored
):
    client.force_login(make_account("mo", campaign, "moderator"))
    pair = say(person, "bailan tango")
    Pair.objects.filter(pk=pair.pk).update(negative=not stored)
    facts = {"action": "mark", "seen": revision(Pair.objects.get()), "topic": "", "negative": sent}
    client.post(reverse("organiser:moderation_act", args=[campaign.slug, pair.public_id]), facts)
    assert Pair.objects.get().negative is stored


def test_to_the_guards_what_nobody_judged_is_mild(campaign, person, make_pairs):
    """After two unkind cards about one's own country a kinder one follows; nobody knows that of the third pair."""
    make_pairs(campaign, *(("AR", f"steal {n}", "en") for n in range(3)), negative=True)
    unknown, *_ = make_pairs(campaign, ("AR", "dance", "en"))
    Pair.objects.filter(pk=unknown.pk).update(waiting_since=2**40)
    for _ in range(2):
        card = drawing.next_card(person)
        assert card.negative
        answering.rate(person, card.token, 3, lifted=True)
    assert drawing.next_card(person).pair == unknown


# Written down before any list was looked at (ten in each are held against the site here).
CRUDE = {
    "ar": "قحاب|أولاد الكلب|خولات|منايك|كس أمك",
    "en": "sons of bitches|whores|faggots|wetbacks|retards",
    "es": "hijos de puta|pendejos|gilipollas|gente de mierda|malparidos|sudacas|vayan a la chingada|mongólicos",
    "fr": "enculés|salopes|bougnoules|youpins|des cons|enfoirés|tarlouzes",
    "hi": "मादरचोद|चूतिया|रंडी|भोसड़ी के|गांडू|भंगी",
    "pt": "filhos da puta|viados|cuzões|arrombados|vagabundas|boiolas",
    "sw": "malaya|ni mavi|wasenge|washenzi|makahaba",
}


DISGUISED = {
    "ar": "ش ر م و ط ة|شـرمـوطة|شرررموطة|الهنود القذرين|اليهود الملاعين",
    "en": "n1ggers|f a g g o t s|F.A.G.G.O.T.S|a$$holes|bloody foreigners|filthy gypsies|are scum",
    "es": "p u t o s|put0s|PUTOOOS|pu-tos|p.u.t.0.s|put@s|pend3jos|p\u00adu\u00adtos|pu\u200btos|p\u202eutos"
    "|los p u t o s ricos|pinches indios|pinche indio|indios malditos|son nacos|nacas",
    "fr": "c0nnards|s a l o p e s|sale arabe|sales étrangers|maudits Anglais|sont des ploucs",
    "hi": "चू ति या|रं डी|चूतियाााा|रं\u200dडी|साले बिहारी|वे नीच हैं",
    "pt": "v1ados|v i a d o s|malditos baianos|nordestinos fedorentos|são uns favelados",
    "sw": "ma1aya|m a l a y a|wa5enge|wakenya wajinga|mashenzi",
}
PLAIN = {
    "ar": "أ ب ت ث|المصريون كرماء|٣ ك س|لا يأكلون لحم الخنزير|يربّون الحمير|المنغوليون أقوياء|الأنجلو سكسونيون",
    "en": "A E I O U|J. R. R. Tolkien|like the U. S. A.|drive the A5s or the A55|have 455 cousins|pay $100 a day"
    "|born in 1990|dirty Indian rivers|drink a bloody mary|work from 9 to 5|e-mail at 5 a.m.|play Class 4 ska",
    "es": "A E I O U|nacieron el 12/10/1492|ganan 1 000 000 pesos|usan el 4x4|van a 100 km/h|son pinches de cocina"
    "|comen peras|leen a J. L. B.|tienen un camino a o b"
    "|las travestis son valientes|tortilleras|juegan a la polla|Panchito",
    "fr": "fêtent le 14 juillet|la baisse des prix|il y a 3 ou 4 k|se lavent les mains sales|n'y a-t-il pas",
    "hi": "क ख ग घ|अ आ इ ई|15 अगस्त 1947|सूअर नहीं खाते|छक्के मारते हैं|लंदन और लंडन में रहते हैं|नाजायज़ कब्ज़ा करते हैं"
    "|kutte ka maas khate hain|गांडीव उठाते हैं",
    "pt": "a e o que|gostam da cor no verão|em 7 de setembro de 1822|pescam piranhas|comem cacete|falam crioulo",
    "sw": "a e i o u|wana 12 watoto|saa 5 na 30|hawali nguruwe|hufuga punda|hula nyama ya nguruwe|huwinda nyani",
    "sv": "i slut av dagen",
}
"""Initials, numbers, dates and words that begin or end like a slur."""


@pytest.mark.parametrize("language", DISGUISED)
def test_slurs_are_flagged_in_disguise_and_beside_the_name_of_a_group(campaign, language):
    for text in DISGUISED[language].split("|"):
        words = read_words(text, language, campaign.settings)
        assert ("slur" in words.flags, words.negative) == (True, True), text


@pytest.mark.parametrize("language", PLAIN)
def test_initials_numbers_and_dates_are_no_slurs_in_disguise(campaign, language):
    for text in PLAIN[language].split("|"):
        assert {"slur", "harm"}.isdisjoint(read_words(text, language, campaign.settings).flags), text


@pytest.mark.parametrize("language", DISGUISED)
def test_every_word_of_a_list_is_found_apart_and_with_digits(language):
    for word in LISTS[language]["slurs"]:
        letters = word.replace("*", "")
        assert is_slur(letters, language)
        assert len(letters) < 3 or is_slur(" ".join(letters), language) or language == "hi", word
        assert not letters.isalpha() or len(letters) < 4 or is_slur(letters.replace("o", "0"), language), word


@pytest.mark.parametrize("language", CRUDE)
def test_slurs_are_flagged_in_each_language(campaign, language):
    for text in CRUDE[language].split("|"):
        words = read_words(text, language, campaign.settings)
        assert ("slur" in words.flags, words.negative) == (True, True), text


@pytest.mark.parametrize(
    ("text", "language"),
    [("con mucha alegría", "es"), ("toujours en retard", "fr"), ("eat dogs", "en"), ("hula mbwa", "sw"),
     ("bailan en la playa", "es"), ("trabalham muito", "pt"), ("class and glass", "en"), ("يأكلون الكلاب", "ar")],
)  # fmt: skip
def test_ordinary_words_are_no_slurs(campaign, text, language):
    assert "slur" not in read_words(text, language, campaign.settings).flags


def test_seeds_of_the_presets_hold_no_slur():
    """1,560 widely said things in seven languages, of which none is a slur."""
    seeds = [seed for name in ("laces", "school") for seed in load_preset(name).seeds]
    assert len(seeds) > 500
    assert [seed.attribute for seed in seeds if is_slur(seed.attribute, seed.language)] == []


@pytest.mark.parametrize(
    ("text", "language", "accuses"),
    [
        ("our neighbour steals", "en", True),
        ("el vecino del tercero roba", "es", True),
        ("mi jefe es corrupto", "es", True),
        ("la voisine vole", "fr", True),
        ("o vizinho rouba", "pt", True),
        ("जारी", "hi", False),
        ("neighbours sing together", "en", False),
        ("are thieves", "en", False),
    ],
)
def test_an_accusation_of_somebody_near_waits_for_a_moderator(campaign, text, language, accuses):
    assert ("accusation" in read_words(text, language, campaign.settings).flags) == accuses


def test_unmarked_seeds_stay_covered_where_no_slurs_are_known(campaign):
    add_seeds(campaign, [SeedRow("CL", "suna rawa", "ha"), SeedRow("CL", "bailan cueca", "es")])
    covered = dict(Pair.objects.values_list("language", "flags"))
    assert covered == {"ha": ["unlisted"], "es": []}
    assert [pair.may_hurt for pair in Pair.objects.order_by("language")] == [False, True]
    assert [pair.unchecked for pair in Pair.objects.order_by("language")] == [False, True]
    assert reasons(Pair.objects.get(language="ha")) == [
        "Nobody has checked these words: there is no list of slurs for their language. People see them covered."
    ]


def test_pages_call_words_hurtful_only_where_something_was_found(person):
    pairs = [say(person, text, language) for text, language in (("bailan", "es"), ("son flojos", "es"))]
    assert [pair.unchecked for pair in pairs] == [True, False]
    shown = [
        render_to_string("contributor/card_pair.html", {"pair": pair, "covered": True}) for pair in pairs
    ]
    assert ["Nobody has checked these words" in page for page in shown] == [True, False]
    assert ["These words may hurt" in page for page in shown] == [False, True]
