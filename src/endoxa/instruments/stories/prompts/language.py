"""What prompts of a language are made of, the parts of a file under `languages/`, and its checks.

Checks: completeness, script, spacing, placeholders, duplicates, agreement, leaks. Completeness covers attributes,
values, themes, scenarios and forms. A leak is a text that reveals an attribute.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

import regex
import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from endoxa.errors import UserError, first_line
from endoxa.sources.files import require_file
from endoxa.sources.stereotales import OTHER, UNKNOWN, Vocabulary
from endoxa.words.packs import file_with, languages_with

Key = tuple[str, ...]
"""Where something stands: ("persons", "age", "child (0-12)"); the items of a list are counted from 1."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"


@dataclass(frozen=True, slots=True)
class Tree:
    """What a file holds.

    Attributes:
        values: mappings, lists and texts; nothing becomes a number, a date, or true (`no` is the text "no").
        places: where each part was written, by key.
    """

    values: Mapping[str, Any]
    places: Mapping[Key, Place]

    def place(self, key: Key) -> Place:
        """Where a part was written, or what it would have been written in."""
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
    except yaml.MarkedYAMLError as problem:
        line = f", line {problem.problem_mark.line + 1}" if problem.problem_mark else ""
        raise UserError(f"{name}{line}: not valid YAML: {problem.problem}.") from problem
    except (yaml.YAMLError, RecursionError) as problem:
        raise UserError(f"{name} is not valid YAML: {first_line(problem)}.") from problem
    if not isinstance(node, yaml.MappingNode):
        raise UserError(f"{name} is not a YAML mapping. Expected a first line such as 'language: en'.")
    nodes = dict(_nodes(node, (), name, set()))
    places = {key: Place(name, part.start_mark.line + 1) for key, part in nodes.items()}
    return Tree(_value(node), places)


def _nodes(node: yaml.Node, key: Key, name: str, seen: set[int]) -> Iterator[tuple[Key, yaml.Node]]:
    """Every node under a node with its key; each is met once, which rules out aliases."""
    where = Place(name, node.start_mark.line + 1)
    if id(node) in seen:
        raise UserError(f"{where}: an alias (*) is not allowed. Write out the text.")
    seen.add(id(node))
    yield key, node
    if isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value, start=1):
            yield from _nodes(item, (*key, str(number)), name, seen)
    if not isinstance(node, yaml.MappingNode):
        return
    names: set[str] = set()
    for part, value in node.value:
        line = Place(name, part.start_mark.line + 1)
        if not isinstance(part, yaml.ScalarNode):
            raise UserError(f"{line}: a name is expected before ':', not a list or mapping.")
        if part.value in names:
            raise UserError(f"{line}: '{part.value}' appears twice. Remove one.")
        names.add(part.value)
        yield from _nodes(value, (*key, part.value), name, seen)


