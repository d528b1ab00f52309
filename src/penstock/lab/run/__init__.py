"""Runs: the plan, the folder with its raw measurements, the conductor, and drivers on other machines."""
