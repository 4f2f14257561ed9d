"""Made-up answers and errors in the form of each interface."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error in the place of an answer.

    Attributes:
        status: HTTP status.
        message: the words.
        code: the provider's name of the problem.
    """

    status: int
    message: str
    code: str = ""

    def body(self, *, anthropic: bool) -> dict[str, Any]:
        """It in the form of either interface."""
        kind = {"type": self.code or "invalid_request_error"} if anthropic else {"code": self.code or None}
        return {"type": "error", "error": {"type": "invalid_request_error", "message": self.message, **kind}}


Reply = Callable[[Mapping[str, Any]], str | Refusal]
"""The JSON body of a request -> what the model says to it."""


def letter(body: Mapping[str, Any]) -> str:
    """A, B or C: always the same for the same last message and seed."""
    words = f"{body.get('seed')}|{body['messages'][-1]['content']}"
    return "ABC"[hashlib.sha256(words.encode()).digest()[0] % 3]


def answer(body: Mapping[str, Any], text: str, *, anthropic: bool) -> dict[str, Any]:
    """An answer in the form of either interface; a token is a word, and no text leaves nothing to hold one."""
    sent = sum(len(message["content"].split()) for message in body["messages"])
    received = len(text.split())
    if anthropic:
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [{"type": "text", "text": text}] if text else [],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": sent, "output_tokens": received},
        }
    message = {"role": "assistant", "content": text}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received},
    }
