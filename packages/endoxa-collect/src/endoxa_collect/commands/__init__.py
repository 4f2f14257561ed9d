"""`endoxa collect`: run a campaign that people answer on their phones."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endoxa.commands.settings_command import GroupedCommand
from endoxa.errors import UserError
from endoxa_collect.commands import check, export, importing
from endoxa_collect.commands.export import Folder, Slug, argument, campaign_in, entered, flag, opened, option

if TYPE_CHECKING:
    from endoxa_collect.project.starting import Started


class CollectGroup(typer.core.TyperGroup):
    """The group of commands; explains a full disk or a locked database in one sentence."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command.

        Raises:
            UserError: the system refused a file, or the database something (`endoxa_collect.faults`).
        """
        try:
            return super().invoke(ctx)
        except Exception as problem:
            from endoxa_collect.faults import refusal

            if (sentence := refusal(problem)) is None:
                raise
            raise UserError(sentence) from None


app = typer.Typer(
    cls=CollectGroup,
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
    help="Run a campaign: people rate and add associations on their phones.",
)

PasswordStdin = Annotated[bool, flag("--password-stdin", "Read the password from standard input.")]


@app.command(cls=GroupedCommand)
def init(
    folder: Annotated[Path, argument("DIR", "Folder to create.")],
    *,
    preset: Annotated[
        str,
        option(
            "NAME",
            "Preset to start from: laces (cards), school (cards, ages 13 to 17), afristereo (survey) or panel "
            "(tasks only). school:en,sw: with words in these languages only.",
        ),
    ],
    groups: Annotated[
        Path | None, option("FILE", "Groups instead of countries: id, name_en, kind, own, parent, near.")
    ] = None,
    name: Annotated[str | None, option("NAME", "Short name (default: that of the preset).")] = None,
    organisation: Annotated[str | None, option("TEXT", "Organisation, as contributors read it.")] = None,
    contact: Annotated[str | None, option("TEXT", "Contact: an e-mail address or a phone number.")] = None,
    account: Annotated[str, option("NAME", "Name of the organiser's account.")] = "organiser",
    password_stdin: PasswordStdin = False,
) -> None:
    """Create a campaign: a folder with its database, its settings, an organiser's account and a join code.

    The password is printed once; only its hash is stored. People can join at once while it is served; it is a rehearsal
    until an organiser presses Open. If DATABASE_URL is set, answers are stored in that database.

    \b
    Examples:
      endoxa collect init campaign --preset laces
      endoxa collect init school --preset school:en,sw
      endoxa collect init panel --preset panel
      endoxa collect init nigeria --preset afristereo --groups groups.csv
      endoxa collect init campaign --preset afristereo --name schools --organisation "River Lab" --contact 555-0100
      DATABASE_URL=postgres:///campaign endoxa collect init campaign --preset laces
    """  # noqa: D301
    from endoxa_collect.project.folder import making

    password = _read_password() if password_stdin else None
    with making(folder) as made:
        entered(made, new=True)
        from endoxa_collect.project.starting import start

        started = start(
            preset,
            name or preset.partition(":")[0],
            account,
            password=password,
            organisation=organisation,
            contact=contact,
            groups=groups,
        )
    _print_started(started, folder, account, named=bool(organisation and contact))


@app.command(cls=GroupedCommand)
def serve(
    folder: Folder,
    *,
    host: Annotated[
        str, option("ADDRESS", "Address to listen on; 127.0.0.1: this machine only.")
    ] = "0.0.0.0",  # noqa: S104
    port: Annotated[int, typer.Option(min=1, max=65_535, help="Port to listen on.")] = 8000,
    workers: Annotated[
        int | None, typer.Option(min=1, max=64, help="Number of worker processes (default: 2).")
    ] = None,
) -> None:
    """Serve a campaign until Ctrl-C; prints its address and a QR code to join.

    No access log is written. For the internet, put a proxy with TLS in front (see the manual).

    \b
    Examples:
      endoxa collect serve campaign
      endoxa collect serve campaign --port 8808
      DATABASE_URL=postgres:///campaign endoxa collect serve campaign --host 127.0.0.1 --workers 4
    """  # noqa: D301
    from endoxa_collect.addresses import reached_at, refuse_busy, resolved
    from endoxa_collect.project.folder import locked_folder

    campaigns = opened(folder)
    address = resolved(host)
    refuse_busy(address, port)
    with locked_folder(campaigns):
        entered(campaigns, listening=address)
        from endoxa_collect.project.server import serve as answer
        from endoxa_collect.project.starting import collect_static, invitations

        collect_static()
        addresses = reached_at(address, port)
        for line in invitations(addresses, sys.stdout.encoding or "ascii"):
            typer.echo(line)
        typer.echo(f"Organisers: {addresses[0]}/organise/\nCtrl-C stops. Everything answered so far is kept.")
        sys.stdout.flush()
        answer(address, port, workers)
    typer.echo("\nStopped. Everything is kept.")


@app.command(cls=GroupedCommand)
def account(
    folder: Folder,
    name: Annotated[str | None, argument("NAME", "Name of the account (default: list all).")] = None,
    *,
    role: Annotated[str | None, option("ROLE", "organiser, moderator, reviewer or researcher.")] = None,
    campaign: Slug = None,
    password_stdin: PasswordStdin = False,
    new_password: Annotated[bool, flag("--new-password", "Generate a new password.")] = False,
    remove: Annotated[bool, flag("--remove", "Remove the role (--role), else the account.")] = False,
) -> None:
    """Create, change or remove an account. Without NAME, list all accounts.

    A generated password is printed once. The command also unlocks an account that wrong passwords have locked.

    \b
    Examples:
      endoxa collect account campaign
      endoxa collect account campaign ines --role moderator
      endoxa collect account campaign ines --new-password
      endoxa collect account campaign ines --remove
    """  # noqa: D301
    if name is None and (role or remove or new_password or password_stdin):
        raise UserError(
            "NAME is missing: write the account's name after the folder. Without options, all accounts are listed."
        )
    password = _read_password() if password_stdin else None
    where = campaign_in(folder, campaign)
    from endoxa_collect.project.starting import accounts, remove_account, role_named, set_account

    wanted = role_named(role)
    if name is None:
        members = accounts(where)
    elif remove:
        members = [remove_account(name, where, wanted)]
    else:
        members = [set_account(name, where, wanted, password=password, new_password=new_password)]
    for member in members:
        typer.echo(f"{member.name}: {', '.join(member.roles) or 'removed'}")
        if member.password:
            typer.echo(f"Password (shown once): {member.password}")


app.command(cls=GroupedCommand)(export.export)
app.command("print", cls=GroupedCommand)(importing.print_cards)
app.command("import", cls=GroupedCommand)(importing.import_file)
app.command(cls=GroupedCommand)(export.backup)
app.command(cls=GroupedCommand)(check.check)


def _read_password() -> str:
    password = sys.stdin.readline().rstrip("\r\n")
    if not password:
        raise UserError("--password-stdin: standard input is empty. Write the password on one line.")
    return password


def _print_started(started: Started, folder: Path, account: str, *, named: bool) -> None:
    from endoxa_collect.project.starting import CODE_DAYS

    seeds = f", with {started.pairs} seed pairs" if started.code else ""
    if declared := len(started.campaign.settings.groups):
        seeds += f", cards about {declared} groups"
    stands = "a rehearsal until you press Open" if started.campaign.rehearsing else "open"
    typer.echo(f"Campaign '{started.campaign.slug}' made in {folder}: {stands}{seeds}.")
    if started.code:
        typer.echo(f"Code to join: {started.code} (for {CODE_DAYS} days from Open)")
    if day := started.campaign.settings.retention:
        typer.echo(f"Answers are linked to people until {day} (Settings, General).")
    typer.echo(f"Account: {account}")
    if started.password:
        typer.echo(f"Password (shown once): {started.password}")
    if not named:
        typer.echo("Say who runs it and how to reach them (Settings) before anybody joins.")
    from endoxa.words.components import COMPONENTS, languages_of
    from endoxa.words.state import unreviewed

    texts = ("page texts", "preset texts")
    if line := unreviewed((name, languages_of(COMPONENTS[name])) for name in texts):
        typer.echo(line)
    if started.code:
        typer.echo(f"Next: endoxa collect serve {folder}")
    else:
        typer.echo(f"Next: endoxa collect import {folder} associations.csv --task harm")
