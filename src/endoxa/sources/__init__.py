"""Published formats of sentence pairs, in and out.

One module per format; `read.read_pairs` is the way in, `check.check_pairs` looks for problems, `sources`
knows where the published files are. The public registry of formats is `READERS`.
"""

from __future__ import annotations

from collections.abc import Iterable

from endoxa.registry import Registry
from endoxa.schema import Reader


def _builtin() -> Iterable[Reader]:
    from endoxa.sources.read import FORMATS

    return FORMATS.values()


READERS: Registry[Reader] = Registry("format", "endoxa.readers", _builtin)
"""Readers by name; other packages add theirs through the entry-point group `endoxa.readers`."""
