"""Compiles calls of methods and constructors: those of the project's classes and those of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.java.classes import JavaClass, JavaObject, call_static, chosen
from penstock.flow.java.library.functional import Closure
from penstock.flow.java.library.registry import Known, holders, known_classes
from penstock.flow.java.problem import JavaProblem
from penstock.flow.java.reader import PRIMITIVES
from penstock.flow.java.scope import library_class
from penstock.flow.java.throwables import thrown
from penstock.flow.java.values import BOXES

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.java.classes import JavaMethod
    from penstock.flow.java.library.registry import Signature
    from penstock.flow.java.scope import Evaluate, Scope
    from penstock.flow.java.syntax import Call, New

    Typed = tuple[Evaluate, str]

_OF_ALL = {"toString": "String", "equals": "boolean", "hashCode": "int"}


def constant_in_library(class_: Known, name: str, line: int) -> Typed:
    """Compile a constant of the library."""
    if name not in class_.constants:
        raise JavaProblem(line, f"{class_.name}.{name} is not known here")
    value = class_.constants[name]
    return lambda _: value, class_.constant_types[name]


def call_in_library(class_: Known, node: Call, arguments: list[Typed], scope: Scope) -> Typed:
    """Compile a call of a static method of the library."""
    method = class_.methods.get(node.name)
    is_value = vars(class_.python).get("holds") is not None and node.name in _OF_ALL  # Integer.toString(1)
    if method is not None and not method.is_static and is_value:
        method = method._replace(is_static=True, least=method.least + 1, most=method.most + 1)
    if method is None or not method.is_static or not method.takes(len(arguments)):
        raise JavaProblem(
            node.line, f"{class_.name}.{node.name} with {len(arguments)} arguments is not known here"
        )
    given = [each for each, _ in arguments]
    function = method.function
    checked = getattr(class_.python, "_checked", None)
    if checked is not None:
        checked(node.arguments, scope)
    return lambda frame: _guarded(function, [each(frame) for each in given]), method.result


def call_of_static(class_: JavaClass, node: Call, arguments: list[Typed]) -> Typed:
    """Compile a call of a static method of the project."""
    methods = [each for each in class_.candidates(node.name, len(arguments)) if each.declared.is_static]
    if not methods:
        raise JavaProblem(node.line, f"{class_.name} has no static method {node.name} for this")
    _prepare(methods)
    class_.sources.initialiser(class_, is_static=True)
    given = [each for each, _ in arguments]
    name = node.name

    def call(frame: dict[str, Any]) -> Any:
        return call_static(class_, name, tuple(each(frame) for each in given))

    return call, methods[0].declared.result


def _prepare(methods: list[JavaMethod]) -> None:
    for each in methods:
        each.prepare()


def call_on(target: Evaluate | None, type_: str, node: Call, arguments: list[Typed], scope: Scope) -> Typed:
    """Compile a call on an object; without a target on `this`, or on its base for type `super`."""
    given = [each for each, _ in arguments]
    name, count = node.name, len(given)
    if target is None and name in ("super", "this"):
        return _constructor_call(name, given, scope)
    if target is None:
        return _own_call(type_ == "super", node, given, scope)
    if type_ in PRIMITIVES:
        raise JavaProblem(node.line, f"{type_} has no methods")
    known = scope.owner.find(type_) if type_ and not type_.endswith("[]") else library_class(type_)
    result = _result(known, type_, node, count, scope)

    def call(frame: dict[str, Any]) -> Any:
        return invoked(target(frame), name, tuple([each(frame) for each in given]))

    return call, result


def _result(known: JavaClass | Known | None, type_: str, node: Call, count: int, scope: Scope) -> str:
    """Return the type of a call's result; a problem if nobody has such a method."""
    if isinstance(known, JavaClass):
        methods = known.candidates(node.name, count)
        _prepare(methods)
        if methods:
            return methods[0].declared.result
        known = known.library_base
        if known is None and node.name in _OF_ALL:
            return _OF_ALL[node.name]
    if known is not None and known.name != "Object":
        found = known.methods.get(node.name)
        if found is None or not found.takes(count):
            raise JavaProblem(node.line, f"{known.name}.{node.name} with {count} arguments is not known here")
        return found.result
    if type_ and node.name not in _OF_ALL and type_ != "Object" and known is None:
        raise JavaProblem(node.line, f"{type_} has no method {node.name} for this")
    several = {each.methods[node.name].result for each in known_classes().values() if _has(each, node, count)}
    own = [each for class_ in scope.owner.sources.read for each in class_.candidates(node.name, count)]
    _prepare(own)
    several.update(each.declared.result for each in own)
    if not several:
        raise JavaProblem(node.line, f"a method {node.name} with {count} arguments is not known here")
    return several.pop() if len(several) == 1 else ""


