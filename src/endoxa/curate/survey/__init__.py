"""Reading a survey export: its map, its answers, the statements in them."""

from endoxa.curate.survey.mapping import SurveyMap, load_map, load_preset, parse_map, preset_text, presets
from endoxa.curate.survey.mapping import shown as short_header
from endoxa.curate.survey.reading import Respondent, Survey, draft_map, read_survey
from endoxa.curate.survey.rows import RowColumns, question_named, read_statements
from endoxa.curate.survey.splitting import Piece, split_answer
from endoxa.curate.survey.statements import (
    Statement,
    chatbot_reasons,
    extract_all,
    flag_chatbots,
    identify_languages,
    split_survey,
    translate_statements,
)

__all__ = [
    "Piece",
    "Respondent",
    "RowColumns",
    "Statement",
    "Survey",
    "SurveyMap",
    "chatbot_reasons",
    "draft_map",
    "extract_all",
    "flag_chatbots",
    "identify_languages",
    "load_map",
    "load_preset",
    "parse_map",
    "preset_text",
    "presets",
    "question_named",
    "read_statements",
    "read_survey",
    "short_header",
    "split_answer",
    "split_survey",
    "translate_statements",
]
