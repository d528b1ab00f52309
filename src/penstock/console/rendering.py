"""Templates: HTML with every value escaped, and the numbers of static files' versions."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from penstock.console import formatting

if TYPE_CHECKING:
    from penstock.console.visit import Page, Visit

FOLDER = Path(__file__).parent
STATIC = FOLDER / "static"
PLACES = (
    ("o", "/", "Overview"),
    ("q", "/queues", "Queues"),
    ("d", "/dlq", "Dead letters"),
    ("t", "/topics", "Topics"),
    ("c", "/channels", "Channels"),
    ("f", "/flows", "Flows"),
    ("m", "/map", "Map"),
    ("h", "/charts", "Statistics"),
    ("s", "/mqsc", "MQSC"),
    ("a", "/audit", "Audit"),
)

WITHIN = {  # pages that belong to one of these places
    "/queues": ("/queue", "/messages", "/message", "/put", "/plan", "/job", "/trial"),
    "/dlq": ("/letters",),
    "/topics": ("/listen",),
    "/channels": ("/access",),
    "/flows": ("/flow", "/follow", "/step", "/run-on-spark"),
    "/charts": ("/measurements",),
}
PLACE_OF = {path: place for place, paths in WITHIN.items() for path in paths}


@cache
def environment() -> Environment:
    """Return the templates."""
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for name in ("number", "rate", "age", "ago", "moment", "size"):
        made.filters[name] = getattr(formatting, name)
    made.globals.update(places=PLACES, version=version())
    return made


@cache
def version() -> str:
    """Return what changes when a static file changes."""
    found = hashlib.sha256()
    for path in sorted(STATIC.iterdir()):
        found.update(path.read_bytes())
    return found.hexdigest()[:12]


def rendered(page: Page, visit: Visit | None, theme: str, **more: Any) -> str:
    """Return a page as HTML; without a visit it is the one for users who are not logged in."""
    names: dict[str, Any] = {
        "page": page,
        "visit": visit,
        "theme": theme if theme in ("light", "dark") else "",
        "user": visit.session.user if visit else "",
        "csrf": visit.session.csrf if visit else "",
        "here": visit.path if visit else "",
        "within": PLACE_OF.get(visit.path, "") if visit else "",
        "notes": [],
        **page.data,
        **more,
    }
    if visit is not None:
        names |= {
            "live": lambda key, text: formatting.live(visit, key, text),
            "bar": lambda key, share, alarm=None: formatting.bar(visit, key, share, alarm),
            "spark": lambda key, values, label, wide=False: formatting.spark(visit, key, values, label, wide),
            "link": visit.link,
        }
    return environment().get_template(page.template).render(names)
