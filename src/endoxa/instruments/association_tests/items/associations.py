"""Tests from associations: an identity and its attributes against a contrasting identity or the opposites.

X is the identity, as a bare plural noun, and Y a contrasting one of the same axis and language, both in every bleached
sentence that takes a plural noun. A holds the attributes of X in sentences about no particular group ("These people
are strong."); B holds the natural opposite of each ("These people are weak."), or the attributes of Y.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import combinations, permutations

import polars as pl

from endoxa.curate.grammar.sentences import Sentences, gender_shown, same_words, sentence_pair
from endoxa.curate.grammar.subject import gender_of, subject, with_capitals
from endoxa.curate.grammar.templates import Template, UnclearError
from endoxa.curate.grammar.templates import load_templates as load_pair_templates
from endoxa.curate.opposites import Lexicon, languages, load_lexicon
from endoxa.errors import UserError
from endoxa.instruments.association_tests.items.crossing import BUILDER, FEWEST_TERMS, require_sentences
from endoxa.instruments.association_tests.items.format import FEWEST_TEXTS
from endoxa.instruments.association_tests.items.templates import Templates, sentences, words_used
from endoxa.instruments.association_tests.items.terms import Term
from endoxa.instruments.association_tests.options import ALL, Contrast
from endoxa.schema import AssociationTest, TermSet


def gender(identity: str, language: str) -> str:
    """'f' or 'm' where article, noun or ending of the identity tell, else empty."""
    template = _pair_templates().get(language)
    return gender_of(identity, template) if template is not None else ""


def bare_plural(identity: str, language: str) -> str:
    """The identity without its article and with English capitals."""
    text = " ".join(identity.split())
    template = _pair_templates().get(language)
    first, _, rest = text.partition(" ")
    if rest and template is not None and first.lower() in template.articles:
        text = rest
    return with_capitals(text) if language == "en" else text


def unclear(identity: str, language: str, stated_gender: str) -> str:
    """Why the identity can be no subject in that language (a singular, an English word in French), or nothing."""
    template = _pair_templates().get(language)
    if template is None:
        return ""
    try:
        subject(identity, template, stated_gender)
    except UnclearError as problem:
        return str(problem)
    return ""


@cache
def _pair_templates() -> dict[str, Template]:
    return load_pair_templates()


def with_sentences(table: pl.DataFrame, templates: Mapping[str, Templates]) -> pl.DataFrame:
    """The table with the sentences `said` and `opposite`, and `opposite_term`; null where none can be made."""
    for language in table["language"].unique(maintain_order=True):
        require_sentences(language, templates, ALL)
    keys = ["attribute", "language", "agreement", "predicate"]
    attributes = table.select(keys).unique(maintain_order=True)
    rows = []
    for row in attributes.iter_rows(named=True):
        people = templates[row["language"]].people
        gender = row["agreement"] or _gender_of_people(row["attribute"], row["language"])
        rows.append(row | {"identity": people.get(gender, people.get("", "")), "agreement": gender})
    made = pl.DataFrame(list(_made(rows)), schema=dict.fromkeys(MADE, pl.String))
    attributes = pl.concat([attributes, made], how="horizontal")
    return table.join(attributes, on=keys, how="left", maintain_order="left")


def _gender_of_people(attribute: str, language: str) -> str:
    """The gender that the bleached subject needs: the one that the attribute shows, or 'm' where it goes with both.

    Empty where the attribute is not known, and so its gender is not.
    """
    if language not in languages():
        return ""
    lexicon = load_lexicon(language)
    listed = lexicon.senses(lexicon.split(attribute.lower()))
    return gender_shown(attribute, lexicon) or ("m" if listed else "")


MADE = ("said", "opposite", "opposite_term")


def _made(rows: Iterable[Mapping[str, str | None]]) -> Iterator[dict[str, str | None]]:
    """Sentence, opposite sentence and opposite term of each row; the same sentence is made for one row only."""
    denied: set[tuple[str, str]] = set()
    opposed: set[tuple[str, str]] = set()
    for row in rows:
        cells = {name: (cell or "").strip() for name, cell in row.items()}
        language = cells["language"]
        sayings = _sentences(cells, None, denied)
        lexicon = load_lexicon(language) if language in languages() else None
        other = _sentences(cells, lexicon, opposed, antonym_only=True)
        stated = sayings or other  # an attribute whose denial is not known may have an opposite
        yield {
            "said": stated.more if stated else None,
            "opposite": other.less if other else None,
            "opposite_term": other.attribute_less if other else None,
        }


def _sentences(
    row: Mapping[str, str], lexicon: Lexicon | None, seen: set[tuple[str, str]], *, antonym_only: bool = False
) -> Sentences | None:
    try:
        made = sentence_pair(
            row["identity"],
            row["attribute"],
            _pair_templates()[row["language"]],
            lexicon,
            evidence=row["predicate"],
            agreement=row["agreement"],
        )
    except UnclearError:
        return None
    if (antonym_only and made.how != "antonym") or same_words(made) in seen:
        return None
    seen.add(same_words(made))
    return made


def sentences_of(part: pl.DataFrame) -> dict[str, str]:
    """Attribute by its sentence, for the attributes that have one."""
    return dict(part.filter(pl.col("said").is_not_null()).select("said", "attribute").iter_rows())


def poles(part: pl.DataFrame) -> tuple[dict[str, str], dict[str, str]]:
    """What is said, and its opposites: term by sentence, no sentence in both.

    Where both an attribute and its opposite are said, the one that more respondents said stays; neither where as many
    said the one as the other.

    Args:
        part: rows of one identity, with the columns of `with_sentences` and `support`.
    """
    stated = part.filter(pl.col("said").is_not_null() & pl.col("opposite").is_not_null())
    support = dict(stated.group_by("said").agg(pl.col("support").sum()).iter_rows())
    sayings: dict[str, str] = {}
    opposites: dict[str, str] = {}
    for row in stated.sort("support", descending=True, maintain_order=True).iter_rows(named=True):
        tied = support.get(row["opposite"]) == support[row["said"]]
        if not tied and row["said"] not in opposites and row["opposite"] not in sayings:
            sayings[row["said"]] = row["attribute"]
            opposites[row["opposite"]] = row["opposite_term"]
    return sayings, opposites


CONTRASTS = ("antonym", "other")


def association_tests(
    table: pl.DataFrame, templates: Mapping[str, Templates], contrast: Contrast
) -> tuple[list[AssociationTest], list[str]]:
    """Tests from a table with the columns identity and attribute; axis and language are used where they are there.

    Returns:
        The tests, and a sentence for every pair of identities that has none.

    Raises:
        UserError: no test can be made, or a language has no sentences.
    """
    sayings = with_sentences(filled(table, contrast), templates)
    tests: list[AssociationTest] = []
    left_out: list[str] = []
    for (_, language), part in sayings.group_by("axis", "language", maintain_order=True):
        for identity_x, other in _pairs(part, contrast):
            made = _test(part, identity_x, other, templates[str(language)], contrast.attributes)
            if isinstance(made, AssociationTest):
                tests.append(made)
            else:
                left_out.append(made)
    if not tests:
        why = (
            left_out[0]
            if left_out
            else f"no two identities of an axis and language have {FEWEST_TERMS} attributes"
        )
        if contrast.against and contrast.against not in sayings["identity"]:
            stated = ", ".join(sayings["identity"].unique(maintain_order=True).head(8))
            why = (
                f"--against: the identity '{contrast.against}' is unknown or has no attributes (available: "
                f"{stated}, ...)"
            )
        raise UserError(f"No test can be made from the associations: {why}.")
    return tests, left_out


def _pairs(part: pl.DataFrame, contrast: Contrast) -> Iterator[tuple[str, str]]:
    """X and Y: every identity with attributes enough for a set, against the named one or another such identity."""
    counted = part.group_by("identity", maintain_order=True).len().filter(pl.col("len") >= FEWEST_TERMS)
    identities = counted["identity"].to_list()
    if contrast.against:
        stated = contrast.against in part["identity"]
        return iter(
            [
                (identity_x, contrast.against)
                for identity_x in identities
                if stated and identity_x != contrast.against
            ]
        )
    # X against Y by what is said of each is the same test as Y against X.
    return permutations(identities, 2) if contrast.attributes == "antonym" else combinations(identities, 2)


def filled(table: pl.DataFrame, contrast: Contrast, *, kept: tuple[str, ...] = ()) -> pl.DataFrame:
    """The columns that tests need, with defaults for what is missing; equal rows are one, with their support added up.

    Args:
        table: associations, columns identity and attribute at least.
        contrast: language of associations that name none, and languages to take.
        kept: further columns, which keep rows apart.

    Raises:
        UserError: no row is left in the languages.
    """
    defaults = {"axis": "", "language": contrast.language, "agreement": "", "predicate": "", "support": "1"}
    for name, value in defaults.items():
        if name not in table.columns:
            table = table.with_columns(pl.lit(value).alias(name))
        cell = pl.when(pl.col(name).fill_null("") == "").then(pl.lit(value)).otherwise(pl.col(name))
        table = table.with_columns(cell.alias(name))
    columns = [pl.col(name).fill_null("").str.strip_chars() for name in ("identity", "attribute", *defaults)]
    table = table.select(*columns, *kept)
    keys = [name for name in table.columns if name != "support"]
    support = pl.col("support").cast(pl.Int64, strict=False).fill_null(1).sum()
    table = table.group_by(keys, maintain_order=True).agg(support)
    if contrast.languages:
        table = table.filter(pl.col("language").is_in(contrast.languages))
    if table.is_empty():
        raise UserError(f"No associations in {', '.join(contrast.languages)}. Leave out --language.")
    genders = [
        stated or gender(identity, language)
        for identity, language, stated in table.select("identity", "language", "agreement").iter_rows()
    ]
    return table.with_columns(pl.Series("agreement", genders, dtype=pl.String))


def _test(
    part: pl.DataFrame, identity_x: str, other: str, templates: Templates, contrast: str
) -> AssociationTest | str:
    """The test of `identity_x` against `other`, or why there is none."""
    axis = str(part["axis"][0])
    rows_x = part.filter(identity=identity_x)
    if contrast == "antonym":
        a, b = poles(rows_x)
    else:
        a, b = sentences_of(rows_x), sentences_of(part.filter(identity=other))
        common = a.keys() & b.keys()
        a, b = ({text: term for text, term in side.items() if text not in common} for side in (a, b))
    where = f"{templates.language}{f', {axis}' if axis else ''}: '{identity_x}' against '{other}'"
    for identity in (identity_x, other):
        why = unclear(identity, templates.language, gender_in(part, identity))
        if why:
            return f"{where}: {why}"
    fewest, what = min(
        (len(a), f"what is said of '{identity_x}'"), (len(b), _called(identity_x, other, contrast))
    )
    if fewest < FEWEST_TERMS:
        return f"{where}: {what} gives {fewest} attributes, and a set needs {FEWEST_TERMS}"
    x, y = (identity_texts(part, identity, templates) for identity in (identity_x, other))
    if min(len(x), len(y)) < FEWEST_TEXTS:
        unknown = identity_x if len(x) < len(y) else other
        return f"{where}: the gender of '{unknown}' is not known; add a column 'agreement' (f or m)"
    return AssociationTest(
        name=f"{templates.language}/{axis or 'any'}/{identity_x}/{other}/{contrast}".replace(" ", "_"),
        x=TermSet(identity_x, x, (identity_x,) * len(x)),
        y=TermSet(other, y, (other,) * len(y)),
        a=TermSet(f"said of {identity_x}", tuple(a), tuple(a.values())),
        b=TermSet(_called(identity_x, other, contrast), tuple(b), tuple(b.values())),
        axis=axis,
        language=templates.language,
        source=f"associations; sentences: {templates.source}; positive effect: {identity_x} with what is said of them",
        built_by=BUILDER,
        words=words_used(
            templates.language, {"pair templates": True, "opposites": contrast == "antonym"}, templates
        ),
    )


def _called(identity_x: str, other: str, contrast: str) -> str:
    return f"opposites of what is said of {identity_x}" if contrast == "antonym" else f"said of {other}"


def identity_texts(part: pl.DataFrame, identity: str, templates: Templates) -> tuple[str, ...]:
    """Every sentence that takes the identity as a plural noun; with an unknown gender, those right for all."""
    noun, stated = bare_plural(identity, templates.language), gender_in(part, identity)
    codes = [templates.plural[stated]] if stated in templates.plural else list(templates.plural.values())
    if not codes:
        raise UserError(
            f'The templates of \'{templates.language}\' name no plural: add, for example, plural = {{ "" = "p" }}.'
        )
    by_code = [[text for text, _ in sentences(Term("noun", {code: noun}), templates)] for code in codes]
    return tuple(text for text in dict.fromkeys(by_code[0]) if all(text in texts for texts in by_code))


def gender_in(part: pl.DataFrame, identity: str) -> str:
    """Grammatical gender of an identity as its rows have it: 'f', 'm', or empty."""
    return str(part.filter(identity=identity)["agreement"][0])


ID = "association_id"


def single_tests(
    table: pl.DataFrame, templates: Mapping[str, Templates], contrast: Contrast
) -> tuple[list[AssociationTest], list[str]]:
    """A test for each association.

    Args:
        table: columns identity and attribute; association_id, axis and language are used where they are there.
        templates: bleached sentences by language.
        contrast: the identity Y, if one was named.

    Returns:
        The tests, and a sentence for every association that has none.

    Raises:
        UserError: the ids are missing or not unique, another contrast than antonyms is asked for, or no test can be
            made.
    """
    if contrast.attributes != "antonym":
        raise UserError("--each compares an attribute with its antonym. Leave out --contrast other.")
    if ID not in table.columns:
        raise UserError(
            "--each needs a column association_id. Write one with `endoxa curate associations` or `endoxa study init`."
        )
    twice = table.filter(pl.col(ID).is_duplicated() | pl.col(ID).is_null())[ID]
    if len(twice):
        raise UserError(f"association_id '{twice[0] or ''}' is empty or appears twice. Make ids unique.")
    sayings = with_sentences(filled(table, contrast, kept=(ID,)), templates)
    made: list[AssociationTest] = []
    left_out: list[str] = []
    for (_, language), part in sayings.group_by("axis", "language", maintain_order=True):
        for result in _of_part(part, templates[str(language)], contrast.against):
            if isinstance(result, AssociationTest):
                made.append(result)
            else:
                left_out.append(result)
    if not made:
        why = left_out[0] if left_out else "the table is empty"
        raise UserError(f"No test can be made from the associations: {why}.")
    return made, left_out


def _of_part(part: pl.DataFrame, templates: Templates, against: str) -> Iterator[AssociationTest | str]:
    """Tests of the associations of one axis and language, or why there is none."""
    texts, problems = _texts(part, templates)
    for row in part.iter_rows(named=True):
        where = f"{row[ID]} ('{row['identity']}', '{row['attribute']}')"
        if row["identity"] in problems:
            yield f"{where}: {problems[row['identity']]}"
            continue
        if row["said"] is None or row["opposite"] is None:
            yield f"{where}: the attribute has no known antonym"
            continue
        others = [
            identity
            for identity in texts
            if identity != row["identity"] and (not against or identity == against)
        ]
        if not others:
            yield f"{where}: there is no other identity to compare with"
            continue
        texts_x = texts[row["identity"]]
        # A sentence without the identity would stand on both sides.
        y = {text: identity for identity in others for text in texts[identity] if text not in texts_x}
        called = others[0] if len(others) == 1 else f"others than {row['identity']}"
        yield (
            AssociationTest(
                name=f"{templates.language}/{row['axis'] or 'any'}/{row[ID]}".replace(" ", "_"),
                x=TermSet(row["identity"], texts_x, (row["identity"],) * len(texts_x)),
                y=TermSet(called, tuple(y), tuple(y.values())),
                a=TermSet(row["attribute"], (row["said"],), (row["attribute"],)),
                b=TermSet(row["opposite_term"], (row["opposite"],), (row["opposite_term"],)),
                axis=row["axis"],
                language=templates.language,
                source=f"one association; sentences: {templates.source}; positive effect: {row['identity']} "
                "with the attribute",
                association_id=row[ID],
                built_by=BUILDER,
                words=words_used(templates.language, {"pair templates": True, "opposites": True}, templates),
            )
        )


def _texts(part: pl.DataFrame, templates: Templates) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """The sentences of each identity, and why some have none."""
    texts: dict[str, tuple[str, ...]] = {}
    problems: dict[str, str] = {}
    for identity in part["identity"].unique(maintain_order=True):
        why = unclear(identity, templates.language, gender_in(part, identity))
        sentences = () if why else identity_texts(part, identity, templates)
        if why or len(sentences) < FEWEST_TEXTS:
            problems[identity] = (
                why or f"the gender of '{identity}' is not known; add a column 'agreement' (f or m)"
            )
        else:
            texts[identity] = sentences
    return texts, problems
