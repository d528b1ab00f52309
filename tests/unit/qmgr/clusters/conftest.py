"""Tests on simulated queue managers need the compiled message, as the frames of the simulator do."""

from __future__ import annotations

import os
from pathlib import Path

UNCOMPILED = os.environ.get("PENSTOCK_UNCOMPILED", "0") != "0"
SIMULATOR = "from tests.simulation.clusters import"
SIMULATED = [each.name for each in Path(__file__).parent.glob("test_*.py") if SIMULATOR in each.read_text()]
collect_ignore = SIMULATED if UNCOMPILED else []
