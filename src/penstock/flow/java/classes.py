"""Classes of a project's Java: found in its files, compiled method by method when they are needed.

`JavaMethod.prepare` compiles a method and everything that it may reach, so that an unknown name is
told before anything runs. Fields that are static live as long as the project.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.java.library.functional import Closure
from penstock.flow.java.library.registry import Known, known_classes, packages
from penstock.flow.java.library.thing import Thing
from penstock.flow.java.problem import JavaProblem
from penstock.flow.java.throwables import Throwable, thrown
from penstock.flow.java.values import BITS, BOXES, Array, Char, converted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.flow.java.sources import JavaSources
    from penstock.flow.java.syntax import Class, Method, Unit

    Run = Callable[[dict[str, Any]], Any]

ZEROS: dict[str, Any] = {"boolean": False, "char": Char("\0"), "double": 0.0, "float": 0.0}


class JavaObject:
    """An object of a project's class; its Python class also derives from the base in the library."""

    java: JavaClass
    fields: dict[str, Any]
    around: dict[str, tuple[Any, dict[str, Any]]]  # by class: the object and the variables around it

    def toString(self) -> str:
        method = self.java.method("toString", ())
        if method is not None:
            return str(method.call(self, ()))
        if isinstance(self, Throwable):
            return Throwable.toString(self)
        return f"{self.java.name}@{id(self):x}"


def blank(type_: str) -> Any:
    """Return the value of a field that was never set."""
    return 0 if type_ in BITS else ZEROS.get(type_)


class JavaMethod:
    """A method; `run` is compiled at the first need."""

    def __init__(self, owner: JavaClass, declared: Method) -> None:
        self.owner = owner
        self.declared = declared
        self.types = [type_ for type_, _ in declared.parameters]
        self.names = [name for _, name in declared.parameters]
        self.run: Run | None = None

    def takes(self, count: int) -> bool:
        """Return whether the method can be called with so many arguments."""
        if self.declared.takes_rest:
            return count >= len(self.types) - 1
        return count == len(self.types)

    def call(self, this: Any, arguments: Iterable[Any]) -> Any:
        """Run the method."""
        given = list(arguments)
        if self.declared.takes_rest and not self._is_whole(given):
            least = len(self.types) - 1
            given[least:] = [Array(self.types[-1].removesuffix("[]"), given[least:])]
        frame = self.owner.frame_of(this)
        for name, type_, value in zip(self.names, self.types, given, strict=True):
            frame[name] = converted(value, type_)
        run = self.run
        if run is None:
            self.prepare()
            run = self.run
        assert run is not None
        return converted(run(frame), self.declared.result)

    def _is_whole(self, given: list[Any]) -> bool:
        return len(given) == len(self.types) and (given[-1] is None or isinstance(given[-1], Array))

    def prepare(self) -> None:
        """Compile the method, once."""
        if self.declared.body is None:
            self.run = self._abstract
        if self.run is None:
            from penstock.flow.java.statements import compiled_method

            self.run = lambda _: None  # a method that calls itself
            try:
                self.run = compiled_method(self)
            except JavaProblem as found:
                self.run = None
                found.file = found.file or self.owner.file
                raise

    def _abstract(self, _: dict[str, Any]) -> Any:
        raise thrown("AbstractMethodError", f"{self.owner.name}.{self.declared.name}")

    def fits(self, values: tuple[Any, ...]) -> bool:
        """Return whether the values of a call are of the parameters' types."""
        return all(_fits(value, type_) for value, type_ in zip(values, self.types, strict=False))


def _fits(value: Any, type_: str) -> bool:
    """Return whether a value can be of a type, strictly: an int is no double while methods are chosen."""
    if value is None:
        return type_ not in BITS and type_ not in ZEROS
    kind = BOXES.get(type_, type_)
    if type(value) is int:
        return kind in BITS or kind in ("Object", "Number")
    if type(value) is bool or type(value) is float or type(value) is Char:
        wanted = {bool: ("boolean",), float: ("double", "float"), Char: ("char",)}[type(value)]
        return kind in wanted or kind == "Object"
    if type(value) is str:
        return kind in ("String", "Object", "CharSequence")
    if isinstance(value, Array):
        return type_ in (f"{value.type}[]", "Object")
    return is_a(value, type_)


