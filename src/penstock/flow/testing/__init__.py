"""Tests of flows: a rig that runs a flow on real queues, cases in YAML, a recorder, a pytest plugin."""
