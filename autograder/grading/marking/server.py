"""Small server of the marking page: this machine only, behind a random token, one question for everybody."""

import asyncio
import secrets
from collections.abc import Callable
from urllib.parse import urlsplit

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, HTTPError

from .page_handler import PageHandler
from .pages import page_routes
from .session import MarkingSession

HOST = "127.0.0.1"
MAX_BODY = 200_000  # bytes of a request


class TokenPage(PageHandler):
    """Base of pages behind a token."""

    refusal = "Open the address that `autograder mark` printed: it holds a token."

    def prepare(self) -> None:
        """Refuse everybody without the token, other names of this host, and requests from other pages."""
        token = self.settings["token"]
        # Another site's name that leads to this machine would make its pages ours.
        host = urlsplit(f"//{self.request.host}").hostname
        if host not in (HOST, "localhost"):
            raise HTTPError(403)
        given = self.get_query_argument("token", "")
        cookie = self.get_cookie(self.cookie) or ""
        if given and secrets.compare_digest(given.encode(), token.encode()):
            self.set_cookie(self.cookie, token, httponly=True, samesite="Strict", path="/")
            self.redirect("/")
            return
        if not secrets.compare_digest(cookie.encode(), token.encode()):
            raise HTTPError(403)
        if self.request.method == "POST":
            origin = self.request.headers.get("Origin", "")
            kind = self.request.headers.get("Content-Type", "").partition(";")[0]
            if origin != f"http://{self.request.host}" or kind != "application/json":
                raise HTTPError(403)
        self.session = self.settings["session"]
        self.session.reload_rubric()

    @property
    def cookie(self) -> str:
        """Name of the cookie; browsers share cookies among the ports of a host."""
        return f"marking-{self.request.host.rpartition(':')[2]}"


def marking_application(session: MarkingSession, token: str) -> Application:
    """Return the pages of a session behind a token."""
    return Application(page_routes("", TokenPage), log_function=lambda handler: None, session=session, token=token)


def serve_marking(session: MarkingSession, port: int, started: Callable[[str], None]) -> None:
    """Serve a session until the process is interrupted.

    Parameters
    ----------
    session : MarkingSession
    port : int
        Port on this machine; 0 takes a free one.
    started : callable
        Gets the address with its token when the server answers.

    Raises
    ------
    ValueError
        If the port is in use.
    """
    token = secrets.token_urlsafe(32)

    async def run() -> None:
        try:
            sockets = bind_sockets(port, HOST)
        except OSError as problem:
            raise ValueError(f"port {port} cannot be used ({problem.strerror}): give another --port, or none") from None
        server = HTTPServer(marking_application(session, token), max_body_size=MAX_BODY, max_buffer_size=MAX_BODY)
        server.add_sockets(sockets)
        started(f"http://{HOST}:{sockets[0].getsockname()[1]}/?token={token}")
        await asyncio.Event().wait()

    asyncio.run(run())
