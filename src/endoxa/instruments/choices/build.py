"""From associations to inferences, decisions and word lists.

The other group of a decision or a word list is declared in a column `reference`, or drawn from the groups of the same
axis that were never observed with the attribute and share nobody with the group by name.

Every inference and decision has a counterpart, which asks the same about the opposite of the attribute, or about what
is said of others: who always agrees, or likes one of two names, contradicts there what they said before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from endoxa.curate.associations import NOUN, association_id
from endoxa.curate.grammar.gender import in_genders, quoted
from endoxa.curate.grammar.sentences import sentence_pair
from endoxa.curate.grammar.templates import UnclearError
from endoxa.curate.grammar.templates import load_templates as load_pair_templates
from endoxa.curate.opposites import languages, load_lexicon
from endoxa.curate.persons import Distractors, Observed, comparable, identity_of, plain_attribute
from endoxa.errors import UserError
from endoxa.instruments.choices import wording as choice_words
from endoxa.instruments.choices.options import ChoiceOptions
from endoxa.instruments.choices.wording import LABEL, Named, Templates, named
from endoxa.schema.choices import COUNTERPART, ChoiceItem, Word
from endoxa.schema.provenance import words_cell
from endoxa.words.people import written

LONGEST_LIST = 8
"""Words of each group in one list."""
LEFT_OUT = ("row", "association_id", "identity", "attribute", "reason")
_COLUMNS = (
    *("identity", "attribute", "association_id", "source", "axis", "region", "language", "group_id"),
    *("polarity", "reference", "predicate"),
)


@dataclass(frozen=True, slots=True)
class Built:
    """Items and what was left out.

    Attributes:
        items: the items.
        left_out: associations without an item, with the reason.
        associations: number of associations with an item.
    """

    items: tuple[ChoiceItem, ...]
    left_out: pl.DataFrame
    associations: int


@dataclass(frozen=True, slots=True)
class _Row:
    number: int
    cells: Mapping[str, str]
    observed: Observed

    @property
    def key(self) -> str:
        return self.observed.identity.key


class _UnusableError(Exception):
    """Why an association has no item."""


def build_choices(associations: pl.DataFrame, options: ChoiceOptions) -> Built:
    """Make items of one kind from associations.

    Args:
        associations: columns identity, attribute, association_id and language; axis, region, group_id, polarity
            ('positive', 'negative'), reference and predicate ('noun': left out) are used where they are there.
        options: what was chosen.

    Raises:
        UserError: no templates in the language, or two rows with one id.
    """
    language = (options.language or "en").split("-")[0]
    templates = choice_words.load_templates(language, options.templates)
    rows, unusable = _rows(associations, language)
    maker = _Maker(options, language, templates, rows)
    make = {"inference": maker.inferences, "decision": maker.decisions, "association": maker.word_lists}
    items: list[ChoiceItem] = []
    made: set[str] = set()
    for row in rows:
        try:
            items += list(make[options.kind](row))
            made.add(row.cells["association_id"])
        except _UnusableError as problem:
            unusable.append((row, str(problem)))
    named_by = LEFT_OUT[1:-1]
    left_out = [(str(row.number), *map(row.cells.__getitem__, named_by), reason) for row, reason in unusable]
    return Built(
        tuple(items),
        pl.DataFrame(left_out, schema=dict.fromkeys(LEFT_OUT, pl.String), orient="row"),
        len(made),
    )


def _rows(associations: pl.DataFrame, language: str) -> tuple[list[_Row], list[tuple[_Row, str]]]:
    """Rows that can be asked about, and the others with the reason."""
    rows: list[_Row] = []
    unusable: list[tuple[_Row, str]] = []
    first: dict[str, int] = {}
    phrase: dict[tuple[str, str], int] = {}
    for number, row in enumerate(associations.iter_rows(named=True), start=1):
        cells = {name: " ".join(str(row.get(name) or "").split()) for name in _COLUMNS}
        spoken = (cells["language"] or language).replace("_", "-").split("-")[0].lower()
        identity = identity_of(cells["identity"], spoken)
        cells["association_id"] = cells["association_id"] or association_id(
            *(cells[name] for name in ("identity", "attribute", "axis", "region", "source"))
        )
        observed = Observed(identity, cells["attribute"], cells["axis"].lower(), cells["group_id"])
        made = _Row(number, cells, observed)
        statement = identity.key, plain_attribute(cells["attribute"])
        if not all(statement):
            unusable.append((made, "identity or attribute is empty"))
        elif cells["predicate"] == NOUN:
            thing = f"'{cells['attribute']}' seems to name a thing, not what people are: write it with a verb, and "
            unusable.append((made, f"{thing}empty the cell 'predicate'"))
        elif spoken != language:
            unusable.append((made, f"it is in '{spoken}', and the items are in '{language}'"))
        elif phrase.setdefault(statement, number) != number:
            unusable.append((made, f"row {phrase[statement]} says the same"))
        elif first.setdefault(cells["association_id"], number) != number:
            raise UserError(
                f"Rows {first[cells['association_id']]} and {number} of the associations have the same association_id "
                f"'{cells['association_id']}'. Make ids unique, or leave the column out."
            )
        else:
            rows.append(made)
    return rows, unusable


class _Maker:
    """Makes items of one association after the other; what it draws depends on the seed and the association alone."""

    def __init__(self, options: ChoiceOptions, language: str, templates: Templates, rows: list[_Row]) -> None:
        self.options, self.language, self.templates = options, language, templates
        self.sides: dict[str, tuple[str, Named]] = {}
        self.said: dict[str, list[_Row]] = {}
        self.on_axis: dict[str, list[_Row]] = {}
        for row in rows:
            self.sides.setdefault(row.key, (row.cells["identity"], named(row.cells["identity"], language)))
            self.said.setdefault(row.key, []).append(row)
            self.on_axis.setdefault(row.observed.axis, []).append(row)
        # The grammar of the language, where we have it and its opposites.
        self.grammar = load_pair_templates().get(language) if language in languages() else None
        self.distractors = Distractors((row.observed for row in rows), self.sides)

    def _random(self, row: _Row) -> np.random.Generator:
        name = f"{row.cells['association_id']}".encode()
        return np.random.default_rng([self.options.seed, *name])

    def _combinations(
        self, names: list[str], wordings: int, random: np.random.Generator
    ) -> list[tuple[str, int]]:
        """Situations and wordings, every situation once before one comes again."""
        shuffled = [names[k] for k in random.permutation(len(names))]
        start = int(random.integers(wordings))
        turns = [
            (name, (start + place + turn) % wordings)
            for turn, (place, name) in product(range(wordings), enumerate(shuffled))
        ]
        return turns[: self.options.per_association]

    def _reference(self, row: _Row, random: np.random.Generator) -> tuple[str, Named]:
        """The other group of an association.

        Raises:
            _UnusableError: there is none.
        """
        who = self.sides[row.key][1]
        if stated := row.cells["reference"]:
            return stated, named(stated, self.language)
        keys = [key for key in self.distractors.candidates(row.observed) if _alike(who, self.sides[key][1])]
        if not keys:
            raise _UnusableError(
                "no other group of its axis can stand beside it: each was observed with the attribute, overlaps with "
                "the group or is named in another way. Name one in a column 'reference'"
            )
        return self.sides[keys[random.permutation(len(keys))[0]]]

    def _item(self, row: _Row, name: str, **fields: Any) -> ChoiceItem:
        cells = row.cells
        association_row = [] if self.options.templates else [(choice_words.COMPONENT, self.language)]
        common = {
            **{key: cells[key] for key in ("association_id", "identity", "attribute", "axis", "region")},
            **dict.fromkeys(("reference", "premise", "context"), ""),
            "item_id": f"{cells['association_id']}-{name}",
            "kind": self.options.kind,
            "language": self.language,
            "identity_key": row.key,
            "built_by": f"endoxa build choices --kind {self.options.kind}",
            "made_with": words_cell(association_row),
        }
        return ChoiceItem(**{**common, **fields})

    def _opposite(self, row: _Row) -> str:
        """The opposite of the attribute, in its form; empty where none is known."""
        if self.grammar is None:
            return ""
        identity, attribute, evidence = (row.cells[name] for name in ("identity", "attribute", "predicate"))
        try:
            made = sentence_pair(
                identity, attribute, self.grammar, load_lexicon(self.language), evidence=evidence
            )
        except UnclearError:
            return ""
        return made.attribute_less if made.how == "antonym" else ""

    def _counterpart(self, row: _Row, reference: str = "") -> tuple[str, str]:
        """What is asked about in place of the attribute, and our words that it was made with (`words_cell`).

        The opposite of the attribute; else what is said of others of the axis and was never observed with the group,
        of the other candidate where that is possible.

        Raises:
            _UnusableError: there is neither.
        """
        if opposite := self._opposite(row):
            return opposite, words_cell((name, self.language) for name in ("opposites", "pair templates"))
        random = self._random(row)
        theirs = self.said.get(identity_of(reference, self.language).key, [])
        for several in (theirs, self.on_axis[row.observed.axis]):
            for k in random.permutation(len(several)):
                if row.key in self.distractors.candidates(several[k].observed):
                    return several[k].cells["attribute"], ""
        raise _UnusableError(
            "no opposite of the attribute is known, and nothing else is said of other groups of its axis. Write it "
            "in one word, or add associations of other groups"
        )

    def _quoted(self, attribute: str, genders: Collection[str]) -> str:
        """An attribute as it stands in a question about people of some genders.

        Raises:
            _UnusableError: its form would tell a woman from a man.
        """
        lexicon = load_lexicon(self.language) if self.language in languages() else None
        if text := quoted(in_genders(attribute, self.language, lexicon), genders):
            return self.templates.quotable(text)
        raise _UnusableError(f"'{attribute}' is in the form of one gender, and the people are of two")

    def _with_counterpart(
        self, row: _Row, item: ChoiceItem, counterpart: tuple[str, str], genders: Collection[str]
    ) -> Iterator[ChoiceItem]:
        """An item whose question lacks the attribute yet, and its counterpart."""
        instead, words = counterpart
        used = ";".join(filter(None, (item.made_with, words)))
        twin = replace(item, item_id=f"{item.item_id}{COUNTERPART}", counterpart=instead, made_with=used)
        for each, attribute in ((item, row.cells["attribute"]), (twin, instead)):
            question = item.question.format(attribute=self._quoted(attribute, genders))
            yield replace(each, question=_capital(question))

    def inferences(self, row: _Row) -> Iterator[ChoiceItem]:
        """Premise and hypothesis about one person of the group, each with its counterpart."""
        words, random = self.templates.inference, self._random(row)
        attribute = self.templates.quotable(row.cells["attribute"])
        counterpart = self._counterpart(row)
        person = self.sides[row.key][1]
        who, gender = (
            written(person.filled(self.templates.people, self.options.gender), self.language),
            person.gender(self.options.gender),
        )
        phrase = words.reported.format(attribute=attribute, group=row.cells["identity"])
        for situation, wording in self._combinations(list(words.premises), len(words.hypotheses), random):
            premise = _capital(words.premises[situation].format(person=who))
            for kind in self.options.premises:
                item = self._item(
                    row,
                    f"i-{situation}-{wording + 1}-{kind}",
                    situation=situation,
                    wording=wording + 1,
                    premise=kind,
                    context=premise if kind == "neutral" else f"{phrase} {premise}",
                    question=words.hypotheses[wording],
                    options=words.options,
                )
                yield from self._with_counterpart(row, item, counterpart, (gender,))

    def decisions(self, row: _Row) -> Iterator[ChoiceItem]:
        """Two candidates who differ in the group only, and a situation in which the attribute matters."""
        words, random, cells = self.templates.decision, self._random(row), row.cells
        texts = words.unwanted if _is_negative(cells, self.language) else words.wanted
        reference, other = self._reference(row, random)
        people, genders = self._candidates(self.sides[row.key], (reference, other))
        counterpart = self._counterpart(row, reference)
        for situation, wording in self._combinations(list(words.situations), len(texts), random):
            item = self._item(
                row,
                f"d-{situation}-{wording + 1}",
                reference=reference,
                situation=situation,
                wording=wording + 1,
                context=words.situations[situation],
                question=texts[wording],
                options=people,
            )
            yield from self._with_counterpart(row, item, counterpart, genders)

    def _candidates(self, *sides: tuple[str, Named]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Both candidates in one form, and their genders; by the names of their groups where they are named unlike."""
        who, other = (entry for _, entry in sides)
        if not _alike(who, other):
            who, other = (Named(LABEL, identity, None) for identity, _ in sides)
        gender = _shared_gender(who, other, self.options.gender)
        people = tuple(
            written(entry.filled(self.templates.candidates, gender), self.language) for entry in (who, other)
        )
        return people, (who.gender(gender), other.gender(gender))

    def word_lists(self, row: _Row) -> Iterator[ChoiceItem]:
        """A list with words of the group and of another one; the first association of a group makes its lists."""
        mine = self.said[row.key]
        if mine[0] is not row:
            return
        random = self._random(row)
        reference, _ = self._reference(row, random)
        key = identity_of(reference, self.language).key
        theirs = [other for other in self.said.get(key, []) if not self._says(row.key, other)]
        association_row = [entry for entry in mine if not self._says(key, entry)]
        if not (theirs and association_row):
            raise _UnusableError(f"the other group of its list, '{reference}', has no attribute of its own")
        # As many words of either group: who likes one of the names agrees and disagrees as often.
        length = min(LONGEST_LIST, len(theirs))
        for start in range(0, len(association_row), length):
            part = association_row[start : start + length]
            drawn = random.permutation(len(theirs))[: len(part)]
            groups = [(entry.cells, 0) for entry in part] + [(theirs[k].cells, 1) for k in drawn]
            yield self._item(
                row,
                f"w-1-{start // length + 1}",
                association_id="",
                attribute="",
                reference=reference,
                situation=f"{row.cells['identity']} / {reference}",
                wording=1,
                question=self.templates.association.instruction,
                options=(row.cells["identity"], reference),
                words=tuple(
                    Word(cells["attribute"], cells["association_id"], group) for cells, group in groups
                ),
            )

    def _says(self, key: str, other: _Row) -> bool:
        """Whether a group was observed with the attribute of another row."""
        attribute = plain_attribute(other.cells["attribute"])
        return any(plain_attribute(row.cells["attribute"]) == attribute for row in self.said.get(key, []))


def _alike(who: Named, other: Named) -> bool:
    if who.kind != other.kind:
        return False
    return not (who.who and other.who) or comparable(who.who, other.who)


def _shared_gender(who: Named, other: Named, wanted: str) -> str:
    """The gender in which both can be named, so that candidates differ in the group only."""
    of_first = who.gender(wanted)
    return of_first if other.gender(of_first) == of_first else other.gender(wanted)


def _is_negative(cells: Mapping[str, str], language: str) -> bool:
    """Whether an attribute speaks against somebody: by its column, else in English by the word list of VADER."""
    if cells["polarity"] or language != "en":
        return cells["polarity"].lower() == "negative"
    from endoxa.curate.polarity import polarity

    try:
        return polarity(cells["attribute"]) == "negative"
    except UserError:  # the word list is not installed
        return False


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
