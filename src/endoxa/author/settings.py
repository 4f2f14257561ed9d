"""What the commands of `endoxa author` are asked to do."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from annotated_types import Ge, Le

from endoxa.runs.asking.jobs import CHAT_MODELS, ChatRunSettings
from endoxa.runs.options import EngineOptions
from endoxa.schema import Sampling
from endoxa.schema.options import ASKING, DATA, NETWORK, OUTPUT, Internal, Option


class AuthorSettings(ChatRunSettings):
    """Settings that all these commands share.

    Attributes:
        batch: Use the provider's batch interface: half the price, answers within a day.
        row_language: Language of rows without a column 'language' (ISO 639).
        prompt_language: Language of the prompts.
        prompts: Your own prompts (TOML), in place of ours.
        structured: Hold models to a JSON schema; switch off where a server refuses it.
        known: Your own data: what is in it already is no new draft.
    """

    data: str = ""
    languages: tuple[str, ...] = ()
    row_language: Annotated[
        str | None,
        Option(group=DATA, name="--language", metavar="CODE", default="identified from their texts"),
    ] = None
    batch: Annotated[bool, Option(group=NETWORK, name="--batch-interface", only_on=True, decides=False)] = (
        False
    )
    prompt_language: Annotated[str, Option(group=ASKING, metavar="CODE")] = "en"
    prompts: Annotated[str | None, Option(group=ASKING, metavar="FILE")] = None
    structured: Annotated[bool, Option(group=ASKING)] = True
    known: Annotated[str | None, Option(group=DATA, metavar="FILE", decides=False)] = None
    sampling: Sampling = Sampling(max_tokens=4096)


class TuplesSettings(AuthorSettings):
    """Settings of `endoxa author tuples`.

    Attributes:
        per_identity: Attributes per identity and model.
        place: Where people say it: "in Senegal".
    """

    per_identity: Annotated[int, Ge(1), Le(100), Option(group=ASKING)] = 10
    place: Annotated[str, Option(group=ASKING, metavar="TEXT")] = ""


class SentencesSettings(AuthorSettings):
    """Settings of `endoxa author sentences`.

    Attributes:
        per_tuple: Sentences per tuple, register and model.
        registers: Kind of text: dialogue, 'social media', novel ...; repeatable.
        contrast: The partner sentence has another group of your table, or the opposite attribute.
    """

    per_tuple: Annotated[int, Ge(1), Le(20), Option(group=ASKING)] = 1
    registers: Annotated[tuple[str, ...], Option(group=ASKING, name="--register")] = (
        "dialogue",
        "social media",
        "a novel",
    )
    contrast: Annotated[Literal["group", "attribute"], Option(group=ASKING)] = "group"


class ExpandSettings(AuthorSettings):
    """Settings of `endoxa author expand`.

    Attributes:
        country: Country that the rows are about.
        axes: Social axis; repeatable.
        rows: Rows per model.
        batch_rows: Rows per request.
        examples: Rows of your data per request.
    """

    country: Annotated[str, Option(group=ASKING, metavar="NAME")]
    axes: Annotated[
        tuple[str, ...], Option(group=ASKING, name="--axis", metavar="NAME", default="those of your data")
    ] = ()
    rows: Annotated[int, Ge(1), Option(group=ASKING)] = 100
    batch_rows: Annotated[int, Ge(1), Le(300), Option(group=ASKING, name="--batch")] = 50
    examples: Annotated[int, Ge(0), Le(20), Option(group=ASKING)] = 4


class CounterSettings(AuthorSettings):
    """Settings of `endoxa author counter`.

    Attributes:
        per_row: Counter-narratives per row and model.
    """

    per_row: Annotated[int, Ge(1), Le(10), Option(group=ASKING)] = 1


class TranslateSettings(AuthorSettings):
    """Settings of `endoxa author translate`.

    Attributes:
        to: Language of the translations (ISO 639).
        services: engines that are no chat models, as `endoxa.curate.translation.open_translator` takes them.
    """

    models: Annotated[
        tuple[str, ...],
        Option(
            CHAT_MODELS.replace("Model: ", "Chat model ").replace("; repeatable", "")
            + " Or table:FILE; repeatable.",
            DATA,
            name="--engine",
            metavar="ENGINE",
        ),
    ] = ()
    engine: Any = EngineOptions()  # --engine names translators here; local weights run in this process
    to: Annotated[str, Option(group=ASKING, metavar="CODE")]
    services: Annotated[tuple[str, ...], Internal(decides=False)] = ()


class LabelSettings(AuthorSettings):
    """Settings of `endoxa author label`.

    Attributes:
        scheme: Labels: topics, sentiment, or your own TOML file.
        column: Column to label.
        repeats: Labels per row and model.
        sheet: Also write a sheet on which a person labels a random sample.
        sheet_rows: Rows on that sheet.
    """

    scheme: Annotated[str, Option(group=ASKING, metavar="NAME|FILE")]
    column: Annotated[
        str | None, Option(group=DATA, metavar="NAME", default="attribute, text or sent_more")
    ] = None
    repeats: Annotated[int, Ge(1), Le(25), Option(group=ASKING)] = 1
    sheet: Annotated[str | None, Option(group=OUTPUT, metavar="FILE", decides=False)] = None
    sheet_rows: Annotated[int, Ge(1), Option(group=OUTPUT, decides=False)] = 100
    sampling: Sampling = Sampling(temperature=0.0, max_tokens=256)
