"""What runs of stories, of profiles read from them, and of harm ratings are asked to do."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge

from endoxa.runs.asking.settings import ChatRunSettings
from endoxa.schema import Sampling
from endoxa.schema.options import ASKING, DATA, OUTPUT, Option


class StoriesSettings(ChatRunSettings):
    """Settings of `endoxa probe stories`.

    Attributes:
        themes: only prompts of these themes; empty takes all.
        repeats: how often each prompt is given; every repeat has its own seed.
    """

    data: Annotated[str, Option("Prompts of `endoxa build stories`.", DATA, metavar="FILE")]
    themes: Annotated[
        tuple[str, ...],
        Option("Use only prompts of this theme; repeatable.", DATA, name="--theme", metavar="NAME"),
    ] = ()
    repeats: Annotated[int, Ge(1), Option("Number of stories per prompt.", ASKING)] = 1
    sampling: Sampling = Sampling(max_tokens=800)  # enough for a story of about 200 words in any script


Order = Literal["attributes-first", "story-first"]
ATTRIBUTES_FIRST: Order = "attributes-first"


class ExtractSettings(ChatRunSettings):
    """Settings of `endoxa probe extract`; its `models` are the extractors.

    Attributes:
        vocabulary: TOML file with attributes and values of one's own; None takes StereoTales'.
        structured: hold extractors to a JSON schema where their provider can.
        order: what stands first in the questions.
        sheet: file for a sheet on which a person codes a sample; None writes none.
        sheet_rows: stories on that sheet.
    """

    data: Annotated[
        str, Option("Run of `probe stories`, or a table with a column 'story'.", DATA, metavar="RUN|FILE")
    ]
    vocabulary: Annotated[
        str | None,
        Option("Your own attributes and values (TOML).", ASKING, metavar="FILE", default="StereoTales'"),
    ] = None
    structured: Annotated[
        bool,
        Option("Hold extractors to a JSON schema; switch off where a server refuses it.", ASKING),
    ] = True
    order: Annotated[
        Order,
        Option(
            "What comes first in the questions; 'story-first' continues runs of earlier versions.", ASKING
        ),
    ] = ATTRIBUTES_FIRST
    sheet: Annotated[
        str | None,
        Option(
            "Also write a sheet on which a person codes a sample (.xlsx, .csv).",
            OUTPUT,
            metavar="FILE",
            decides=False,
        ),
    ] = None
    sheet_rows: Annotated[
        int,
        Ge(1),
        Option("Number of stories on the sheet, from every model and language.", OUTPUT, decides=False),
    ] = 200
    sampling: Sampling = Sampling(temperature=0.0, max_tokens=1024)  # enough for all attributes as JSON


class HarmSettings(ChatRunSettings):
    """Settings of `endoxa probe harm`; `run.json` keeps them.

    Attributes:
        language: language in which the questions are put.
        repeats: how often each association is rated; every repeat has its own order of questions and seed.
        prompts: TOML file with questions of one's own in the form of ours; None takes ours.
    """

    data: Annotated[
        str,
        Option("Associations of `endoxa analyze associations`, or StereoTales' JSON.", DATA, metavar="FILE"),
    ]
    languages: tuple[str, ...] = ()
    language: Annotated[
        str, Option("Language of the questions: ar, en, es, fr, hi or pt.", ASKING, metavar="CODE")
    ] = "en"
    repeats: Annotated[int, Ge(1), Option("Number of ratings per association and model.", ASKING)] = 3
    prompts: Annotated[
        str | None, Option("Your own questions (TOML), in --language.", ASKING, metavar="FILE")
    ] = None
