"""The performance laboratory: a catalogue of tests, load, measurements, analysis, and a report of them.

`open_runs` gives the folders of runs as DataFrames of Spark; everything else is used by `penstock lab`.
"""

from penstock.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
