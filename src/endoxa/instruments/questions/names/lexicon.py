"""The word lists of `endoxa/words/en/noun_phrases.toml`, under names. What each holds is said there."""

from __future__ import annotations

from endoxa.words.packs import words_of

_LISTS = words_of("en", "noun_phrases.toml")


def _words(name: str) -> frozenset[str]:
    return frozenset(_LISTS[name].split())


MALE = _words("male")
FEMALE = _words("female")
PERSON = MALE | FEMALE | _words("person")
PEOPLE = _words("people")
COLLECTIVE = _words("collective")
COLLECTIVES = _words("collective_plural")
FOLLOWING = _words("following")
OWNED = _words("owned")
SINGULAR = PERSON | COLLECTIVE | OWNED
PLURAL = PEOPLE | COLLECTIVES | FOLLOWING
ATTRIBUTIVE = _words("attributive")
NAMING = _words("naming")
SUBJECT = _words("subject")
FAMILY_COMPOUND = _words("family_compound")
MODIFIER = _words("modifier")
CONTRAST = _words("contrast")
BESIDE = MODIFIER | CONTRAST
DEFINITE = _words("definite")
INDEFINITE = _words("indefinite")
POSSESSIVE = _words("possessive")
DETERMINER = DEFINITE | INDEFINITE | POSSESSIVE
BE = _words("be")
BE_PLURAL = _words("be_plural")
ADVERB = _words("adverb")
ALL_OF = _words("all_of")
AFTER_NOUN = _words("after_noun")
BEFORE_BARE = _words("before_bare")
JOINING = _words("joining")
MINE = _words("mine")
PLURAL_ENDING = tuple(_LISTS["plural_ending"].split())
MALE_PRONOUN = _words("male_pronoun")
ORDINARY = _words("ordinary")
FEMALE_PRONOUN = _words("female_pronoun")
