"""The flows, programs and messages of the broker's performance report."""
