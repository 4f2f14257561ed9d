"""The catalogues: complete, with the right placeholders and plurals, compiled from what stands beside them."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po
from django.core.management import call_command
from django.utils.translation import ngettext, override

from endoxa_collect import django_messages
from endoxa_collect.campaign import UI_LANGUAGES

PACKAGE = Path(django_messages.__file__).parent
TRANSLATED = [code for code in UI_LANGUAGES if code != "en"]
PLURALS = {"ar": 6, "es": 3}
"""How many forms of a counted sentence a language has here, as Django's own catalogues have; 2 in the others."""

_PLACE = re.compile(r"%\(\w+\)[sd]|%[sd%]|</?\w+>")
_POSITIONAL = re.compile(r"%[sd]")


@cache
def catalogue(language: str, root: Path = PACKAGE) -> Catalog:
    with (root / "locale" / language / "LC_MESSAGES" / "django.po").open("rb") as file:
        return read_po(file, locale=language)


def messages(catalog: Catalog) -> list[Message]:
    return [message for message in catalog if message.id]


def forms(text: str | tuple[str, ...]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


@pytest.fixture(scope="module")
def extracted(tmp_path_factory):
    """The catalogue that the sources ask for now."""
    if shutil.which("xgettext") is None:
        pytest.skip("GNU gettext is not installed, so that sentences cannot be extracted")
    copy = tmp_path_factory.mktemp("sources") / "collect"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("locale", "__pycache__", "static"))
    (copy / "locale").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(copy)
        call_command("makemessages", locale=["fr"], verbosity=0)
    return catalogue("fr", copy)


@pytest.mark.slow
@pytest.mark.parametrize("language", TRANSLATED)
def test_every_sentence_of_the_pages_is_in_the_catalogue_and_no_other(language, extracted):
    wanted = {(message.context, message.id) for message in messages(extracted)}
    there = {(message.context, message.id) for message in messages(catalogue(language))}
    assert wanted - there == set()
    assert there - wanted == set()


def marked(source: Path) -> Iterator[str]:
    """Sentences that a file of ours hands to gettext as they stand; also where xgettext does not look."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    imported = [
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and node.module in ("django.utils.translation", "endoxa_collect.labels")
        for name in node.names
        if "gettext" in name.name or name.name == "_"
    ]
    places = {name.asname or name.name: int("pgettext" in name.name) for name in imported}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in places:
            place = places[node.func.id]
            said = node.args[place] if len(node.args) > place else None
            if isinstance(said, ast.Constant) and isinstance(said.value, str):
                yield said.value


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_sentence_is_translated(language):
    catalog = catalogue(language)
    assert catalog.num_plurals == PLURALS.get(language, 2)
    for message in messages(catalog):
        assert not message.fuzzy, message.id
        assert all(form.strip() for form in forms(message.string)), message.id
        assert len(forms(message.string)) == (catalog.num_plurals if message.pluralizable else 1), message.id


@pytest.mark.slow
@pytest.mark.parametrize("language", TRANSLATED)
def test_placeholders_and_marks_are_those_of_the_original(language):
    for message in messages(catalogue(language)):
        originals = [sorted(_PLACE.findall(form)) for form in forms(message.id)]
        for index, form in enumerate(forms(message.string)):
            found = sorted(_PLACE.findall(form))
            # Arabic has words for none, one and two; its first three forms may leave out the number.
            if language == "ar" and message.pluralizable and index < 3:
                assert set(found) <= set(originals[-1]), message.id
                assert _POSITIONAL.findall(form) == _POSITIONAL.findall(message.id[-1]), message.id
            else:
                assert found in originals, message.id


@pytest.mark.parametrize("language", TRANSLATED)
def test_nothing_is_left_in_english(language):
    # Names and marks that are written alike in many languages.
    alike = {_PLACE.sub("", m.id) for m in messages(catalogue(language)) if m.id == m.string}
    assert all(len(text) < 20 for text in alike), alike
    letters = {"ar": r"[\u0600-\u06ff]", "hi": r"[\u0900-\u097f]"}.get(language)
    for message in messages(catalogue(language)) if letters else []:
        words = _PLACE.sub("", forms(message.id)[0])
        if re.search(r"[A-Za-z]{3}", words):
            assert all(re.search(letters, form) for form in forms(message.string)), message.id


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_compiled_catalogue_is_up_to_date(language):
    with (PACKAGE / "locale" / language / "LC_MESSAGES" / "django.mo").open("rb") as file:
        compiled = read_mo(file)
    stands = {(m.context and m.context.decode(), forms(m.id)): forms(m.string) for m in messages(compiled)}
    assert stands == {(m.context, forms(m.id)): forms(m.string) for m in messages(catalogue(language))}


def test_plurals_are_chosen_by_the_rules_of_the_language():
    with override("ar"):
        said = {ngettext("%(added)s pair added", "%(added)s pairs added", n) for n in (0, 1, 2, 3, 11, 100)}
    assert len(said) == 6
    one, many = "%(n)s card answered", "%(n)s cards answered"
    with override("fr"):
        assert ngettext(one, many, 0) == ngettext(one, many, 1) != ngettext(one, many, 2)
