"""The queue of new and flagged pairs; merging and taking it back."""
