"""A server on this machine that answers in JSON, for the tests of all that asks models over HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[Any, str | None], tuple[int, Any]]
"""(body of the request, its Authorization header) -> status and content; bytes are sent as they are."""

MODELS = {
    "object": "list",
    "data": [{"id": "small", "object": "model", "created": 0, "owned_by": "us"}],
}


@contextmanager
def serving(answer: Answer, models: Any = MODELS) -> Iterator[str]:
    """Answer every POST until the block is left, and every GET with `models`; gives the address for a client."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.reply(200, models)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.reply(*answer(body, self.headers["Authorization"]))

        def reply(self, status: int, content: Any) -> None:
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
