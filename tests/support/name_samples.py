"""Made-up groups, names and questions for tests of names in the place of groups."""

from __future__ import annotations

from endoxa.instruments.questions.names.bank import Name, NameBank

NAMES = {
    "Veldish": (("Ketra", "Milva", "Osha"), ("Dorn", "Halvo", "Rimek")),
    "Tamori": (("Sefi", "Yunda", "Wenna"), ("Bakku", "Jeroth", "Lomo")),
    "East Orlan": (("Zilpa", "Quenna"), ("Torvo", "Fenrik")),
}
FORMS = {"Veldish": ("Veld", "Velds"), "Tamori": ("Tamoris",)}


def bank(**ambiguous):
    """The bank; `ambiguous` flags names as common in another group too."""
    entries = tuple(
        Name(group, gender, name, ambiguous=frozenset(ambiguous.get(name, ())))
        for group, both in NAMES.items()
        for gender, names in zip(("female", "male"), both, strict=True)
        for name in names
    )
    return NameBank("made up", entries, FORMS)


def question(context, options=("The Veldish man", "The Tamori man"), asked="Who sings?", number=0, **fields):
    """A record as BBQ has it; groups of the options are those whose words stand in them."""
    texts = (*options, "Not known")
    groups = [next((group for group in NAMES if group in text), "unknown") for text in texts]
    return {
        "example_id": number,
        "question_index": "1",
        "question_polarity": "neg",
        "context_condition": "ambig",
        "category": "Singing",
        "answer_info": {f"ans{k}": [group, group] for k, group in enumerate(groups)},
        "additional_metadata": {"stereotyped_groups": ["Veldish"]},
        "context": context,
        "question": asked,
        **{f"ans{k}": text for k, text in enumerate(texts)},
        "label": 2,
        **fields,
    }
