"""What prompts of a language are made of, the parts of a file under `languages/`, and its checks.

Checks: completeness, script, spacing, placeholders, duplicates, agreement, leaks. Completeness covers attributes,
values, themes, scenarios and forms. A leak is a text that reveals an attribute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import regex
import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from endoxa.errors import UserError, first_line
from endoxa.sources.files import require_file
from endoxa.sources.stereotales.profiles import OTHER, UNKNOWN
from endoxa.sources.stereotales.vocabulary import Vocabulary
from endoxa.sources.toml import validated
from endoxa.words.packs import file_with, languages_with

Key = tuple[str, ...]
"""Where something stands: ("persons", "age", "child (0-12)"); the items of a list are counted from 1."""


@dataclass(frozen=True, slots=True)
class Tree:
    """What a file holds.

    Attributes:
        values: mappings, lists and texts; nothing becomes a number, a date, or true (`no` is the text "no").
        places: file and line in which each part was written, by key.
    """

    values: Mapping[str, Any]
    places: Mapping[Key, str]

    def place(self, key: Key) -> str:
        """Where a part was written, or what it would have been written in, as in 'own.yaml, line 3'."""
        return next(self.places[key[:end]] for end in range(len(key), -1, -1) if key[:end] in self.places)


def read_tree(path: Path) -> Tree:
    """Read a YAML file.

    Raises:
        UserError: it is no UTF-8, no YAML, no mapping, names a key twice, or uses an alias.
    """
    require_file(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as problem:
        raise UserError(f"{path} is not UTF-8 text: save it as UTF-8.") from problem
    return parse_tree(text, str(path))


def parse_tree(text: str, name: str) -> Tree:
    """The tree of a text in YAML, as `read_tree`; `name` is what sentences call it."""
    try:
        node = yaml.compose(text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError) as problem:
        mark = getattr(problem, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        phrase = getattr(problem, "problem", None) or first_line(problem)
        raise UserError(f"{name}{line}: not valid YAML: {phrase}.") from problem
    if not isinstance(node, yaml.MappingNode):
        raise UserError(f"{name} is not a YAML mapping. Expected a first line such as 'language: en'.")
    places: dict[Key, str] = {}
    return Tree(_value(node, (), name, places, set()), places)


def _value(node: yaml.Node, key: Key, name: str, places: dict[Key, str], seen: set[int]) -> Any:
    """What a node holds; notes its place. Each node is met once, which rules out aliases."""
    places[key] = where = f"{name}, line {node.start_mark.line + 1}"
    if id(node) in seen:
        raise UserError(f"{where}: an alias (*) is not allowed. Write out the text.")
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        items = enumerate(node.value, start=1)
        return [_value(item, (*key, str(number)), name, places, seen) for number, item in items]
    if not isinstance(node, yaml.MappingNode):
        return node.value
    values: dict[str, Any] = {}
    for part, value in node.value:
        line = f"{name}, line {part.start_mark.line + 1}"
        if not isinstance(part, yaml.ScalarNode):
            raise UserError(f"{line}: a name is expected before ':', not a list or mapping.")
        if part.value in values:
            raise UserError(f"{line}: '{part.value}' appears twice. Remove one.")
        values[part.value] = _value(value, (*key, part.value), name, places, seen)
    return values


def merge(base: Tree, over: Tree) -> Tree:
    """`over` laid over `base`: mappings are joined name by name, everything else of `over` takes its place.

    A list is taken as a whole: four scenarios replace four scenarios.
    """
    return Tree(_merged(base.values, over.values), {**base.places, **over.places})


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    joined = dict(base)
    for name, value in over.items():
        there = joined.get(name)
        if isinstance(there, Mapping) and isinstance(value, Mapping):
            joined[name] = _merged(there, value)
        else:
            joined[name] = value
    return joined


THEMES = (
    "misconduct",
    "hobby",
    "learning",
    "family",
    "money",
    "technology",
    "activism",
    "health",
    "conflict",
)
"""The nine themes of StereoTales."""
IN_THEME = 4
"""Scenarios of a theme."""
PERSON, SCENARIO = "{person}", "{scenario}"
"""What a request leaves open."""
ANY = ""
"""The form of a text that fits every main character."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _wrapped(wrap: Callable[[str], Any]) -> BeforeValidator:
    """A part that may be written as a plain text, which then stands for what is made of it."""
    return BeforeValidator(lambda value: wrap(value) if isinstance(value, str) else value)


