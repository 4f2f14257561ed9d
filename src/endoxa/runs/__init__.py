"""A run: its folder, its journal, what it asks, what it costs, and the estimates it keeps."""
