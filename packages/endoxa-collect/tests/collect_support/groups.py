"""A campaign in Nigeria whose cards are about peoples, a region, women, older people and crossings of these."""

from __future__ import annotations

TABLE = """id,name_en,name_es,kind,parent,own,near
nigerians,Nigerians,los nigerianos,country,,country=NG,
yoruba,Yoruba people,los yorubas,ethnic group,nigerians,ethnicity=yoruba,
igbo,Igbo people,los igbos,ethnic group,nigerians,ethnicity=igbo,
fulani,Fulani people,los fulanis,ethnic group,nigerians,ethnicity=fulani,ethnicity=hausa
women,women,las mujeres,gender,,gender=woman,
elders,older people,las personas mayores,age,,age_range=over_50,age_range=36_50
yoruba_women,Yoruba women,las mujeres yorubas,crossing,yoruba;women,ethnicity=yoruba & gender=woman,
"""
ANSWERS = {
    "ethnicity": ("yoruba", "igbo", "hausa", "fulani"),
    "gender": ("woman", "man"),
    "age_range": ("18_25", "36_50", "over_50"),
}
PROFILE = [
    {
        "name": name,
        "label": {"en": f"Your {name}"},
        "purpose": {"en": "To choose cards."},
        "choices": {choice: {"en": choice.title()} for choice in choices},
    }
    for name, choices in ANSWERS.items()
]


def write_table(path, text=TABLE):
    """The table of groups."""
    path.write_text(text, encoding="utf-8")
    return path