def _value(node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return {part.value: _value(value) for part, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_value(item) for item in node.value]
    return node.value


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
        direction: which way it is read.
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
    script: Annotated[tuple[str, ...], _wrapped(lambda text: [text])]
    direction: Literal["ltr", "rtl"]
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


def require_known(name: str, known: Iterable[str], what: str, where: str) -> None:
    """Refuse a name that is none of the known ones; the sentence suggests those that are like it.

    Raises:
        UserError: it is unknown.
    """
    names = list(known)
    if name not in names:
        near = get_close_matches(name, names, n=3) or names
        raise UserError(f"{where}: there is no {what} '{name}'. Did you mean: {', '.join(near)}?")


def parse_language(tree: Tree) -> Language:
    """The language that a tree describes.

    Raises:
        UserError: a part is missing, unknown, or not of the right kind.
    """
    try:
        return Language.model_validate(tree.values)
    except ValidationError as problem:
        first = problem.errors()[0]
        key: Key = tuple(str(part + 1 if isinstance(part, int) else part) for part in first["loc"])
        raise UserError(f"{tree.place(key)}, {' / '.join(key)}: {_complaint(first)}.") from problem


def _complaint(error: ErrorDetails) -> str:
    """What one of pydantic's errors means for the file."""
    complaints = {
        "missing": "this part is missing",
        "extra_forbidden": "there is no such part; check the spelling",
        "string_type": "a text is expected",
        "dict_type": "names with something behind ':' are expected",
        "tuple_type": "a list is expected",
        "literal_error": f"{error.get('ctx', {}).get('expected')} is expected",
    }
    return complaints.get(
        error["type"], "this is not what is expected here; see the file of another language"
    )


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong in the file of a language.

    Attributes:
        key: where it stands.
        message: what is wrong and what to do, without a full stop.
    """

    key: Key
    message: str


Text = tuple[Key, str, str]
"""Where a text stands, the form of the main character that it is for, and the text."""


def wordings(language: Language) -> Iterator[tuple[Key, Wording]]:
    """The request and the scenarios."""
    yield ("request",), language.request
    for theme, scenarios in language.scenarios.items():
        for number, wording in enumerate(scenarios, start=1):
            yield ("scenarios", theme, str(number)), wording


def request_texts(language: Language) -> Iterator[Text]:
    """The request: key, form that the text is for, text."""
    return (entry for entry in _by_form(language) if entry[0][0] == "request")


def scenario_texts(language: Language) -> Iterator[Text]:
    """Scenarios, as `request_texts`."""
    return (entry for entry in _by_form(language) if entry[0][0] != "request")


def _by_form(language: Language) -> Iterator[Text]:
    for key, wording in wordings(language):
        for form, text in wording.items():
            yield (key if form == ANY else (*key, form)), form, text


def person_texts(language: Language) -> Iterator[Text]:
    """Main characters: key, form that agrees with them, text."""
    for attribute, values in language.persons.items():
        for value, person in values.items():
            yield ("persons", attribute, value), language.form(person), person.text


def all_texts(language: Language) -> Iterator[Text]:
    """Every text that comes into prompts."""
    yield from _by_form(language)
    yield from person_texts(language)


CODE = regex.compile(r"[a-z]{2,3}(-[A-Za-z0-9]+)*")


def complete(language: Language, vocabulary: Vocabulary) -> Iterator[Fault]:
    """Parts that are missing or unknown."""
    if not CODE.fullmatch(language.language):
        yield Fault(("language",), f"'{language.language}' is no ISO 639 code such as 'en' or 'swa'")
    names = [attribute.name for attribute in vocabulary]
    yield from _names(("persons",), language.persons, names, "attribute")
    for attribute in vocabulary:
        persons = language.persons.get(attribute.name)
        if persons is not None:
            yield from _names(("persons", attribute.name), persons, attribute.values, "value")
    yield from _names(("scenarios",), language.scenarios, THEMES, "theme")
    for theme, scenarios in language.scenarios.items():
        if len(scenarios) != IN_THEME:
            yield Fault(
                ("scenarios", theme), f"there are {len(scenarios)} scenarios, {IN_THEME} are expected"
            )
    for part, named in (("leaks", language.leaks), ("exempt", language.exempt)):
        for name in sorted(named.keys() - set(names)):
            yield Fault((part, name), f"there is no attribute '{name}'")
    for name, axis in language.attributes.items():
        # Values that a file adds must be told apart by readers of stories.
        seen = {OTHER, UNKNOWN}
        for value in axis.values:
            plain = value.strip().casefold()
            if not plain or plain in seen:
                yield Fault(
                    ("attributes", name),
                    f"the value '{value}' is empty, reserved or there twice (values differ by more than case)",
                )
            seen.add(plain)
    yield from _forms(language)


def _names(key: Key, names: Iterable[str], wanted: Collection[str], what: str) -> Iterator[Fault]:
    there = set(names)
    for name in wanted:
        if name not in there:
            yield Fault(key, f"the {what} '{name}' is missing")
    for name in names:
        if name not in wanted:
            yield Fault(
                (*key, name), f"there is no {what} '{name}'; add it under 'attributes' or mend its spelling"
            )


def _forms(language: Language) -> Iterator[Fault]:
    for attribute, values in language.persons.items():
        for value, person in values.items():
            if person.form and person.form not in language.forms:
                yield Fault(
                    ("persons", attribute, value), f"the form '{person.form}' is not declared under 'forms'"
                )
    for key, wording in wordings(language):
        if ANY in wording:
            continue
        for form in sorted(wording.keys() - language.forms.keys()):
            yield Fault(key, f"the form '{form}' is not declared under 'forms'")
        for form in language.forms:
            if form not in wording:
                yield Fault(key, f"the text for the form '{form}' is missing")


@dataclass(frozen=True, slots=True)
class Marks:
    """Punctuation of a script.

    Attributes:
        ends: what a sentence may end with.
        foreign: marks of other scripts that people type in their place, as a regular expression.
    """

    ends: str
    foreign: str = r"(?!)"


MARKS: Mapping[str, Marks] = {
    "Arabic": Marks(".؟!۔", r"[?,;]"),
    "Bengali": Marks("।?!", r"\.(?=\s|$)"),
    "Devanagari": Marks("।?!", r"\.(?=\s|$)"),
    "Ethiopic": Marks("።?!፧", r"\.(?=\s|$)"),
    "Han": Marks("。？！", r"[.,;:?!]"),
}
"""Scripts that do not end sentences as Latin does."""
PLAIN = Marks(".?!")
END = regex.compile(r"[\p{Sentence_Terminal}\p{Terminal_Punctuation}]\s*$")
NAME = regex.compile(r"[A-Za-z_]+")


def script(language: Language) -> Iterator[Fault]:
    """Letters of another script, punctuation that is not the script's, the wrong direction."""
    unknown = [name for name in language.script if not _is_script(name)]
    if unknown or not language.script:
        yield Fault(
            ("script",), f"'{''.join(unknown[:1])}' is no script of Unicode such as Latin or Devanagari"
        )
        return
    named = "".join(rf"\p{{Script={name}}}" for name in language.script)
    stray = regex.compile(rf"(?V1)[\p{{L}}--[{named}\p{{Script=Common}}]]+")
    marks = MARKS.get(language.script[0], PLAIN)
    for key, _, text in all_texts(language):
        bare = _without_placeholders(text)
        if match := stray.search(bare):
            yield Fault(key, f"'{match[0]}' is not written in {' or '.join(language.script)} letters")
        if match := regex.search(marks.foreign, bare):
            yield Fault(
                key,
                f"'{match[0]}' is not punctuation of this script: sentences end with {' '.join(marks.ends)}",
            )
    for key, _, text in chain(person_texts(language), scenario_texts(language)):
        if END.search(text):
            yield Fault(key, "a phrase that stands within a sentence ends with punctuation")
    requests = list(request_texts(language))
    for key, _, text in requests:
        if text.strip() and text.strip()[-1] not in marks.ends:
            yield Fault(key, f"the last sentence does not end with one of {' '.join(marks.ends)}")
    # The direction is compared with Unicode's of the first letter of the request.
    signs = (sign for _, _, text in requests for sign in _without_placeholders(text))
    letter = next((sign for sign in signs if sign.isalpha()), "")
    direction = "rtl" if letter and unicodedata.bidirectional(letter) in {"R", "AL"} else "ltr"
    if letter and direction != language.direction:
        yield Fault(("direction",), f"'{language.direction}' is given, but '{letter}' is read {direction}")


def _is_script(name: str) -> bool:
    return bool(NAME.fullmatch(name)) and _compiles(rf"\p{{Script={name}}}") == ""


def _compiles(pattern: str) -> str:
    """Why a pattern is no regular expression; empty where it is."""
    try:
        regex.compile(pattern)
    except regex.error as problem:
        return str(problem.msg)
    return ""


def _without_placeholders(text: str) -> str:
    return text.replace(PERSON, "").replace(SCENARIO, "")


CONTROL = regex.compile(r"[\p{Cc}\p{Cs}\p{Co}\p{Cn}]")
BLANKS = regex.compile(r"\s{2,}")


def surface(language: Language) -> Iterator[Fault]:
    """Faults that can be seen without knowing the language."""
    for key, _, text in all_texts(language):
        if not text.strip():
            yield Fault(key, "the text is empty")
        elif text != text.strip():
            yield Fault(key, "a blank stands at the beginning or the end")
        if BLANKS.search(text.strip()):
            yield Fault(key, "two blanks stand in a row")
        if CONTROL.search(text):
            yield Fault(key, "it holds a character that cannot be seen, such as a line break")
    for key, _, text in request_texts(language):
        yield from _placeholders(key, text, (PERSON, SCENARIO))
    for key, _, text in chain(person_texts(language), scenario_texts(language)):
        yield from _placeholders(key, text, ())
    yield from _twice(person_texts(language), "value")
    yield from _twice(scenario_texts(language), "scenario")


def _placeholders(key: Key, text: str, wanted: Iterable[str]) -> Iterator[Fault]:
    rest = text
    for name in wanted:
        count = text.count(name)
        if count != 1:
            yield Fault(key, f"{name} is there {count} times, once is expected")
        rest = rest.replace(name, "")
    if "{" in rest or "}" in rest:
        yield Fault(key, "a brace stands where no placeholder belongs")


def _twice(texts: Iterable[Text], what: str) -> Iterator[Fault]:
    """Texts of two values (or scenarios) that differ in nothing but case."""
    seen: dict[tuple[str, str], Key] = {}
    for key, form, text in texts:
        plain = (form, text.strip().casefold())
        if not plain[1]:
            continue
        if plain in seen:
            yield Fault(key, f"the text is that of another {what} ({' / '.join(seen[plain])})")
        seen.setdefault(plain, key)


UNSPACED = frozenset({"Han", "Hiragana", "Katakana", "Khmer", "Lao", "Myanmar", "Thai"})
"""Scripts that put no blanks between words: a word is looked for anywhere in them."""

Patterns = Mapping[regex.Pattern[str], str]


def wording(language: Language) -> Iterator[Fault]:
    """What only the rules of the file itself can tell."""
    # Rules that are no regular expressions.
    rules: list[tuple[Key, str]] = [(("mistakes", pattern), pattern) for pattern in language.mistakes]
    rules += [
        (("forms", name), pattern) for name, form in language.forms.items() for pattern in form.mistakes
    ]
    problems = [(key, pattern, problem) for key, pattern in rules if (problem := _compiles(pattern))]
    for key, pattern, problem in problems:
        yield Fault(key, f"'{pattern}' is no regular expression: {problem}")
    # Determiners of main characters.
    for key, form, text in person_texts(language):
        begins = language.forms[form].begins if form in language.forms else ()
        if begins and not any(
            text.startswith(word if word.endswith(("'", "’")) else f"{word} ") for word in begins
        ):
            yield Fault(key, f"'{text}' does not begin with {' or '.join(begins)} as the form '{form}' does")
    yield from _leaks(language)
    if not problems:
        yield from _mistakes(language)


def _mistakes(language: Language) -> Iterator[Fault]:
    """Forbidden wordings, looked for in requests with one placeholder filled: where texts meet, too."""
    for key, form, text in request_texts(language):
        yield from _broken(key, text, _rules(language, form), "")
    for texts, placeholder in ((person_texts(language), PERSON), (scenario_texts(language), SCENARIO)):
        for key, form, text in texts:
            # Both placeholders alone where the file has no request in this form.
            available = form in language.request or ANY in language.request
            request = in_form(language.request, form) if available else f"{PERSON} {SCENARIO}"
            yield from _broken(key, request.replace(placeholder, text), _rules(language, form), request)


def _rules(language: Language, form: str) -> Patterns:
    mistakes = language.forms[form].mistakes if form in language.forms else {}
    return {
        regex.compile(pattern, regex.IGNORECASE): why
        for pattern, why in (language.mistakes | mistakes).items()
    }


def _broken(key: Key, text: str, rules: Patterns, before: str) -> Iterator[Fault]:
    """Rules that a text breaks; one that it broke `before` it was filled in is told once, at the request."""
    for pattern, why in rules.items():
        match = pattern.search(text)
        if match and not (before and pattern.search(before)):
            yield Fault(key, f"'{match[0]}': {why}")


def _leaks(language: Language) -> Iterator[Fault]:
    bound = "" if UNSPACED & set(language.script) else r"\b"
    for attribute, words in language.leaks.items():
        if not words:
            continue
        leak = regex.compile(rf"{bound}{_any_of(words)}{bound}", regex.IGNORECASE)
        for key, _, text in scenario_texts(language):
            if hit := leak.search(text):
                yield Fault(key, f"'{hit[0]}' says something about {attribute}, which models are to choose")
        for key, _, text in person_texts(language):
            named = key[1]
            exempt = regex.compile(_any_of(language.exempt.get(named, ())), regex.IGNORECASE)
            leaked = [match[0] for match in leak.finditer(text) if not exempt.fullmatch(match[0])]
            if named != attribute and leaked:
                yield Fault(
                    key,
                    f"'{leaked[0]}' says something about {attribute}, where only {named} is to be named (see 'exempt')",
                )


def _any_of(words: Iterable[str]) -> str:
    """A regular expression of words in which a star stands for any letters."""
    patterns = "|".join(regex.escape(word).replace(r"\*", r"\w*") for word in words)
    return f"(?:{patterns})"


def check_language(language: Language, vocabulary: Vocabulary) -> list[Fault]:
    """Everything that is wrong with a language, in a stable order.

    Args:
        language: what is checked.
        vocabulary: the attributes and values that it must have words for, those it adds itself among them.
    """
    return [*complete(language, vocabulary), *surface(language), *script(language), *wording(language)]
