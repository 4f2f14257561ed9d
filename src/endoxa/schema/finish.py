"""Why an answer ended: the words of all providers, as five words of ours.

Sources: the API references of OpenAI (chat completions, responses), Anthropic (messages), Google (Gemini), Mistral,
Cohere, Amazon Bedrock (Converse), DeepSeek, Zhipu, text-generation-inference, vLLM and Inspect, as of November 2026.
"""

from __future__ import annotations

import re

STOP, LENGTH, CONTENT_FILTER, REFUSAL, ERROR = "stop", "length", "content_filter", "refusal", "error"
THOUGHTS_ONLY = "thoughts-only"
"""How an answer ended that the model ended itself, but within its thoughts: nothing of it is read."""
TOOL_CALL = "tool_calls"
"""How an answer ended that calls a tool of the user's, which nobody offered."""
CALLED_A_TOOL = "the model called a tool instead of answering"
"""Why an answer that calls a tool, and says nothing, is none."""

_WORDS = {
    STOP: ("", "stop", "end_turn", "stop_sequence", "eos", "eos_token", "complete", "end"),
    LENGTH: (
        *("length", "max_tokens", "model_length", "max_length", "max_output_tokens", "max_new_tokens"),
        *("max_completion_tokens", "model_context_window_exceeded", "context_length_exceeded", "error_limit"),
        *("token_limit", "max_tokens_reached"),
    ),
    CONTENT_FILTER: (
        *("content_filter", "content_filtered", "guardrail_intervened", "safety", "image_safety"),
        *("recitation", "blocklist", "prohibited_content", "spii", "error_toxic", "sensitive", "model_armor"),
        "blocked",
    ),
    REFUSAL: ("refusal", "refused"),
    TOOL_CALL: ("tool_calls", "tool_use", "function_call", "malformed_function_call"),
    ERROR: ("error", "network_error", "insufficient_system_resource", "abort"),
}
_REASONS = {word: reason for reason, words in _WORDS.items() for word in words}
_BEFORE = re.compile(r"^.*\.|^finish_?reason_")
"""What some libraries write in front: `FinishReason.MAX_TOKENS`, `FINISH_REASON_SAFETY`."""


def finish_reason(word: str | None) -> str:
    """Why an answer ended.

    Args:
        word: the provider's word, in any case and with any dashes; None or empty where it gave none.

    Returns:
        "stop", "length" (the limit of tokens cut it off), "content_filter", "refusal", "tool_calls" or "error"; an
        unknown word as it came.
    """
    written = (word or "").strip()
    plain = re.sub(r"[\s-]+", "_", written.lower())
    return _REASONS.get(plain) or _REASONS.get(_BEFORE.sub("", plain), written)
