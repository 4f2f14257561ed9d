"""The sheet on which a person codes a sample of thoughts, without seeing what rules or models read in them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from endoxa.curate.review.coding import CodingSheet, read_coding_sheet, write_coding_sheet
from endoxa.errors import UserError
from endoxa.instruments.thoughts.texts import NONE, Codes, ThoughtText, choices
from endoxa.schema.thoughts import ARGUED, CODES

KEY = "thought_key"
_WIDTHS = {KEY: 18, "question": 45, "thought": 90}
_INSTRUCTIONS = (
    "Content notice: language models wrote these thoughts. Some of them may speak of people in an unfair or hurtful "
    "way. You may stop at any time, skip any row and hand back what you have.",
    "Read each thought on the sheet 'Coding' and fill in the green columns of its row from the drop-down lists. Empty "
    "cells are no fault: they count as not coded.",
    *(f"{name}: 'yes' if the thought {meaning}, else 'no'." for name, meaning in CODES.items()),
    f"{ARGUED}: the letter of the option that the thought argues for last; '{NONE}' if it argues for no option. An "
    "option that is only looked at is not argued for.",
    "Do not ask a language model, and do not look at anybody else's sheet.",
)


def draw(thoughts: Sequence[ThoughtText], sample: int, seed: int) -> list[ThoughtText]:
    """Finished thoughts for a sheet: as many of every model as can be, in an order that tells nothing.

    Args:
        thoughts: the thoughts.
        sample: how many.
        seed: another seed draws others.
    """

    def place(thought: ThoughtText) -> bytes:
        return hashlib.blake2b(f"{seed}|{thought.name}".encode(), digest_size=16).digest()

    turns: list[tuple[int, bytes, ThoughtText]] = []
    for model in dict.fromkeys(thought.model for thought in thoughts):
        of_model = [each for each in thoughts if each.model == model and not each.cut_off]
        turns += [(turn, place(each), each) for turn, each in enumerate(sorted(of_model, key=place))]
    drawn = sorted(turns, key=lambda entry: entry[:2])[:sample]
    return [thought for _, _, thought in sorted(drawn, key=lambda entry: entry[1])]


def write_sheet(thoughts: Sequence[ThoughtText], path: Path, *, sample: int, seed: int) -> int:
    """Write a sheet for one person; returns the number of thoughts on it.

    Args:
        thoughts: the thoughts to draw from.
        path: the new file, .xlsx or .csv; a file that is there is never replaced.
        sample: how many.
        seed: another seed draws others.

    Raises:
        UserError: another suffix, a file that is there, openpyxl is missing, or the place cannot be written.
    """
    drawn = draw(thoughts, sample, seed)
    options = any(thought.question for thought in thoughts)
    sheet = CodingSheet(_WIDTHS, choices(options=options), _INSTRUCTIONS)
    write_coding_sheet(path, [(each.key, each.question, each.thought) for each in drawn], sheet)
    return len(drawn)


def read_sheet(path: Path, thoughts: Sequence[ThoughtText]) -> dict[str, Codes]:
    """What a person coded, by name of the thought; letters are those of the options as shown.

    Raises:
        UserError: the sheet cannot be used, or holds thoughts of another run.
    """
    names = {thought.key: thought.name for thought in thoughts}
    options = any(thought.question for thought in thoughts)
    codings = read_coding_sheet(path, KEY, choices(options=options))
    strange = next((key for key in codings if key not in names), None)
    if strange is not None:
        raise UserError(
            f"{path}: the thought '{strange}' is not in these runs. Give the runs from which the sheet was made."
        )
    return {names[key]: coding for key, coding in codings.items()}
