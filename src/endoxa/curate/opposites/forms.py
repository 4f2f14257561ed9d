"""Inflected forms of lexicon terms by simple rules, so that a term is found as it stands in a sentence.

A form has a short name (its *feature*): "" is the term as listed; English uses Penn tags (NNS, JJR ...), Spanish,
French and Portuguese "f", "p" and "fp" (feminine, plural, both), Hindi "f" and "p", Swahili "p" (class 2).
The opposite of a term is given in the same form. Rules cover the regular patterns; `IRREGULAR` the commonest others.
"""

from __future__ import annotations

from collections.abc import Callable

from endoxa.curate.opposites import english

Forms = dict[str, str]
VOWELS = "aeiouáéíóúàâêîôûãõ"

IRREGULAR: dict[str, dict[str, tuple[str, str, str]]] = {
    "fr": {
        "beau": ("belle", "beaux", "belles"),
        "vieux": ("vieille", "vieux", "vieilles"),
        "fou": ("folle", "fous", "folles"),
        "mou": ("molle", "mous", "molles"),
        "doux": ("douce", "doux", "douces"),
        "gros": ("grosse", "gros", "grosses"),
        "bon": ("bonne", "bons", "bonnes"),
        "gentil": ("gentille", "gentils", "gentilles"),
        "sot": ("sotte", "sots", "sottes"),
        "franc": ("franche", "francs", "franches"),
        "traître": ("traîtresse", "traîtres", "traîtresses"),
        "discret": ("discrète", "discrets", "discrètes"),
        "indiscret": ("indiscrète", "indiscrets", "indiscrètes"),
        "malin": ("maligne", "malins", "malignes"),
    },
    "pt": {
        "mau": ("má", "maus", "más"),
        "bom": ("boa", "bons", "boas"),
        "são": ("sã", "sãos", "sãs"),
        "ladrão": ("ladra", "ladrões", "ladras"),
        "ateu": ("ateia", "ateus", "ateias"),
        "simples": ("simples", "simples", "simples"),
    },
    "es": {
        "mayor": ("mayor", "mayores", "mayores"),
        "superior": ("superior", "superiores", "superiores"),
        "inferior": ("inferior", "inferiores", "inferiores"),
    },
}
INVARIABLE = ("sans", "sem", "en")
ADVERBS = ("poco", "peu", "pouco", "bien", "mal")
SPANISH_ACCENTS = {"ón": "on", "án": "an", "ín": "in", "és": "es"}


def forms(term: str, part: str, language: str) -> Forms:
    """All forms of a lexicon term by feature; the term itself is under "".

    Args:
        term: as listed; in Swahili a leading hyphen marks a stem that takes the prefixes of people.
        part: adj, noun, verb, transitive or adv.
        language: ISO 639 code; without rules for it, the term is the only form.
    """
    if language == "en":
        # A noun or adjective of several words changes its last one, a verb its first.
        first, _, after = term.partition(" ")
        before, _, last = term.rpartition(" ")
        if part in ("verb", "transitive"):
            changed = {
                tag: f"{form} {after}".strip() for tag, form in english.inflections(first, part).items()
            }
        else:
            changed = {
                tag: f"{before} {form}".strip() for tag, form in english.inflections(last, part).items()
            }
        return {"": term} | changed
    if language == "sw":
        return _swahili(term)
    makers: dict[str, Callable[[str], Forms]] = {
        "es": _spanish,
        "fr": _french,
        "pt": _portuguese,
        "hi": _hindi,
    }
    if language not in makers or part not in ("adj", "noun"):
        return {"": term}
    if part == "noun" and " " in term:
        maker = makers[language]
        plural = " ".join(maker(word).get("p", word) for word in term.split())
        return {"p": plural, "fp": plural, "": term, "f": term}
    return _in_phrase(term, makers[language])


def _in_phrase(term: str, maker: Callable[[str], Forms]) -> Forms:
    """Forms of the word that agrees: the first one, or the last after an adverb ("mal élevé").

    Plurals come first: where one form is singular and plural alike ("paresseux"), it is taken as plural, since
    attributes are said of groups.
    """
    first, _, after = term.partition(" ")
    if first in INVARIABLE:
        return {"": term}
    if first in ADVERBS and after:
        inflected = {feature: f"{first} {form}" for feature, form in _in_phrase(after, maker).items()}
    else:
        inflected = {feature: f"{form} {after}".strip() for feature, form in maker(first).items()}
    order = ("p", "fp", "", "f")
    return {
        feature: (inflected | {"": term})[feature] for feature in order if feature in inflected or not feature
    }


