# cython: language_level=3
"""The register of domains: formats by name.

A domain without a model is one object for all messages; one with models is made for each model. The register
is filled when `penstock.tree` is imported; later domains add themselves with `register`.
"""

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core._arena cimport forget_last_domain

cdef dict PLAIN = {}
cdef dict MODELLED = {}


def register(Domain domain not None) -> None:
    """Register a domain under its name."""
    PLAIN[domain.name] = domain
    forget_last_domain()


def register_modelled(str name not None, make) -> None:
    """Register `make(model, message, format)` as the factory of a domain for a message of a model."""
    MODELLED[name] = make


def domain_names() -> list[str]:
    """Return the names of all domains, sorted."""
    return sorted([*PLAIN, *MODELLED])


def find_domain(str name):
    """Return the domain of a folder below the root by its name, or None."""
    return PLAIN.get(name)


cdef Domain domain_named(str name):
    """Return the domain of a folder below the root by its name, or None."""
    return PLAIN.get(name)


def domain_of_model(str name not None, model=None, message=None, format=None):
    """Return the domain of that name, for a model if it needs one; raise 8131 or 8132."""
    return domain_for(name, model, message, format)


# The last two requests with a model, and their results: those of a conversion from one format to another.
cdef tuple LAST = (None, None, None, None, None)
cdef tuple BEFORE = LAST


cdef inline bint answers(tuple known, str name, object model, object message, object format):
    return known[1] is model and known[0] == name and known[2] is message and known[3] is format


cdef Domain domain_for(str name, object model, object message, object format):
    """Return the domain for a parse; raise 8131 if there is none, 8132 for an unexpected or missing model."""
    global LAST, BEFORE
    if model is not None and answers(LAST, name, model, message, format):
        return LAST[4]
    if model is not None and answers(BEFORE, name, model, message, format):
        return BEFORE[4]
    domain = PLAIN.get(name)
    make = MODELLED.get(name) if domain is None or model is not None else None
    if make is None and domain is None:
        raise error(mq.PSRC_DOMAIN_UNKNOWN, f"no domain is called {name!r}; there are {', '.join(domain_names())}", domain=name)
    if (model is None) != (make is None):
        raise error(mq.PSRC_DOMAIN_MODEL, f"domain {name} {'takes no' if make is None else 'needs a'} model", domain=name)
    if make is None and (message is not None or format is not None):
        raise error(mq.PSRC_DOMAIN_MODEL, f"domain {name} takes no message and no format", domain=name)
    if make is not None:
        domain = make(model, message, format)
        BEFORE, LAST = LAST, (name, model, message, format, domain)
    return domain
