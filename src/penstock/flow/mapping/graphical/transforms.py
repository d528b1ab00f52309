"""The transforms of a map as functions: each takes the run, the current input and the current target.

An input path is relative to the enclosing transform's input, an output path to its target; `$name` starts at
a variable. What cannot be run raises `CannotMap` with its target when the map is read, not when it runs.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.flow.global_cache import DEFAULT_MAP, MODES, GlobalCache
from penstock.flow.mapping.graphical.database import change, select
from penstock.flow.mapping.graphical.places import Row, is_place
from penstock.flow.mapping.graphical.problem import CannotMap
from penstock.flow.mapping.graphical.values import Sequence, first, truth
from penstock.flow.mapping.graphical.xpath import Compiled, called, expression
from penstock.model.errors import MQError
from penstock.tree import MISSING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.flow.importer.xml_reading import Element
    from penstock.flow.mapping.graphical.map_file import Declarations
    from penstock.flow.mapping.graphical.running import Run
    from penstock.flow.mapping.graphical.targets import Spot

Transform = Callable[["Run", Sequence, "Spot"], None]
DEPTH_MAX = 200
TURNS_MAX = 1_000_000
_SPATH = re.compile(r"spath\('([^']*)'\s*,\s*\d+\)")
_NOT_STEPS = ("text()", ".", "type('anyType')")
SILENT = ("input", "output", "test", "filter", "documentation", "annotation", "task", "param", "code", "sort")


class Input(NamedTuple):
    """An input of a transform."""

    of: Compiled
    variable: str
    auxiliary: bool


class Compiler:
    """Makes functions of the elements of one map."""

    def __init__(self, declared: Declarations) -> None:
        self.declared = declared
        self.depth = 0

    def children(self, within: Element) -> Transform:
        """Return all transforms inside an element as one."""
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise CannotMap(f"more than {DEPTH_MAX} transforms within each other")
        made = [self.transform(each) for each in within.children if each.local not in SILENT]
        self.depth -= 1

        def run_all(run: Run, here: Sequence, target: Spot) -> None:
            for each in made:
                each(run, here, target)

        return run_all

    def transform(self, each: Element) -> Transform:
        """Return the function of a transform; CannotMap names its kind and target."""
        maker: Callable[[Element], Transform] | None = getattr(self, f"_{each.local}", None)
        output = each.first("output")
        where = "" if output is None else output.get("path")
        if maker is None or each.local in ("expression_of", "steps"):
            raise CannotMap(
                f"{each.local} {each.get('ref')}".strip() + f" to {where or '?'} is not understood"
            )
        try:
            return maker(each)
        except CannotMap as raised:
            if " to " in str(raised):
                raise
            raise CannotMap(f"{each.local} to {where or '?'}: {raised}") from None

    # -- one value -------------------------------------------------------------------------

    def _move(self, each: Element) -> Transform:
        source, at, test = self.inputs(each)[0], self.output(each), self.test(each, "test")
        override = each.first("override")
        inner = None if override is None else self.children(override)

        def move(run: Run, here: Sequence, target: Spot) -> None:
            items = self.bound(run, source, here)
            if not test(run, items):
                return
            for item in items:
                spot = at(run, target, len(items) > 1)
                spot.copy(item)
                if inner is not None:
                    inner(run, [item], spot)

        return move

    def _convert(self, each: Element) -> Transform:
        source, at, default = self.inputs(each)[0], self.output(each), each.get("defaultValue")

        def convert(run: Run, here: Sequence, target: Spot) -> None:
            value = first(self.bound(run, source, here))
            if value is None or value == "":
                value = default or value
            if value is not None:
                at(run, target, False).set(value)

        return convert

    def _assign(self, each: Element) -> Transform:
        at, value = self.output(each), each.get("value")
        return lambda run, here, target: at(run, target, False).set(value)

    def _expression(self, each: Element) -> Transform:
        code = each.first("code")
        if code is None or code.get("lang", "xpath") != "xpath":
            raise CannotMap("only XPath expressions can be run")
        inputs, at = self.inputs(each), self.output(each)
        made = expression(code.text, self.declared.custom)

        def evaluate(run: Run, here: Sequence, target: Spot) -> None:
            now = self.bound_all(run, inputs, here)
            _write(made(run, now), at, run, target)

        return evaluate

    def _function(self, each: Element) -> Transform:
        inputs, at = self.inputs(each), self.output(each)
        given = [expression(param.get("value"), self.declared.custom) for param in each.all("param")]
        sources: list[Compiled] = given or [self._input_value(one) for one in inputs]
        made = called(each.get("ref"), sources, self.declared.custom)

        def evaluate(run: Run, here: Sequence, target: Spot) -> None:
            now = self.bound_all(run, inputs, here)
            _write(made(run, now), at, run, target)

        return evaluate

    _customFunction = _function  # noqa: N815 - the name of the element

    def _input_value(self, source: Input) -> Compiled:
        return lambda run, here: self.bound(run, source, here)

    # -- containers ------------------------------------------------------------------------

    def _local(self, each: Element) -> Transform:
        inputs, at, test = self.inputs(each), self.output(each), self.test(each, "test")
        inner = self.children(each)

        def local(run: Run, here: Sequence, target: Spot) -> None:
            now = self.bound_all(run, inputs, here)
            if test(run, now):
                inner(run, now, at(run, target, False))

        return local

    _if = _local
    _updates = _local

    def _transaction(self, each: Element) -> Transform:
        return self._guarded(each, self._local(each))

    def _condition(self, each: Element) -> Transform:
        branches = [
            (self.inputs(branch), self.test(branch, "test"), self.children(branch), self.output(branch))
            for branch in each.children
            if branch.local in ("if", "elseif", "else")
        ]

        def choose(run: Run, here: Sequence, target: Spot) -> None:
            for inputs, test, inner, at in branches:
                now = self.bound_all(run, inputs, here)
                if test(run, now):
                    inner(run, now, at(run, target, False))
                    return

        return choose

    def _foreach(self, each: Element) -> Transform:
        inputs, at, keep = self.inputs(each), self.output(each), self.test(each, "filter")
        turning = [one for one in inputs if not one.auxiliary][:1]
        others = [one for one in inputs if one not in turning]
        inner = self.children(each)
        if each.first("sort") is not None:
            raise CannotMap("a loop that sorts")

        def loop(run: Run, here: Sequence, target: Spot) -> None:
            self.bound_all(run, others, here)
            items = self.bound(run, turning[0], here) if turning else []
            for item in items[:TURNS_MAX]:
                self._bind(run, turning[0], [item])
                if keep(run, [item]):
                    spot = at(run, target, True)
                    spot.reference()
                    inner(run, [item], spot)

        return loop

    def _join(self, each: Element) -> Transform:
        inputs, at, keep = self.inputs(each), self.output(each), self.test(each, "filter")
        inner = self.children(each)

        def join(run: Run, here: Sequence, target: Spot) -> None:
            lists = [self.bound(run, one, here) for one in inputs]
            for items in itertools.islice(itertools.product(*lists), TURNS_MAX):
                for one, item in zip(inputs, items, strict=True):
                    self._bind(run, one, [item])
                if keep(run, list(items)):
                    spot = at(run, target, True)
                    spot.reference()
                    inner(run, list(items), spot)

        return join

    def _append(self, each: Element) -> Transform:
        inputs, at = self.inputs(each), self.output(each)
        inner = self.children(each)

        def append(run: Run, here: Sequence, target: Spot) -> None:
            for one in inputs:
                for item in self.bound(run, one, here):
                    spot = at(run, target, True)
                    inner(run, [item], spot)
                    if not each.children:
                        spot.copy(item)

        return append

    def _passthrough(self, each: Element) -> Transform:
        inputs, at, updates = self.inputs(each), self.output(each), each.first("updates")
        inner = self.children(updates) if updates is not None else None

        def pass_on(run: Run, here: Sequence, target: Spot) -> None:
            now = self.bound_all(run, inputs, here)
            spot = at(run, target, False)
            if inner is not None:
                inner(run, now, spot)

        return pass_on

    def _submap(self, each: Element) -> Transform:
        inputs, at = self.inputs(each), self.output(each)
        called_map = self.declared.submap(each.get("ref"))

        def run_submap(run: Run, here: Sequence, target: Spot) -> None:
            given = [self.bound(run, one, here) for one in inputs]
            called_map(run, given, at(run, target, False))

        return run_submap

    # -- databases -------------------------------------------------------------------------

    def _select(self, each: Element) -> Transform:
        statement = self.declared.statement(each.get("ref"))
        inputs, at, inner = self.inputs(each), self.output(each), self.children(each)

        def run_select(run: Run, here: Sequence, target: Spot) -> None:
            rows: Sequence = list(select(statement, run, here))
            run.variables[each.get("ref")] = [Row({}, rows)]
            for one in inputs:
                self._bind(run, one, rows)
            inner(run, rows, at(run, target, False))

        return self._guarded(each, run_select)

    def _insert(self, each: Element) -> Transform:
        statement = self.declared.statement(each.get("ref"))
        inputs = self.inputs(each)
        columns = [self._column(child) for child in each.children if child.local not in SILENT]

        def run_change(run: Run, here: Sequence, target: Spot) -> None:
            now = self.bound_all(run, inputs, here)
            given: dict[str, Any] = {}
            for name, value in columns:
                given[name] = first(value(run, now))
            count = change(statement, run, now, given)
            word = {"insert": "Inserted", "update": "Updated", "delete": "Deleted"}[statement.kind]
            run.returned = Row({f"NumberOfRows{word}": count})

        return run_change

    _update = _insert
    _delete = _insert

    # -- the global cache ------------------------------------------------------------------

    def _cachePut(self, each: Element) -> Transform:  # noqa: N802 - the name of the element
        return self._cache(each, each.get("mode", "insert") or "insert")

    def _cacheGet(self, each: Element) -> Transform:  # noqa: N802 - the name of the element
        return self._cache(each, "")

    def _cache(self, each: Element, mode: str) -> Transform:
        """Return a put of some mode, or a get without one."""
        inputs = self.inputs(each)
        columns = [self._column(child) for child in each.children if child.local not in SILENT]
        unknown = {name for name, _ in columns} - {"Key", "Value", "MapName", "CacheName"}
        if unknown or "Key" not in dict(columns):
            raise CannotMap("it needs a Key, and has only Value, MapName and CacheName beside it")
        if mode and mode not in MODES:
            raise CannotMap(f"mode {mode}")

        def run_cache(run: Run, here: Sequence, target: Spot) -> None:
            now = self.bound_all(run, inputs, here)
            given = {name: first(value(run, now)) for name, value in columns}
            map_ = f"{given.get('CacheName') or ''}/{given.get('MapName') or DEFAULT_MAP}"
            cache = GlobalCache(run.assembly.invocation.ports)
            if mode:
                cache.put(map_, given["Key"], given.get("Value"), mode)
                run.returned = Row({"Count": 1}, is_exact=True)
            else:
                found = cache.get(map_, given["Key"])
                run.returned = Row({} if found is MISSING else {"Value": found}, is_exact=True)

        return run_cache

    def _column(self, each: Element) -> tuple[str, Compiled]:
        """Return the column that a transform inside a change sets, and its value."""
        output = each.first("output")
        name = "" if output is None else output.get("path").rpartition("/")[2]
        if each.local == "assign":
            value = each.get("value")
            return name, lambda *_: [value]
        if each.local in ("move", "convert"):
            source = self.inputs(each)[0]
            return name, self._input_value(source)
        if each.local == "expression" and (code := each.first("code")) is not None:
            inputs, made = self.inputs(each), expression(code.text, self.declared.custom)
            return name, lambda run, here: made(run, self.bound_all(run, inputs, here))
        if each.local == "function":
            inputs = self.inputs(each)
            given = [expression(param.get("value"), self.declared.custom) for param in each.all("param")]
            call = called(
                each.get("ref"), given or [self._input_value(one) for one in inputs], self.declared.custom
            )
            return name, lambda run, here: call(run, self.bound_all(run, inputs, here))
        raise CannotMap(f"{each.local} of column {name}")

    def _return(self, each: Element) -> Transform:
        inputs, at, inner = list(each.all("input")), self.output(each), self.children(each)

        def run_return(run: Run, here: Sequence, target: Spot) -> None:
            now: Sequence = [run.returned] if run.returned is not None else []
            for one in inputs:
                if one.get("var"):
                    run.variables[one.get("var")] = now
            inner(run, now, at(run, target, False))

        return run_return

    def _failure(self, each: Element) -> Transform:
        return lambda run, here, target: None  # run by what fails

    _cacheReturn = _return  # noqa: N815 - the name of the element
    _cacheFailure = _failure  # noqa: N815 - the name of the element

    def _guarded(self, each: Element, work: Transform) -> Transform:
        """Return a statement whose failure the map handles, if it has a transform for it."""
        failure = each.first("failure")
        if failure is None:
            failure = each.first("cacheFailure")
        if failure is None:
            return work
        inputs, at, inner = list(failure.all("input")), self.output(failure), self.children(failure)

        def guarded(run: Run, here: Sequence, target: Spot) -> None:
            try:
                work(run, here, target)
            except MQError as raised:
                now: Sequence = [
                    Row(
                        {
                            "ErrorText": raised.detail,
                            "SQLState": raised.fields.get("state", ""),
                            "ErrorCode": raised.fields.get("native", raised.reason),
                            "ID": raised.reason,
                            "Message": raised.detail,
                        }
                    )
                ]
                for one in inputs:
                    if one.get("var"):
                        run.variables[one.get("var")] = now
                inner(run, now, at(run, target, False))

        return guarded

    # -- inputs, outputs, conditions -------------------------------------------------------

    def inputs(self, each: Element) -> list[Input]:
        """Return the inputs of a transform."""
        return [
            Input(
                expression(one.get("path") or ".", self.declared.custom)
                if "/mb:" not in one.get("path")
                else (lambda *_: []),
                one.get("var"),
                one.get("auxiliary") == "true",
            )
            for one in each.all("input")
            if one.get("var") not in self.declared.statements
        ]

    def bound(self, run: Run, source: Input, here: Sequence) -> Sequence:
        """Return the items of an input, and let its variable have them."""
        items = source.of(run, here)
        self._bind(run, source, items)
        return items

    def bound_all(self, run: Run, inputs: list[Input], here: Sequence) -> Sequence:
        """Bind all inputs; return the items of the first, or the current ones if there is none."""
        found = [self.bound(run, each, here) for each in inputs]
        return found[0] if found else here

    def _bind(self, run: Run, source: Input, items: Sequence) -> None:
        if source.variable:
            run.variables[source.variable] = items

    def output(self, each: Element) -> Callable[[Run, Spot, bool], Spot]:
        """Return the function that finds a transform's target below the current one.

        It also keeps the targets that have a variable, which paths inside the transform may begin with.
        """
        outputs = [(one.get("var"), self._place(one.get("path") or ".")) for one in each.all("output")]
        if not outputs:
            return self._place(".")
        (name, place), *others = outputs

        def find_all(run: Run, target: Spot, new: bool) -> Spot:
            made = place(run, target, new)
            if name:
                run.targets[name] = made
            for variable, other in others:
                run.targets[variable] = other(run, target, False)
            return made

        return find_all

    def _place(self, path: str) -> Callable[[Run, Spot, bool], Spot]:
        """Return the function that finds the place of an output path."""
        variable, _, below = path[1:].partition("/")
        if path.startswith("$") and variable in self.declared.inner_targets:
            inside = self.declared.target_steps(below or ".")[1]
            return lambda run, _, new: run.targets[variable].at(inside, new=new)
        root, steps = self.declared.target_steps(path)

        def find(run: Run, target: Spot, new: bool) -> Spot:
            start = _root(target) if root else target
            return start.at(steps, new=new) if steps else start

        return find

    def test(self, each: Element, word: str) -> Callable[[Run, Sequence], bool]:
        """Return the condition of a transform; it has none: always."""
        found = each.first(word)
        if found is None or not found.text.strip():
            return lambda run, here: True
        if found.get("lang", "xpath") != "xpath":
            raise CannotMap(f"a condition in {found.get('lang')}")
        made = expression(found.text, self.declared.custom)
        return lambda run, here: truth(made(run, here))


def steps_of(path: str, prefixes: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the names of an output path, with their namespaces where a known prefix says them.

    >>> steps_of("JSON/spath('Data',2)/n:Message/@id", {"n": "urn:n"})
    ('JSON', 'Data', '{urn:n}Message', '@id')
    """
    plain = _SPATH.sub(r"\1", path)
    found = []
    for step in plain.split("/"):
        name = step.strip()
        if not name or name in _NOT_STEPS or name.startswith("type("):
            continue
        if re.search(r"[()\[\]]", name) and not name.endswith("[1]"):
            raise CannotMap(f"the path {path!r:.80} is not understood")
        name = name.removesuffix("[1]")
        mark = "@" if name.startswith("@") else ""
        prefix, _, local = name.removeprefix("@").rpartition(":")
        uri = (prefixes or {}).get(prefix, "") if prefix and not mark else ""
        found.append(f"{{{uri}}}{local}" if uri else mark + local)
    return tuple(found)


def _root(spot: Spot) -> Spot:
    while spot.parent is not None:
        spot = spot.parent
    return spot


def _write(items: Sequence, at: Callable[[Run, Spot, bool], Spot], run: Run, target: Spot) -> None:
    """Write the items of an expression, each to a target of its own."""
    found = [each for each in items if each is not None]
    for item in found:
        spot = at(run, target, len(found) > 1)
        if is_place(item):
            spot.copy(item)
        else:
            spot.set(item)
