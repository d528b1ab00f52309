"""The exit codes of commands that run messages through flows, besides those of every command.

0 is done, 1 failed, 2 wrong usage. MESSAGES_FAILED is a run that came to its end, but not with every message:
what failed is where the rules of its queue sent it.
"""

from __future__ import annotations

MESSAGES_FAILED = 3
