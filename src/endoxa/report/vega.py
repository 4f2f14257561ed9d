"""The chart library that redraws figures in a page: Vega, Vega-Lite and Vega-Embed as vl-convert carries them."""

from __future__ import annotations

import base64
import gzip
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from endoxa.errors import UserError
from endoxa.sources.write import replacing

_MODULE = "export {vegaEmbed};"


@cache
def packed_library() -> str:
    """A JavaScript module that exports `vegaEmbed`, gzipped, as base64 text.

    vl-convert takes seconds to put it together, so it is kept in the user's cache folder, by version.
    """
    from platformdirs import user_cache_path

    kept = user_cache_path("endoxa") / "vega" / f"vl-convert-{version('vl-convert-python')}.js.gz"
    packed = kept.read_bytes() if kept.is_file() else _bundle(kept)
    return base64.b64encode(packed).decode("ascii")


def _bundle(kept: Path) -> bytes:
    """Make the bundle and keep it; a folder that cannot be written costs only time."""
    import vl_convert

    packed = gzip.compress(vl_convert.javascript_bundle(_MODULE).encode(), compresslevel=9, mtime=0)
    with suppress(OSError, UserError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        with replacing(kept) as draft:
            draft.write_bytes(packed)
    return packed
