"""A chat server that misbehaves on purpose, for tests, rehearsals and benchmarks.

It answers on 127.0.0.1 as OpenAI's interface (models, chat completions, files, batches) and as Anthropic's (messages,
message batches), with a fixed latency and made-up answers, and breaks a given share of its answers in the ways that
servers do. It speaks HTTP over bare sockets, because a cut connection must be a cut connection.

    python -m endoxa.testing.chat_server --port 0 --faults 0.3 --latency 0.05 --seed 1
"""

from __future__ import annotations

from endoxa.testing.chat_server.replies import Refusal, letter
from endoxa.testing.chat_server.server import FAULTS, ChatServer, Settings, running

__all__ = ["FAULTS", "ChatServer", "Refusal", "Settings", "letter", "running"]
