"""What measurements say: intervals, verdicts, peaks, fits and comparisons. No clock here."""
