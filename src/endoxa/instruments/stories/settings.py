"""What runs of stories, of profiles read from them, and of harm ratings are asked to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from annotated_types import Ge
from pydantic import model_validator

from endoxa.runs.asking.settings import ChatRunSettings
from endoxa.schema import Sampling
from endoxa.schema.options import ASKING, DATA, OUTPUT, Option

if TYPE_CHECKING:
    from endoxa.sources.stereotales import Vocabulary


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

    def identity(self, data_sha256: str, models: list[dict[str, Any]]) -> dict[str, Any]:
        """Everything that decides the stories, as far as it is in our hands."""
        return {
            "kind": "stories",
            **self.asked_identity(data_sha256, models),
            "theme": list(self.themes),
            "repeats": self.repeats,
        }


Order = Literal["attributes-first", "story-first"]
ATTRIBUTES_FIRST: Order = "attributes-first"
STORY_FIRST: Order = "story-first"
"""The order of earlier versions, and of runs that do not name one."""


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
        Option("Also write a sheet on which a person codes a sample (.xlsx, .csv).", OUTPUT, metavar="FILE"),
    ] = None
    sheet_rows: Annotated[
        int, Ge(1), Option("Number of stories on the sheet, from every model and language.", OUTPUT)
    ] = 200
    sampling: Sampling = Sampling(temperature=0.0, max_tokens=1024)  # enough for all attributes as JSON

    def identity(
        self, data_sha256: str, vocabulary: Vocabulary, models: list[dict[str, Any]]
    ) -> dict[str, Any]:
        """Everything that decides the profiles, as far as it is in our hands; our own synonyms go with the version."""
        own = {one.name: dict(one.synonyms) for one in vocabulary if one.synonyms and self.vocabulary}
        return {
            "kind": "extract",
            **self.asked_identity(data_sha256, models),
            "vocabulary": {one.name: list(one.answers) for one in vocabulary},
            **({"synonyms": own} if own else {}),
            "structured": self.structured,
            **({} if self.order == STORY_FIRST else {"order": self.order}),
        }

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_versions(cls, given: Any) -> Any:
        """The settings that a run of an earlier version kept name all but the order."""
        if isinstance(given, dict) and set(cls.model_fields) - set(given) == {"order"}:
            return {**given, "order": STORY_FIRST}
        return given


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

    def identity(
        self, data_sha256: str, prompts: dict[str, Any], models: list[dict[str, Any]]
    ) -> dict[str, Any]:
        """Everything that decides the answers, as far as it is in our hands."""
        return {
            "kind": "harm",
            **self.asked_identity(data_sha256, models),
            "language": self.language,
            "repeats": self.repeats,
            "prompts": prompts,
        }
