"""Which concepts of a data set are in no other, and how many every two share (LACES, section 5.2)."""

from endoxa.curate.novelty.concepts import Concepts, dataset_names, normalise, read_concepts
from endoxa.curate.novelty.labels import Labels, Sheet, draw_sheet, read_labels
from endoxa.curate.novelty.overlap import Novelty, analyze_novelty, check_inputs
from endoxa.curate.novelty.threshold import Calibration, calibrate, cuts, warnings

__all__ = [
    "Calibration",
    "Concepts",
    "Labels",
    "Novelty",
    "Sheet",
    "analyze_novelty",
    "calibrate",
    "check_inputs",
    "cuts",
    "dataset_names",
    "draw_sheet",
    "normalise",
    "read_concepts",
    "read_labels",
    "warnings",
]
