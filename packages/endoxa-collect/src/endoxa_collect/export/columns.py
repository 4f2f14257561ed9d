"""The columns of an export, each with its description. Other data never leave the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl
from polars.datatypes import DataTypeClass

from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.models import RATING_WORDS

LEAST = 5
"""People who must share what an export says of them."""

FEW_SHARE = f"countries that fewer than {LEAST} people share, or that were put with them"
"""Whose people have no key in an export."""

OTHER = "other"
"""Stands for what fewer than `LEAST` people share."""

OWN = "own"
"""The tier of ratings for people from the country."""

SHARED_TIERS = frozenset({"near", "anyone", OTHER})
"""Tiers that are exported as `OTHER`: which one it was would say what countries somebody feels close to."""

POLARITIES: Mapping[bool | None, str] = {True: "negative", False: "not negative", None: ""}
"""What the table of pairs says of `Pair.negative`."""

PROFILE = "profile_"
"""Before the names of the campaign's own profile questions."""

_TEXT, _INTEGER, _NUMBER, _BOOL = pl.String, pl.Int64, pl.Float64, pl.Boolean

_WITH_PROFILE = ("people", "statements")


@dataclass(frozen=True)
class Column:
    """One column: its name, what kind of value it holds, and what that means."""

    name: str
    kind: DataTypeClass
    sentence: str


_ROW = Column("row_id", _TEXT, "random name of the row; the same in every release of the campaign")
_PAIR = Column("association_id", _TEXT, "the pair, as in the table of pairs (after merging)")
_RATER = Column(
    "rater",
    _TEXT,
    f"who, as a key that is made anew for each export and release; empty where fewer than {LEAST} people share the "
    "country, or where it was put with such countries so that nobody stands out",
)
_CONSENT = Column("consent", _TEXT, "version of the consent text that the person agreed to")
_REVEALED = Column(
    "revealed",
    _TEXT,
    "were the words visible when this was answered: 'shown' (never covered), 'revealed' (covered as they may hurt, and "
    "opened by the person) or 'covered' (only skips); empty without words and on paper",
)
_HOUR = Column("hour", _TEXT, "when, to the hour, in UTC; only the day where the person has no key (`rater`)")
_COUNTRY = Column(
    "country",
    _TEXT,
    "country or countries of origin that the person named, now or when they answered (ISO 3166), 'other' where fewer "
    f"than {LEAST} people share them or they were put with such, empty where none was named",
)

