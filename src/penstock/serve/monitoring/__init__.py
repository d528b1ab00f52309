"""Figures for Prometheus and probes."""
