"""What the site's own sources must not contain."""

from __future__ import annotations

import ast
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django import forms
from django.apps import apps
from django.db import models
from django.urls import get_resolver

import endoxa_collect

ROOT = Path(endoxa_collect.__file__).parent
TEMPLATES = sorted(ROOT.glob("templates/**/*.html"))
SCRIPTS = sorted(ROOT.glob("static/**/*.js"))
STYLES = sorted(ROOT.glob("static/**/*.css"))
MODULES = sorted(path for path in ROOT.glob("**/*.py") if "migrations" not in path.parts)
DJANGO = re.compile(r"\{[%#{].*?[%#}]\}", re.DOTALL)
ELSEWHERE = re.compile(r"(?:https?:)?//(?!www\.w3\.org/)[a-z0-9-]+\.[a-z]", re.IGNORECASE)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.loose, self._inside = [], [], ""

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        self._inside = tag

    def handle_endtag(self, tag):
        self._inside = ""

    def handle_data(self, data):
        if self._inside in {"script", "style"} and data.strip():
            self.loose.append(data)


@pytest.mark.slow
def test_templates_escape_everything_and_hold_no_code():
    assert len(TEMPLATES) > 50
    for path in TEMPLATES:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\|\s*safe(seq)?\b|autoescape\s+off|{%\s*debug", text), path
        tags = Tags()
        tags.feed(DJANGO.sub("x", text))
        # Printed sheets are a file on a disk, which brings its style along; all others are pages of the site.
        printed = path.parent.name == "paper"
        assert [words for words in tags.loose if not printed] == [], path
        for tag, attributes in tags.found:
            assert tag not in {"iframe", "object", "embed", "base"}, (path, tag)
            assert tag != "style" or printed, path
            assert not any(key.startswith("on") or key == "style" for key in attributes), (path, attributes)
            assert tag != "script" or attributes.get("src"), (path, attributes)
            for key in ("src", "href", "action", "formaction"):
                target = attributes.get(key) or ""
                assert not re.match(r"\s*(https?:|//|javascript:)", target), (path, attributes)
        # Every form that posts carries the token.
        for form in re.findall(r"<form[^>]*method=.?post.*?</form>", text, re.DOTALL | re.IGNORECASE):
            assert "csrf_token" in form, path
        forms_of_a_method = re.findall(r'<form[^>]*method="(?:post|get)"', text)
        assert len(re.findall(r"<form\b", text)) == len(forms_of_a_method), path


def test_scripts_write_no_markup_and_run_no_text():
    banned = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|createContextualFragment"
    for path in SCRIPTS:
        text = path.read_text(encoding="utf-8")
        assert not re.search(banned, text), path
        assert not re.search(r"set(?:Timeout|Interval)\(\s*[\"'`]", text), path
        assert not ELSEWHERE.search(text), path


def test_styles_load_nothing_from_elsewhere():
    for path in STYLES:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"@import|@font-face|expression\(", text), path
        assert not ELSEWHERE.search(text), path


def _fixed(query: ast.expr) -> bool:
    """Whether a query is written out, apart from whole numbers."""
    if not isinstance(query, ast.JoinedStr):
        return isinstance(query, ast.Constant)
    put_in = [part.value for part in query.values if isinstance(part, ast.FormattedValue)]
    return all(isinstance(value, ast.Call) and ast.unparse(value.func) == "int" for value in put_in)


FROM_DJANGO = ("compiled.py", "self._sql")
"""The query that Django's own compiler wrote; values are apart from it."""


def test_a_kept_query_is_only_what_django_wrote():
    module = (ROOT / FROM_DJANGO[0]).read_text(encoding="utf-8")
    assert re.findall(r"self\._sql\b.*= (.*)", module) == ["compiler.as_sql()"]


@pytest.mark.slow
def test_modules_mark_nothing_as_safe_and_build_no_queries_from_text():
    unsafe = {"eval", "exec", "raw", "extra", "RawSQL", "mark_safe", "csrf_exempt"}
    parsed = ((path, ast.parse(path.read_text(encoding="utf-8"))) for path in MODULES)
    for path, node in ((path, node) for path, tree in parsed for node in ast.walk(tree)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            named = {alias.name for alias in node.names} | {getattr(node, "module", "") or ""}
            assert not named & {"pickle", "marshal", "shelve", "mark_safe", "SafeString", "csrf_exempt"}, path
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            assert called not in unsafe, (path, called)
            if called in {"execute", "executescript", "executemany"}:
                query = ast.unparse(node.args[0])
                assert _fixed(node.args[0]) or (path.name, query) == FROM_DJANGO, ast.unparse(node)
            if called == "load" and isinstance(node.func, ast.Attribute):
                assert getattr(node.func.value, "id", "") not in {"yaml", "pickle"}, path


def test_debug_is_never_on_and_no_secret_is_in_the_sources():
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\bDEBUG\s*=(?!\s*False\b)", text), path
        assert not re.search(r"(?:SECRET_KEY|PASSWORD|TOKEN)\s*=\s*[\"']", text), path


# Only for accounts, and checked as a whole; no longer than a request may be.
FOR_ACCOUNTS = {"GeneralForm.data_languages", "GeneralForm.countries", "RowsForm.rows"}
FOR_ACCOUNTS |= {"SignInForm.username", "SignInForm.password"}
FOR_ACCOUNTS |= {"NewPasswordForm.new_password1", "NewPasswordForm.new_password2"}


def _forms():
    assert get_resolver().url_patterns, "loading the addresses loads all forms"
    waiting, known = [forms.BaseForm], []
    while waiting:
        one = waiting.pop()
        waiting += one.__subclasses__()
        known += [one] if one.__module__.startswith("endoxa_collect") else []
    return known


def test_every_field_that_people_type_into_has_a_longest_length():
    typed = (forms.CharField,)
    own = (forms.UUIDField, forms.RegexField)
    without = [
        f"{form.__name__}.{name}"
        for form in _forms()
        for name, field in form.base_fields.items()
        if isinstance(field, typed) and not isinstance(field, own) and field.max_length is None
        if not hasattr(form, f"clean_{name}")
    ]
    assert [name for name in without if name not in FOR_ACCOUNTS] == []


def test_every_text_that_is_stored_has_a_longest_length_and_none_is_for_addresses_devices_or_mail():
    banned = re.compile(
        r"(^|_)(ip|address|agent|browser|device|e?mail|phone|host|referr?er|geo|latitude)(_|$)"
    )
    kinds = (models.GenericIPAddressField, models.EmailField, models.FileField, models.TextField)
    for model in apps.get_app_config("collect").get_models(include_auto_created=True):
        for field in model._meta.get_fields():
            assert not banned.search(field.name.lower()), (model, field)
            assert not isinstance(field, kinds), (model, field)
            if isinstance(field, models.CharField):
                assert field.max_length <= 2_000, (model, field)
