"""`endoxa collect check`: whether a site that is served for real works, and the proxy in front of it is right."""

from __future__ import annotations

from typing import Annotated

import typer

from endoxa_collect.commands.export import Folder, flag, option

_PARTS = {
    "database": (
        "The database answers.",
        "The database does not answer: is DATABASE_URL right, does its server run?",
    ),
    "migrations": (
        "Its tables are of this version.",
        "Its tables are of another version: restart the site (`endoxa collect serve`), which updates them.",
    ),
    "disk": ("The disk has room.", "The disk is nearly full: less than 200 MB are free."),
}


def check(
    folder: Folder,
    *,
    address: Annotated[str | None, option("URL", "Address that people open: checks the proxy, too.")] = None,
    local: Annotated[str | None, option("URL", "Address without the proxy: http://127.0.0.1:8000.")] = None,
    quiet: Annotated[bool, flag("--quiet", "Print problems only.")] = False,
) -> None:
    """Check that the database, its tables and the disk are fine, and that the proxy hands over Host and https.

    Exits with status 1 where something is wrong, and says what to do. Set the variables as for the site.

    \b
    Examples:
      endoxa collect check campaign
      endoxa collect check campaign --address https://collect.example.org --local http://127.0.0.1:8000
    """  # noqa: D301
    from urllib.parse import urlsplit

    from endoxa_collect.project.folder import enter, open_folder

    enter(open_folder(folder))
    from django.conf import settings

    from endoxa_collect.health import ask, faults, parts

    good: list[str] = []
    problems: list[str] = []
    for part, well in parts().items():
        (good if well else problems).append(_PARTS[part][0 if well else 1])
    name = urlsplit(address).netloc if address else settings.ALLOWED_HOSTS[0]
    inside = ask(local, name) if local else None
    if inside and inside.seen:
        good.append(f"The site answers at {local}.")
    elif inside:
        problems.append(f"The site does not answer at {local} by the name {name}: does it run?")
    if address:
        between = list(faults(address, ask(address), inside, https_expected=settings.HTTPS))
        problems += between
        good += [] if between else [f"{address} leads to the site, and the proxy is right."]
    for line in [*([] if quiet else good), *problems]:
        typer.echo(line)
    if problems:
        raise typer.Exit(1)
