"""The kinds of drafts by name."""

from __future__ import annotations

from collections.abc import Mapping

from endoxa.author.kind import Kind
from endoxa.author.kinds.expand import EXPAND
from endoxa.author.kinds.label import LABEL
from endoxa.author.kinds.sentences import COUNTER, SENTENCES
from endoxa.author.kinds.translate import TRANSLATE
from endoxa.author.kinds.tuples import TUPLES

KINDS: Mapping[str, Kind] = {
    kind.name: kind for kind in (TUPLES, SENTENCES, EXPAND, COUNTER, TRANSLATE, LABEL)
}
"""Every kind by the name of its command."""
