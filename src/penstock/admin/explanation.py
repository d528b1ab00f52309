"""Why a user may or may not do a thing: the rule, the password check and the records that decide it.

`explain` runs the same checks of `Access` as a connect and an open, and returns the result of each.
Called by `QueueManager.explain_access`, for `penstock explain-access`, under the engine's lock. It changes
nothing and checks no password: it shows whether one is required.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from penstock.admin.channel_authentication.evaluator import NO_PASSWORD
from penstock.admin.connection_authentication import Verdict, needs_password, settings
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr import authorization
from penstock.qmgr.catalogue.authority import AUTHORITIES, OBJECT_TYPES

if TYPE_CHECKING:
    from penstock.admin.access import Access
    from penstock.admin.channel_authentication.evaluator import Decision
    from penstock.qmgr.engine import Engine

VERBS = {
    "put": "PUT",
    "get": "GET",
    "browse": "BROWSE",
    "inquire": "INQ",
    "set": "SET",
    "publish": "PUB",
    "subscribe": "SUB",
    "resume": "RESUME",
    "display": "DSP",
    "alter": "CHG",
    "define": "CRT",
    "delete": "DLT",
    "clear": "CLR",
    "start": "CTRL",
    "stop": "CTRL",
    "connect": "CONNECT",
}


@dataclass(frozen=True, slots=True)
class Question:
    """The question: may this user, connected in this way, do that?"""

    user: str
    channel: str = ""
    address: str = ""
    host: str = ""
    peer: str = ""
    issuer: str = ""
    object: str = ""
    object_type: str = ""
    verb: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One answer on the way."""

    step: str
    allowed: bool
    text: str
    by: tuple[str, ...] = ()  # the rules or records that decide


def explain(engine: Engine, access: Access, question: Question) -> dict[str, Any]:
    """Return whether it is allowed, as which user, and every step, also steps after a refusal."""
    steps: list[Step] = []
    user = question.user
    if question.channel:
        decision = _come_in(engine, access, question, steps)
        user = decision.user or user
    else:
        steps.append(_locally(engine, access, user))
    groups = sorted(access.people.groups(user))
    steps.append(_authority(engine, access, user, "QMGR", "self", "CONNECT", "connect"))
    if question.object or question.verb:
        steps.append(_use(engine, access, user, question))
    return {
        "allowed": all(step.allowed for step in steps),
        "user": user,
        "groups": groups,
        "administrator": access.people.administrator_by(user),
        "steps": [asdict(step) for step in steps],
    }


def _come_in(engine: Engine, access: Access, question: Question, steps: list[Step]) -> Decision:
    """Add the checks of channel and password; a required password counts as correct."""

    def decide(verdict: Verdict | None) -> Decision:
        return access.channels.decide(
            question.channel,
            question.address,
            host=question.host,
            user=question.user,
            peer=question.peer,
            issuer=question.issuer,
            verdict=verdict,
        )

    decision = decide(None)
    needed = decision.log_id == NO_PASSWORD
    fault = settings(engine.objects).fault if needed else ""
    if needed and not fault:
        decision = decide(Verdict(question.user, True, True, "taken for right"))
    check = f"CHCKCLNT({decision.check_client}): "
    text = "user and password are asked for, and taken for right here" if needed else "no password is needed"
    steps.append(
        Step("password", not fault, check + (f"nobody can give a password: {fault}" if fault else text))
    )
    if needed and _in_clear(engine, question):
        why = "a client sends no password over a network in clear (8063): it needs mqs://"
        text = f"channel {question.channel} has no SSLCIPH, and {why}"
        steps.append(Step("TLS", False, text))
    rules = [*decision.warnings, *filter(None, (decision.blocked_by or decision.rule,))]
    steps.append(Step("channel", decision.allowed, decision.text, tuple(map(str, rules))))
    return decision


def _in_clear(engine: Engine, question: Question) -> bool:
    """Return whether what the client sends goes over a network unencrypted."""
    definition = engine.objects.find("CHANNEL", question.channel)
    if definition is None or definition.attributes.get("SSLCIPH"):
        return False
    try:
        return not ip_address(question.address).is_loopback
    except ValueError:
        return True


def _locally(engine: Engine, access: Access, user: str) -> Step:
    asked = settings(engine.objects)
    needed = needs_password(asked.check_local, bool(access.people.administrator_by(user)))
    text = "a local program has to give user and password" if needed else "no password is needed locally"
    if needed and asked.fault:
        text = f"nobody can give a password: {asked.fault}"
    if needed and user == access.people.owner:
        text += "; commands (`penstock mqsc`, `qmgr stop`) need none, because the folder is his"
    return Step("password", not (needed and asked.fault), f"CHCKLOCL({asked.check_local}): {text}")


def _use(engine: Engine, access: Access, user: str, question: Question) -> Step:
    word = VERBS.get(question.verb.lower(), question.verb.upper())
    if word not in AUTHORITIES:
        known = ", ".join((*VERBS, *AUTHORITIES))
        raise error(mq.PSRC_ARGUMENT_ERROR, f"verb {question.verb!r} is none of {known}")
    object_type = question.object_type.upper() or ("TOPIC" if word in ("PUB", "SUB", "RESUME") else "QUEUE")
    if object_type not in OBJECT_TYPES:
        raise error(mq.PSRC_ARGUMENT_ERROR, f"type {object_type} is none of {', '.join(OBJECT_TYPES)}")
    name = "self" if object_type == "QMGR" else question.object
    if word == "CRT":
        name = "@class"
    if object_type == "TOPIC" and word in ("PUB", "SUB", "RESUME"):
        return _topic(engine, access, user, name, word)
    return _authority(engine, access, user, object_type, name, word, question.verb.lower())


def _topic(engine: Engine, access: Access, user: str, topic: str, word: str) -> Step:
    """Explain a topic string, or the string of the TOPIC object of that name."""
    definition = engine.objects.find("TOPIC", topic)
    text = str(definition.attributes["TOPICSTR"]) if definition is not None else topic
    why = authorization.topic_refusal(engine, access.permissions(user), text, word)
    allowed = f"user {user} has {word} for topic {text}, or for one above it"
    return Step(word.lower(), not why, why or allowed)


def _authority(
    engine: Engine, access: Access, user: str, object_type: str, name: str, word: str, verb: str
) -> Step:
    grant = access.permissions(user).grant(object_type, name, (word,))
    return Step(verb, grant.allowed, grant.text, tuple(map(str, grant.records)))
