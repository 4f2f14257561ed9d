"""The formats that come with endoxa, in the order in which they are tried on a file."""

from __future__ import annotations

from endoxa.datasets.crows_pairs import CROWS_PAIRS
from endoxa.datasets.drafts import Format
from endoxa.datasets.indibias import INDIBIAS
from endoxa.datasets.native import NATIVE
from endoxa.datasets.s_as import S_AS
from endoxa.datasets.stereoset import STEREOSET

FORMATS: dict[str, Format] = {form.name: form for form in (CROWS_PAIRS, INDIBIAS, S_AS, STEREOSET, NATIVE)}
