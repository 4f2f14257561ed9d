"""What stands where there is no page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """The page with status 404, with the header of accounts or that of contributors."""
    template = "organiser/404.html" if request.path.startswith("/organise/") else "404.html"
    return render(request, template, status=404)
