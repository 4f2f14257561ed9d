"""How far extracted profiles can be trusted, and what counts become when their errors are taken into account."""

from endoxa.instruments.stories.profiles.coding import (
    analyze_extraction,
    correct_counts,
    load_extraction,
    write_agreement,
)

__all__ = ["analyze_extraction", "correct_counts", "load_extraction", "write_agreement"]
