"""What people's ratings of associations say: how far they disagree, and whether they are lenient with their own."""

from endoxa.curate.ratings.disagreement import Disagreement, analyze_disagreement
from endoxa.curate.ratings.leniency import Leniency, analyze_leniency
from endoxa.curate.ratings.reading import read_ratings

__all__ = ["Disagreement", "Leniency", "analyze_disagreement", "analyze_leniency", "read_ratings"]
