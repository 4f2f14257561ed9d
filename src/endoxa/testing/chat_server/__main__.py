"""`python -m endoxa.testing.chat_server`: print the address, answer until stopped."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys

from endoxa.testing.chat_server.server import FAULTS, ChatServer, Settings


def _settings() -> Settings:
    parser = argparse.ArgumentParser(prog="python -m endoxa.testing.chat_server", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--model", default="small", help="name of the model it lists")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--faults", type=float, default=0.0, help="share of answers that are broken")
    parser.add_argument(
        "--kind", choices=FAULTS, action="append", help="in which way; repeatable; default: all"
    )
    parser.add_argument("--retry-after", default="0.01", help="seconds that a 429 asks to wait")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    return Settings(
        port=arguments.port,
        model=arguments.model,
        latency=arguments.latency,
        faults=arguments.faults,
        kinds=tuple(arguments.kind or FAULTS),
        retry_after=arguments.retry_after,
        seed=arguments.seed,
    )


async def _serve(settings: Settings) -> None:
    server = ChatServer(settings)
    await server.start()
    sys.stdout.write(f"{server.url}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(_settings()))
