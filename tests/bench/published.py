"""What IBM published for WebSphere MQ V5.3 on a 4-way 700 MHz machine in 2002: context, never a target.

The machine, the language and the network were others, so nothing follows from a ratio to these; they show
what the scenario is and in which order of magnitude it once was. From "WebSphere MQ for Windows V5.3,
Performance Evaluations", tables 1 to 16.
"""

from __future__ import annotations

from typing import NamedTuple


class Published(NamedTuple):
    """Applications, round trips a second and the mean response in seconds, at the peak."""

    apps: int
    rate: int
    response_s: float

    def __str__(self) -> str:
        return f"{self.rate:,} ({self.apps:,} apps)"


ZERO_THINK_TIME = {  # (binding, persistent, KB)
    ("embedded", False, 2): Published(3, 9421, 0.001),  # trusted server application
    ("embedded", True, 2): Published(76, 1248, 0.072),
    ("local socket", False, 2): Published(4, 6393, 0.001),
    ("local socket", True, 2): Published(72, 1177, 0.072),
    ("local socket", False, 20): Published(4, 2832, 0.001),
    ("local socket", False, 200): Published(2, 241, 0.009),
    ("local socket", True, 20): Published(32, 288, 0.133),
    ("local socket", True, 200): Published(28, 32, 0.984),
    ("client", False, 2): Published(9, 3925, 0.003),
    ("client", True, 2): Published(64, 1049, 0.074),
    ("client", False, 20): Published(17, 1211, 0.017),
    ("client", False, 200): Published(9, 67, 0.156),
    ("client", True, 20): Published(60, 281, 0.278),
    ("client", True, 200): Published(20, 29, 0.771),
}
RATED = {False: Published(1350, 1349, 0.010), True: Published(650, 614, 0.802)}
SHORT_SESSIONS = Published(410, 538, 0.603)
SHORT_SESSIONS_A_SECOND = 108
CAPACITY = Published(11_500, 191, 0.372)  # one round trip a minute each; 13,000 could be connected
