"""Channel authentication: who may come in by which channel, and as whom; one module a question."""
