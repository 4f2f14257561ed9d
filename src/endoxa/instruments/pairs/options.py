"""Options of `endoxa build pairs` and `endoxa probe pairs`; imported at the start, so nothing heavy is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge, Le
from pydantic import Field

from endoxa.models.spec import ModelOptions
from endoxa.runs.options import DEFAULT_CONFIDENCE, EngineOptions, RunConfidence
from endoxa.runs.settings import RunSettings
from endoxa.schema import ReadOptions
from endoxa.schema.associations import SMALLEST_CELL
from endoxa.schema.options import ASKING, DATA, ITEMS, OUTPUT, Internal, Option, Setting, column_names

DEFAULT_LANGUAGE = "en"
"""Of associations that name none, where nobody says or identifies another one."""


@dataclass(frozen=True, slots=True)
class PairOptions:
    """How pairs are made.

    Attributes:
        language: language of associations that name none; None is English, which `endoxa build` does not
            assume: it identifies the language.
        negation_only: deny every attribute instead of looking for opposites.
        prefix: word(s) before every identity ("African"; AfriStereo 3.3.4).
        min_support: fewest respondents an association needs.
        min_ratings: fewest ratings an association of a campaign needs.
        min_mean: lowest mean rating, 1 (never heard) to 5; without a rating there is none.
        min_knowers: lowest share of raters who had heard it.
        lexicon: a user's own opposites, looked at before ours.
        templates: a user's own sentences by language.
        antonym_only: leave out what has no natural opposite instead of denying it.
        framings: ways to put each pair: the plain sentence, then the framings of the language.
        min_cell: fewest respondents of an association whose region is given, as in a summary; 1 gives all.
        cross: add pairs about the parts of crossed identities ("igbo women": Igbo people, women).
        parts: parts that a user names, of identities whose words do not say them.
    """

    language: Annotated[
        str | None,
        Option(
            "Language of associations without one (ISO 639).",
            DATA,
            metavar="CODE",
            default="identified from the texts",
        ),
    ] = None
    negation_only: Annotated[
        bool, Option("Negate every attribute instead of using antonyms.", ITEMS, only_on=True)
    ] = False
    prefix: Annotated[
        str, Option("Words to put before every identity ('African').", ITEMS, metavar="WORDS")
    ] = ""
    min_support: Annotated[int, Option("Minimum number of respondents per association.", DATA)] = 1
    min_ratings: Annotated[
        int, Ge(0), Option("Minimum number of ratings per association (column ratings of a campaign).", DATA)
    ] = 0
    min_mean: Annotated[
        float, Ge(1), Le(5), Option("Minimum mean rating, 1 (never heard) to 5 (column mean).", DATA)
    ] = 1.0
    min_knowers: Annotated[
        float, Ge(0), Le(1), Option("Minimum share of raters who had heard it (column knowers).", DATA)
    ] = 0.0
    lexicon: Annotated[
        Path | None, Option("Your own antonyms (columns one, other); override the built-in ones.", ITEMS)
    ] = None
    templates: Annotated[Path | None, Option("Your own sentence templates by language (TOML).", ITEMS)] = None
    antonym_only: Annotated[
        bool, Option("Leave out associations without an antonym.", ITEMS, only_on=True)
    ] = False
    framings: Annotated[
        int,
        Ge(1),
        Option(
            "Pairs per association: the plain sentence and N-1 framings ('People often say: ...').", ITEMS
        ),
    ] = 1
    min_cell: Annotated[
        int, Ge(1), Option("Minimum number of respondents to keep an association's region.", OUTPUT)
    ] = SMALLEST_CELL
    cross: Annotated[
        bool,
        Option(
            "Also make pairs about the parts of crossed identities ('igbo women': 'igbo people', 'women').",
            ITEMS,
            only_on=True,
        ),
    ] = False
    parts: Annotated[
        Path | None,
        Option("Parts of your own crossed identities, with --cross (columns identity, parts).", ITEMS),
    ] = None


class PairsSettings(RunSettings):
    """Settings of `endoxa probe pairs`; `run.json` keeps them, and a run can be repeated from there.

    Attributes:
        data: file of pairs, or the name of a registered data set.
        models: models as written on the command line.
        rules: rule names; empty takes the usual rule of each architecture.
        format: format of the file; None recognises it.
        columns: our name of a column -> the file's.
        prefix: word(s) before every identity, for S-AS tables.
        template: sentence template, for S-AS tables.
        identities: table of groups in the place of endoxa's own, see `endoxa.sources.groups`.
        languages: only pairs in these languages; a single one also names the language of a file that does
            not say.
        limit: only the first so many pairs.
        calibrate: also score the same sentences about other identities, where the data names the identity.
        skip_unscorable: leave pairs out that a model cannot score, and list them, instead of stopping.
        confidence: confidence level of the intervals.
        seed: seed of the bootstrap and the permutation tests.
        notice: what every page made from the run must say first ("planted models").
        options: how models are loaded.
        engine: where local weights run.
        chunk: pairs held in memory at a time.
    """

    data: Annotated[
        str,
        Option("File of pairs, `sample`, or the name of a downloaded data set.", DATA, metavar="FILE|NAME"),
    ]
    models: Annotated[
        tuple[str, ...],
        Option(
            "Model: hf/ID-OR-FOLDER or http://HOST:PORT/v1#NAME; repeatable.",
            DATA,
            name="--model",
            metavar="MODEL",
        ),
    ] = ()
    rules: Annotated[
        tuple[str, ...],
        Option(
            "Scoring rule; repeatable.", ASKING, name="--rule", metavar="RULE", default="one per architecture"
        ),
    ] = ()
    format: Annotated[
        str | None,
        Option(
            "Format of the file, a name of `endoxa datasets list`.",
            DATA,
            metavar="NAME",
            default="recognised",
        ),
    ] = None
    columns: Annotated[
        Mapping[str, str],
        Option(
            "What the file calls our columns: sent_more=stereotype,sent_less=other.",
            DATA,
            metavar="OURS=THEIRS,...",
            parse=column_names,
        ),
    ] = Field(default_factory=dict)
    prefix: Annotated[
        str | None,
        Setting("S-AS tables: words before every identity ('African').", DATA, metavar="WORDS"),
    ] = None
    template: Annotated[
        str | None,
        Setting("S-AS tables: sentence with {identity} and {attribute}.", DATA, metavar="TEXT"),
    ] = None
    identities: Annotated[
        Path | None,
        Option(
            "Your own table of groups (CSV: group, words, axis), by which pairs are counted.",
            DATA,
            metavar="FILE",
            default="endoxa's, for CrowS-Pairs and IndiBias",
        ),
    ] = None
    languages: Annotated[
        tuple[str, ...],
        Option(
            "Use only pairs in this language; repeatable. One alone is also the language of a file without any.",
            DATA,
            name="--language",
            metavar="CODE",
        ),
    ] = ()
    calibrate: Annotated[
        bool, Option("Also score the same sentences about other groups, or 'people' and 'they'.", ASKING)
    ] = True
    skip_unscorable: Annotated[
        bool, Option("List pairs that cannot be scored instead of stopping.", ASKING, only_on=True)
    ] = False
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
