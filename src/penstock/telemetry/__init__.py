"""OpenTelemetry: trace context of messages, spans, and their export; no dependency of its own."""
