"""The server's modules by themselves; with a running server: `tests/processes/serve`."""

from __future__ import annotations

import os

# The frames know the compiled message: there is nothing here for the uncompiled run.
collect_ignore_glob = ["test_*.py"] if os.environ.get("PENSTOCK_UNCOMPILED", "0") != "0" else []
