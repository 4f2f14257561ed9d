"""BBQ's questions as items: options, the unknown option, and the option that agrees with the stereotype.

Which of two people belongs to the stereotyped group follows from the labels of BBQ's eleven files. Most files name the
group in the second entry of `answer_info` by the very word of `stereotyped_groups`. The exceptions follow the authors'
own script, `analysis_scripts/BBQ_results_metadata.R` of github.com/nyu-mll/BBQ:

- Nationality: the second entry is a region; the nationality is the first.
- Age, Physical_appearance, Disability_status: "nonOld", "nonObese", "noVisibleDifference" hold the stereotyped
  word, so labels are compared whole.
- Gender_identity: "man", "boys" and "M" are one group, "woman", "girls" and "F" another; "trans", "trans_F" and
  "Transgender women" a third, to which "nonTrans_F" does not belong.
- Race_ethnicity: a gender may stand in front ("F-Black"); "African" is not "African American".
- Race_x_gender, Race_x_SES: gender and status stand in front ("M-Latino", "lowSES-F-Black"). `stereotyped_groups`
  names races only. Where both people are of it (subcategory intersectional_a), the record does not say which is meant.
- Race_x_gender has rows with empty entries: the Latina of the option's text.
- SES: "low SES" and "lowSES".

Two typographical errors in BBQ's contexts are corrected.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from pathlib import Path

import polars as pl

from endoxa.errors import UserError
from endoxa.schema import QaItem
from endoxa.sources.bbq.rows import NO_NAMES, Columns, Record, checked_rows, item_name
from endoxa.sources.frames import read_table
from endoxa.words.packs import words_by_language

NAME = "additional_metadata.csv"
_KEY = ("category", "example_id")

Key = tuple[str, str]
"""Category and example_id."""

_SAMPLED_ROWS = 1000
"""Questions from which the convention of a metadata file is told."""

log = logging.getLogger(__name__)


def find_metadata(path: Path) -> Path | None:
    """The metadata file in the folder of a file of questions, or None."""
    beside = path.with_name(NAME)
    return beside if beside.is_file() else None


def read_metadata(path: Path) -> dict[Key, int]:
    """`target_loc` of each question, 0 to 2, as the file has it.

    Left out are rows without a number (the published file has NA in 16 rows of Gender_identity) and questions
    with several rows that disagree.

    Args:
        path: the file.

    Raises:
        UserError: the file cannot be read, or lacks category, example_id or target_loc.
    """
    place = pl.col("target_loc").str.strip_chars().str.strip_suffix(".0")  # some copies write 1.0 for 1
    rows = read_table(path, (*_KEY, "target_loc")).with_columns(place).filter(place.is_in(["0", "1", "2"]))
    agreed = (
        rows.group_by(_KEY).agg(pl.col("target_loc").unique()).filter(pl.col("target_loc").list.len() == 1)
    )
    return {(name, example): int(place) for name, example, (place,) in agreed.iter_rows()}


SOCIAL_VALUES = "Relevant_social_values"
"""Column that says what a question is about ("greed", "violence")."""


def read_social_values(path: Path) -> dict[Key, tuple[str, ...]]:
    """What each question is about, as the file has it; several values are separated by commas.

    Raises:
        UserError: the file cannot be read, or lacks category, example_id or Relevant_social_values.
    """
    rows = read_table(path, (*_KEY, SOCIAL_VALUES)).select(*_KEY, SOCIAL_VALUES).fill_null("").iter_rows()
    return {
        (category, example): tuple(v for value in values.split(",") if (v := value.strip()) not in ("", "NA"))
        for category, example, values in rows
    }


def names_group(
    questions: Path, metadata: Path, targets: Mapping[Key, int], columns: Columns = NO_NAMES
) -> bool:
    """True where `target_loc` is the stereotyped group's option for both polarities, as in files before July 2022.

    Since then the published file names the other person for `nonneg` questions. The two are told apart by
    questions of both polarities about the same context and options, of which older files name one option. A note is
    logged.

    Raises:
        UserError: a question cannot be read.
    """
    places: dict[tuple[str, ...], dict[str, int]] = {}
    for _, _, record in islice(checked_rows(questions, columns=columns), _SAMPLED_ROWS):
        place = targets.get((record.category, record.example_id))
        if place is not None:
            variants = places.setdefault((record.variant, record.context, *record.options), {})
            variants[record.question_polarity] = place
    pairs = [variants for variants in places.values() if len(variants) == 2]
    same = sum(pair["neg"] == pair["nonneg"] for pair in pairs)
    if 2 * same <= len(pairs):
        return False
    log.warning(
        "%s is of the form before July 2022: target_loc is the stereotyped group's option in every question; "
        "for 'nonneg' questions the other person is taken",
        metadata,
    )
    return True


RACES = ("Race_ethnicity", "Race_x_gender", "Race_x_SES")
BY_TEXT = ("Nationality",)

_GENDERS = {
    **dict.fromkeys(("m", "man", "men", "boy", "boys", "male"), "m"),
    **dict.fromkeys(("f", "woman", "women", "girl", "girls", "female"), "f"),
    **dict.fromkeys(("hombre", "hombres", "chico", "chicos", "niño", "niños", "varón", "varones"), "m"),
    **dict.fromkeys(("mujer", "mujeres", "chica", "chicas", "niña", "niñas"), "f"),
    **dict.fromkeys(("homem", "homens", "menino", "meninos", "rapaz", "rapazes"), "m"),
    **dict.fromkeys(("mulher", "mulheres", "menina", "meninas", "moça", "moças"), "f"),
    **dict.fromkeys(("homme", "hommes", "garçon", "garçons"), "m"),
    **dict.fromkeys(("femme", "femmes", "fille", "filles"), "f"),
    **dict.fromkeys(("home", "homes", "noi", "nois"), "m"),
    **dict.fromkeys(("dona", "dones", "noia", "noies"), "f"),
}
"""Words for people of a gender, in English, Spanish, Portuguese, French and Catalan."""
_BEFORE_RACE = re.compile(r"^(?:(?:low|high)ses-?)?(?:[mf]-)?-?")


def stereotyped_option(record: Record, persons: Sequence[int]) -> int | None:
    """The person of the stereotyped group, or None where not exactly one of the two belongs to it.

    Args:
        record: a question.
        persons: its two options that are people.
    """
    named = record.stereotyped_groups
    groups = {_label(record.category, group) for group in named}
    members = [option for option in persons if _label(record.category, _named(record, option)) in groups]
    if not members:
        members = [option for option in persons if _words_of(record, option) & _words_of_groups(named)]
    return members[0] if len(members) == 1 else None


def _words_of_groups(groups: Iterable[str]) -> set[str]:
    """Labels in the language of the file, with the letter that stands for a gender in `answer_info`."""
    words = {" ".join(group.casefold().split()) for group in groups}
    return words | {_GENDERS[word] for word in words if word in _GENDERS}


def _words_of(record: Record, option: int) -> set[str]:
    """What an option may be recognised by where no label is equal: its group, its texts, and each of their words."""
    texts = (*record.text_and_group(option), record.options[option])
    phrases = {" ".join(text.casefold().split()) for text in texts}
    words = {word for text in phrases for word in re.findall(r"\w+", text)}
    return phrases | words | {_GENDERS[word] for word in (*phrases, *words) if word in _GENDERS}


def group_text(record: Record, option: int) -> str:
    """The group or person of an option as `answer_info` has it; the group that a name was put in place of."""
    text, _ = record.text_and_group(option)
    return _original(record.names, text)


def _named(record: Record, option: int) -> str:
    """The word of an option that can be found among the stereotyped groups."""
    text, group = record.text_and_group(option)
    if record.category in BY_TEXT or not group:
        text = _original(record.names, text)
    if record.category in BY_TEXT:
        return text
    if record.category in RACES and not (text or group) and "latina" in record.options[option].lower():
        return "Latino"
    return group or text


def _original(names: Mapping[str, str], text: str) -> str:
    return next((group for group, name in names.items() if name == text), text)


def _label(category: str, word: str) -> str:
    """A label in the one form in which options and groups are compared."""
    plain = re.sub(r"\s", "", word.casefold())
    if category == "Gender_identity":
        return "trans" if plain.startswith("trans") else _GENDERS.get(plain, plain)
    if category in RACES:
        return _BEFORE_RACE.sub("", plain)
    return plain


_BRACES = str.maketrans("", "", "{}")
_MISSING_BLANK = re.compile(r"(?<=[^\W\d_]{3}[.?!])(?=[A-Z][a-z])")


def cleaned(text: str) -> str:
    """Text without stray braces, and with a blank between two sentences that lack it.

    Half of the contexts of template 23 of Nationality hold a `{` (left over from the template), and those of template
    13 lack a blank after a full stop. Nothing else is touched.
    """
    return _MISSING_BLANK.sub(" ", text.translate(_BRACES))


OTHER_WORDINGS = (
    *("No es posible saberlo", "Imposible saberlo", "Desconocido", "No hay suficiente información"),
    *("Não é possível saber", "Desconhecido", "On ne peut pas savoir", "Inconnu"),
    *("No se sap", "No es pot saber", "No hi ha prou informació", "Desconegut"),
    *("알 수 없음", "모름", "不确定", "无法确定", "不知道"),
)
"""How files without a mark word the unknown option, beside BBQ's wordings and ours (`questions.toml`)."""


