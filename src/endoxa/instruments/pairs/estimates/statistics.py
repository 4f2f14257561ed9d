"""The statistics by name: ours, and those of installed packages (entry-point group `endoxa.statistics`)."""

from __future__ import annotations

from collections.abc import Iterable

from endoxa.registry import Registry
from endoxa.schema import Statistic


def _builtin() -> Iterable[Statistic]:
    from endoxa.instruments.pairs.estimates import (
        calibration,
        differences,
        power,
        preference,
    )

    return (
        preference.PREFERENCE_RATIO,
        preference.BPR,
        preference.TIE_SHARE,
        differences.MEAN_DIFFERENCE,
        differences.MEDIAN_DIFFERENCE,
        differences.EFFECT_SIZE,
        calibration.CALIBRATED_PREFERENCE_RATIO,
        calibration.CALIBRATED_MEAN_DIFFERENCE,
        calibration.NEUTRAL_MEAN_DIFFERENCE,
        calibration.ATTRIBUTE_R_SQUARED,
        preference.BIAS_PERCENTAGE_LITERAL,
        preference.BIAS_PERCENTAGE_ALWAYS_MORE,
        *preference.CROWS,
        power.MINIMUM_DETECTABLE_RATIO,
        power.MINIMUM_DETECTABLE_EFFECT_SIZE,
    )


STATISTICS: Registry[Statistic] = Registry("statistic", "endoxa.statistics", _builtin)
