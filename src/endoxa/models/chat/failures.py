"""What a failed chat request means: try again, keep it as this one request's error, or end the run."""

from __future__ import annotations

import re

from endoxa.errors import UserError
from endoxa.models.chat.spec import ChatSpec
from endoxa.models.retrying import OUT_OF_MONEY, REFUSED_TEXTS, Failure, raise_if_passing
from endoxa.models.transport import REFUSED_RESPONSE
from endoxa.schema import ChatAnswer

_FILTERED = re.compile(
    r"content[ _-](filter|polic|management)|usage polic|was flagged|requires moderation|responsible.ai", re.I
)
_TOO_LONG = re.compile(
    r"context.(length|window|size|limit)|maximum context|input token count|too long|reduce the length|too_large",
    re.I,
)


def judge(failure: Failure, spec: ChatSpec, *, worked: bool) -> ChatAnswer:
    """The answer that stands for a request refused for good.

    Args:
        failure: what came.
        spec: the model, to name it.
        worked: the same settings have been answered before, so a refusal blames this one request.

    Raises:
        TransientError: try again.
        UserError: no request will be answered.
    """
    text = f"{failure.code} {failure.words}"
    if blames_server(failure):
        raise_if_passing(failure)
    if failure.status in REFUSED_TEXTS | {403, 451} and _FILTERED.search(text):
        return ChatAnswer("", finish="content_filter", refused=True, error=failure.words)
    if failure.status == 413 or (failure.status not in {401, 402, 403, 404} and _TOO_LONG.search(text)):
        return ChatAnswer("", finish="error", error=failure.words)
    if worked and failure.status in REFUSED_TEXTS:
        return ChatAnswer("", finish="error", error=failure.words)
    raise permanent(failure, spec)


def blames_server(failure: Failure) -> bool:
    """Asking again may help; some servers answer 500 where a conversation is too long."""
    return failure.passing and (failure.status < 500 or not _TOO_LONG.search(failure.words))


def permanent(failure: Failure, spec: ChatSpec) -> UserError:
    """The sentence for a refusal that asking again does not mend."""
    model, where = f"The model '{spec.text}'", spec.base_url
    if failure.code == REFUSED_RESPONSE:
        return UserError(f"{model}: {failure.words}.")
    if failure.status == 401:
        return UserError(f"{model}: {where} refuses the key in the environment variable {spec.key_variable}.")
    if failure.status == 403:
        return UserError(
            f"{model}: the key in {spec.key_variable} may not use it at {where} ({failure.words})."
        )
    if failure.status == 404:
        return UserError(
            f"{model}: {where} has no model '{spec.served_name}', or is not the address of a chat interface "
            f"({failure.words})."
        )
    if failure.status == 402 or failure.code in OUT_OF_MONEY:
        return UserError(
            f"{model}: the account of {spec.key_variable} has no money or quota left ({failure.words}). What was "
            "done is kept; the same command continues."
        )
    return UserError(f"{model}: {where} refused the request with status {failure.status} ({failure.words}).")
