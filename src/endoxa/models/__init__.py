"""What can be probed: models that score text (here), chat models (`chat`), encoders (`encoders`).

`open_model` turns the words of the command line into something with the interface of `endoxa.schema.Model`;
`endoxa.models.chat.open_chat` and `endoxa.models.encoders.open_encoders` do the same for their kinds. Providers and
encoder kinds stand in registries, so that a package can add its own.
"""

from __future__ import annotations

from endoxa.models.libraries import require_local
from endoxa.models.scoring import WORTH_SAYING, look_at, open_model, open_reader, parse_model
from endoxa.models.spec import ModelFacts, ModelOptions, ModelSpec

__all__ = [
    "WORTH_SAYING",
    "ModelFacts",
    "ModelOptions",
    "ModelSpec",
    "look_at",
    "open_model",
    "open_reader",
    "parse_model",
    "require_local",
]
