"""Compiles the hot modules; everything else about the package is in pyproject.toml.

A `.pyx` is always compiled; a `.py` is compiled when a `.pxd` of the same name lies beside it
(pure-Python mode: the same file also runs uncompiled). C and object files are born in `build/`,
never in `src/`, and only what changed is compiled again.
"""

import os
import re
import sys
import threading
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

JOBS = os.cpu_count() or 1
PROGRESS = os.environ.get("PENSTOCK_PROGRESS", "")  # a file to tell of it; pip shows no output of a build
KEEP_GOING = bool(os.environ.get("PENSTOCK_KEEP_GOING"))  # modules that Cython refuses stay uncompiled
SOURCE = Path("src")
BUILD = Path("build")
BUILD.mkdir(exist_ok=True)
CIMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+cimport\s+([\w, ]+)|cimport\s+([\w.]+))", re.MULTILINE)


def compiled_sources() -> list[Path]:
    pyx = SOURCE.glob("penstock/**/*.pyx")
    pure = (pxd.with_suffix(".py") for pxd in SOURCE.glob("penstock/**/*.pxd"))
    return sorted({*pyx, *(path for path in pure if path.exists())})


def extension(source: Path) -> Extension:
    name = ".".join(source.with_suffix("").relative_to(SOURCE).parts)
    return Extension(name, [str(source)], extra_compile_args=["-O2", "-g0"])


def declarations_of(source: Path) -> set[Path]:
    """Return the `.pxd` files that a module's C code depends on, directly or through others."""
    found: set[Path] = set()
    waiting = [source, source.with_suffix(".pxd")]
    while waiting:
        path = waiting.pop()
        if path in found or not path.exists():
            continue
        found.add(path)
        for match in CIMPORT.finditer(path.read_text()):
            module = match[1] or match[3]
            names = [module, *(f"{module}.{name.strip()}" for name in (match[2] or "").split(","))]
            waiting += [SOURCE / f"{name.replace('.', '/')}.pxd" for name in names]
    return found


def forget_stale_translations(sources: list[Path]) -> None:
    # Cython looks at the declarations of a .pyx, not at those beside a .py: what it would take for
    # current could disagree with its neighbours about the layout of a class.
    for source in sources:
        for translation in (BUILD / "cython" / source).parent.glob(f"{source.stem}.c"):
            if any(each.stat().st_mtime > translation.stat().st_mtime for each in declarations_of(source)):
                translation.unlink()


class BuildExtensions(build_ext):
    """Run Cython when extensions are really built, not for every question about metadata."""

    def finalize_options(self) -> None:
        if "bdist_wheel" in sys.argv or "build_ext" in sys.argv:
            tell(f"translating {len(compiled_sources())} modules to C, on {JOBS} cores")
            forget_stale_translations(compiled_sources())
            translate = translated_one_by_one if KEEP_GOING else translated
            self.distribution.ext_modules[:] = translate(self.distribution.ext_modules)
        super().finalize_options()
        self.parallel = JOBS
        self._done = 0
        self._counting = threading.Lock()

    def build_extension(self, ext: Extension) -> None:
        super().build_extension(ext)
        with self._counting:
            self._done += 1
            done, whole = self._done, len(self.extensions)
        if done * 10 // whole > (done - 1) * 10 // whole:
            tell(f"{done} of {whole} modules are compiled")


def tell(text: str) -> None:
    """Say how far the build is, where somebody wants to know."""
    if PROGRESS:
        try:
            with open(PROGRESS, "a") as out:  # noqa: PTH123 - a descriptor of the process that asked
                out.write(f"setup: {text}\n")
        except OSError:
            pass  # nobody looks any more


def translated(extensions: list[Extension]) -> list[Extension]:
    from Cython.Build import cythonize

    return cythonize(
        extensions,
        build_dir=str(BUILD / "cython"),
        include_path=[str(SOURCE)],
        nthreads=JOBS,
        quiet=True,
        compiler_directives={"language_level": "3", "annotation_typing": False},
    )


def translated_one_by_one(extensions: list[Extension]) -> list[Extension]:
    from Cython.Compiler.Errors import CompileError

    done = []
    for one in extensions:
        try:
            done += translated([one])
        except CompileError as failure:
            print(f"setup: left uncompiled: {one.name} ({failure})")
            for old in BUILD.glob(f"lib.*/{one.name.replace('.', '/')}.*.so"):
                old.unlink()
    return done


class BuildPython(build_py):
    """Forget what an earlier build left behind of modules that are gone from `src/` or compiled no more."""

    def run(self) -> None:
        compiled = {source.with_suffix("").relative_to(SOURCE) for source in compiled_sources()}
        library = Path(self.build_lib)
        for old in library.glob("penstock/**/*"):
            place = old.relative_to(library)
            if old.suffix == ".so":
                if place.with_name(place.name.split(".")[0]) not in compiled:
                    old.unlink()
            elif old.is_file() and not (SOURCE / place).exists():
                old.unlink()
        super().run()


setup(
    ext_modules=[extension(source) for source in compiled_sources()],
    cmdclass={"build_ext": BuildExtensions, "build_py": BuildPython},
    options={"egg_info": {"egg_base": str(BUILD)}},
)
