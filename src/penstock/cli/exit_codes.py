"""The exit codes of commands that run messages through flows, besides those of every command.

0 is success, 1 failure, 2 wrong usage. MESSAGES_FAILED is a run that ended normally, but not all messages
succeeded: the failed ones are where the rules of their queue sent them.
"""

from __future__ import annotations

MESSAGES_FAILED = 3
