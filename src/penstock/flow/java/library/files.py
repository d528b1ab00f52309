"""Files on the machine: java.io.File, streams of files, and java.nio.file. Whatever the process may reach."""

from __future__ import annotations

import io
import os
from contextlib import contextmanager
from pathlib import Path as PythonPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from penstock.flow.java.library.containers import ListClass
from penstock.flow.java.library.language import codec
from penstock.flow.java.library.streams import (
    IO,
    UNPACKED_MAX,
    ByteArrayInputStream,
    ByteArrayOutputStream,
    InputStreamReader,
    StringWriter,
)
from penstock.flow.java.library.thing import ByteArray, Long, StringArray, Thing
from penstock.flow.java.throwables import thrown
from penstock.flow.java.values import Array, as_bytes, bytes_array, text

if TYPE_CHECKING:
    from collections.abc import Iterator

NIO = ("java.nio.file",)


@contextmanager
def _as_java() -> Iterator[None]:
    """Turn an error of the system into Java's."""
    try:
        yield
    except FileNotFoundError as raised:
        raise thrown("FileNotFoundException", f"{raised.filename} ({raised.strerror})") from None
    except OSError as raised:
        raise thrown("IOException", f"{raised.filename} ({raised.strerror})") from None


def _content(name: str) -> bytes:
    with _as_java():
        if PythonPath(name).stat().st_size > UNPACKED_MAX:
            raise thrown("IOException", f"{name} has more than {UNPACKED_MAX} bytes")
        return PythonPath(name).read_bytes()


class File(Thing):
    """A file or folder by its name, whether it exists or not."""

    packages = IO
    constants = {"separator": os.sep, "pathSeparator": os.pathsep}

    def __init__(self, first: Any, second: Any = None) -> None:
        self.path = text(first) if second is None else f"{text(first)}{os.sep}{text(second)}"

    def getName(self) -> str:
        return self.path.rpartition(os.sep)[2]

    def getPath(self) -> str:
        return self.path

    def getAbsolutePath(self) -> str:
        return str(PythonPath(self.path).absolute())

    def getCanonicalPath(self) -> str:
        return str(PythonPath(self.path).resolve())

    def getParent(self) -> str | None:
        return self.path.rpartition(os.sep)[0] or None

    def getParentFile(self) -> File | None:
        parent = self.getParent()
        return File(parent) if parent else None

    def toPath(self) -> Path:
        return Path(self.path)

    def toURI(self) -> URL:
        return URL(f"file:{self.getAbsolutePath()}")

    toURL = toURI

    def exists(self) -> bool:
        return PythonPath(self.path).exists()

    def isFile(self) -> bool:
        return PythonPath(self.path).is_file()

    def isDirectory(self) -> bool:
        return PythonPath(self.path).is_dir()

    def canRead(self) -> bool:
        return os.access(self.path, os.R_OK)

    def canWrite(self) -> bool:
        return os.access(self.path, os.W_OK)

    def length(self) -> Long:
        return PythonPath(self.path).stat().st_size if self.exists() else 0

    def lastModified(self) -> Long:
        return int(PythonPath(self.path).stat().st_mtime * 1000) if self.exists() else 0

    def list(self) -> StringArray | None:
        try:
            return Array("String", sorted(each.name for each in PythonPath(self.path).iterdir()))
        except OSError:
            return None

    def listFiles(self) -> Any:
        names = self.list()
        return None if names is None else Array("File", (File(self.path, each) for each in names))

    def mkdir(self) -> bool:
        return self._done(PythonPath.mkdir)

    def mkdirs(self) -> bool:
        return self._done(lambda path: path.mkdir(parents=True))

    def delete(self) -> bool:
        return self._done(PythonPath.rmdir if self.isDirectory() else PythonPath.unlink)

    def createNewFile(self) -> bool:
        if self.exists():
            return False
        with _as_java():
            PythonPath(self.path).touch()
        return True

    def renameTo(self, other: File) -> bool:
        return self._done(lambda path: path.replace(other.path))

    def _done(self, act: Any) -> bool:
        try:
            act(PythonPath(self.path))
        except OSError:
            return False
        return True

    def toString(self) -> str:
        return self.path


