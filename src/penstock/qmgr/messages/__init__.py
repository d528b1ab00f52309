"""Messages that the engine makes or completes: new ones, reports, dead letters."""