def is_a(value: Any, type_: str) -> bool:
    """Return whether an object is of a class, by the class's name."""
    short = type_.rpartition(".")[2]
    if isinstance(value, JavaObject) and value.java.derives(short):
        return True
    if isinstance(value, Closure):
        return type_ not in BITS and type_ not in ZEROS
    if type(value) in (str, int, bool, float, Char) or isinstance(value, Array):
        return _fits(value, type_)
    known = known_classes().get(short)
    if short == "Object":
        return value is not None
    if known is None:
        return False
    return isinstance(value, known.python) or short in getattr(type(value), "bases", ())


class JavaClass:
    """A class of the project."""

    def __init__(
        self, sources: JavaSources, unit: Unit, declared: Class, file: str, outer: JavaClass | None = None
    ) -> None:
        self.sources = sources
        self.unit = unit
        self.declared = declared
        self.file = file
        self.short = declared.name
        self.outer = outer
        self.captured: dict[str, str] = {}  # variables around a class without a name, with their types
        before = unit.package if outer is None else outer.name
        self.name: str = f"{before}.{declared.name}" if before else declared.name
        self.inner = {each.name: JavaClass(sources, unit, each, file, self) for each in declared.inner}
        for each in self.inner.values():
            each.inner = {**self.inner, **each.inner}
        self.methods = [JavaMethod(self, each) for each in declared.methods]
        self.constructors = [JavaMethod(self, each) for each in declared.constructors]
        self.types = {each.name: each.type for each in declared.fields}
        self.statics = {each.name: blank(each.type) for each in declared.fields if each.is_static}
        self._begun = False
        self._python: type | None = None

    # -- names -------------------------------------------------------------------------------

    def find(self, name: str) -> JavaClass | Known | None:
        """Return a class by a name as this class's file writes it."""
        first, _, rest = name.partition(".")
        if name == self.short:
            return self
        if first in self.inner:
            return self.inner[first] if not rest else self.inner[first].find(rest)
        own = self.sources.find(name, self.unit)
        if own is not None:
            return own
        package, _, short = name.rpartition(".")
        if package and package not in packages() and package not in known_classes():
            return None
        imported = next((each for each in self.unit.imports if each.endswith(f".{short}")), "")
        if imported and not package and imported.rpartition(".")[0] not in packages():
            return None  # a class of the same name from elsewhere
        return known_classes().get(name) or known_classes().get(short)

    @property
    def base(self) -> JavaClass | Known | None:
        """The class that this one extends."""
        if not self.declared.base:
            return None
        found = self.find(self.declared.base)
        if found is None:
            raise JavaProblem(self.declared.line, f"class {self.declared.base} is not known here", self.file)
        return found

    def derives(self, short: str) -> bool:
        """Return whether this is a class, or derives from one, by its short name."""
        if self.short == short:
            return True
        above = [self.base, *(self.find(each) for each in self.declared.interfaces)]
        return any(
            each.derives(short) if isinstance(each, JavaClass) else each.name == short
            for each in above
            if each is not None
        )

    def is_or_extends(self, other: JavaClass) -> bool:
        """Return whether this is a class, or derives from it."""
        here: JavaClass | Known | None = self
        while isinstance(here, JavaClass):
            if here is other:
                return True
            here = here.base
        return False

    def owner_of(self, field: str) -> JavaClass | None:
        """Return the class, this one or a base, that declares a field."""
        here: JavaClass | Known | None = self
        while isinstance(here, JavaClass):
            if field in here.types:
                return here
            here = here.base
        return None

    @property
    def library_base(self) -> Known | None:
        """The class of the library that this one derives from."""
        here: JavaClass | Known | None = self
        while isinstance(here, JavaClass):
            here = here.base
        return here

    def candidates(self, name: str, count: int) -> list[JavaMethod]:
        """Return the methods of a name that take some arguments, own ones first."""
        here: JavaClass | Known | None = self
        found: list[JavaMethod] = []
        while isinstance(here, JavaClass):
            found += [each for each in here.methods if each.declared.name == name and each.takes(count)]
            here = here.base
        return found

    def method(self, name: str, values: tuple[Any, ...]) -> JavaMethod | None:
        """Return the method that a call with some values means."""
        return chosen(self.candidates(name, len(values)), values)

    # -- objects -----------------------------------------------------------------------------

    @property
    def python(self) -> type:
        """The Python class of the objects."""
        if self._python is None:
            base = self.base
            known = base.python if base is not None else Thing
            names = (known,) if issubclass(known, JavaObject) else (JavaObject, known)
            self._python = type(self.short, names, {"java": self, "java_name": self.name})
        return self._python

    def frame_of(self, this: Any) -> dict[str, Any]:
        """Return the variables that a method of this class begins with."""
        frame = {"this": this}
        if self.captured and this is not None:
            frame.update(this.around[self.name][1])
        return frame

    @property
    def outers(self) -> list[JavaClass]:
        """The classes with an object around each object of this one, nearest first."""
        found: list[JavaClass] = []
        here = self
        while here.outer is not None and not here.declared.is_static:
            here = here.outer
            found.append(here)
        return found

    def new(self, arguments: tuple[Any, ...], frame: dict[str, Any] | None = None) -> Any:
        """Return a new object; `frame` are the variables around `new`."""
        self.begin()
        python: Any = self.python
        made = python.__new__(python)
        made.fields = {}
        made.around = {}
        self._surround(made, frame or {})
        base = self.library_base
        if base is not None:
            begin: Any = base.python.__init__  # type: ignore[misc]
            begin(made, *(() if self.constructors else arguments))
        self.construct(made, arguments)
        return made

    def _surround(self, made: Any, frame: dict[str, Any]) -> None:
        """Keep what is around an object, for its class and those that this derives from."""
        here: JavaClass | Known | None = self
        while isinstance(here, JavaClass):
            this = frame.get("this")
            outer = here.outer
            while outer is not None and isinstance(this, JavaObject) and not this.java.derives(outer.short):
                this = next((each for each, _ in this.around.values() if each is not None), None)
            if not here.declared.is_static:
                made.around[here.name] = (this, {name: frame.get(name) for name in here.captured})
            here = here.base

    def construct(self, made: Any, arguments: tuple[Any, ...]) -> None:
        """Run the constructor for an object, behind those of the bases."""
        constructor = chosen([each for each in self.constructors if each.takes(len(arguments))], arguments)
        if isinstance(self.base, JavaClass) and not _calls_super(constructor):
            self.base.construct(made, () if self.constructors else arguments)
        for field in self.declared.fields:
            if not field.is_static:
                made.fields[field.name] = blank(field.type)
        self.sources.initialiser(self, is_static=False)(self.frame_of(made))
        if constructor is not None:
            constructor.call(made, arguments)

    def begin(self) -> None:
        """Run what initialises the class, once."""
        if not self._begun:
            self._begun = True
            if isinstance(self.base, JavaClass):
                self.base.begin()
            self.sources.initialiser(self, is_static=True)({"this": None})


def _calls_super(constructor: JavaMethod | None) -> bool:
    from penstock.flow.java.syntax import Call, Do

    body = constructor.declared.body.body if constructor is not None and constructor.declared.body else []
    first = body[0].expression if body and isinstance(body[0], Do) else None
    return isinstance(first, Call) and first.target is None and first.name in ("super", "this")


def chosen(candidates: list[JavaMethod], values: tuple[Any, ...]) -> JavaMethod | None:
    """Return the one of several methods that takes values of these types."""
    if len(candidates) > 1:
        candidates = [each for each in candidates if each.fits(values)] or candidates
    return candidates[0] if candidates else None


def call_static(class_: JavaClass, name: str, values: tuple[Any, ...]) -> Any:
    """Call a static method."""
    class_.begin()
    method = class_.method(name, values)
    if method is None:
        raise thrown("Error", f"{class_.name} has no method {name} with {len(values)} arguments")
    return method.call(None, values)
