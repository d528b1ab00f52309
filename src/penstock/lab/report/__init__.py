"""The report of runs: one HTML file that needs no network, and PDF by the system's Chromium."""
