"""`python -m endoxa.testing.chat_server`: print the address, answer until stopped.

`endoxa.testing.chat_server.Settings` explains the options; `--kind` names a way of breaking answers and is repeatable.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from dataclasses import fields, replace

from endoxa.testing.chat_server.server import FAULTS, ChatServer, Settings


def main() -> None:
    """Read the options and serve."""
    parser = argparse.ArgumentParser(prog="python -m endoxa.testing.chat_server", description=__doc__)
    parser.add_argument("--kind", dest="kinds", choices=FAULTS, action="append")
    for field in fields(Settings)[:6]:
        parser.add_argument(
            f"--{field.name.replace('_', '-')}", type=type(field.default), default=field.default
        )
    chosen = {name: value for name, value in vars(parser.parse_args()).items() if value is not None}
    server = ChatServer(replace(Settings(), **chosen))
    sys.stdout.write(f"{server.url}\n")
    sys.stdout.flush()
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()


if __name__ == "__main__":
    main()