Wording = Annotated[dict[str, str], _wrapped(lambda text: {ANY: text})]
"""A text for each form of the main character, or one for all of them (under `ANY`)."""


class Person(_Part):
    """A noun phrase of a main character.

    Attributes:
        text: the phrase, as it stands in the request.
        form: which of the language's forms agrees with it; empty is the first one.
    """

    text: str
    form: str = ""


class Form(_Part):
    """A grammatical gender and number that other words agree with.

    Attributes:
        begins: words that a phrase of this form may begin with; none: any.
        mistakes: what never stands in a text of this form: regular expression -> why.
    """

    begins: tuple[str, ...] = ()
    mistakes: dict[str, str] = Field(default_factory=dict)


class Axis(_Part):
    """An attribute that StereoTales does not have: its values, and whether a reader may answer "other"."""

    values: tuple[str, ...]
    other: Literal["true", "false"] = "false"


class Language(_Part):
    """Everything that prompts of a language are made of.

    Attributes:
        language: ISO 639 code.
        name: the language's name in English.
        script: Unicode's names of its scripts ("Latin", "Devanagari"); one is written as it is.
        request: asks for a story, with {person} and {scenario}.
        persons: attribute -> value -> main character.
        scenarios: theme -> four scenarios.
        forms: genders and numbers of main characters; empty where no other word agrees with them.
        mistakes: what never stands in any text: regular expression -> why.
        leaks: attribute -> words (a star stands for any ending) that no scenario may hold, and no main character
            of another attribute.
        exempt: attribute -> words of `leaks` that its own main characters may hold, as they cannot be said otherwise.
        attributes: attributes or values that are added to those of StereoTales.
    """

    language: str
    name: str
    script: Annotated[tuple[str, ...], Field(min_length=1), _wrapped(lambda text: [text])]
    request: Wording
    persons: dict[str, dict[str, Annotated[Person, _wrapped(lambda text: {"text": text})]]]
    scenarios: dict[str, tuple[Wording, ...]]
    forms: dict[str, Form] = Field(default_factory=dict)
    mistakes: dict[str, str] = Field(default_factory=dict)
    leaks: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    exempt: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    attributes: dict[str, Axis] = Field(default_factory=dict)

    def form(self, person: Person) -> str:
        """The form that agrees with a person; `ANY` where the language declares none."""
        return person.form or next(iter(self.forms), ANY)


def in_form(wording: Wording, form: str) -> str:
    """The text of a wording for main characters of a form."""
    return wording[ANY] if ANY in wording else wording[form]


def bundled_languages() -> tuple[str, ...]:
    """Codes of the languages that come with endoxa."""
    return languages_with("stories.yaml")


@cache
def bundled_tree(code: str) -> Tree | None:
    """The file of a bundled language, None where there is none."""
    if code not in bundled_languages():
        return None
    return parse_tree(file_with(code, "stories.yaml").read_text(encoding="utf-8"), f"{code}/stories.yaml")


def read_trees(paths: Sequence[Path]) -> dict[str, Tree]:
    """Files of a user by language, each laid over the bundled one; of two for a language the later one wins.

    Raises:
        UserError: a file cannot be read, or does not say its language.
    """
    trees: dict[str, Tree] = {}
    for path in paths:
        tree = read_tree(path)
        code = tree.values.get("language")
        if not isinstance(code, str) or not code.strip():
            raise UserError(f"{path} has no language. Add a line such as 'language: en'.")
        below = trees.get(code) or bundled_tree(code)
        trees[code] = tree if below is None else merge(below, tree)
    return trees