TABLES: Mapping[str, tuple[Column, ...]] = {
    "pairs": (
        Column("association_id", _TEXT, "random name of the pair; the same in every release of the campaign"),
        Column("identity", _TEXT, "the people it is about, in the language of the pair"),
        Column("attribute", _TEXT, "what they are said to be or do, in the words of somebody who said it"),
        Column("axis", _TEXT, "social axis: 'nationality'"),
        Column("region", _TEXT, "countries of at least 5 people who said it unprompted, else empty"),
        Column("language", _TEXT, "language of identity and attribute (ISO 639)"),
        Column(
            "polarity",
            _TEXT,
            "'negative' or 'not negative', by seeds, moderators, word lists (in English: VADER) or the answers "
            "in `hurt_answers`; empty: not known",
        ),
        Column("source", _TEXT, "name of the campaign"),
        Column("support", _INTEGER, "people who said it unprompted (salience); never added to the ratings"),
        Column("country", _TEXT, "the country it is about (ISO 3166)"),
        Column("topic", _TEXT, "topic of a seed, or the one that an open question named; else empty"),
        Column("origin", _TEXT, "'seed' or 'contributor'"),
        Column(
            "calibration",
            _BOOL,
            "whether it belongs to the random set that all people go through in one order",
        ),
        Column("k", _INTEGER, "ratings that each pair was to get"),
        Column(
            "candidate",
            _BOOL,
            "whether it was ticked once, by somebody far from its country, and waits for a second mention: it asked "
            "for no ratings",
        ),
        Column("ratings", _INTEGER, "people who judged it when it was shown (recognition)"),
        Column("mean", _NUMBER, "mean of these ratings, 1 (never heard) to 5 (everyone knows it)"),
        Column("variance", _NUMBER, "variance of these ratings (divided by n); empty for fewer than two"),
        Column(
            "weighted_mean",
            _NUMBER,
            "mean of the ratings with a propensity, each weighted by 1/propensity (Hajek): an estimate for all who "
            "took part; compare it with `mean`",
        ),
        Column("knowers", _NUMBER, "share of the ratings above 1: people who had heard it"),
        Column("weighted_knowers", _NUMBER, "the same share, weighted by 1/propensity (Hajek)"),
        Column(
            "in_group_ratings", _INTEGER, "ratings by people from the country, as far as `in_group` is given"
        ),
        Column("in_group_mean", _NUMBER, "their mean"),
        Column(
            "out_group_ratings", _INTEGER, "ratings by people from elsewhere, as far as `in_group` is given"
        ),
        Column("out_group_mean", _NUMBER, "their mean"),
        Column("skips", _INTEGER, "times it was shown and not answered"),
        Column("listed", _INTEGER, "people who answered a list that it stood on (`mixed`, 'heard')"),
        Column("heard_share", _NUMBER, "share of them who had heard it"),
        Column("heard_low", _NUMBER, "lower end of the 95 % interval of that share (Wilson 1927)"),
        Column("heard_high", _NUMBER, "its upper end; it does not allow for who was asked"),
        Column("compared", _INTEGER, "comparisons with another pair in which one of both was said more"),
        Column(
            "compared_more",
            _INTEGER,
            "of these, how often it was the one; only says something beside the other pair",
        ),
        Column("merged_ids", _TEXT, "ids of pairs that were merged into it, separated by spaces"),
    ),
    "people": (_RATER, _COUNTRY, _CONSENT),
    "ratings": (
        _ROW,
        _PAIR,
        Column("shown_id", _TEXT, "the pair as it was shown, before merging"),
        _RATER,
        Column(
            "value",
            _INTEGER,
            "how known it is where the person lives: "
            + ", ".join(f"{value} '{words}'" for value, words in RATING_WORDS.items()),
        ),
        Column(
            "in_group",
            _BOOL,
            "whether the person comes from the country; empty where they named none or have no `rater`",
        ),
        Column("counted", _BOOL, "false where the same person rated a merged pair again later"),
        Column("prompted", _BOOL, "true: the pair was shown"),
        Column(
            "tier",
            _TEXT,
            "why this person got it: 'own' (it picked them, and they are from the country), 'other' (it picked them, "
            "and they are from elsewhere), 'calibration', 'topup', 'open', 'backup', 'paper'; empty where there is no "
            "`rater`",
        ),
        Column(
            "slot",
            _TEXT,
            "whom the rating was for: 'own' (people from the country), 'near' or 'anyone'; empty in public exports, "
            "and where no slot asked for it",
        ),
        Column(
            "propensity",
            _NUMBER,
            "probability that one of the ratings of this pair fell to this person, of those who took part just then; "
            "only of ratings up to k; empty where there is no `rater`",
        ),
        Column(
            "pool",
            _INTEGER,
            "people among whom this rater was drawn; empty where the tier is 'other' or there is no `rater`",
        ),
        _REVEALED,
        Column("late", _BOOL, "answered after the reservation of the pair was over"),
        Column("surplus", _BOOL, "the pair had k ratings already and nothing asked for more"),
        Column("settings_version", _INTEGER, "version of the settings in force when it was drawn"),
        Column("settings_digest", _TEXT, "first digits of the hash of these settings"),
        _CONSENT,
        _HOUR,
    ),
    "mentions": (
        _ROW,
        _PAIR,
        Column("said_id", _TEXT, "the pair that these words made or met, before merging"),
        _RATER,
        Column("text", _TEXT, "the words, as they were typed"),
        Column("language", _TEXT, "language of the words (ISO 639)"),
        Column("via", _TEXT, "'attribute', 'other_country' or 'prompt': the question that was answered"),
        Column("counted", _BOOL, "false where the same person said a merged pair before"),
        Column("prompted", _BOOL, "false: this pair was not shown to the person"),
        Column("asked_same_as", _TEXT, "a like pair that the person was asked about afterwards, or empty"),
        Column("same", _BOOL, "what they said: the same or not; empty where they were not asked"),
        _CONSENT,
        _HOUR,
    ),
    "skips": (
        _ROW,
        _PAIR,
        Column("shown_id", _TEXT, "the pair as it was shown, before merging; empty for an open question"),
        _RATER,
        Column("reason", _TEXT, "'dont_know', 'dont_understand', 'rather_not', or a report"),
        _REVEALED,
        Column(
            "propensity",
            _NUMBER,
            "probability that the rating that was asked for fell to this person; empty where there is no `rater`",
        ),
        _CONSENT,
        _HOUR,
    ),
    "hurt_answers": (
        _ROW,
        _PAIR,
        Column("shown_id", _TEXT, "the pair as it was shown, before merging"),
        _RATER,
        Column(
            "answer",
            _TEXT,
            "'yes', 'no' or 'unsure' to \"Could this hurt someone?\", asked after the rating where nobody had "
            "judged the words and the person opened them",
        ),
        _CONSENT,
        _HOUR,
    ),
    "mixed": (
        _ROW,
        _PAIR,
        Column("shown_id", _TEXT, "the pair as it was shown, before merging"),
        Column(
            "set_id",
            _TEXT,
            "random name of the card, the same for all pairs on it; empty where there is no `rater`",
        ),
        _RATER,
        Column(
            "kind",
            _TEXT,
            "'heard': a list, of which people tick what they have heard where they live; 'compare': which of two is "
            "said more where they live",
        ),
        Column("position", _INTEGER, "place of the pair on the card, from 0"),
        Column(
            "answer",
            _TEXT,
            "of a list 'heard' or 'not_heard' (left without a tick); of two 'more', 'less', 'same' or 'neither' "
            "(heard neither); never a rating",
        ),
        Column("counted", _BOOL, "false where the same person was asked about a merged pair again later"),
        Column(
            "propensity",
            _NUMBER,
            "probability with which this pair was drawn for this card: countries, then pairs with equal chances; "
            "empty where there is no `rater`",
        ),
        Column("settings_version", _INTEGER, "version of the settings in force when it was drawn"),
        _CONSENT,
        _HOUR,
    ),
    "statements": (
        Column("row_id", _TEXT, "random name of the answer; the same in every release of the campaign"),
        Column("position", _INTEGER, "place of the statement within the answer, from 1"),
        Column("statement_id", _TEXT, "name of the statement: that of the answer and its place"),
        Column("respondent", _TEXT, "who, as a key that is made anew for each export and release"),
        Column("question", _TEXT, "name of the question"),
        Column("axis", _TEXT, "social axis of the question"),
        _COUNTRY,
        Column(
            "language", _TEXT, "language of the answer (ISO 639); may be empty where nothing came to mind"
        ),
        Column(
            "text",
            _TEXT,
            "the statement, as it was typed; empty where the person said that nothing came to mind",
        ),
        _CONSENT,
        _HOUR,
    ),
    "withdrawals": (
        Column("row_id", _TEXT, "a row that was taken back: drop it wherever you hold it"),
        Column("table", _TEXT, "the table it stood in; 'people' for the key of a person in this release"),
    ),
}
"""Columns of each table; `columns_of` adds the campaign's own profile questions."""

