"""`endoxa build`: make the items that models are probed with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from annotated_types import Ge, Le

from endoxa.author.tables import with_association_ids
from endoxa.commands.verbs import Outcome, add_command, argument, command_group, note, table_option
from endoxa.curate.language import with_language
from endoxa.curate.normalise.identity import with_identity_keys
from endoxa.curate.published import read_associations
from endoxa.errors import UserError
from endoxa.instruments.association_tests import items as tests
from endoxa.instruments.association_tests.items import build_from_associations
from endoxa.instruments.association_tests.options import BuildOptions, Contrast
from endoxa.instruments.choices.build import build_choices
from endoxa.instruments.choices.options import ChoiceOptions
from endoxa.instruments.pairs.estimates.inference import denials_note
from endoxa.instruments.pairs.items import Built, build_pairs
from endoxa.instruments.pairs.options import PairOptions
from endoxa.instruments.pairs.probe.items import Comparisons
from endoxa.instruments.questions.items.build import Questions, build_questions
from endoxa.instruments.questions.names.bank import check_bank, read_bank
from endoxa.instruments.questions.names.build import build_names
from endoxa.instruments.questions.options import QaOptions
from endoxa.instruments.stories import prompts as texts
from endoxa.instruments.stories.options import Selection
from endoxa.instruments.stories.prompt_language import Language
from endoxa.instruments.stories.prompts import check_files
from endoxa.report.tables import headline_of
from endoxa.runs.options import IncludeDrafts
from endoxa.runs.progress import shown
from endoxa.schema import AssociationTest
from endoxa.schema.headline import Headline
from endoxa.schema.options import DATA, ITEMS, OUTPUT, Option, Setting
from endoxa.schema.qa import STYLES, style_of
from endoxa.sources.bbq.rows import read_rows, write_items
from endoxa.sources.files import require_apart
from endoxa.sources.frames import require_table_name, write_table
from endoxa.sources.identities import one_spelling
from endoxa.sources.source import reading_files

app = command_group("build")

SHOWN = 10
"""Maximum number of reasons printed."""


@dataclass(frozen=True, slots=True)
class Names:
    """Names in place of groups.

    Attributes:
        names: Questions in BBQ's JSONL, in place of ASSOCIATIONS: first names take the place of the groups in them.
        variants: With --names: number of draws of names.
        bank: With --names: your own names (columns group, gender, name).
    """

    names: Annotated[Path | None, Option(group=ITEMS, sample="questions")] = None
    variants: Annotated[int, Ge(1), Le(1000), Option(group=ITEMS)] = 3
    bank: Annotated[Path | None, Option(group=ITEMS, default="68 nationalities, 10 names each")] = None


def with_names(items: Path, chosen: Names, out: Path | None, seed: int) -> Outcome:
    """Replace groups in questions by first names, so that the group is implied but not stated.

    Raises:
        UserError: the questions or names cannot be used, or no record can be rewritten.
    """
    if out is None:
        raise UserError("Missing --out FILE for the questions with names.")
    unwritten = out.with_suffix(".unwritten.csv")
    require_apart([unwritten], [items, chosen.bank])
    groups = read_bank(chosen.bank)
    problems = check_bank(groups)
    for problem in problems[:SHOWN]:
        note(f"Bank {groups.label}: '{problem.name}' ({problem.group}) {problem.message}.")
    if len(problems) > SHOWN:
        note(f"Bank {groups.label}: {len(problems) - SHOWN} more names to review.")
    rows = [row for _, row in read_rows(items)]
    with shown("records") as progress:
        made = build_names(rows, groups, seed=seed, variants=chosen.variants, progress=progress)
    write_table(made.unwritten_table(), unwritten)
    reasons = [record.reason for record in made.unwritten if not record.follows]
    note_left_out("records", len(made.unwritten), unwritten, reasons)
    if not made.rows:
        raise UserError(
            f"No record of {items} could be rewritten with names. See the reasons in {unwritten}."
        )
    written = write_items(made.records, out)
    return Outcome(
        (
            f"{made.rows} of {len(rows)} records rewritten, in {chosen.variants} variants: {written} records written "
            f"to {out} (sub-seeds {', '.join(map(str, made.seeds))})",
            "Content notice: the questions state harmful stereotypes; for evaluation only.",
        )
    )


def note_left_out(what: str, number: int, listed: Path, reasons: Iterable[str]) -> None:
    """Say how many things were left out, where they are listed, and the commonest reasons."""
    if number:
        note(f"{number} {what} left out, see {listed}:")
    for reason, count in Counter(reasons).most_common(SHOWN):
        note(f"  {count}: {reason}")


def stories(
    *,
    out: Annotated[Path | None, Option(group=OUTPUT, short="-o")] = None,
    language: Annotated[tuple[str, ...], Option(group=DATA, metavar="CODE", default="en")] = (),
    selection: Selection,
    file: Annotated[tuple[Path, ...], Option(group=DATA)] = (),
    seeds: Annotated[Path | None, Option(group=DATA, metavar="FOLDER")] = None,
    aspects: Annotated[bool, Option(group=ITEMS, only_on=True)] = False,
    map: Annotated[Path | None, Option(group=DATA)] = None,  # noqa: A002
    include_drafts: IncludeDrafts = False,
    check: Annotated[tuple[Path, ...], Option(group=OUTPUT)] = (),
) -> Outcome:
    """Make story prompts: every value of every attribute in every scenario.

    A prompt gives one attribute of the main character ("a person who lives in a city"); the other attributes, chosen by
    the model, are measured. Prompts are ordered by attribute, so that the first part of the file can be analyzed alone.

    \b
    Examples:
      endoxa build stories -o prompts.jsonl
      endoxa build stories --language en --language hi -o prompts.jsonl
      endoxa build stories --attribute religion --scenario family -o prompts.jsonl
      endoxa build stories --check mine.yaml
      endoxa build stories --file mine.yaml -o prompts.jsonl
      endoxa build stories --seeds configs/stereotales_seeds --aspects -o prompts.jsonl
      endoxa build stories --map associations-in-stories.csv -o prompts.jsonl

    Options:
        out: Prompts: .jsonl, .csv or .parquet.
        language: Language (ISO 639); repeatable.
        file: Your own language, values or attributes (YAML); repeatable.
        seeds: Folder of StereoTales' seeds (attributes, scenarios, prompts_template), in place of endoxa's own texts.
        aspects: With --seeds: ask with StereoTales' template, which names 13 aspects to reveal.
        map: Table of associations and the values that mean them; prompts carry their ids.
        check: Only check such a file; print one line per fault.
    """  # noqa: D301
    if check:
        if out is not None:
            raise UserError("--check only checks a file. Leave out --out, or use --file instead of --check.")
        checked = check_files(check)
        faults = [fault for each in checked for fault in each.faults]
        names = ", ".join(f"{each.language.name} ({each.language.language})" for each in checked)
        return Outcome((*faults, f"{names} checked: {len(faults)} faults"), exit_code=int(bool(faults)))
    if out is None:
        raise UserError("Missing --out FILE for the prompts (or --check FILE to check your own file).")
    if seeds is None and aspects:
        raise UserError("--aspects needs --seeds FOLDER, whose template it takes.")
    if seeds is not None and file:
        raise UserError("Give --seeds or --file, not both.")
    vocabulary_file = out.with_suffix(".vocabulary.toml")
    require_apart([vocabulary_file], [*file, map])
    require_table_name(out)
    with reading_files(include_drafts=include_drafts):
        languages = (
            texts.load_languages(language, file)
            if seeds is None
            else texts.seed_languages(seeds, language, aspects=aspects)
        )
        cells = () if map is None else texts.read_map(map, texts.vocabulary_of(languages))
        prompts = texts.build_prompts(languages, selection, cells)
    lines: list[Any] = [
        _prompts_table(prompts, languages),
        NUMBERS,
        f"{prompts.height} prompts written to {out}",
    ]
    if any(code.attributes for code in languages):
        texts.write_vocabulary(texts.vocabulary_of(languages), vocabulary_file)
        lines.append(f"Vocabulary for `endoxa probe extract --vocabulary`: {vocabulary_file}")
    lines.append("Content notice: stories that models write to these prompts can hold harmful stereotypes.")
    return Outcome(lines, {"out": prompts})


NUMBERS = "* per model, times --repeats of `endoxa probe stories`; values with fewer than 10 stories are not analyzed."


def _prompts_table(prompts: pl.DataFrame, languages: Sequence[Language]) -> Headline:
    """The number of prompts per language and of stories per value."""
    rows = []
    for language in languages:
        here = prompts.filter(language=language.language)
        cells = here.group_by("target_attribute", "target_attribute_value").len()["len"].to_list()
        fewest, most = min(cells, default=0), max(cells, default=0)
        span = str(most) if fewest == most else f"{fewest} to {most}"
        numbers = (here.height, here["target_attribute"].n_unique(), len(cells), span)
        rows.append((language.language, language.name, *(str(number) for number in numbers)))
    heads = ("language", "", "prompts", "attributes", "values", "stories per value*")
    return Headline("", heads, rows, words=heads)


ASSOCIATIONS = argument("Table with columns identity and attribute.", "ASSOCIATIONS", "associations")


def pairs(
    associations: Annotated[Path, ASSOCIATIONS],
    *,
    out: Annotated[Path, table_option("Pairs")],
    options: PairOptions,
    include_drafts: IncludeDrafts = False,
    keep_region: Annotated[bool, Option(group=OUTPUT, only_on=True)] = False,
) -> Outcome:
    """Make a stereotype and an anti-stereotype sentence from each association.

    The second sentence uses the antonym of the attribute if the lexicon has one, and the negation otherwise.
    Associations whose sentences might be ungrammatical are left out. FILE.left_out.csv lists them and pairs to review,
    with the reasons.

    \b
    Examples:
      endoxa build pairs associations.csv -o pairs.csv
      endoxa build pairs associations.csv -o pairs.csv --min-support 2
      endoxa build pairs associations.csv -o african.csv --prefix African --negation-only

    Options:
        keep_region: Keep every region, regardless of --min-cell.
    """  # noqa: D301
    if options.negation_only and options.antonym_only:
        raise UserError("Give --negation-only or --antonym-only, not both.")
    left_out = left_out_file(out, associations)
    if keep_region:
        options = replace(options, min_cell=1)
    built = build_pairs(
        associations_of(associations, drafts=include_drafts, language=options.language),
        options,
    )
    write_table(built.problems, left_out)
    _note_pairs(built, left_out)
    if built.pairs.is_empty():
        raise UserError(f"No pair could be made from {associations}. See the reasons in {left_out}.")
    antonyms = built.pairs.filter(how="antonym").height
    return Outcome(
        (
            f"{built.pairs.height} pairs written to {out}: {antonyms} with an antonym, "
            f"{built.pairs.height - antonyms} with a negation",
            "Content notice: these are reported stereotypes, for evaluation only.",
        ),
        {"out": built.pairs},
    )


def left_out_file(out: Path, source: Path) -> Path:
    """The table of what was left out, beside the items.

    Raises:
        UserError: it is the input of the command.
    """
    path = out.with_name(f"{out.stem}.left_out.csv")
    require_apart([path], [source])
    return path


def _note_pairs(built: Built, listed: Path) -> None:
    """Say what was assumed, which associations are left out and which pairs are to be reviewed."""
    denied = built.pairs.filter(how="negation").rows(named=True)
    comparisons = Comparisons(built.pairs.iter_rows(named=True))
    sentence = denials_note(denied, comparisons, built.pairs.height)
    note(*([sentence] if sentence else []), *built.assumed)
    if built.rare:
        note(f"{built.rare} associations left out: too few respondents (--min-support).")
    if built.placeless:
        note(
            f"{built.placeless} pairs written without their region: fewer respondents than --min-cell, so the region "
            "could identify a person (--keep-region keeps it)."
        )
    left_out = built.problems.filter(outcome="left out").height
    looked_at = built.problems.filter(outcome="kept")["association_id"].n_unique()
    counts = [f"{left_out} associations left out"] if left_out else []
    if looked_at:
        counts.append(f"{looked_at} pairs to review")
    if counts:
        note(f"{', '.join(counts)}: see {listed}.")


def associations_of(
    path: Path, *, drafts: bool, language: str | None, min_rating: int | None = None
) -> pl.DataFrame:
    """The table, without drafts that nobody approved unless `drafts`; how many were left out is logged.

    Args:
        path: the table.
        drafts: whether to read drafts that nobody has judged.
        language: of rows that name none; None identifies it, and says what was taken.
        min_rating: see `endoxa.curate.published.read_associations`.

    Raises:
        UserError: the table cannot be read, nothing is left of it, or its language cannot be told.
    """
    with reading_files(include_drafts=drafts):
        table = with_association_ids(read_associations(path, min_rating=min_rating))
    table = with_language(table, lambda row: f"{row['identity']} {row['attribute']}", language, path.name)
    return with_identity_keys(one_spelling(table, source=str(path)))


def questions(
    associations: Annotated[Path | None, ASSOCIATIONS] = None,
    *,
    out: Annotated[Path | None, Option(group=OUTPUT, short="-o", ending=".jsonl")] = None,
    options: QaOptions,
    names: Names,
    include_drafts: IncludeDrafts = False,
    min_rating: Annotated[int | None, Setting(group=DATA, default="4")] = None,
) -> Outcome:
    """Make multiple-choice questions: the association's identity against one without the attribute.

    Questions are written in BBQ's JSONL format, with ambiguous contexts: the correct answer is "unknown". They ask
    which of two persons has the attribute, as in LACES; with --style people, of whom people think when they hear it.
    --disambiguated adds questions whose context gives the answer. Associations without a question are listed in
    FILE.left_out.csv, with the reason.

    With --names, groups in questions that are there already are replaced by first names, so that the group is implied
    but not stated: "My Danish friend" becomes "my friend Viggo". Each variant is a new draw of names. Records that
    cannot be rewritten in natural English are listed in NAME.unwritten.csv.

    \b
    Examples:
      endoxa build qa associations.csv --language es --disambiguated -o questions.jsonl
      endoxa build qa associations.csv --style people -o what_people_think.jsonl
      endoxa build qa associations.csv --language pt --per-association 3 --gender any -o questions.jsonl
      endoxa build qa --names Nationality.jsonl -o names.jsonl --seed 42 --variants 3
      endoxa build qa --names Religion.jsonl -o names.jsonl --bank my-names.csv

    Options:
        out: Questions (.jsonl).
        min_rating: Smallest rating that counts, of LACES' release; 0 takes all of it, as the paper does.
    """  # noqa: D301
    if names.names is not None:
        if associations is not None:
            raise UserError("Give ASSOCIATIONS or --names FILE, not both.")
        return with_names(names.names, names, out, options.seed)
    if names != Names():
        raise UserError("--variants and --bank need --names FILE.")
    if associations is None or out is None:
        raise UserError("Missing ASSOCIATIONS or --out FILE.")
    left_out = left_out_file(out, associations)
    made = build_questions(
        associations_of(
            associations, drafts=include_drafts, language=options.language, min_rating=min_rating
        ),
        options,
    )
    write_table(made.left_out, left_out)
    _note_questions(made, left_out)
    if not made.records:
        raise UserError(f"No question could be made from {associations}. See the reasons in {left_out}.")
    write_items(made.records, out)
    name, meaning = STYLES[style_of(made.records[0]["built_by"]) or ""]
    return Outcome(
        (
            f"{len(made.records)} questions from {made.associations} associations written to {out}",
            f"{name[0].upper()}{name[1:]}: {meaning}",
            "Content notice: these ask about reported stereotypes, for evaluation only.",
        )
    )


def _note_questions(made: Questions, left_out: Path) -> None:
    """Say what was assumed and which associations are left out."""
    note(*made.notes)
    if made.fewer:
        note(f"{made.fewer} associations have fewer questions: too few distractors.")
    reasons = made.left_out["reason"].str.replace(r"^row \d+", "another row")
    note_left_out("associations", made.left_out.height, left_out, reasons)


def choices(
    associations: Annotated[Path, ASSOCIATIONS],
    *,
    out: Annotated[Path, Option(group=OUTPUT, short="-o", ending=".jsonl")],
    options: ChoiceOptions,
    include_drafts: IncludeDrafts = False,
) -> Outcome:
    """Make inferences, decisions between two candidates, or word lists from associations.

    An inference asks whether a sentence about one person follows from another one; right is that it cannot be
    determined. A decision is between two candidates who differ in the group only. A word list is to be sorted to two
    groups. The other group is that of a column 'reference', or is drawn from the same axis. Associations without an
    item are listed in FILE.left_out.csv, with the reason.

    \b
    Examples:
      endoxa build choices associations.csv --kind decision -o decisions.jsonl
      endoxa build choices associations.csv --kind inference --premises neutral,stereotype -o inferences.jsonl
      endoxa build choices associations.csv --kind association --language es -o lists.jsonl

    Options:
        out: Items (.jsonl).
    """  # noqa: D301
    from endoxa.instruments.choices.items import write_items

    if options.gender not in ("m", "f"):
        raise UserError(f"--gender: '{options.gender}' is unknown. Expected m or f.")
    left_out = left_out_file(out, associations)
    table = associations_of(associations, drafts=include_drafts, language=options.language)
    built = build_choices(table, options)
    write_table(built.left_out, left_out)
    if built.left_out.height:
        note(f"{built.left_out.height} associations left out: see {left_out}.")
    if not built.items:
        raise UserError(f"No item could be made from {associations}. See the reasons in {left_out}.")
    write_items(built.items, out)
    return Outcome(
        (
            f"{len(built.items)} items of {built.associations} associations written to {out}",
            "Content notice: these are reported stereotypes, for evaluation only.",
        )
    )


def association_tests(
    *,
    out: Annotated[Path | None, Option(group=OUTPUT, short="-o")] = None,
    options: BuildOptions,
    associations: Annotated[Path | None, Option(group=DATA, sample="associations")] = None,
    contrast: Contrast,
    include_drafts: IncludeDrafts = False,
    show: Annotated[bool, Option(group=OUTPUT, name="--list", only_on=True)] = False,
) -> Outcome:
    """Make association tests: every pair of groups with every pair of attributes.

    Texts are terms in semantically bleached sentences ("Rahul is here."). With --associations, tests compare two
    identities on the attributes that respondents associate with them.

    \b
    Examples:
      endoxa build tests --axes gender,religion --attributes career-family,violence -o tests.json
      endoxa build tests --axes gender,caste --attributes pleasant-unpleasant --language hi -o tests.json
      endoxa build tests --axes gender --attributes career-family --templates all -o weat6.json
      endoxa build tests --associations associations.csv --against men -o tests.json
      endoxa build tests --associations associations.csv --each -o tests.json
      endoxa build tests --list

    Options:
        out: Tests (.json).
        associations: Build tests from associations instead of word lists.
        show: List axes, attribute pairs, word lists and languages.
    """  # noqa: D301
    if show:
        return Outcome(_available(options))
    if out is None:
        raise UserError("Missing --out FILE for the tests (or --list for the available axes and attributes).")
    tests.require_tests_name(out)
    if associations is None:
        if contrast != Contrast():
            raise UserError("--against and --each need --associations FILE.")
        made = tests.build_tests(options)
    else:
        if options.axes or options.attributes or options.wanted:
            raise UserError(
                "--associations cannot be combined with --axes, --attributes or --from. Give one or the other."
            )
        language = options.languages[0] if len(options.languages) == 1 else None
        table = associations_of(associations, drafts=include_drafts, language=language)
        made = _from_associations(table, options, contrast)
    tests.write_tests(made, out)
    languages = dict.fromkeys(test.language for test in made)
    origins = [f"{test.language}: {test.source.partition('; positive effect')[0]}" for test in made]
    note(*dict.fromkeys(origins))
    return Outcome(
        (
            f"{len(made)} tests in {', '.join(languages)} written to {out}",
            "Content notice: names and terms of groups, with attributes that may be offensive; for evaluation only.",
        )
    )


def _from_associations(
    table: pl.DataFrame, options: BuildOptions, contrast: Contrast
) -> list[AssociationTest]:

    contrast = replace(contrast, languages=options.languages)
    made, left_out = build_from_associations(table, contrast, options.templates)
    note(*(f"No test: {sentence}." for sentence in left_out[:SHOWN]))
    if len(left_out) > SHOWN:
        what = "associations" if contrast.each else "pairs of identities"
        note(f"No test for {len(left_out) - SHOWN} more {what}.")
    return made


def _available(options: BuildOptions) -> Iterator[str | Headline]:
    """Axes, attribute pairs, templates and word lists."""
    lists = tests.load_lists(options.lists)
    for axis, values in lists.axes.items():
        yield f"axis {axis}: {', '.join(values)}"
    yield f"attribute pairs: {', '.join(lists.pairs)}"
    yield f"sentence templates: {', '.join(tests.load_templates(options.templates))}"
    there = tests.available(lists)
    yield headline_of("", there.drop("source"))
    for name, sources in there.group_by("list", maintain_order=True).agg("source").iter_rows():
        yield f"{name}: {'; '.join(dict.fromkeys(sources))}"


add_command(app, association_tests, "tests", "endoxa probe embeddings --data {out} --model MODEL --out RUN")
add_command(app, questions, "qa", "endoxa probe qa --data {out} --model MODEL --plan")
add_command(app, choices, "choices", "endoxa probe choices --data {out} --model MODEL --plan")
add_command(app, stories, following="endoxa probe stories --data {out} --model MODEL --plan")
add_command(
    app,
    pairs,
    following="endoxa datasets check {out}, then: endoxa probe pairs --data {out} --model MODEL --out RUN",
)
