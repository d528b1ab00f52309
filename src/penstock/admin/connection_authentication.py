"""CONNAUTH: checks the password of a user as the effective AUTHINFO requires.

`settings` reads the queue manager's requirements, `authenticate` gives the verdict on a user and password.
It knows no passwords: `Users` does, and that is slow on purpose, so `authenticate` belongs on a separate
thread, outside the engine's lock. `channel_authentication` applies a verdict to a channel. Invariant: a
password is never stored, logged or part of a text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from penstock.qmgr.objects import Objects

CLIENT, LOCAL = "CHCKCLNT", "CHCKLOCL"
STRICTNESS = ("NONE", "OPTIONAL", "REQDADM", "REQUIRED")


class Users(Protocol):
    """The source of users and their passwords."""

    def verify(self, user: str, password: str) -> bool:
        """Return whether this is the user's password; slow."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The requirements of CONNAUTH; `fault` is the reason if no password can be checked."""

    authinfo: str = ""
    check_client: str = "NONE"
    check_local: str = "NONE"
    adopt: bool = False
    failure_delay: float = 0.0  # seconds
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result for a given user and password; a refusal is sent after `delay` seconds."""

    user: str
    checked: bool
    good: bool
    text: str
    delay: float = 0.0


def settings(objects: Objects) -> Settings:
    """Return the queue manager's requirements, from CONNAUTH and its AUTHINFO."""
    qmgr = next(iter(objects.all("QMGR")), None)
    name = str(qmgr.attributes.get("CONNAUTH", "")) if qmgr is not None else ""
    if not name:
        return Settings()
    found = objects.find("AUTHINFO", name)
    if found is None:
        return Settings(name, "REQUIRED", "REQUIRED", fault=f"CONNAUTH names {name}, which is not defined")
    fault = ""
    if found.subtype != "IDPWOS":
        fault = f"{name} is AUTHTYPE({found.subtype}): Penstock checks passwords with AUTHTYPE(IDPWOS) only"
    if found.subtype not in ("IDPWOS", "IDPWLDAP"):
        return Settings(name, "REQUIRED", "REQUIRED", fault=fault)
    values: dict[str, Any] = found.attributes
    return Settings(
        name,
        str(values["CHCKCLNT"]),
        str(values["CHCKLOCL"]),
        values["ADOPTCTX"] == "YES",
        float(values["FAILDLAY"]),
        fault,
    )


def authenticate(asked: Settings, users: Users, user: str, password: str, kind: str = CLIENT) -> Verdict:
    """Check a user and password from a client or local program. Slow: not under the engine's lock."""
    check = asked.check_client if kind == CLIENT else asked.check_local
    if asked.fault and check != "NONE":
        return Verdict(user, False, False, asked.fault, asked.failure_delay)
    if check == "NONE":
        why = f"{asked.authinfo} has {kind}(NONE)" if asked.authinfo else "CONNAUTH is blank"
        return Verdict(user, False, True, f"the password was not looked at: {why}")
    if users.verify(user, password):
        return Verdict(user, True, True, f"the password of {user} is right")
    return Verdict(user, True, False, f"user {user} and the password do not go together", asked.failure_delay)


def stricter(one: str, other: str) -> str:
    """Return the stricter of two checks."""
    return max(one, other, key=STRICTNESS.index)


def needs_password(check: str, administrator: bool) -> bool:
    """Return whether a check requires a password of every user."""
    return check == "REQUIRED" or (check == "REQDADM" and administrator)


def local_refusal(asked: Settings, administrator: bool, verdict: Verdict | None) -> str:
    """Return why a local program may not connect, or empty if it may."""
    if verdict is not None and not verdict.good:
        return verdict.text
    if needs_password(asked.check_local, administrator) and (verdict is None or not verdict.checked):
        return asked.fault or f"{asked.authinfo} has {LOCAL}({asked.check_local}): give user and password"
    return ""