GROUP_MEANS = (
    Column("tone", _TEXT, "'negative' or 'not negative' as `polarity` of pairs, 'not judged', or 'all'"),
    Column("country", _TEXT, "the country that the pairs are about (ISO 3166), or 'all'"),
    Column(
        "group",
        _TEXT,
        "who rated: 'in' (from the country) or 'out' (from elsewhere); for all countries also the two parts of 'out': "
        "'near' (from a neighbouring country, or feels close to this one) and 'far'; and 'population': all of them, "
        "weighted to the shares of the population that the organisers stated, else of the people who took part",
    ),
    Column("people", _INTEGER, "people who rated; empty where suppressed"),
    Column(
        "ratings", _INTEGER, "their ratings, with those of people without `rater`; empty where suppressed"
    ),
    Column("mean", _NUMBER, "mean of these ratings, to two decimals; empty where suppressed"),
    Column("known", _NUMBER, "share of ratings of 3 or more, to two decimals; empty where suppressed"),
    Column(
        "suppressed",
        _BOOL,
        f"whether the figures are left out: fewer than {LEAST} people, or such a number could be worked out from them",
    ),
)
"""The table of figures that releases have besides; it is not read back (`group_means`)."""

AGGREGATED = "group_means"
"""Its name."""


def columns_of(table: str, settings: CampaignSettings) -> tuple[Column, ...]:
    """The columns of a table in this campaign, in their order."""
    declared = settings.profile if table in _WITH_PROFILE else ()
    profile_columns = tuple(
        Column(
            PROFILE + field.name,
            _TEXT,
            f"answer to the campaign's question '{field.name}': {', '.join(field.choices)}; "
            f"'other' where fewer than {LEAST} people share it together with the country, empty where not answered",
        )
        for field in declared
    )
    return (*(GROUP_MEANS if table == AGGREGATED else TABLES[table]), *profile_columns)


def schema_of(table: str, settings: CampaignSettings) -> dict[str, DataTypeClass]:
    """Names and kinds of the columns of a table, for Polars."""
    return {column.name: column.kind for column in columns_of(table, settings)}
