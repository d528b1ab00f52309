"""MRM in the register of domains: a domain from a model, one of its messages and one of its formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core._domains import register_modelled
from penstock.tree.model.logical import Model

if TYPE_CHECKING:
    from penstock.tree.core._arena import Domain


def mrm(model: object, message: str | None, format: str | None) -> Domain:
    """Return the MRM domain for a message of a model in a format."""
    if type(model) is Model:  # every parse comes here
        known = model.domains.get(("MRM", message, format))
        if known is not None:
            return known
    return _model(model).domain("MRM", message, format)


def dfdl(model: object, message: str | None, format: str | None) -> Domain:
    """Return the DFDL domain for a message of a model, which `model.dfdl` imports from a schema."""
    return _model(model).domain("DFDL", message, format)


def _model(model: object) -> Model:
    if not isinstance(model, Model):
        raise error(
            mq.PSRC_DOMAIN_MODEL, f"model= takes a penstock.tree.model.Model, not {type(model).__name__}"
        )
    return model


register_modelled("MRM", mrm)
register_modelled("DFDL", dfdl)
