"""Release gates: is a candidate model worse than a baseline by more than a margin?"""
