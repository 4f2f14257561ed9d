"""What the commands of `endoxa author` are asked to do."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from annotated_types import Ge, Le

from endoxa.runs.asking.settings import CHAT_MODELS, ChatRunSettings
from endoxa.runs.options import EngineOptions
from endoxa.schema import Sampling
from endoxa.schema.options import ASKING, DATA, NETWORK, OUTPUT, Internal, Option, options_of


class AuthorSettings(ChatRunSettings):
    """Settings that all these commands share.

    Attributes:
        row_language: language of rows that do not name theirs; None identifies it.
        prompt_language: language of our prompts.
        prompts: file with prompts of one's own.
        structured: hold models to a JSON schema where their provider can.
        known: table of one's own data; what it has is no new draft.
        encoder: sentence encoder that says how varied the drafts are.
    """

    data: str = ""
    languages: tuple[str, ...] = ()
    row_language: Annotated[
        str | None,
        Option(
            "Language of rows without a column 'language' (ISO 639).",
            DATA,
            name="--language",
            metavar="CODE",
            default="identified from their texts",
        ),
    ] = None
    batch: Annotated[
        bool,
        Option(
            "Use the provider's batch interface: half the price, answers within a day.",
            NETWORK,
            name="--batch-interface",
            only_on=True,
            decides=False,
        ),
    ] = False
    prompt_language: Annotated[str, Option("Language of the prompts.", ASKING, metavar="CODE")] = "en"
    prompts: Annotated[
        str | None, Option("Your own prompts (TOML), in place of ours.", ASKING, metavar="FILE")
    ] = None
    structured: Annotated[
        bool, Option("Hold models to a JSON schema; switch off where a server refuses it.", ASKING)
    ] = True
    known: Annotated[
        str | None,
        Option("Your own data: what is in it already is no new draft.", DATA, metavar="FILE", decides=False),
    ] = None
    encoder: Annotated[
        str | None,
        Option(
            "Encoder that measures how varied the drafts are, as in `curate group`.", OUTPUT, decides=False
        ),
    ] = None
    sampling: Sampling = Sampling(max_tokens=4096)

    @property
    def language_option(self) -> str:
        """The option that says `row_language`."""
        names = {option.path: option.name for option in options_of(type(self))}
        return names["row_language",]


class TuplesSettings(AuthorSettings):
    """Settings of `endoxa author tuples`.

    Attributes:
        per_identity: attributes asked for, per identity and model.
        place: whose stereotypes these are ("in Senegal"); a column `country` or `region` of the data goes first.
    """

    per_identity: Annotated[int, Ge(1), Le(100), Option("Attributes per identity and model.", ASKING)] = 10
    place: Annotated[str, Option('Where people say it: "in Senegal".', ASKING, metavar="TEXT")] = ""


class SentencesSettings(AuthorSettings):
    """Settings of `endoxa author sentences`.

    Attributes:
        per_tuple: sentences per tuple, register and model.
        registers: kinds of text that the sentences come from.
        contrast: the partner has another group, or the opposite attribute.
    """

    per_tuple: Annotated[int, Ge(1), Le(20), Option("Sentences per tuple, register and model.", ASKING)] = 1
    registers: Annotated[
        tuple[str, ...],
        Option("Kind of text: dialogue, 'social media', novel ...; repeatable.", ASKING, name="--register"),
    ] = ("dialogue", "social media", "a novel")
    contrast: Annotated[
        Literal["group", "attribute"],
        Option("The partner sentence has another group of your table, or the opposite attribute.", ASKING),
    ] = "group"


class ExpandSettings(AuthorSettings):
    """Settings of `endoxa author expand`.

    Attributes:
        country: country that the rows are about.
        axes: social axes, taken in turn; those of the data where none is given.
        rows: rows asked for, per model.
        batch_rows: rows of one request.
        examples: rows of one's own data in each request, drawn anew each time.
        per_cell: drafts that each axis should have, for the table of coverage.
        only_listed: rows about groups that are not in the data are left out.
    """

    country: Annotated[str, Option("Country that the rows are about.", ASKING, metavar="NAME")]
    axes: Annotated[
        tuple[str, ...],
        Option(
            "Social axis; repeatable.", ASKING, name="--axis", metavar="NAME", default="those of your data"
        ),
    ] = ()
    rows: Annotated[int, Ge(1), Option("Rows per model.", ASKING)] = 100
    batch_rows: Annotated[int, Ge(1), Le(300), Option("Rows per request.", ASKING, name="--batch")] = 50
    examples: Annotated[int, Ge(0), Le(20), Option("Rows of your data per request.", ASKING)] = 4
    per_cell: Annotated[
        int | None,
        Ge(1),
        Option("Drafts that each axis should have.", OUTPUT, default="rows / axes", decides=False),
    ] = None
    only_listed: Annotated[
        bool,
        Option(
            "Only groups of your table; rows about others are left out and counted.", ASKING, only_on=True
        ),
    ] = False


class CounterSettings(AuthorSettings):
    """Settings of `endoxa author counter`.

    Attributes:
        per_row: counter-narratives per stereotype and model.
    """

    per_row: Annotated[int, Ge(1), Le(10), Option("Counter-narratives per row and model.", ASKING)] = 1


class AdaptSettings(AuthorSettings):
    """Settings of `endoxa author adapt`.

    Attributes:
        context: TOML file that describes the society.
    """

    context: Annotated[
        str, Option("The society (TOML: place, description, groups, names).", ASKING, metavar="FILE")
    ]


class TranslateSettings(AuthorSettings):
    """Settings of `endoxa author translate`.

    Attributes:
        to: language into which pairs are translated.
        row_language: language of the pairs where the table does not say it; None identifies it.
        services: engines that are no chat models, as `endoxa.curate.translation.open_translator` takes them.
    """

    models: Annotated[
        tuple[str, ...],
        Option(
            CHAT_MODELS.replace("Model: ", "Chat model ").replace("; repeatable", "")
            + " Or seq2seq:MODEL, table:FILE; repeatable.",
            DATA,
            name="--engine",
            metavar="ENGINE",
        ),
    ] = ()
    engine: Any = EngineOptions()  # --engine names translators here; local weights run in this process
    to: Annotated[str, Option("Language of the translations (ISO 639).", ASKING, metavar="CODE")]
    row_language: Annotated[
        str | None,
        Option(
            "Language of pairs without a column 'language'.",
            ASKING,
            name="--from",
            metavar="CODE",
            default="identified from their texts",
        ),
    ] = None
    services: Annotated[tuple[str, ...], Internal(decides=False)] = ()


class LabelSettings(AuthorSettings):
    """Settings of `endoxa author label`.

    Attributes:
        scheme: 'topics', 'sentiment', or a TOML file of one's own.
        column: column that is labelled.
        repeats: how often each model labels each row.
        sheet: file for a sheet on which a person labels a sample.
        sheet_rows: rows on that sheet.
    """

    scheme: Annotated[
        str, Option("Labels: topics, sentiment, or your own TOML file.", ASKING, metavar="NAME|FILE")
    ]
    column: Annotated[
        str | None,
        Option("Column to label.", DATA, metavar="NAME", default="attribute, text or sent_more"),
    ] = None
    repeats: Annotated[int, Ge(1), Le(25), Option("Labels per row and model.", ASKING)] = 1
    sheet: Annotated[
        str | None,
        Option(
            "Also write a sheet on which a person labels a random sample.",
            OUTPUT,
            metavar="FILE",
            decides=False,
        ),
    ] = None
    sheet_rows: Annotated[int, Ge(1), Option("Rows on that sheet.", OUTPUT, decides=False)] = 100
    sampling: Sampling = Sampling(temperature=0.0, max_tokens=256)
