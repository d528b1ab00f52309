"""All roles by name, and how a role becomes what a crew is given."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from penstock.lab.load import flow_roles, replay, roles

if TYPE_CHECKING:
    from penstock.lab.load.crew import Task
    from penstock.lab.load.roles import Spec

ROLES = {**roles.ROLES, **flow_roles.ROLES, **replay.ROLES}


def task(spec: Spec) -> Task:
    """Return what a crew is given for a role."""
    return spec.kind, partial(ROLES[spec.role], **spec.arguments)
