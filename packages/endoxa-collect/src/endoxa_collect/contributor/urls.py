"""URLs of the pages of contributors."""

from __future__ import annotations

from django.urls import path

from endoxa_collect.contributor import cards, joining, leaving, offline, profile, results, survey

app_name = "contributor"
urlpatterns = [
    path("", joining.home, name="home"),
    path("language/", joining.language, name="language"),
    path("j/<str:code>/", joining.join, name="join"),
    path("j/<str:code>/guardian/", joining.guardian, name="guardian"),
    path("j/<str:code>/no-thanks/", joining.decline, name="decline"),
    path("no-thanks/", joining.declined, name="declined"),
    path("receipt/", joining.receipt, name="receipt"),
    path("help/", joining.help_page, name="help"),
    path("privacy/", joining.privacy, name="privacy"),
    path("agree/", joining.again, name="again"),
    path("next-speaker/", joining.next_speaker, name="next_speaker"),
    path("profile/", profile.profile, name="profile"),
    path("leave/", leaving.leave, name="leave"),
    path("resume/", leaving.resume, name="resume"),
    path("left/", leaving.left, name="left"),
    path("card/", cards.card, name="card"),
    path("card/covers/", cards.set_covers, name="covers"),
    path("card/<uuid:token>/reveal/", cards.reveal, name="reveal"),
    path("card/<uuid:token>/hurt/", cards.hurt, name="hurt"),
    path("card/<uuid:token>/rate/", cards.rate, name="rate"),
    path("card/<uuid:token>/skip/", cards.skip, name="skip"),
    path("card/<uuid:token>/undo/", cards.undo, name="undo"),
    path("card/<uuid:token>/avoid/", cards.avoid, name="avoid"),
    path("card/<uuid:token>/add/", cards.add, name="add"),
    path("card/<uuid:token>/finish/", cards.finish, name="finish"),
    path("card/<uuid:token>/alike/<uuid:mention>/", cards.alike, name="alike"),
    path("mixed/<uuid:token>/", cards.mixed_answer, name="mixed"),
    path("mixed/<uuid:token>/skip/", cards.mixed_skip, name="mixed_skip"),
    path("mixed/<uuid:token>/report/", cards.mixed_report, name="mixed_report"),
    path("mixed/<uuid:token>/undo/", cards.mixed_undo, name="mixed_undo"),
    path("pause/", cards.pause, name="pause"),
    path("thanks/", cards.thanks, name="thanks"),
    path("survey/", survey.overview, name="survey"),
    path("survey/<slug:question>/", survey.ask, name="survey_question"),
    path("worker.js", offline.worker, name="worker"),
    path("offline/", offline.no_network, name="no_network"),
    path("at-hand/", offline.at_hand, name="at_hand"),
    path("card/<uuid:token>/", offline.one_card, name="one_card"),
    *results.urlpatterns,
]
