"""A real S3 server on loopback, in a process of its own, that counts requests and breaks transfers when told.

`moto`'s server keeps buckets in memory and speaks S3's protocol over HTTP; clients cannot tell.
"""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import fsspec
import pytest

KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_DEFAULT_REGION": "us-east-1"}


@dataclass(frozen=True)
class Server:
    """A server that runs."""

    url: str

    def take_requests(self) -> list[tuple[str, str]]:
        """Give method and path of each request since this was asked last; forget them."""
        return [(method, path) for method, path in json.loads(self._ask("requests"))]

    def break_transfers(self, count: int) -> None:
        """Let the next transfers end in the middle; a negative count lets all of them."""
        self._ask(f"break/{count}")

    def make_bucket(self, name: str) -> None:
        fsspec.filesystem("s3").mkdir(name)

    def put(self, key: str, content: bytes) -> None:
        """Store an object; its key begins with the bucket."""
        fsspec.filesystem("s3").pipe_file(key, content)

    def remove(self, key: str) -> None:
        fsspec.filesystem("s3").rm_file(key)

    def _ask(self, what: str) -> bytes:
        with urllib.request.urlopen(f"{self.url}/-/{what}") as answer:
            return answer.read()


@contextmanager
def s3_server() -> Iterator[Server]:
    """Start a server; fsspec finds it by the environment, as a user's own would be found."""
    process = subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert process.stdout is not None
        url = f"http://127.0.0.1:{int(process.stdout.readline())}"
        with pytest.MonkeyPatch.context() as patch:
            for name, value in {**KEYS, "AWS_ENDPOINT_URL": url}.items():
                patch.setenv(name, value)
            for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN"):
                patch.delenv(name, raising=False)
            fsspec.get_filesystem_class("s3").clear_instance_cache()  # those of other endpoints
            yield Server(url)
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


class Watched:
    """Passes requests on to a server, keeps a list of them, and cuts answers to GET short when told."""

    def __init__(self, app: object) -> None:
        self._app = app
        self._requests: list[tuple[str, str]] = []
        self._to_break = 0

    def __call__(self, environ: dict, start_response: object) -> Iterable[bytes]:
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        if path.startswith("/-/"):
            return self._obey(path[3:], start_response)
        self._requests.append((method, path))
        answer = self._app(environ, start_response)
        # A listing is a GET of a bucket.
        if method == "GET" and self._to_break and path.count("/") > 1 and "list-type" not in str(environ):
            self._to_break -= 1
            return [b"".join(answer)[:-1000]]
        return answer

    def _obey(self, what: str, start_response: object) -> Iterable[bytes]:
        start_response("200 OK", [("Content-Type", "text/plain")])
        if what.startswith("break/"):
            self._to_break = int(what.removeprefix("break/"))
            return [b""]
        requests, self._requests = self._requests, []
        return [json.dumps(requests).encode()]


def serve() -> None:
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    app = Watched(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, app, threaded=True)
    print(server.port, flush=True)  # noqa: T201 (told to who started it)
    server.serve_forever()


if __name__ == "__main__":
    serve()
