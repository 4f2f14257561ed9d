"""What the clients of all chat providers share: the key, and how long a connection may take."""

from __future__ import annotations

import os
from collections.abc import Mapping

from endoxa.errors import UserError
from endoxa.models.chat.spec import ChatOptions, ChatSpec
from endoxa.models.clients import NO_KEY, key_in
from endoxa.models.keys import server_key
from endoxa.models.spec import KEY_VARIABLE

CONNECT_SECONDS = 20.0


def read_key(spec: ChatSpec, environment: Mapping[str, str] = os.environ) -> str:
    """The key of a model at its first address.

    Raises:
        UserError: the provider wants one and the variable is not set, or see `endoxa.models.keys.server_key`.
    """
    if spec.key_variable == KEY_VARIABLE:
        return server_key(f"The model '{spec.text}'", spec.base_url, spec.text, environment=environment)
    key = key_in(spec.key_variable, environment)
    if key == NO_KEY:
        raise UserError(
            f"The model '{spec.text}' needs a key: set the environment variable {spec.key_variable}."
        )
    return key


def connect_seconds(options: ChatOptions) -> float:
    """Seconds after which a connection that was not made is given up."""
    return min(options.timeout, CONNECT_SECONDS)