def _has(known: Known, node: Call, count: int) -> bool:
    return node.name in known.methods and known.methods[node.name].takes(count)


def _constructor_call(name: str, given: list[Evaluate], scope: Scope) -> Typed:
    """Compile `super(...)` or `this(...)`."""
    owner = scope.owner if name == "this" else scope.owner.base
    if isinstance(owner, JavaClass):
        _prepare([each for each in owner.constructors if each.takes(len(given))])
        own = owner

        def construct(frame: dict[str, Any]) -> None:
            values = tuple(each(frame) for each in given)
            if name == "super":
                own.construct(frame["this"], values)
                return
            constructor = chosen([each for each in own.constructors if each.takes(len(values))], values)
            if constructor is not None:
                constructor.call(frame["this"], values)

        return construct, "void"

    def set_up(frame: dict[str, Any]) -> None:
        made = getattr(frame["this"], "set_up", None)
        if made is not None:
            made(*(each(frame) for each in given))

    return set_up, "void"


def _own_call(of_base: bool, node: Call, given: list[Evaluate], scope: Scope) -> Typed:
    """Compile a call without a target: of this class, of its bases, or of a class around it."""
    name, count = node.name, len(given)
    owner: JavaClass | Known | None = scope.owner.base if of_base else scope.owner
    methods = owner.candidates(name, count) if isinstance(owner, JavaClass) else []
    if not methods and not of_base and (known := scope.owner.library_base) is not None:
        found_there = known.methods.get(name)
        if found_there is not None and found_there.takes(count):
            return _base_call(found_there, given), found_there.result
    if not methods and not of_base:
        around = _call_around(node, given, scope)
        if around is not None:
            return around
    if methods:
        _prepare(methods)
        is_static = methods[0].declared.is_static
        found = owner

        def call(frame: dict[str, Any]) -> Any:
            values = tuple([each(frame) for each in given])
            this = frame["this"]
            if is_static or of_base or this is None:
                method = chosen(methods, values)
                return method.call(None if is_static else this, values) if method is not None else None
            return invoked(this, name, values)

        return call, methods[0].declared.result if found is not None else ""
    known = scope.owner.library_base
    method = known.methods.get(name) if known is not None else None
    if method is None:
        imported = _imported(name, scope)
        if imported is not None:
            return call_in_library(imported, node, [(each, "") for each in given], scope)
    if method is None or not method.takes(count):
        raise JavaProblem(node.line, f"a method {name} with {count} arguments is not known here")
    return _base_call(method, given), method.result


def _call_around(node: Call, given: list[Evaluate], scope: Scope) -> Typed | None:
    """Compile a call of a method of a class around this one."""
    name, count = node.name, len(given)
    outer = scope.owner.outer
    while outer is not None:
        methods = outer.candidates(name, count)
        known = outer.library_base
        if methods and methods[0].declared.is_static:
            return call_of_static(outer, node, [(each, "") for each in given])
        if outer in scope.owner.outers and (methods or (known is not None and name in known.methods)):
            return call_on(scope.this_of(outer), outer.short, node, [(each, "") for each in given], scope)
        outer = outer.outer
    return None


def _imported(name: str, scope: Scope) -> Known | None:
    """Return the class of the library from which `import static` takes a method."""
    for each in scope.owner.unit.statics:
        class_, _, method = each.rpartition(".")
        found = scope.owner.find(class_)
        if method in ("*", name) and isinstance(found, Known) and name in found.methods:
            return found
    return None


def _base_call(method: Signature, given: list[Evaluate]) -> Evaluate:
    function = method.function
    if method.is_static:
        return lambda frame: _guarded(function, [each(frame) for each in given])
    return lambda frame: _guarded(function, [frame["this"], *(each(frame) for each in given)])