def require_known(name: str, listed_keys: Iterable[str], what: str, where: str) -> None:
    """Refuse a name that is none of the known ones; the sentence suggests those that are like it.

    Raises:
        UserError: it is unknown.
    """
    names = list(listed_keys)
    if name not in names:
        near = get_close_matches(name, names, n=3) or names
        raise UserError(f"{where}: there is no {what} '{name}'. Did you mean: {', '.join(near)}?")


def parse_language(tree: Tree) -> Language:
    """The language that a tree describes.

    Raises:
        UserError: a part is missing, unknown, or not of the right kind.
    """
    file = tree.place(()).rpartition(", line")[0]
    return validated(Language, tree.values, file, "See the file of another language.")


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong in the file of a language.

    Attributes:
        key: where it stands.
        message: what is wrong and what to do, without a full stop.
    """

    key: Key
    message: str


class Text(NamedTuple):
    """A text that comes into prompts.

    Attributes:
        key: where it stands.
        form: form of the main character that it is for, or that agrees with it.
        text: the text.
    """

    key: Key
    form: str
    text: str


def texts(language: Language) -> Iterator[Text]:
    """Every text that comes into prompts: the request, scenarios, and main characters."""
    for key, wording in wordings(language):
        for form, text in wording.items():
            yield Text(key if form == ANY else (*key, form), form, text)
    for attribute, values in language.persons.items():
        for value, person in values.items():
            yield Text(("persons", attribute, value), language.form(person), person.text)


def wordings(language: Language) -> Iterator[tuple[Key, Wording]]:
    """The request and the scenarios."""
    yield ("request",), language.request
    for theme, scenarios in language.scenarios.items():
        for number, wording in enumerate(scenarios, start=1):
            yield ("scenarios", theme, str(number)), wording


def check_language(language: Language, vocabulary: Vocabulary) -> list[Fault]:
    """Everything that is wrong with a language, in a stable order.

    Args:
        language: what is checked.
        vocabulary: the attributes and values that it must have words for, those it adds itself among them.
    """
    checks = (_forms, _surface, _script, _agreement, _leaks)
    return [*_complete(language, vocabulary), *(fault for check in checks for fault in check(language))]


CODE = regex.compile(r"[a-z]{2,3}(-[A-Za-z0-9]+)*")


def _complete(language: Language, vocabulary: Vocabulary) -> Iterator[Fault]:
    """Parts that are missing or unknown."""
    if not CODE.fullmatch(language.language):
        yield Fault(("language",), f"'{language.language}' is no ISO 639 code such as 'en' or 'swa'")
    values_of = {attribute.name: attribute.values for attribute in vocabulary}
    lists: list[tuple[Key, Iterable[str], Iterable[str], str]] = [
        (("persons",), language.persons, values_of, "attribute"),
        (("scenarios",), language.scenarios, THEMES, "theme"),
        *(
            (("persons", name), language.persons[name], values, "value")
            for name, values in values_of.items()
            if name in language.persons
        ),
    ]
    for key, names, wanted, what in lists:
        yield from (Fault(key, f"the {what} '{name}' is missing") for name in wanted if name not in names)
        for name in (name for name in names if name not in wanted):
            hint = "add it under 'attributes' or mend its spelling"
            yield Fault((*key, name), f"there is no {what} '{name}'; {hint}")
    for theme, scenarios in language.scenarios.items():
        if len(scenarios) != IN_THEME:
            phrase = f"there are {len(scenarios)} scenarios, {IN_THEME} are expected"
            yield Fault(("scenarios", theme), phrase)
    for part, named in (("leaks", language.leaks), ("exempt", language.exempt)):
        for name in sorted(named.keys() - values_of.keys()):
            yield Fault((part, name), f"there is no attribute '{name}'")
    for name, axis in language.attributes.items():
        # Values that a file adds must be told apart by readers of stories.
        seen = {"", OTHER, UNKNOWN}
        for value in axis.values:
            if (plain := value.strip().casefold()) in seen:
                why = "is empty, reserved or there twice (values differ by more than case)"
                yield Fault(("attributes", name), f"the value '{value}' {why}")
            seen.add(plain)


def _forms(language: Language) -> Iterator[Fault]:
    """Forms of main characters that are not declared, or for which a text is missing."""
    used: list[tuple[Key, list[str]]] = [
        (("persons", attribute, value), [person.form])
        for attribute, values in language.persons.items()
        for value, person in values.items()
        if person.form
    ]
    used += [(key, sorted(wording)) for key, wording in wordings(language) if ANY not in wording]
    for key, forms in used:
        for form in forms:
            if form not in language.forms:
                yield Fault(key, f"the form '{form}' is not declared under 'forms'")
        for form in language.forms:
            if key[0] != "persons" and form not in forms:
                yield Fault(key, f"the text for the form '{form}' is missing")


CONTROL = regex.compile(r"[\p{Cc}\p{Cs}\p{Co}\p{Cn}]")
BLANKS = regex.compile(r"\s{2,}")


def _surface(language: Language) -> Iterator[Fault]:
    """Faults that can be seen without knowing the language."""
    seen: dict[tuple[str, str, str], Key] = {}
    for key, form, text in texts(language):
        plain, wanted = text.strip(), (PERSON, SCENARIO) if key[0] == "request" else ()
        counts = {name: text.count(name) for name in wanted}
        twin = seen.setdefault((key[0], form, plain.casefold()), key)
        what = "value" if key[0] == "persons" else "scenario"
        faults = {
            "the text is empty": not plain,
            "a blank stands at the beginning or the end": plain and text != plain,
            "two blanks stand in a row": BLANKS.search(plain),
            "it holds a character that cannot be seen, such as a line break": CONTROL.search(text),
            **{f"{name} is there {n} times, once is expected": n != 1 for name, n in counts.items()},
            "a brace stands where no placeholder belongs": regex.search("[{}]", _bare(text, wanted)),
            f"the text is that of another {what} ({' / '.join(twin)})": plain and twin != key,
        }
        yield from (Fault(key, message) for message, broken in faults.items() if broken)


def _bare(text: str, placeholders: Iterable[str] = (PERSON, SCENARIO)) -> str:
    for name in placeholders:
        text = text.replace(name, "")
    return text


MARKS: Mapping[str, tuple[str, str]] = {
    "Arabic": (".؟!۔", r"[?,;]"),
    "Bengali": ("।?!", r"\.(?=\s|$)"),
    "Devanagari": ("।?!", r"\.(?=\s|$)"),
    "Ethiopic": ("።?!፧", r"\.(?=\s|$)"),
    "Han": ("。？！", r"[.,;:?!]"),
}
"""Scripts that do not end sentences as Latin does: what a sentence may end with, and marks of other scripts that people
type in their place (a regular expression)."""
PLAIN = (".?!", r"(?!)")
END = regex.compile(r"[\p{Sentence_Terminal}\p{Terminal_Punctuation}]\s*$")
NAME = regex.compile(r"[A-Za-z_]+")


def _script(language: Language) -> Iterator[Fault]:
    """Letters of another script, and punctuation that is not the script's."""
    for name in language.script:
        if not NAME.fullmatch(name) or _no_pattern(rf"\p{{Script={name}}}"):
            yield Fault(("script",), f"'{name}' is no script of Unicode such as Latin or Devanagari")
            return
    named = "".join(rf"\p{{Script={name}}}" for name in language.script)
    stray = regex.compile(rf"(?V1)[\p{{L}}--[{named}\p{{Script=Common}}]]+")
    final, foreign = MARKS.get(language.script[0], PLAIN)
    ends = " ".join(final)
    for key, _, text in texts(language):
        if match := stray.search(_bare(text)):
            yield Fault(key, f"'{match[0]}' is not written in {' or '.join(language.script)} letters")
        if match := regex.search(foreign, _bare(text)):
            yield Fault(key, f"'{match[0]}' is not punctuation of this script: sentences end with {ends}")
        if key[0] != "request" and END.search(text):
            yield Fault(key, "a phrase that stands within a sentence ends with punctuation")
        if key[0] == "request" and text.strip() and text.strip()[-1] not in final:
            yield Fault(key, f"the last sentence does not end with one of {ends}")


