"""Network addresses at which people in the room reach the site."""

from __future__ import annotations

import io
import os
import socket
import struct
import sys
from contextlib import suppress

import segno

from endoxa.errors import UserError

_SIOCGIFADDR = 0x8915
"""Linux: the address of an interface."""
_EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104


def lan_address() -> str:
    """This machine's address in the local network; 127.0.0.1 where there is none. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Connecting a datagram socket only asks the routing table which address it would use.
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def host_names(listening: str = "") -> list[str]:
    """Names and addresses at which this machine is reached in its networks, as browsers send them in `Host`.

    Args:
        listening: the address at which the site is served, which is printed for people to use.
    """
    name = socket.gethostname()
    hosts = {"localhost", name, f"{name.partition('.')[0]}.local", "127.0.0.1", "::1", lan_address()}
    if listening not in _EVERYWHERE:
        hosts.add(listening)
    with suppress(OSError):
        hosts |= {str(entry[4][0]).partition("%")[0] for entry in socket.getaddrinfo(name, None)}
    hosts |= _interfaces()
    return sorted(f"[{host}]" if ":" in host else host.lower() for host in hosts if host)


def _interfaces() -> set[str]:
    """IPv4 addresses of all network interfaces on Linux, where a machine's name often stands for 127.0.1.1 only."""
    if not sys.platform.startswith("linux"):
        return set()
    import fcntl

    addresses = set()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            with suppress(OSError):
                request = struct.pack("256s", name.encode()[:15])
                addresses.add(socket.inet_ntoa(fcntl.ioctl(probe.fileno(), _SIOCGIFADDR, request)[20:24]))
    return addresses


def _public_names() -> tuple[str, ...]:
    names = [name.strip() for name in os.environ.get("ENDOXA_HOSTS", "*").split(",")]
    behind_https = os.environ.get("ENDOXA_HTTPS") == "1" and "*" not in names
    return tuple(f"https://{name}" for name in names) if behind_https else ()


def public_address() -> str:
    """The address of the site behind a proxy (see `endoxa_collect.settings`); "" in a room, where it has no name."""
    return next(iter(_public_names()), "")


def reached_at(host: str, port: int) -> tuple[str, ...]:
    """Addresses to print: the one for phones first, this machine's own second.

    Behind a proxy (see `endoxa_collect.settings`) they are its names.
    """
    if names := _public_names():
        return names
    if host not in _EVERYWHERE:
        return (f"http://{f'[{host}]' if ':' in host else host}:{port}",)
    return tuple(dict.fromkeys(f"http://{name}:{port}" for name in (lan_address(), "127.0.0.1")))


def resolved(host: str) -> str:
    """The number of an address that may be a name (localhost); IPv4 where it has both.

    Raises:
        UserError: unknown host name.
    """
    try:
        entries = socket.getaddrinfo(host or None, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError):
        raise UserError(f"'{host}' is not an address of this machine: leave --host out.") from None
    return str(min(entries, key=lambda entry: entry[0] != socket.AF_INET)[4][0])


def refuse_busy(host: str, port: int) -> None:
    """Raise a `UserError` if nothing can listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except PermissionError:
            raise UserError(
                f"This account may not use port {port}: choose one above 1023 (--port)."
            ) from None
        except OSError as problem:
            raise UserError(
                f"{host}:{port} cannot be used ({problem.strerror}): another program uses it, or it is not an address "
                "of this machine. Choose another --port."
            ) from None


def qr(address: str, encoding: str) -> str:
    """The address as a QR code of text; "" where the terminal cannot show it."""
    drawn = io.StringIO()
    segno.make(address, error="m").terminal(out=drawn, border=2, compact=True)
    try:
        drawn.getvalue().encode(encoding)
    except UnicodeError:
        return ""
    return drawn.getvalue()
