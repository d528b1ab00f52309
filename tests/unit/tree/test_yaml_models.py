"""Models in YAML: what a file cannot mean is refused with what stands where, never with another error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import MQError
from penstock.tree.model import read_model, yaml_model
from penstock.tree.model.files import load_model

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("5", "a model is a mapping"),
        ("messages: 5", "a model is a mapping"),
        ("messages: {M: {fields: [{name: A}]}}\nformats: {T: 5}", "format T is a mapping, not 5"),
        (
            "messages: {M: {fields: [{name: A}]}}\nformats: {T: {kind: CWF, ccsid: abc}}",
            "ccsid is int, not 'abc'",
        ),
        ("messages: {M: {fields: [{name: A}]}}\nformats: {T: {kind: NO}}", "its kind is"),
        ("messages: {M: {fields: [{name: A}]}}\nformats: [1]", "formats is a mapping"),
        ("messages: {M: {fields: [{name: A}]}}\ntypes: [1]", "types is a mapping"),
        ("messages: {M: {fields: [{name: A, max: x}]}}", "max is int | None, not 'x'"),
        ("messages: {M: {fields: [{name: A, min: -5}]}}", "min is int, not -5"),
        ("messages: {M: {fields: [{name: A, values: 3}]}}", "values is list, not 3"),
        ("messages: {M: {fields: [{name: A, T: {length: x}}]}}\nformats: {T: {kind: CWF}}", "length is"),
        ("messages: {M: {fields: [{name: A, T: {length: true}}]}}\nformats: {T: {kind: CWF}}", "not True"),
        ("messages: {M: {fields: [{name: A, T: 4}]}}\nformats: {T: {kind: CWF}}", "T is a mapping, not 4"),
        ("messages: {M: {fields: [{name: A, T: {when: 4}}]}}\nformats: {T: {kind: CWF}}", "when is"),
        (
            "messages: {M: {T: {delimiter: 5}, fields: [{name: A}]}}\nformats: {T: {kind: TDS}}",
            "delimiter is str",
        ),
        (
            "messages: {M: {fields: [{name: A, T: {pattern: [a]}}]}}\nformats: {T: {kind: TDS}}",
            "pattern is str",
        ),
        ("messages: {M: {fields: [{name: A, T: {5: a}}]}}\nformats: {T: {kind: TDS}}", "'5' is unknown"),
        ("messages: {M: {fields: [{name: A, type: [1]}]}}", "a list of fields"),
        ("messages: {M: {fields: [5]}}", "a field is a mapping"),
        ("a: [", "no YAML"),
    ],
)
def test_what_a_model_cannot_mean_is_refused_with_its_place(text: str, reason: str) -> None:
    with pytest.raises(MQError) as caught:
        read_model(text)
    assert caught.value.reason == 8150
    assert reason in str(caught.value)


THINGS = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-3, 300), st.sampled_from(["A", "string", "CWF", "TDS", ","])
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["name", "type", "fields", "T", "length", "max", "kind", "delimiter", "values", "pad"]
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(THINGS, THINGS, THINGS)
def test_any_data_are_a_model_or_an_error_with_a_code(
    messages: object, formats: object, types: object
) -> None:
    import yaml

    text = yaml.safe_dump({"messages": {"M": messages}, "formats": {"T": formats}, "types": types})
    try:
        read_model(text).domain("MRM", None, None)
    except MQError as problem:
        assert problem.reason in (8150, 8132, 2111)


@pytest.mark.parametrize("name", ["m.yaml", "m.cpy", "m.xsd", "m.bin"])
def test_a_file_that_is_no_text_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"\x8d\x00\xff" * 20)
    with pytest.raises(MQError) as caught:
        load_model(tmp_path / name)
    assert caught.value.reason in (8042, 8150)


def test_a_few_lines_that_mean_very_many_fields_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_model, "FIELDS_MAX", 20_000)
    types = "".join(
        f"  T{n}: {{fields: [{', '.join(f'{{name: F{at}, type: T{n + 1}}}' for at in range(10))}]}}\n"
        for n in range(12)
    )
    text = f"messages: {{M: T0}}\ntypes:\n{types}  T12: {{fields: [{{name: V}}]}}\n"
    with pytest.raises(MQError, match="more than 20000 parts"):
        read_model(text)


def test_an_error_about_a_value_that_repeats_itself_is_short() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    for wrong in ("{M: *a11}", "{M: {fields: [{name: F, type: *a11}]}}", "{M: {fields: [{value: *a11}]}}"):
        with pytest.raises(MQError) as caught:
            read_model("\n".join([*lines, f"messages: {wrong}"]))
        assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    "text",
    ["a: " + "[" * 10_000, "a: 2020-13-45", "a: 2020-01-01T25:00:00Z", "a: 0b"],
    ids=["too deep", "no date", "no time", "no number"],
)
def test_yaml_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(MQError, match="8150"):
        read_model(text)