@cache
def _wordings() -> frozenset[str]:
    ours = (words["unknown"] for words in words_by_language("questions.toml").values())
    return frozenset(wording.casefold() for wording in chain(*ours, OTHER_WORDINGS))


def texts_without_language(path: Path, columns: Columns = NO_NAMES) -> list[str]:
    """Context and question of the first records that do not say their language.

    Raises:
        UserError: as for `read_items`.
    """
    first = islice(checked_rows(path, columns=columns), _LOOKED_AT)
    return [f"{record.context} {record.question}" for _, _, record in first if not record.language]


_LOOKED_AT = 2000
"""Records from which the language of a file is told."""


def read_items(
    path: Path,
    *,
    metadata: Path | None = None,
    language: str | None = None,
    clean: bool = True,
    only: Collection[str] | None = None,
    columns: Columns = NO_NAMES,
) -> Iterator[QaItem]:
    """The questions of a file, one at a time and in its order.

    The target of a `neg` question is the option of the stereotyped group, of a `nonneg` question the other person. It
    is taken from the metadata file where that has the question (files of before July 2022 are recognised),
    otherwise from `stereotyped_groups` by the rules of `endoxa.sources.bbq`; None where neither can tell.

    Args:
        path: BBQ's JSONL as published, or a file that `endoxa build qa --names` or `endoxa build qa` wrote.
        metadata: `additional_metadata.csv` (see `find_metadata`), or None to go by the rules alone.
        language: language of records that do not say theirs ('und' where this does not either).
        clean: mend stray braces and missing blanks in contexts and questions; False keeps the published text.
        only: `item_id`s of the questions wanted, if not all.
        columns: BBQ's names of fields and what the file calls them.

    Raises:
        UserError: a file or record that cannot be read, a record with two equal options, or metadata of another version
            of the file.
    """
    places = read_metadata(metadata) if metadata else {}
    of_group = metadata is not None and names_group(path, metadata, places, columns)
    for line, _, record in checked_rows(path, only, columns):
        unknown = _unknown(path, line, record)
        persons = [option for option in range(3) if option != unknown]
        _require_apart(path, line, record)
        place = places.get((record.category, record.example_id))
        if place is None:
            stereotyped = stereotyped_option(record, persons)
        elif place not in persons:
            raise UserError(
                f"{path}, line {line}: the metadata file names option {place} of {record.category} "
                f"{record.example_id}, which is the unknown option. Use the metadata of the same version of the data."
            )
        else:
            flipped = record.question_polarity == "nonneg" and not of_group
            stereotyped = sum(persons) - place if flipped else place
        yield _item(record, unknown, stereotyped, language=language or "und", clean=clean)


