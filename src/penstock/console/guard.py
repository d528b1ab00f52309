"""What every request has to pass before a page sees it, and what every answer says to the browser.

The Host must be one of the server's own names (else a foreign page could reach us by a name it controls), a
post must come from our own pages, and answers forbid inline scripts, foreign content and frames.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types penstock"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
SECURE_HEADERS = {"Strict-Transport-Security": "max-age=31536000"}


def is_own_host(host: str, names: frozenset[str]) -> bool:
    """Say whether a Host header names this server; the port does not matter.

    >>> is_own_host("localhost:8123", frozenset({"localhost"})), is_own_host("evil", frozenset({"localhost"}))
    (True, False)
    """
    try:
        name = urlsplit(f"//{host}").hostname
    except ValueError:
        return False
    return name is not None and name in names


def is_own_post(headers: Mapping[str, str], scheme: str) -> bool:
    """Say whether a post comes from one of our own pages: by Sec-Fetch-Site and Origin.

    Behind a proxy we do not know the scheme that the browser uses. Sec-Fetch-Site compares it, too.
    """
    site, origin, host = headers.get("sec-fetch-site"), headers.get("origin"), headers.get("host", "")
    if site is None:
        return origin == f"{scheme}://{host}"
    return site == "same-origin" and origin in (None, f"http://{host}", f"https://{host}")
