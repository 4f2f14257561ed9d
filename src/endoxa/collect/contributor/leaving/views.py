"""Leaving a campaign: what goes and what stays, one more question, and goodbye."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def leave(request: HttpRequest) -> HttpResponse:
    """Say what goes and what stays."""
    return render(request, "contributor/leave.html")
