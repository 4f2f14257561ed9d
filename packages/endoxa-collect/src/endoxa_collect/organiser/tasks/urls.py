"""URLs of the pages of tasks."""

from __future__ import annotations

from django.urls import URLPattern, path

from endoxa_collect.organiser.tasks import groups, upload, views

urlpatterns: list[URLPattern] = [
    path("<slug:slug>/tasks/", views.tasks, name="tasks"),
    path("<slug:slug>/new-task/", upload.add, name="task_add"),
    path("<slug:slug>/tasks/<slug:name>/", views.work, name="task"),
    path("<slug:slug>/tasks/<slug:name>/judge/", views.judge, name="task_judge"),
    path("<slug:slug>/tasks/<slug:name>/undo/", views.undo_last, name="task_undo"),
    path("<slug:slug>/tasks/<slug:name>/begin/", views.begin, name="task_begin"),
    path("<slug:slug>/tasks/<slug:name>/state/", views.change_state, name="task_state"),
    path("<slug:slug>/tasks/<slug:name>/groups/", groups.editor, name="task_groups"),
    path("<slug:slug>/tasks/<slug:name>/groups/preview/", groups.preview, name="task_groups_preview"),
    path("<slug:slug>/tasks/<slug:name>/groups/change/", groups.change, name="task_groups_change"),
    path("<slug:slug>/tasks/<slug:name>/groups/undo/", groups.take_back, name="task_groups_undo"),
    path("<slug:slug>/tasks/<slug:name>/export/", views.export, name="task_export"),
]
