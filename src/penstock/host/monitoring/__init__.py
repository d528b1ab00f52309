"""What a running queue manager tells about itself: error log, traces, resource topics."""
