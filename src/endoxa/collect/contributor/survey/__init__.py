"""The open questions, one page an axis."""
