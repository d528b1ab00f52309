"""What a model makes passes its validation, and a group takes what its regular expression takes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import MQError
from penstock.tree.model import Field, Group, Model, Type, XmlFormat
from penstock.tree.validated import parse_validated

if TYPE_CHECKING:
    import random

BOUNDS = st.sampled_from([(1, 1), (1, 1), (0, 1), (0, None), (1, 3), (2, 2)])
FIELDS = st.tuples(st.sampled_from("ABCDEF"), BOUNDS)
GROUPS = st.recursive(
    FIELDS,
    lambda inner: st.tuples(
        st.sampled_from(["sequence", "sequence", "choice", "all"]),
        BOUNDS,
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=8,
)


def built(shape: tuple[object, ...]) -> Field | Group:
    least, most = shape[1]  # type: ignore[misc]
    if len(shape) == 2:
        return Field(str(shape[0]), min=least, max=most)
    return Group(*map(built, shape[2]), compose=str(shape[0]), min=least, max=most)  # type: ignore[call-overload]


def sampled(member: Field | Group, chance: random.Random) -> str:
    """Return the names of a message that is right, one letter each."""
    most = member.max if member.max >= 0 else member.min + 3
    times = chance.randint(member.min, most)
    if isinstance(member, Field):
        return member.name * times
    return "".join(_sampled_once(member, chance) for _ in range(times))


def _sampled_once(group: Group, chance: random.Random) -> str:
    if group.compose == "choice":
        return sampled(chance.choice(group.members), chance)
    inner = [sampled(each, chance) for each in group.members]
    if group.compose == "all":
        chance.shuffle(inner)
    return "".join(inner)


def valid(model: Model, names: str) -> bool:
    document = "".join(f"<{name}>1</{name}>" for name in names)
    try:
        parse_validated(f"<M>{document}</M>".encode(), "MRM", model)
    except MQError as problem:
        assert problem.reason == 8152
        return False
    return True


@settings(max_examples=400, deadline=None)
@given(st.lists(GROUPS, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_what_a_model_makes_is_valid(shapes: list[tuple[object, ...]], chance: random.Random) -> None:
    members = [built(shape) for shape in shapes]
    model = Model("M", {"M": Type(*members)}, {"XML": XmlFormat()})
    for _ in range(4):
        assert valid(model, "".join(sampled(member, chance) for member in members))


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("ABC"), st.booleans(), st.booleans()), min_size=1, max_size=4),
    st.booleans(),
    st.text("ABC", max_size=8),
)
def test_a_group_of_different_fields_is_what_its_regular_expression_says(
    said: list[tuple[str, bool, bool]], repeats: bool, names: str
) -> None:
    fields = list({name: (name, *rest) for name, *rest in said}.values())
    group = Group(
        *(Field(name, min=0 if optional else 1, max=None if many else 1) for name, optional, many in fields),
        min=0,
        max=None if repeats else 1,
    )
    model = Model("M", {"M": Type(group)}, {"XML": XmlFormat()})
    known = "".join(name for name in names if name in {field[0] for field in fields})
    inside = "".join(
        name + ("*" if optional else "+") if many else name + ("?" if optional else "")
        for name, optional, many in fields
    )
    assert valid(model, known) == bool(re.fullmatch(f"({inside}){'*' if repeats else '?'}", known))
