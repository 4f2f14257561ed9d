"""The documentation site (`make site`): Sphinx reads these Markdown files, and docstrings for Python's reference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from endoxa import __version__

project = "endoxa"
author = "The endoxa authors"
release = version = __version__
language = "en"

extensions = ["myst_nb", "sphinx_external_toc", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_*"]
suppress_warnings = [
    "etoc.glob",
    "mystnb.unknown_mime_type",
]  # no tutorials; a chart has its picture beside it

# Anchors are made of headings, as GitHub makes them: the same links work in both places.
myst_heading_anchors = 4
myst_disable_syntax = ["myst_line_comment"]  # a line may begin with a per cent sign
smartquotes = False  # two hyphens begin an option, and quotes may be typed as they stand
# Notebooks are shown with the outputs that are stored in them; tests run them.
nb_execution_mode = "off"
# Of a chart in a notebook its picture is shown, not the page part that would fetch scripts.
nb_mime_priority_overrides = [("html", "image/svg+xml", 0), ("html", "image/png", 1)]

default_role = "literal"  # docstrings write code in single backticks
autodoc_member_order = "bysource"
autodoc_typehints = "description"
napoleon_use_ivar = True
python_maximum_signature_line_length = 90
napoleon_numpy_docstring = False
napoleon_use_rtype = False

html_theme = "furo"
html_title = f"endoxa {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_search_scorer = str(Path(__file__).parent / "_static/scorer.js")
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}


EXCERPTS = "_static/excerpts.js"


def write_excerpts(app: Any, exception: Exception | None) -> None:
    """Write the words of all pages into one script: a browser reads no other page where the site is a folder of files.

    The search page loads it there, and shows excerpts as it does on a server.
    """
    if exception or app.builder.name != "html":
        return
    words = {
        name: app.env.get_doctree(name).astext().replace("\n\n", "\n") for name in sorted(app.env.found_docs)
    }
    script = f"window.endoxaExcerpts = {json.dumps(words, ensure_ascii=False)};"
    (Path(app.outdir) / EXCERPTS).write_text(script, encoding="utf-8")


def shorten_sidebar(_app: Any, _page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Have the sidebar list the sections, and the pages of the section one is in: a hundred pages less on each page."""
    if "toctree" in context:
        whole = context["toctree"]
        context["toctree"] = lambda **options: whole(**{**options, "collapse": True})


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("html-page-context", shorten_sidebar, priority=400)  # before the theme draws it
    app.connect("build-finished", write_excerpts)
