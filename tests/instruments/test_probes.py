"""Sentences that came out wrong once must not come out again, in any language: the probes of `faults.csv`."""

import pytest

from endoxa.instruments.probes import faults, probes
from endoxa.words.packs import rows_of

LANGUAGES = sorted({row["language"] for row in rows_of("", "faults.csv")})


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_of_a_known_fault_comes_out(language):
    assert probes(language)
    assert [(probe["kind"], probe["attribute"], text) for probe, text in faults(language)] == []
