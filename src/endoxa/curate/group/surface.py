"""One spelling for attributes that differ on the surface only.

"are very loud" and "loud", "cheat" and "cheats", "old-school" and "old school", "organised" and "organized" say the
same; they are united before anything is compared by meaning, whatever an encoder thinks of them.
"""

from __future__ import annotations

from functools import lru_cache

from endoxa.curate.opposites import Lexicon, english

COPULAS = frozenset(
    [
        "is",
        "are",
        "am",
        "was",
        "were",
        "be",
        "been",
        "being",
        "es",
        "son",
        "está",
        "están",
        "ser",
        "est",
        "sont",
        "être",
        "é",
        "são",
        "estão",
        "ni",
        "hai",
        "है",
        "हैं",
    ]
)
ARTICLES = frozenset(["a", "an", "the"])
DENIALS = frozenset(
    [
        "not",
        "cannot",
        "cant",
        "dont",
        "doesnt",
        "didnt",
        "isnt",
        "arent",
        "wasnt",
        "werent",
        "wont",
        "hasnt",
        "havent",
    ]
)
AUXILIARIES = frozenset(
    ["do", "does", "did", "can", "could", "will", "would", "to", "have", "has", "had", "of"]
)
POSSESSIVES = frozenset(["their", "his", "her", "its"])
# Endings of British and of American spelling; a word changes only where the dictionary knows the other one.
SPELLINGS = (
    ("isation", "ization"), ("ising", "izing"), ("ised", "ized"), ("ises", "izes"), ("ise", "ize"),
    ("yse", "yze"), ("our", "or"), ("oured", "ored"), ("ourful", "orful"), ("ourable", "orable"), ("tre", "ter"),
    ("ogue", "og"), ("lled", "led"), ("lling", "ling"), ("ller", "ler"), ("llers", "lers"),
    ("judgement", "judgment"), ("judgemental", "judgmental"), ("skilful", "skillful"), ("grey", "gray"),
    ("ence", "ense"),
)  # fmt: skip


def clean(text: str, lexicon: Lexicon) -> str:
    """The attribute as it reads best: no copula, article or word of degree in front, plain apostrophes.

    "are very loud" gives "loud"; a text of which nothing would be left stays as it is.
    """
    from endoxa.curate.opposites.text import plain

    words = plain(text).strip(" .,;:!?\"'").split()
    dropped = COPULAS | ARTICLES | lexicon.rules.degree
    start = 0
    while start < len(words) - 1 and words[start] in dropped:
        start += 1
    return " ".join(words[start:])


def key(text: str, lexicon: Lexicon) -> str:
    """What an attribute and its surface variants have in common; equal keys are one term.

    Copula, articles, possessives, words of degree, number, person, comparison, hyphens, white space and British or
    American spelling do not count; negation does, however it is written. Forms of words are undone in English only.
    """
    words = lexicon.split(text)
    kept = [word for word in words if word not in COPULAS and word not in lexicon.rules.degree]
    if lexicon.language == "en":
        kept = [_english(word) for word in kept if word not in ARTICLES | AUXILIARIES | POSSESSIVES]
        if len(kept) == 2 and kept[1] in ("person", "people") and english.is_adjective(kept[0]):
            kept.pop()
    return "".join(kept or words) or text


@lru_cache(maxsize=65536)
def _english(word: str) -> str:
    if word in DENIALS:
        return "not"
    return _american(english.lemma(word))


def _american(word: str) -> str:
    if len(word) > 4:
        for british, american in SPELLINGS:
            other = word[: -len(british)] + american
            if word.endswith(british) and english.lemmas(other):
                return other
    return word