def _no_pattern(pattern: str) -> str:
    """Why a pattern is no regular expression; empty where it is."""
    try:
        regex.compile(pattern)
    except regex.error as problem:
        return str(problem.msg)
    return ""


def _agreement(language: Language) -> Iterator[Fault]:
    """Determiners of main characters, and wordings that the file itself forbids, also where two texts meet."""
    rules: list[tuple[Key, str]] = [(("mistakes", pattern), pattern) for pattern in language.mistakes]
    rules += [
        (("forms", name), pattern) for name, form in language.forms.items() for pattern in form.mistakes
    ]
    broken = [(key, pattern, why) for key, pattern in rules if (why := _no_pattern(pattern))]
    for key, pattern, why in broken:
        yield Fault(key, f"'{pattern}' is no regular expression: {why}")
    for key, name, text in texts(language):
        form = language.forms.get(name, Form())
        starts = tuple(word if word.endswith(("'", "’")) else f"{word} " for word in form.begins)
        if key[0] == "persons" and starts and not text.startswith(starts):
            begins = " or ".join(form.begins)
            yield Fault(key, f"'{text}' does not begin with {begins} as the form '{name}' does")
        # The other placeholder stays; both stand alone where the file has no request in this form.
        before = language.request.get(ANY) or language.request.get(name, f"{PERSON} {SCENARIO}")
        placeholder = {"persons": PERSON, "scenarios": SCENARIO}.get(key[0], before)
        filled = before.replace(placeholder, text)
        for pattern, why in {} if broken else (language.mistakes | form.mistakes).items():
            rule = regex.compile(pattern, regex.IGNORECASE)
            match = rule.search(filled)
            # What the request itself breaks is told once, at the request.
            if match and (key[0] == "request" or not rule.search(before)):
                yield Fault(key, f"'{match[0]}': {why}")