def _unknown(path: Path, line: int, record: Record) -> int:
    if record.unknown is not None:
        return record.unknown
    marked = [option for option in range(3) if record.text_and_group(option)[1].lower() == "unknown"]
    if len(marked) != 1:
        marked = [
            option for option, text in enumerate(record.options) if text.rstrip(".").casefold() in _wordings()
        ]
    if len(marked) != 1:
        raise UserError(
            f"{path}, line {line}: {len(marked)} unknown options. Expected exactly one: mark it with "
            '"unknown" as the second entry of its answer_info, or say which option it is in a field "unknown" (0 to 2; '
            "--columns unknown=NAME)."
        )
    return marked[0]


def _require_apart(path: Path, line: int, record: Record) -> None:
    options = [text.casefold() for text in record.options]
    twice = next((text for text in record.options if options.count(text.casefold()) > 1), None)
    if twice is not None:
        raise UserError(
            f"{path}, line {line}: two options are '{twice}', so answers cannot be distinguished. Change one."
        )


def _item(record: Record, unknown: int, stereotyped: int | None, *, language: str, clean: bool) -> QaItem:
    identity, region, target = record.identity, record.region, stereotyped
    if stereotyped is not None:
        alone = (
            record.stereotyped_groups[0]
            if len(record.stereotyped_groups) == 1 and not record.answer_info
            else ""
        )
        identity = identity or group_text(record, stereotyped) or alone
        if not region and record.category in BY_TEXT:
            region = record.text_and_group(stereotyped)[1]
        if record.question_polarity == "nonneg":
            target = 3 - stereotyped - unknown
    from_association = record.association_id and record.identity
    return QaItem(
        item_id=item_name(record.category, record.example_id, record.variant),
        category=record.category,
        example_id=record.example_id,
        variant=record.variant,
        template=(record.identity_key or record.identity)
        if from_association
        else f"{record.category}-{record.question_index or record.question}",
        polarity=record.question_polarity,
        condition=record.context_condition or ("ambig" if record.label == unknown else "disambig"),
        language=record.language or language,
        context=cleaned(record.context) if clean else record.context,
        question=cleaned(record.question) if clean else record.question,
        options=record.options,
        label=record.label,
        target=target,
        unknown=unknown,
        identity=identity,
        identity_key=record.identity_key,
        region=region,
        names=record.names,
        name_sources=record.name_sources,
        association_id=record.association_id,
        attribute=record.attribute if from_association else "",
        built_by=record.built_by,
        words=record.words,
        no_target="" if target is not None else NOT_ONE_PERSON if record.stereotyped_groups else NO_GROUP,
    )


NO_GROUP = "without a stereotyped group (stereotyped_groups)"
NOT_ONE_PERSON = "whose stereotyped groups fit neither person, or both (answer_info)"


def targets_note(reasons: Mapping[str, int], total: int) -> str:
    """How many questions have no target, why, and what to give; empty where all have one.

    Args:
        reasons: number of questions by `QaItem.no_target`.
        total: number of all questions.
    """
    without = sum(count for reason, count in reasons.items() if reason)
    if not without:
        return ""
    listed = " and ".join(f"{count:,} {reason}" for reason, count in sorted(reasons.items()) if reason)
    return (
        f"{without:,} of {total:,} questions have no stereotype target and count for accuracy only: {listed}. If the "
        "file says it in other columns, name them: --columns stereotyped_groups=NAME (groups), answer_info.ans0=NAME "
        f"(group of an option). Or give BBQ's {NAME} with --set metadata=FILE."
    )
