"""What people speak of: how often each topic comes up, and whether the group itself or others say it (LACES, 4.1)."""

from endoxa.curate.topics.table import NO_TOPIC, analyze_topics, read_mentions, read_topics

__all__ = ["NO_TOPIC", "analyze_topics", "read_mentions", "read_topics"]
