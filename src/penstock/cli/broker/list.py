"""`penstock broker list`: brokers, their deployments, and the processes that run them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from penstock.cli.connecting import JsonOption

if TYPE_CHECKING:
    from penstock.flow.broker.home import BrokerHome

COLUMNS = (
    "group",
    "project",
    "version",
    "flow",
    "instance",
    "process",
    "state",
    "messages",
    "rate",
    "failed",
    "given_up",
    "lost",
    "restarts",
    "error",
)


def list_(as_json: JsonOption = False) -> None:
    """List the brokers of this home with their workers; a crash loop is a state of its own."""
    from penstock.cli.printing import counted, show_columns, show_json
    from penstock.flow.broker.home import all_brokers

    found = [facts_of(home) for home in all_brokers()]
    if as_json:
        show_json(found)
        return
    for each in found:
        where = (
            f"process {each['process']}, queue manager {each['qmgr']}" if each["process"] else "not running"
        )
        print(f"Broker {each['name']}: {where}")
        for deployed in each["deployments"]:
            instances = counted(deployed["instances"], "instance")
            print("  {group}/{project} version {version}, ".format(**deployed) + instances)
        if each["workers"]:
            show_columns(COLUMNS, [[row[name] for name in COLUMNS] for row in each["workers"]])
    if not found:
        print("There is no broker; make one with `penstock broker start`.", file=sys.stderr)


def facts_of(home: BrokerHome) -> dict[str, Any]:
    """Return the facts about a broker."""
    from penstock.cli.deploy import with_time
    from penstock.flow.broker.deployments import broker_facts

    facts = broker_facts(home)
    return {**facts, "deployments": [with_time(each) for each in facts["deployments"]]}
