"""`python -m endoxa.testing.chat_server`: print the address, answer until stopped."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
from dataclasses import replace

from endoxa.testing.chat_server.server import FAULTS, ChatServer, Settings


def _settings() -> Settings:
    parser = argparse.ArgumentParser(prog="python -m endoxa.testing.chat_server", description=__doc__)
    for name, help_text in OPTIONS.items():
        default = getattr(USUAL, name)
        parser.add_argument(
            f"--{name.replace('_', '-')}", type=type(default), default=default, help=help_text
        )
    ways = "in which way; repeatable; default: all"
    parser.add_argument("--kind", dest="kinds", choices=FAULTS, action="append", help=ways)
    chosen = {name: value for name, value in vars(parser.parse_args()).items() if value is not None}
    return replace(USUAL, **chosen)


USUAL = Settings()
OPTIONS = {
    "port": "0 takes a free one",
    "model": "name of the model it lists",
    "latency": "seconds before each answer",
    "faults": "share of answers that are broken",
    "retry_after": "seconds that a 429 asks to wait",
    "seed": "of the faults",
}


async def _serve(settings: Settings) -> None:
    server = ChatServer(settings)
    await server.start()
    sys.stdout.write(f"{server.url}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(_settings()))
