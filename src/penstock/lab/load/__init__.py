"""Load: roles in processes, paces, histograms that they fill, and servers under test."""
