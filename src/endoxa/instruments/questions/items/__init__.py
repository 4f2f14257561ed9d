"""Multiple-choice questions from associations, after LACES (appendix B), in our own wording, and a made-up example."""
