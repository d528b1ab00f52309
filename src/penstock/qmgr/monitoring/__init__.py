"""What the engine tells about itself: counts, status, statistics, accounting, events and activities."""
