"""Options of `endoxa build pairs` and `endoxa probe pairs`; imported at the start, so nothing heavy is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge, Le
from pydantic import Field

from endoxa.models.spec import ModelOptions
from endoxa.runs.options import DEFAULT_CONFIDENCE, EngineOptions, RunConfidence, RunSettings
from endoxa.schema import ReadOptions
from endoxa.schema.associations import SMALLEST_CELL
from endoxa.schema.options import ASKING, DATA, ITEMS, OUTPUT, Internal, Option, Setting, column_names

DEFAULT_LANGUAGE = "en"
"""Of associations that name none, where nobody says or identifies another one."""


@dataclass(frozen=True, slots=True)
class PairOptions:
    """How pairs are made.

    Attributes:
        language: Language of associations without one (ISO 639).
        negation_only: Negate every attribute instead of using antonyms.
        prefix: Words to put before every identity ('African').
        min_support: Minimum number of respondents per association.
        min_ratings: Minimum number of ratings per association (column ratings of a campaign).
        min_mean: Minimum mean rating, 1 (never heard) to 5 (column mean).
        min_knowers: Minimum share of raters who had heard it (column knowers).
        lexicon: Your own antonyms (columns one, other); override the built-in ones.
        templates: Your own sentence templates by language (TOML).
        antonym_only: Leave out associations without an antonym.
        framings: Pairs per association: the plain sentence and N-1 framings ('People often say: ...').
        min_cell: Minimum number of respondents to keep an association's region.
        cross: Also make pairs about the parts of crossed identities ('igbo women': 'igbo people', 'women').
    """

    language: Annotated[
        str | None, Option(group=DATA, metavar="CODE", default="identified from the texts")
    ] = None
    negation_only: Annotated[bool, Option(group=ITEMS, only_on=True)] = False
    prefix: Annotated[str, Option(group=ITEMS, metavar="WORDS")] = ""
    min_support: Annotated[int, Option(group=DATA)] = 1
    min_ratings: Annotated[int, Ge(0), Option(group=DATA)] = 0
    min_mean: Annotated[float, Ge(1), Le(5), Option(group=DATA)] = 1.0
    min_knowers: Annotated[float, Ge(0), Le(1), Option(group=DATA)] = 0.0
    lexicon: Annotated[Path | None, Option(group=ITEMS)] = None
    templates: Annotated[Path | None, Option(group=ITEMS)] = None
    antonym_only: Annotated[bool, Option(group=ITEMS, only_on=True)] = False
    framings: Annotated[int, Ge(1), Option(group=ITEMS)] = 1
    min_cell: Annotated[int, Ge(1), Option(group=OUTPUT)] = SMALLEST_CELL
    cross: Annotated[bool, Option(group=ITEMS, only_on=True)] = False


class PairsSettings(RunSettings):
    """Settings of `endoxa probe pairs`; `run.json` keeps them, and a run can be repeated from there.

    Attributes:
        data: File of pairs, `sample`, or the name of a downloaded data set.
        models: Model: hf/ID-OR-FOLDER or http://HOST:PORT/v1#NAME; repeatable.
        rules: Scoring rule; repeatable.
        format: Format of the file, a name of `endoxa datasets list`.
        columns: What the file calls our columns: sent_more=stereotype,sent_less=other.
        prefix: S-AS tables: words before every identity ('African').
        template: S-AS tables: sentence with {identity} and {attribute}.
        identities: Your own table of groups (CSV: group, words, axis), by which pairs are counted.
        languages: Use only pairs in this language; repeatable. One alone is also the language of a file without any.
        limit: only the first so many pairs.
        calibrate: Also score the same sentences about other groups, or 'people' and 'they'.
        skip_unscorable: List pairs that cannot be scored instead of stopping.
        confidence: confidence level of the intervals.
        seed: seed of the bootstrap and the permutation tests.
        notice: what every page made from the run must say first ("planted models").
        options: how models are loaded.
        engine: where local weights run.
        chunk: pairs held in memory at a time.
    """

    data: Annotated[str, Option(group=DATA, metavar="FILE|NAME")]
    models: Annotated[tuple[str, ...], Option(group=DATA, name="--model", metavar="MODEL")] = ()
    rules: Annotated[
        tuple[str, ...], Option(group=ASKING, name="--rule", metavar="RULE", default="one per architecture")
    ] = ()
    format: Annotated[str | None, Option(group=DATA, metavar="NAME", default="recognised")] = None
    columns: Annotated[
        Mapping[str, str], Option(group=DATA, metavar="OURS=THEIRS,...", parse=column_names)
    ] = Field(default_factory=dict)
    prefix: Annotated[str | None, Setting(group=DATA, metavar="WORDS")] = None
    template: Annotated[str | None, Setting(group=DATA, metavar="TEXT")] = None
    identities: Annotated[
        Path | None, Option(group=DATA, metavar="FILE", default="endoxa's, for CrowS-Pairs and IndiBias")
    ] = None
    languages: Annotated[tuple[str, ...], Option(group=DATA, name="--language", metavar="CODE")] = ()
    calibrate: Annotated[bool, Option(group=ASKING)] = True
    skip_unscorable: Annotated[bool, Option(group=ASKING, only_on=True)] = False
    confidence: RunConfidence = DEFAULT_CONFIDENCE
    options: ModelOptions = ModelOptions()
    engine: EngineOptions = EngineOptions()
    chunk: Annotated[int, Internal(decides=False)] = Field(default=1024, ge=1)

    def asked(self) -> dict[str, Any]:
        """What decides estimates and report besides the records."""
        return {"confidence": self.confidence, "seed": self.seed}

    def read_options(self) -> ReadOptions:
        """What the reader of the data is told."""
        return ReadOptions(
            chunk_rows=self.chunk,
            language=self.languages[0] if len(self.languages) == 1 else None,
            prefix=self.prefix,
            template=self.template,
            columns=self.columns,
        )
