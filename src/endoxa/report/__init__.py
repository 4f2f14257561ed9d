"""How results look: page frame, tables, chart primitives, words."""
