"""Models that score given text: local weights and completions servers, opened by the words that name them.

No library is imported that the chosen model does not need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from endoxa.errors import UserError
from endoxa.models import live
from endoxa.models.chat import PROVIDERS
from endoxa.models.server import ServerModel
from endoxa.models.spec import (
    ModelFacts,
    ModelOptions,
    ModelSpec,
    read_address,
    refused_adapter,
    require_local,
)

if TYPE_CHECKING:
    from endoxa.models.local import Reader
    from endoxa.schema import Model

FORMS = "hf/ORG/NAME, hf/FOLDER or http://HOST:PORT/v1#NAME"
WORTH_SAYING = 0.05
"""Share of unknown tokens in a language from which a run warns."""


def parse_model(text: str) -> ModelSpec:
    """Read `hf/...` or `http(s)://...#NAME`.

    Raises:
        UserError: another form; chat APIs are named with the reason they cannot score sentences.
    """
    if text.startswith("hf/") and len(text) > len("hf/"):
        return ModelSpec(text, "hf", text.removeprefix("hf/"))
    if text.startswith(("http://", "https://")):
        return ModelSpec(text, "server", *read_address(text))
    if text.startswith(live.PREFIX):
        return ModelSpec(text, live.LIVE, text.removeprefix(live.PREFIX), in_memory=True)
    if any(provider.takes(text) for provider in PROVIDERS.all().values()):
        raise UserError(
            f"The model '{text}' cannot score sentence pairs: a chat interface returns no probability of a given "
            f"text. Give {FORMS}."
        )
    raise UserError(f"Cannot read the model '{text}': did you mean hf/{text}? Give {FORMS}.")


def open_model(spec: ModelSpec, options: ModelOptions) -> Model:
    """Load a model, or connect to the server that has it.

    Raises:
        UserError: the model cannot be had, or could give no honest number.
    """
    if spec.kind == "server":
        return ServerModel.connect(spec, options)
    if spec.kind == live.LIVE:
        return live.open_live(spec, options)
    require_local(spec.text)
    from endoxa.models.local import open_local

    return open_local(spec, options)


def open_reader(spec: ModelSpec, options: ModelOptions) -> Reader | None:
    """What of a local model reads texts, without its weights; None for other models, which tell when they are asked.

    Raises:
        UserError: configuration or tokenizer cannot be had.
    """
    if not spec.runs_here:
        return None
    require_local(spec.text)
    from endoxa.models.local import open_reader as open_local_reader

    return open_local_reader(spec, options)


def look_at(spec: ModelSpec, options: ModelOptions) -> ModelFacts:
    """Recognise a model from its configuration; no weights are read.

    Raises:
        UserError: it is not there, or not a language model.
    """
    if options.adapter is not None and not spec.runs_here:
        raise refused_adapter(spec.text)
    if spec.kind == "server":
        return ModelFacts(spec.text, "causal", None)
    if spec.kind == live.LIVE:
        return live.look_at_live(spec)
    require_local(spec.text)
    from endoxa.models.local import look_at_local

    return look_at_local(spec, options)
