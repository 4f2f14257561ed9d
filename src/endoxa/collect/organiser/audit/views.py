"""The log of what accounts did."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from endoxa.collect.models import Campaign, Role
from endoxa.collect.organiser.access import allowed
from endoxa.collect.organiser.audit.forms import LogForm
from endoxa.collect.organiser.audit.wording import lines

PAGE = 50


@allowed(Role.ORGANISER)
@require_safe
def audit(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Newest first, fifty to a page."""
    form = LogForm(campaign, request.GET)
    page = Paginator(form.entries(), PAGE).get_page(request.GET.get("page"))
    kept = request.GET.copy()
    kept.pop("page", None)
    context = {
        "campaign": campaign,
        "form": form,
        "page": page,
        "lines": lines(campaign, page),
        "kept": kept.urlencode(),
    }
    return render(request, "organiser/audit.html", context)
