"""The first page: type the code of a campaign, or go on."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Ask for the code; show people who joined already where they were."""
    return render(request, "contributor/home.html")
