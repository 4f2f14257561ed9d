"""Small tables of our own for the tests of exports."""

from __future__ import annotations

PAIRS = (
    "item_id,language,axis,direction,stereotypical,sent_more,sent_less,identity,how,reviewed_by,note\n"
    "a,en,age,stereo,more,Grandmothers are patient.,Grandmothers are not patient.,grandmothers,negation,Ada,x\n"
    "b,en,work-life,stereo,more,Bakers get up early.,Bakers get up late.,bakers,antonym,Ada,\n"
    "c,no,work-life,antistereo,less,Fiskere er hastige.,Fiskere er rolige.,fiskere,antonym,Ada,\n"
    "d,no,work life,stereo,more,Bakere er glade.,Bakere er triste.,,antonym,Ada,\n"
)

STATEMENTS = (
    "statement_id,respondent,question,axis,country,language,original_statement,statement,identity,attribute,omit,gender\n"
    "17-work-001,17,work,profession,Ruritania,en,Bakers are jolly,Bakers are jolly,bakers,jolly,false,f\n"
    "18-work-001,18,work,profession,Ruritania,en,Bakers sleep,Bakers sleep,bakers,sleep,true,m\n"
)

ASSOCIATIONS = (
    "association_id,identity,attribute,axis,region,language,polarity,source,support,statement_ids\n"
    "q1,bakers,jolly,profession,Ruritania,en,positive,a survey of 2025,4,17-work-001 18-work-001\n"
    "q2,fishers,calm | slow,profession,Ruritania,en,neutral,a survey of 2025,2,19-work-001\n"
)


def write(folder, name, text):
    """The text as a file of the folder."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
