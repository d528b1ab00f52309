"""Where spans and metrics go and how many: the environment variables of the OpenTelemetry specification.

Without an endpoint nothing is recorded. An invalid value counts as the default, with a warning in the log:
observation never fails work.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass, field
from pathlib import PurePath
from urllib.parse import unquote, urlsplit

logger = logging.getLogger(__name__)

TRACES, METRICS = "TRACES", "METRICS"  # what is exported
PATHS = {TRACES: "/v1/traces", METRICS: "/v1/metrics"}
INTERVALS = {TRACES: ("OTEL_BSP_SCHEDULE_DELAY", 5_000.0), METRICS: ("OTEL_METRIC_EXPORT_INTERVAL", 60_000.0)}
ALWAYS, NEVER, BY_RATIO = "always_on", "always_off", "traceidratio"


@dataclass(frozen=True)
class Settings:
    """What is exported, and where to."""

    endpoint: str  # the whole address that spans or metrics are posted to
    ratio: float = 1.0  # of traces that begin here; others do as their parent does
    resource: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    delay_seconds: float = 5.0
    queue_max: int = 2048
    timeout_seconds: float = 10.0


def names_a_collector() -> bool:
    """Return whether the environment may name an endpoint: most processes need to know no more."""
    return any(name.startswith("OTEL_EXPORTER_OTLP") for name in os.environ)


def of_environment(program: str, kind: str = TRACES) -> Settings | None:
    """Return the settings of the environment for traces or metrics; None when nothing is to be exported."""
    get = os.environ.get
    if get("OTEL_SDK_DISABLED", "").lower() == "true" or get(f"OTEL_{kind}_EXPORTER", "otlp") == "none":
        return None
    endpoint = get(f"OTEL_EXPORTER_OTLP_{kind}_ENDPOINT", "")
    if not endpoint and get("OTEL_EXPORTER_OTLP_ENDPOINT"):
        endpoint = os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"].rstrip("/") + PATHS[kind]
    if not endpoint:
        return None
    if urlsplit(endpoint).scheme not in ("http", "https"):
        logger.warning("telemetry_off endpoint=%s an endpoint is http:// or https://", endpoint)
        return None
    resource = {"service.name": PurePath(program).name or "penstock", **_pairs("OTEL_RESOURCE_ATTRIBUTES")}
    if get("OTEL_SERVICE_NAME"):
        resource["service.name"] = os.environ["OTEL_SERVICE_NAME"]
    headers = _pairs("OTEL_EXPORTER_OTLP_HEADERS") | _pairs(f"OTEL_EXPORTER_OTLP_{kind}_HEADERS")
    return Settings(
        endpoint,
        _ratio(),
        resource,
        headers,
        _number(*INTERVALS[kind], 1.0, 3_600_000.0) / 1000,
        int(_number("OTEL_BSP_MAX_QUEUE_SIZE", 2048.0, 1.0, 1_000_000.0)),
        _number("OTEL_EXPORTER_OTLP_TIMEOUT", 10_000.0, 1.0, 600_000.0) / 1000,
    )


def _ratio() -> float:
    sampler = os.environ.get("OTEL_TRACES_SAMPLER", f"parentbased_{ALWAYS}").removeprefix("parentbased_")
    if sampler not in (ALWAYS, NEVER, BY_RATIO):
        logger.warning(
            "telemetry_sampler OTEL_TRACES_SAMPLER=%s is unknown: all traces are recorded", sampler
        )
    if sampler == NEVER:
        return 0.0
    return _number("OTEL_TRACES_SAMPLER_ARG", 1.0, 0.0, 1.0) if sampler == BY_RATIO else 1.0


def _number(name: str, default: float, least: float, most: float) -> float:
    text = os.environ.get(name, "")
    try:
        value = float(text) if text else default
    except ValueError:
        value = -1.0
    if not least <= value <= most:
        logger.warning("telemetry_setting %s=%s is not from %g to %g", name, text, least, most)
        return default
    return value


def _pairs(name: str) -> dict[str, str]:
    found = {}
    for each in os.environ.get(name, "").split(","):
        key, equals, value = each.partition("=")
        if equals and key.strip():
            found[key.strip()] = unquote(value.strip())
    return found