def invoked(target: Any, name: str, values: tuple[Any, ...]) -> Any:
    """Call a method of an object."""
    if target is None:
        raise thrown("NullPointerException", f"{name} of null")
    if type(target) is Closure and not hasattr(target, name):
        return target.run(*values)
    if isinstance(target, JavaObject):
        method = target.java.method(name, values)
        if method is not None:
            return method.call(target, values)
    holder = holders().get(type(target))
    if holder is not None:
        return _guarded(_method_of(holder, name), [target, *values])
    return _guarded(getattr(target, name), list(values))


def _method_of(holder: Known, name: str) -> Any:
    found = holder.methods.get(name)
    if found is None:
        raise thrown("Error", f"{holder.name} has no method {name}")
    return found.function


def _guarded(function: Any, values: list[Any]) -> Any:
    """Call a function of the library; null where it needs a value is a NullPointerException."""
    try:
        return function(*values)
    except (TypeError, AttributeError):
        if any(each is None for each in values):
            raise thrown("NullPointerException") from None
        raise


def _overriding(class_: JavaClass) -> list[JavaMethod]:
    """Return the methods that others may call by the name of a class or interface above."""
    found = [*class_.candidates("toString", 0), *class_.candidates("equals", 1)]
    here: JavaClass | Known | None = class_
    while isinstance(here, JavaClass) and (here.declared.base or here.declared.interfaces):
        found += here.methods
        here = here.base
    return found


def new_of(class_: JavaClass | Known, line: int) -> Callable[..., Any]:
    """Return the function of `Name::new`."""
    if isinstance(class_, JavaClass):
        _prepare(class_.constructors)
        _prepare(_overriding(class_))
        for is_static in (True, False):
            class_.sources.initialiser(class_, is_static=is_static)
        own = class_
        return lambda *values: own.new(values)
    if class_.construct is None:
        raise JavaProblem(line, f"new {class_.name} is not known here")
    return class_.construct.function


def reference_in(class_: JavaClass | Known, name: str, line: int) -> Callable[..., Any]:
    """Return the function of `Name::method`; the first argument of one that is not static is its object."""
    if isinstance(class_, JavaClass):
        methods = [each for each in class_.methods if each.declared.name == name]
        if methods and methods[0].declared.is_static:
            _prepare(methods)
            class_.sources.initialiser(class_, is_static=True)
            own = class_
            return lambda *values: call_static(own, name, values)
    elif name in class_.methods and class_.methods[name].is_static:
        function = class_.methods[name].function
        return lambda *values: _guarded(function, list(values))
    call = method_of(class_, name, line)
    return lambda target, *values: call(target, *values)


def method_of(class_: JavaClass | Known | None, name: str, line: int) -> Callable[..., Any]:
    """Return the function that calls a method of an object, if its class has one of this name."""
    if isinstance(class_, JavaClass):
        methods = [each for each in class_.methods if each.declared.name == name]
        _prepare(methods)
        class_ = class_.library_base if not methods else None
    if class_ is not None and class_.name != "Object" and name not in class_.methods and name not in _OF_ALL:
        raise JavaProblem(line, f"{class_.name}.{name} is not known here")
    return lambda target, *values: invoked(target, name, values)


def made_new(class_: JavaClass | Known, node: New, given: list[Evaluate]) -> Typed:
    """Compile `new`."""
    count = len(given)
    if isinstance(class_, JavaClass):
        if class_.declared.kind != "class":
            raise JavaProblem(node.line, f"{class_.name} is no class")
        above = class_.base if node.body is not None and isinstance(class_.base, JavaClass) else class_
        constructors = [each for each in above.constructors if each.takes(count)]
        base = class_.library_base
        if above.constructors and not constructors:
            raise JavaProblem(node.line, f"{above.name} has no constructor with {count} arguments")
        if not above.constructors and count and base is None:
            raise JavaProblem(node.line, f"{class_.name} has no constructor with {count} arguments")
        _prepare(constructors)
        _prepare(_overriding(class_))
        class_.sources.initialiser(class_, is_static=True)
        class_.sources.initialiser(class_, is_static=False)
        own = class_
        return lambda frame: own.new(tuple([each(frame) for each in given]), frame), node.type
    if class_.construct is None or not class_.construct.takes(count):
        raise JavaProblem(node.line, f"new {class_.name} with {count} arguments is not known here")
    function = class_.construct.function
    type_ = (BOXES.get(class_.name, "") and class_.name) or node.type.rpartition(".")[2]
    return lambda frame: _guarded(function, [each(frame) for each in given]), type_
