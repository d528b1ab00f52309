"""Flows as jobs of Spark: their queries, tasks and progress."""
