"""Analysis of measurements: intervals, verdicts, peaks, fits and comparisons. No clock here."""
