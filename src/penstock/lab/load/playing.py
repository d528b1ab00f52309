"""All roles by name, and their conversion for a crew."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from penstock.lab.load import flow_roles, replay, roles

if TYPE_CHECKING:
    from penstock.lab.load.crew import Task
    from penstock.lab.load.roles import Spec

ROLES = {**roles.ROLES, **flow_roles.ROLES, **replay.ROLES}


def task(spec: Spec) -> Task:
    """Return the crew's form of a role."""
    return spec.kind, partial(ROLES[spec.role], **spec.arguments)