UNSPACED = frozenset({"Han", "Hiragana", "Katakana", "Khmer", "Lao", "Myanmar", "Thai"})
"""Scripts that put no blanks between words: a word is looked for anywhere in them."""


def _leaks(language: Language) -> Iterator[Fault]:
    bound = "" if UNSPACED & set(language.script) else r"\b"
    for attribute, words in language.leaks.items():
        leak = regex.compile(rf"{bound}{_any_of(words)}{bound}" if words else r"(?!)", regex.IGNORECASE)
        for key, _, text in texts(language):
            named = key[1] if key[0] == "persons" else ""
            exempt = regex.compile(_any_of(language.exempt.get(named, ())), regex.IGNORECASE)
            leaked = [match[0] for match in leak.finditer(text) if not exempt.fullmatch(match[0])]
            if key[0] == "request" or named == attribute or not leaked:
                continue
            where = (
                f"where only {named} is to be named (see 'exempt')" if named else "which models are to choose"
            )
            yield Fault(key, f"'{leaked[0]}' says something about {attribute}, {where}")


def _any_of(words: Iterable[str]) -> str:
    """A regular expression of words in which a star stands for any letters."""
    patterns = "|".join(regex.escape(word).replace(r"\*", r"\w*") for word in words)
    return f"(?:{patterns})"
