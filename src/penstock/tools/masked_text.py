"""Texts without the passwords in them: attributes of commands, settings, addresses with a login.

Used for what leaves a queue manager (support bundles) or stays for others to read (the console's audit log).
It knows names of secrets, not their places, so a text of any kind will do; mask it whole, before it is cut.
"""

from __future__ import annotations

import re

SECRET = re.compile(
    r"(?i)\b(PASSWORD|LDAPPWD|KEYRPWD|SSLCRYP|PASSWD|PWD|TOKEN|SECRET|INITKEY)(\"?\s*[(=:]\s*)"
    r"('(?:[^']|'')*'|\"[^\"]*\"|[^\s)'\"]+)"
)
LOGIN = re.compile(r"(\w+://[^\s:/@]*):[^\s@/]+@")  # in addresses
MASK = "*****"


def masked(text: str) -> str:
    """Return a text without passwords.

    >>> masked("ALTER AUTHINFO(A) LDAPPWD('x '' y') mq://bob:secret@host")
    'ALTER AUTHINFO(A) LDAPPWD(*****) mq://bob:*****@host'
    """
    return LOGIN.sub(rf"\1:{MASK}@", SECRET.sub(rf"\1\2{MASK}", text))
