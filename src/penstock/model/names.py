"""Names of objects: which are valid, and which names a generic one matches.

Pure string rules. They do not check whether an object exists, and topic strings have their own rules
elsewhere. Called by every room that accepts names from outside. A bad name raises the reason that the caller
passes, because MQ answers 2085 at an open, 2058 at a connect and 4008 or 3229 in a command for the same
mistake.
"""

from __future__ import annotations

import re
from functools import lru_cache

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.limits import (
    OBJECT_NAME_LENGTH,
    USER_ID_LENGTH,
)

_ALLOWED = re.compile(r"[A-Za-z0-9._/%]+", re.ASCII)
_FORBIDDEN = re.compile(r"[^A-Za-z0-9._/%]", re.ASCII)
PATTERNS_KEPT = 4096  # compiled profiles in the cache


def check_object_name(
    name: str, length: int = OBJECT_NAME_LENGTH, reason: int = mq.MQRC_UNKNOWN_OBJECT_NAME
) -> str:
    """Return the name without trailing blanks, or raise `reason` with the problem."""
    if not isinstance(name, str):
        raise error(reason, f"a name is a text, not {type(name).__name__}")
    name = name.rstrip(" ")
    if not is_object_name(name, length):
        raise error(reason, _fault(name, length), object=name)
    return name


def check_qmgr_name(name: str, reason: int = mq.MQRC_Q_MGR_NAME_ERROR) -> str:
    """Return a queue manager's name, or raise 2058."""
    return check_object_name(name, OBJECT_NAME_LENGTH, reason)


def check_user_id(user_id: str, reason: int = mq.MQRCCF_UNKNOWN_USER_ID) -> str:
    """Return a user id without trailing blanks: one to twelve printable characters."""
    user_id = user_id.rstrip(" ")
    if not user_id or len(user_id) > USER_ID_LENGTH or not user_id.isprintable() or " " in user_id:
        detail = f"user id {user_id!r} must be 1 to {USER_ID_LENGTH} printable characters without blanks"
        raise error(reason, detail, user=user_id)
    return user_id


def check_label(label: object, length: int, reason: int, what: str) -> str:
    """Return a free text that names something of a user's, or raise `reason`; it must be UTF-8."""
    if not isinstance(label, str) or not 0 < len(label) <= length:
        raise error(reason, f"{what} is a text of 1 to {length} characters")
    if not is_storable(label):
        raise error(reason, f"{what} {label!a:.50} holds half of a surrogate pair")
    return label


def is_storable(text: str) -> bool:
    """Return whether a text can be written as UTF-8: it can unless it holds half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_object_name(name: str, length: int = OBJECT_NAME_LENGTH) -> bool:
    """Return whether the text can be an object's name."""
    return 0 < len(name) <= length and _ALLOWED.fullmatch(name) is not None


def generic_matches(pattern: str, name: str) -> bool:
    """Match as MQSC does: `ORD*` is every name that begins with ORD, anything else is itself.

    >>> generic_matches("ORD*", "ORDERS.IN"), generic_matches("ORD", "ORDERS.IN")
    (True, False)
    """
    if pattern.endswith("*"):
        return name.startswith(pattern[:-1])
    return name == pattern


def is_profile_generic(profile: str) -> bool:
    """Return whether an authority profile has wildcards."""
    return "*" in profile or "?" in profile


def profile_matches(profile: str, name: str) -> bool:
    """Match as SETMQAUT's profiles do, where qualifiers are separated by dots.

    `?` is one character, but no dot; `*` is zero or more characters within one qualifier; `**` as
    a whole qualifier is zero or more qualifiers.

    >>> [profile_matches("ORD.*", name) for name in ("ORD.IN", "ORD.IN.NEW")]
    [True, False]
    >>> profile_matches("ORD.**", "ORD")
    True
    """
    return _profile_pattern(profile).fullmatch(name) is not None


def profile_specificity(profile: str) -> tuple[tuple[int, ...], int]:
    """Return a key that sorts profiles so that the more specific of two is the greater one.

    Compared from left to right a literal beats `?`, `?` beats `*`, and `*` beats `**`.
    """
    weights = {"?": 2, "*": 1, "\0": 0}
    return tuple(weights.get(letter, 3) for letter in profile.replace("**", "\0")), len(profile)


@lru_cache(PATTERNS_KEPT)
def _profile_pattern(profile: str) -> re.Pattern[str]:
    parts: list[str] = []
    for index, qualifier in enumerate(profile.split(".")):
        if qualifier == "**":
            parts.append(r"(?:[^.]+(?:\.[^.]+)*)?" if index == 0 else r"(?:\.[^.]+)*")
        else:
            parts.append(("" if index == 0 else r"\.") + _qualifier_pattern(qualifier))
    pattern = "".join(parts)
    if profile.startswith("**."):
        pattern = r"(?:[^.]+\.)*" + "".join(parts[1:]).removeprefix(r"\.")
    return re.compile(pattern)


def _qualifier_pattern(qualifier: str) -> str:
    tokens = re.findall(r"\*+|\?|[^*?]+", qualifier)
    return "".join(_TOKENS.get(token, "") or _token_pattern(token) for token in tokens)


_TOKENS = {"?": "[^.]", "*": "[^.]*"}


def _token_pattern(token: str) -> str:
    return "[^.]*" if token.startswith("*") else re.escape(token)


def _fault(name: str, length: int) -> str:
    if not name:
        return "a name is missing"
    if len(name) > length:
        return f"name {name!r} has {len(name)} characters; {length} are allowed"
    bad = _FORBIDDEN.search(name)
    assert bad is not None
    return f"name {name!r} holds {bad.group()!r}; allowed are letters, digits and . _ / %"
