"""Benchmarks: what Penstock costs, as ratios to a floor or a peer measured in the same run.

`python -m tests.bench` runs them (`make bench`); docs/howto/measure.md says how to read the result.
"""