def _three(feminine: str, plural: str, feminine_plural: str) -> Forms:
    return {"f": feminine, "p": plural, "fp": feminine_plural}


def _spanish(word: str) -> Forms:
    if word in IRREGULAR["es"]:
        return _three(*IRREGULAR["es"][word])
    bare = word[:-2] + SPANISH_ACCENTS[word[-2:]] if word[-2:] in SPANISH_ACCENTS else word
    if word.endswith("o"):
        feminine, plural = word[:-1] + "a", word + "s"
    elif word.endswith("or") or bare != word:
        feminine, plural = bare + "a", bare + "es"
    elif word.endswith("z"):
        feminine, plural = word, word[:-1] + "ces"
    else:
        feminine, plural = word, word + ("s" if word[-1] in VOWELS else "es")
    return _three(feminine, plural, plural if feminine == word else feminine + "s")


def _portuguese(word: str) -> Forms:
    if word in IRREGULAR["pt"]:
        return _three(*IRREGULAR["pt"][word])
    if word.endswith("o") and not word.endswith("ão"):
        feminine, plural = word[:-1] + "a", word + "s"
    elif word.endswith(("or", "ês")):
        feminine, plural = word.replace("ês", "es") + "a", word.replace("ês", "es") + "es"
    elif word.endswith("m"):
        feminine, plural = word, word[:-1] + "ns"
    elif word.endswith("vel") or word in ("débil", "frágil", "fácil", "difícil", "útil", "inútil"):
        feminine, plural = word, word[:-2] + "eis"
    elif word.endswith("il"):
        feminine, plural = word, word[:-1] + "s"
    elif word.endswith(("el", "ol")):
        feminine, plural = word, word[:-2] + {"e": "é", "o": "ó"}[word[-2]] + "is"
    elif word.endswith("l"):
        feminine, plural = word, word[:-1] + "is"
    else:
        feminine, plural = word, word + ("s" if word[-1] in VOWELS else "es")
    return _three(feminine, plural, plural if feminine == word else feminine + "s")


def _french(word: str) -> Forms:
    if word in IRREGULAR["fr"]:
        return _three(*IRREGULAR["fr"][word])
    endings = {
        "ateur": "atrice", "eur": "euse", "eux": "euse", "if": "ive", "er": "ère", "el": "elle", "en": "enne",
        "oux": "ouse", "c": "que",
    }  # fmt: skip
    feminine = next(
        (word[: -len(old)] + new for old, new in endings.items() if word.endswith(old)),
        word.rstrip("e") + "e",
    )
    if word.endswith("eur") and word in ("supérieur", "inférieur", "mineur", "majeur", "meilleur"):
        feminine = word + "e"
    if word.endswith("al"):
        plural = word[:-2] + "aux"
    elif word.endswith("eau"):
        plural = word + "x"
    else:
        plural = word if word[-1] in "sx" else word + "s"
    return _three(feminine, plural, feminine + "s")


def _hindi(word: str) -> Forms:
    """Adjectives in -ā take -ī and -e; the others do not change (Kachru 2006, ch. 4)."""
    if not word.endswith("ा"):
        return {}
    return {"f": word[:-1] + "ी", "p": word[:-1] + "े"}


def _swahili(term: str) -> Forms:
    """Prefixes of people: m-/mw- for one, wa-/w- for many (Ashton 1947, class 1 and 2)."""
    if not term.startswith("-"):
        return {"": term}
    stem = term[1:]
    if stem.startswith(("sio", "lio")):
        singular = ("asiye" if stem.startswith("sio") else "aliye") + stem[3:]
        return {"": singular, "p": "wa" + stem}
    if stem.startswith("a "):
        return {"": "w" + stem}
    singular = ("mw" if stem[0] in "aeiou" else "m") + stem
    plural = {"e": "w" + stem, "i": "we" + stem[1:]}.get(stem[0], "wa" + stem)
    return {"": singular, "p": plural}
