"""MQSC, the public face of room admin: what the host and the command line call.

`run` gives replies as data, `transcript` what runmqsc prints, `run_script` and `lines_of` the same as
streams. `Runtime` is what a host passes in when channels, listeners and services run beside the engine: it
registers them as `Machinery`.
"""

from penstock.admin.machinery import Machinery, Request, Runtime
from penstock.admin.replies import Await, Compile, Pause, Read, Reply, check_replies
from penstock.admin.runner import Echo, Summary, run, run_script, script_lines, step_by_step
from penstock.admin.transcript import lines_of, reply_lines, summary_lines, transcript

__all__ = [
    "Await",
    "Compile",
    "Echo",
    "Machinery",
    "Pause",
    "Read",
    "Reply",
    "Request",
    "Runtime",
    "Summary",
    "check_replies",
    "lines_of",
    "reply_lines",
    "run",
    "run_script",
    "script_lines",
    "step_by_step",
    "summary_lines",
    "transcript",
]
