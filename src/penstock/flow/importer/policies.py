"""Policies of a workspace (`.policyxml`): the values that a node takes from one, `{Project}:Name`.

Addresses of TCP/IP and mail nodes are taken over. What a policy says about MQ connections, security or
monitoring has no meaning here: nodes use the queue manager of their broker.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from penstock.flow.importer.xml_reading import read_xml
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.importer.building import Building
    from penstock.flow.importer.description import NodeDescription
    from penstock.flow.importer.workspace import Workspace, WorkspaceProject

ENDING = ".policyxml"
# By the property of a node: the type of the policy, and the fields whose values make the property's.
FIELDS: dict[str, dict[str, tuple[str, ...]]] = {
    "connectionDetails": {"TCPIPClient": ("Hostname", "Port"), "TCPIPServer": ("Port",)},
    "smtpServer": {"SMTP": ("serverName",)},
    "emailServer": {"EmailServer": ("emailServer",)},
}
_REFERENCE = re.compile(r"\{([^{}]*)\}:(.+)")


def with_policies(node: NodeDescription, site: Building) -> NodeDescription:
    """Return a node with the values of the policies that it names; an unknown policy stays a name."""
    found = {}
    for name, kinds in FIELDS.items():
        reference = _REFERENCE.fullmatch(node.properties.get(name, "").strip())
        if reference is None:
            continue
        kind, fields = _policy(reference[1], reference[2], site.workspace.around(site.project))
        values = [fields.get(each, "") for each in kinds.get(kind, ())]
        if values and all(values):
            found[name] = ":".join(values)
    return node.with_properties(found) if found else node


def policy_fields(workspace: Workspace, kind: str, name: str) -> dict[str, str] | None:
    """Return the fields of a policy of some type, `{Project}:Name` or a name; None if there is none."""
    reference = _REFERENCE.fullmatch(name.strip())
    project, bare = (reference[1], reference[2]) if reference is not None else ("", name.strip())
    found, fields = _policy(project, bare, workspace.projects)
    return fields if found == kind else None


def _policy(project: str, name: str, projects: Iterable[WorkspaceProject]) -> tuple[str, dict[str, str]]:
    """Return type and fields of a policy; an empty type if there is none, or it cannot be read."""
    for each in projects:
        if project and each.name != project:
            continue
        for _, path in each.of_ending(ENDING):
            try:
                policies = read_xml(path.read_bytes(), str(path)).root.below("policy")
            except (OSError, MQError):
                continue
            for policy in policies:
                if policy.get("policyName") == name:
                    return policy.get("policyType"), {
                        field.tag: field.text.strip() for field in policy.children
                    }
    return "", {}
