"""CONNAUTH: whether a user who comes with a password is who he says, as the AUTHINFO in force asks.

`settings` reads what the queue manager asks for, `authenticate` gives the verdict on one pair of user and
password. It knows no passwords: `Users` does, and that takes time (it is slow on purpose), so `authenticate`
belongs on a thread of its own, outside the engine's lock. What a verdict means for a channel is
`channel_authentication`'s. Invariant: a password is never kept, logged or part of a text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from penstock.qmgr.objects import Objects

CLIENT, LOCAL = "CHCKCLNT", "CHCKLOCL"
STRICTNESS = ("NONE", "OPTIONAL", "REQDADM", "REQUIRED")


class Users(Protocol):
    """Those who know users and their passwords."""

    def verify(self, user: str, password: str) -> bool:
        """Say whether this is the user's password; slow."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What CONNAUTH asks for; `fault` says why nobody can be checked."""

    authinfo: str = ""
    check_client: str = "NONE"
    check_local: str = "NONE"
    adopt: bool = False
    failure_delay: float = 0.0  # seconds
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a user and password that were given; `delay` seconds pass before a refusal is told."""

    user: str
    checked: bool
    good: bool
    text: str
    delay: float = 0.0


def settings(objects: Objects) -> Settings:
    """Return what the queue manager asks for, from CONNAUTH and the AUTHINFO that it names."""
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
    """Check a user and password that a client or local program gave. Slow: not under the engine's lock."""
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
    """Return the one of two checks that asks for more."""
    return max(one, other, key=STRICTNESS.index)


def needs_password(check: str, administrator: bool) -> bool:
    """Say whether a check lets nobody in without a password."""
    return check == "REQUIRED" or (check == "REQDADM" and administrator)


def local_refusal(asked: Settings, administrator: bool, verdict: Verdict | None) -> str:
    """Return why a local program may not come in, or empty when it may."""
    if verdict is not None and not verdict.good:
        return verdict.text
    if needs_password(asked.check_local, administrator) and (verdict is None or not verdict.checked):
        return asked.fault or f"{asked.authinfo} has {LOCAL}({asked.check_local}): give user and password"
    return ""
