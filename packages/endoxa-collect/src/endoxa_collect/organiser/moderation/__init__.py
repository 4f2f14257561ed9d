"""Pages of moderation: the queue of new and flagged pairs, and merging."""
