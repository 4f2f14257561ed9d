"""Text as LaTeX and Markdown take it."""

from __future__ import annotations

import re

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "≤": r"$\leq$",
    "†": r"\dag{}",
    "–": "--",
    "…": r"\dots{}",
    "\u00a0": "~",
    "\n": " ",
}
LATEX_MARKS = {"": "", "*": "$^{*}$", "†": r"$^{\dagger}$"}
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|~#])")


def escape_latex(text: str) -> str:
    """The text with everything escaped that LaTeX would take as a command."""
    return "".join(_LATEX.get(character, character) for character in text)


def escape_markdown(text: str) -> str:
    """The text with everything escaped that Markdown would take as a mark; line breaks become blanks."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split("\n")))


def stacked(axis: str) -> str:
    """A column head that breaks after hyphens, blanks and slashes, without a further package."""
    words = [escape_latex(word) for word in re.split(r"(?<=[-/])|\s", axis) if word]
    stacked = r"\\".join(words)
    return stacked if len(words) == 1 else rf"\begin{{tabular}}[b]{{@{{}}c@{{}}}}{stacked}\end{{tabular}}"
