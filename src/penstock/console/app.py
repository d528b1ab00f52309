"""The web application: routes, the way of a request through its checks, and answers to failures.

A page is a function from a `Visit` to a `Page`; it runs in a thread, because it waits for queue managers. The
same address answers with HTML, or with the live values alone where a browser asks for JSON.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from penstock.console import guard, login
from penstock.console.metrics import Requests
from penstock.console.rendering import STATIC, rendered, version
from penstock.console.routes import ACTS, PAGES
from penstock.console.sessions import is_token
from penstock.console.visit import Away, Download, Page, Visit
from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.metrics_page import CONTENT_TYPE
from penstock.model.reasons import REASONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from penstock.console.sessions import Session, Sessions
    from penstock.console.visit import World

log = logging.getLogger(__name__)
FORM_BYTES_MAX = 8 << 20
YEAR_SECONDS = 31536000
STATUS = {
    mq.MQRC_NOT_AUTHORIZED: 403,
    mq.MQRC_UNKNOWN_OBJECT_NAME: 404,
    mq.MQRC_Q_MGR_NAME_ERROR: 404,
    mq.MQRC_OPTIONS_ERROR: 400,
}
KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


@dataclass
class Settings:
    """How one web process serves."""

    names: frozenset[str]  # that a Host header may have
    secure: bool = False  # over TLS, its own or a proxy's
    with_login: bool = False
    cookie: str = "penstock"


class Console:
    """The application."""

    def __init__(
        self, settings: Settings, sessions: Sessions, world: World, login: login.Login | None
    ) -> None:
        self.settings = settings
        self.sessions = sessions
        self.world = world
        self.login = login
        self.requests = Requests()
        routes = [Route("/static/{name}", self._static), Route("/live", _alive), Route("/ready", _alive)]
        routes += [Route("/metrics", self._metrics)]
        routes += [Route("/login", self._login, methods=["GET", "POST"])]
        routes += [Route("/logout", self._logout, methods=["POST"])]
        routes += [Route(path, self._page(page)) for path, page in PAGES.items()]
        routes += [Route(path, self._act(act), methods=["POST"]) for path, act in ACTS.items()]
        self.asgi = Starlette(routes=routes, exception_handlers={404: self._missing, 500: self._broken})
        self.asgi.add_middleware(_Checked, console=self)

    # -- requests ------------------------------------------------------------------------------

    def session_of(self, request: Request) -> Session | None:
        """Return who asks; None for an unknown user."""
        return self.sessions.find(request.cookies.get(self.settings.cookie, ""))

    def _page(self, page: Callable[[Visit], Any]) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            key = request.query_params.get("key")
            if key is not None and request.url.path == "/":
                return self._entered(key)
            session = self.session_of(request)
            if session is None:
                return self._stranger(request)
            return await self._answered(self._visit(request, session), page, request)

        return answer

    def _act(self, act: Callable[[Visit], Any]) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            session = self.session_of(request)
            if session is None:
                return self._stranger(request)
            form = await read_form(request)
            if form is None or not is_token(session, form.get("csrf", [""])[0]):
                return PlainTextResponse(
                    "This form is not from a page of your session; load the page again.", 403
                )
            visit = self._visit(request, session)
            visit.form = form
            return await self._answered(visit, act, request)

        return answer

    def _visit(self, request: Request, session: Session) -> Visit:
        address = request.client.host if request.client else ""
        return Visit(session, self.world, request.url.path, dict(request.query_params), address)

    async def _answered(self, visit: Visit, page: Callable[[Visit], Any], request: Request) -> Response:
        self.world.sampler.look()
        wants_live = "application/json" in request.headers.get("accept", "")
        began = monotonic()
        found = await run_in_threadpool(self._rendered, visit, page, theme_of(request), wants_live)
        self.requests.add(visit.path, request.method, found.status_code, monotonic() - began)
        return found

    async def _metrics(self, request: Request) -> Response:
        return PlainTextResponse(self.requests.page(), media_type=CONTENT_TYPE)

    def _rendered(self, visit: Visit, page: Callable[[Visit], Any], theme: str, wants_live: bool) -> Response:
        try:
            found = page(visit)
        except MQError as failure:
            found = failed(failure)
            if visit.form:
                self._note_refused(visit, failure)
        if isinstance(found, Away):
            return RedirectResponse(found.to, 303)
        if isinstance(found, Download):
            header = {"Content-Disposition": f'attachment; filename="{found.name}"'}
            return Response(found.content, media_type=found.kind, headers=header)
        notes = [] if wants_live else [visit.session.notes.popleft() for _ in range(len(visit.session.notes))]
        html = rendered(found, visit, theme, notes=notes)
        if wants_live:
            facts = {"live": visit.live, "shape": visit.shape_digest, "version": version()}
            return JSONResponse(facts, found.status)
        return Response(html, found.status, media_type="text/html")

    def _note_refused(self, visit: Visit, failure: MQError) -> None:
        """Write what somebody tried to do to the audit log."""
        facts = {"qmgr": visit.text("qm")[:48], "queue": visit.text("name")[:48], "reason": failure.reason}
        visit.did(visit.path.strip("/"), **facts, result="refused")

    # -- who is there --------------------------------------------------------------------------

    def _entered(self, key: str) -> Response:
        session = self.sessions.use_key(key)
        if session is None:
            page = Page("stranger.html", "This link was used, or is too old", status=403)
            return Response(rendered(page, None, "", used=True), 403, media_type="text/html")
        return self.with_cookie(RedirectResponse("/", 303), session)

    def with_cookie(self, response: Response, session: Session) -> Response:
        """Give the browser the name of its session."""
        response.set_cookie(
            self.settings.cookie, session.id, httponly=True, secure=self.settings.secure, samesite="lax"
        )
        return response

    def _stranger(self, request: Request) -> Response:
        if self.login is not None:
            to = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            return RedirectResponse("/login?" + urlencode({"to": to}), 303)
        page = Page("stranger.html", "Open the console from your terminal", status=401)
        return Response(rendered(page, None, theme_of(request), used=False), 401, media_type="text/html")

    async def _login(self, request: Request) -> Response:
        if self.login is None:
            return self._stranger(request)
        to = login.own_path(request.query_params.get("to", "/"))
        refused = ""
        if request.method == "POST":
            form = await read_form(request) or {}
            user, password = (form.get(name, [""])[0] for name in ("user", "password"))
            to = login.own_path(form.get("to", ["/"])[0])
            address = request.client.host if request.client else ""
            session, refused = await run_in_threadpool(self.login.attempt, user, password, address)
            if session is not None:
                return self.with_cookie(RedirectResponse(to, 303), session)
        page = Page("login.html", "Log in", {"to": to, "refused": refused}, status=401 if refused else 200)
        return Response(rendered(page, None, theme_of(request)), page.status, media_type="text/html")

    async def _logout(self, request: Request) -> Response:
        session = self.session_of(request)
        form = await read_form(request)
        if session is not None and form is not None and is_token(session, form.get("csrf", [""])[0]):
            await run_in_threadpool(self.sessions.close, session)
        response = RedirectResponse("/", 303)
        response.delete_cookie(self.settings.cookie)
        return response

    # -- the rest ------------------------------------------------------------------------------

    async def _static(self, request: Request) -> Response:
        path = STATIC / request.path_params["name"]
        if path.parent != STATIC or path.suffix not in KINDS or not path.is_file():
            return PlainTextResponse("There is no such file.", 404)
        headers = {"Cache-Control": f"public, max-age={YEAR_SECONDS}, immutable"}
        return FileResponse(path, media_type=KINDS[path.suffix], headers=headers)

    async def _missing(self, request: Request, _: Exception) -> Response:
        return self._message(request, "There is no such page", 404)

    async def _broken(self, request: Request, failure: Exception) -> Response:
        log.error("page_failed path=%s", request.url.path, exc_info=failure)
        return self._message(request, "This page has failed; the web process's log says why", 500)

    def _message(self, request: Request, title: str, status: int) -> Response:
        session = self.session_of(request)
        if session is None:
            return PlainTextResponse(title + ".", status)
        page = Page("failure.html", title, {"failure": None, "entry": None}, status=status)
        html = rendered(page, self._visit(request, session), theme_of(request))
        return Response(html, status, media_type="text/html")


class _Checked:
    """The checks around every request, and the headers of every answer."""

    def __init__(self, app: Any, console: Console) -> None:
        self._app = app
        self._settings = console.settings

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}

        async def sending(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = with_headers(message["headers"], self._settings.secure)
            await send(message)

        refusal = self._refusal(scope["method"], headers)
        if refusal is not None:
            await refusal(scope, receive, sending)
            return
        await self._app(scope, receive, sending)

    def _refusal(self, method: str, headers: dict[str, str]) -> Response | None:
        if not guard.is_own_host(headers.get("host", ""), self._settings.names):
            return PlainTextResponse("This server has another name; start it with --name to add one.", 421)
        scheme = "https" if self._settings.secure else "http"
        if method not in ("GET", "HEAD") and not guard.is_own_post(headers, scheme):
            return PlainTextResponse("This request does not come from a page of the console.", 403)
        return None


def with_headers(headers: list[tuple[bytes, bytes]], secure: bool) -> list[tuple[bytes, bytes]]:
    """Return an answer's headers with ours; those that it has stay."""
    present = {name.lower() for name, _ in headers}
    wanted = guard.HEADERS | (guard.SECURE_HEADERS if secure else {})
    more = [(name.lower().encode(), value.encode()) for name, value in wanted.items()]
    return headers + [(name, value) for name, value in more if name not in present]


async def read_form(request: Request) -> dict[str, list[str]] | None:
    """Return the fields of a form; None if it is too long or none."""
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > FORM_BYTES_MAX:
            return None
    try:
        return parse_qs(data.decode("ascii"), keep_blank_values=True, max_num_fields=20_000)
    except ValueError:
        return None


def theme_of(request: Request) -> str:
    """Return the theme that the person chose; empty for the system's."""
    return str(request.cookies.get("penstock_theme", ""))


def failed(failure: MQError) -> Page:
    """Return the page about a failure: number, name, what to do."""
    entry = REASONS.get(failure.reason)
    title = (
        "Not authorized" if failure.reason == mq.MQRC_NOT_AUTHORIZED else f"{failure.reason} {failure.name}"
    )
    return Page(
        "failure.html",
        title,
        {"failure": failure, "entry": entry},
        command=f"penstock explain {failure.reason}",
        status=STATUS.get(failure.reason, 409),
    )


async def _alive(_: Request) -> Response:
    return PlainTextResponse("ok")
