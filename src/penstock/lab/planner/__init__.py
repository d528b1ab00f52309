"""The planner: what a load needs, from measured profiles of this machine."""