class URL(Thing):
    """The place of a file; other places are for a node that makes requests."""

    names = ("URL", "URI")
    packages = ("java.net",)
    abstract = True

    def __init__(self, place: str) -> None:
        self.place = place

    def toURL(self) -> URL:
        return self

    def getPath(self) -> str:
        return unquote(urlsplit(self.place).path)

    def openStream(self) -> FileInputStream:
        if not self.place.startswith("file:"):
            raise thrown("IOException", f"only files are opened here, not {self.place}")
        return FileInputStream(self.getPath())

    def toString(self) -> str:
        return self.place


class FileInputStream(ByteArrayInputStream):
    """The bytes of a file."""

    packages = IO
    bases = ("InputStream",)

    def __init__(self, file: Any) -> None:
        self.data = io.BytesIO(_content(text(file)))


class FileReader(InputStreamReader):
    """The text of a file."""

    bases = ("Reader",)

    def __init__(self, file: Any, charset: Any = "UTF-8") -> None:
        self.data = io.StringIO(_content(text(file)).decode(codec(charset), "replace"))


class FileOutputStream(ByteArrayOutputStream):
    """Bytes that are written to a file, at the latest when the stream is closed."""

    packages = IO
    bases = ("OutputStream",)

    def __init__(self, file: Any, append: bool = False) -> None:
        super().__init__()
        self._name = text(file)
        with _as_java():
            PythonPath(self._name).open("ab" if append else "wb").close()

    def flush(self) -> None:
        with _as_java(), PythonPath(self._name).open("ab") as file:
            file.write(self.data)
        self.data.clear()

    def close(self) -> None:
        self.flush()


class FileWriter(StringWriter):
    """Text that is written to a file."""

    bases = ("Writer",)

    def __init__(self, file: Any, append: bool = False) -> None:
        super().__init__()
        self._below = FileOutputStream(file, append)

    def flush(self) -> None:
        self._below.data += self.value.encode()
        self.value = ""
        self._below.flush()

    def close(self) -> None:
        self.flush()


class Path(Thing):
    """A path of java.nio."""

    packages = NIO
    abstract = True

    def __init__(self, path: str) -> None:
        self.path = path

    def toFile(self) -> File:
        return File(self.path)

    def getFileName(self) -> Path:
        return Path(PythonPath(self.path).name)

    def getParent(self) -> Path:
        return Path(str(PythonPath(self.path).parent))

    def resolve(self, other: Any) -> Path:
        return Path(str(PythonPath(self.path, text(other))))

    def toAbsolutePath(self) -> Path:
        return Path(str(PythonPath(self.path).absolute()))

    def toString(self) -> str:
        return self.path


class Paths(Thing):
    """Makes paths."""

    packages = NIO
    abstract = True

    @staticmethod
    def get(first: str, *more: str) -> Path:
        return Path(str(PythonPath(first, *more)))


class Files(Thing):
    """Acts on paths."""

    packages = NIO
    abstract = True

    @staticmethod
    def exists(path: Path, *_: Any) -> bool:
        return PythonPath(path.path).exists()

    @staticmethod
    def isDirectory(path: Path, *_: Any) -> bool:
        return PythonPath(path.path).is_dir()

    @staticmethod
    def size(path: Path) -> Long:
        with _as_java():
            return PythonPath(path.path).stat().st_size

    @staticmethod
    def readAllBytes(path: Path) -> ByteArray:
        return bytes_array(_content(path.path))

    @staticmethod
    def readString(path: Path, charset: Any = "UTF-8") -> str:
        return _content(path.path).decode(codec(charset), "replace")

    @staticmethod
    def readAllLines(path: Path, charset: Any = "UTF-8") -> ListClass:
        return ListClass(_content(path.path).decode(codec(charset), "replace").splitlines())

    @staticmethod
    def write(path: Path, data: Array, *_: Any) -> Path:
        with _as_java():
            PythonPath(path.path).write_bytes(as_bytes(data))
        return path

    @staticmethod
    def createDirectories(path: Path, *_: Any) -> Path:
        with _as_java():
            PythonPath(path.path).mkdir(parents=True, exist_ok=True)
        return path

    @staticmethod
    def delete(path: Path) -> None:
        with _as_java():
            PythonPath(path.path).unlink()

    @staticmethod
    def deleteIfExists(path: Path) -> bool:
        return File(path.path).delete()
