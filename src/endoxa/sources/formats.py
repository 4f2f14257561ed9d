"""The formats that come with endoxa, in the order in which they are tried on a file."""

from __future__ import annotations

from endoxa.sources.crows_pairs import CROWS_PAIRS
from endoxa.sources.drafts import Format
from endoxa.sources.indibias import INDIBIAS
from endoxa.sources.native import NATIVE
from endoxa.sources.s_as import S_AS
from endoxa.sources.stereoset import STEREOSET

FORMATS: dict[str, Format] = {form.name: form for form in (CROWS_PAIRS, INDIBIAS, S_AS, STEREOSET, NATIVE)}
