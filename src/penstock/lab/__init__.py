"""The performance laboratory: a catalogue of tests, load, measurements, analysis, and a report of them."""
