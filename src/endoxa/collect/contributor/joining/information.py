"""Pages to read: help, and what is kept."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    """Help lines, nearest first, and how to skip, stop and leave."""
    return render(request, "contributor/help.html")


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """What is kept about a contributor, until when, and what they may ask for."""
    return render(request, "contributor/privacy.html")
