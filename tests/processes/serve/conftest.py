"""The fixtures of the server's tests: one queue manager per module, or one per test."""

from __future__ import annotations

import os

from tests.served import own, served

# The frames know the compiled message: there is nothing here for the uncompiled run.
collect_ignore_glob = ["test_*.py"] if os.environ.get("PENSTOCK_UNCOMPILED", "0") != "0" else []

__all__ = ["own", "served"]
