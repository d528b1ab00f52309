"""Streams in memory: java.io over bytes and texts, and zip archives among them. Files are not opened here."""

from __future__ import annotations

import gzip
import io
import logging
import zipfile
import zlib
from typing import Any

from penstock.flow.java.library.language import codec
from penstock.flow.java.library.thing import ByteArray, Thing
from penstock.flow.java.throwables import Throwable, thrown
from penstock.flow.java.values import Array, Char, as_bytes, bytes_array, text

logger = logging.getLogger("penstock.flow.java")
IO = ("java.io",)
UNPACKED_MAX = 100 * 1024 * 1024  # bytes of a packed stream


class ByteArrayInputStream(Thing):
    """Bytes to read."""

    packages = IO
    bases: tuple[str, ...] = ("InputStream",)

    def __init__(self, data: Array) -> None:
        self.data = io.BytesIO(as_bytes(data))

    def read(self, array: Array | None = None, start: int = 0, length: int | None = None) -> int:
        if array is None:
            one = self.data.read(1)
            return one[0] if one else -1
        found = self.data.read(len(array) - start if length is None else length)
        array[start : start + len(found)] = bytes_array(found)
        return len(found) or -1

    def readAllBytes(self) -> ByteArray:
        return bytes_array(self.data.read())

    def available(self) -> int:
        return len(self.data.getbuffer()) - self.data.tell()

    def close(self) -> None:
        pass


class InputStream(ByteArrayInputStream):
    """Any stream to read, as a type."""

    abstract = True
    bases = ()


class ByteArrayOutputStream(Thing):
    """Bytes that were written."""

    packages = IO
    bases: tuple[str, ...] = ("OutputStream",)

    def __init__(self, size: int = 0) -> None:
        self.data = bytearray()

    def write(self, value: Any, start: int = 0, length: int | None = None) -> None:
        if isinstance(value, Array):
            self.data += as_bytes(value[start : None if length is None else start + length])
        else:
            self.data.append(value & 0xFF)

    def toByteArray(self) -> ByteArray:
        return bytes_array(bytes(self.data))

    def size(self) -> int:
        return len(self.data)

    def reset(self) -> None:
        self.data.clear()

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass

    def toString(self, charset: Any = "UTF-8") -> str:
        return bytes(self.data).decode(codec(charset), "replace")


class OutputStream(ByteArrayOutputStream):
    """Any stream to write, as a type."""

    abstract = True
    bases = ()


class GZIPInputStream(ByteArrayInputStream):
    """Bytes of a gzip archive."""

    packages = ("java.util.zip",)
    bases = ("InputStream",)
    constants = {"GZIP_MAGIC": 0x8B1F}

    def __init__(self, below: ByteArrayInputStream) -> None:
        try:
            with gzip.GzipFile(fileobj=below.data) as packed:
                found = packed.read(UNPACKED_MAX + 1)
        except (OSError, EOFError, zlib.error) as raised:
            raise thrown("IOException", str(raised)) from None
        if len(found) > UNPACKED_MAX:
            raise thrown("IOException", f"more than {UNPACKED_MAX} bytes in the archive")
        self.data = io.BytesIO(found)


class ZipEntry(Thing):
    """A file in an archive."""

    packages = ("java.util.zip",)

    def __init__(self, name: str) -> None:
        self.name = name

    def getName(self) -> str:
        return self.name

    def isDirectory(self) -> bool:
        return self.name.endswith("/")


class ZipInputStream(ByteArrayInputStream):
    """A zip archive, file by file."""

    packages = ("java.util.zip",)
    bases = ("InputStream",)

    def __init__(self, below: ByteArrayInputStream) -> None:
        self.data = io.BytesIO()
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(below.data.read()))
            self._left = self._archive.infolist()
        except zipfile.BadZipFile:
            self._left = []  # as in Java: an archive without files

    def getNextEntry(self) -> ZipEntry | None:
        if not self._left:
            return None
        entry = self._left.pop(0)
        if entry.file_size > UNPACKED_MAX:
            raise thrown("IOException", f"more than {UNPACKED_MAX} bytes in the archive")
        try:
            self.data = io.BytesIO(self._archive.read(entry))
        except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError) as raised:
            raise thrown("IOException", str(raised)) from None
        return ZipEntry(entry.filename)

    def closeEntry(self) -> None:
        pass


class ZipOutputStream(Thing):
    """A zip archive that is written to another stream when it is closed."""

    packages = ("java.util.zip",)
    bases = ("OutputStream",)

    def __init__(self, below: ByteArrayOutputStream) -> None:
        self._below = below
        self._packed = io.BytesIO()
        self._archive = zipfile.ZipFile(self._packed, "w", zipfile.ZIP_DEFLATED)
        self._entry: ZipEntry | None = None
        self._data = ByteArrayOutputStream()

    def putNextEntry(self, entry: ZipEntry) -> None:
        self.closeEntry()
        self._entry = entry

    def write(self, value: Any, start: int = 0, length: int | None = None) -> None:
        self._data.write(value, start, length)

    def closeEntry(self) -> None:
        if self._entry is not None:
            self._archive.writestr(zipfile.ZipInfo(self._entry.name), bytes(self._data.data))
        self._entry = None
        self._data.reset()

    def flush(self) -> None:
        pass

    def finish(self) -> None:
        self.close()

    def close(self) -> None:
        if self._archive.fp is not None:
            self.closeEntry()
            self._archive.close()
            self._below.data += self._packed.getvalue()
            self._below.flush()


class InputStreamReader(Thing):
    """Text of a stream."""

    packages = IO
    bases = ("Reader",)

    def __init__(self, below: Any, charset: Any = "UTF-8") -> None:
        self.data = io.StringIO(below.data.read().decode(codec(charset), "replace"))

    def read(self) -> int:
        one = self.data.read(1)
        return ord(one) if one else -1

    def close(self) -> None:
        pass


class StringReader(InputStreamReader):
    """Text to read."""

    bases = ("Reader",)

    def __init__(self, value: str) -> None:
        self.data = io.StringIO(value)


class BufferedReader(InputStreamReader):
    """Lines to read."""

    bases = ("Reader",)

    def __init__(self, below: Any) -> None:
        self.data = below.data

    def readLine(self) -> str | None:
        line = self.data.readline()
        return line.removesuffix("\n").removesuffix("\r") if line else None


class StringWriter(Thing):
    """Text that was written."""

    packages = IO
    bases = ("Writer",)

    def __init__(self) -> None:
        self.value = ""

    def write(self, value: Any) -> None:
        self.value += chr(value) if isinstance(value, int) else text(value)

    def append(self, value: Any) -> StringWriter:
        self.write(Char(value) if isinstance(value, Char) else text(value))
        return self

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass

    def toString(self) -> str:
        return self.value


class PrintWriter(StringWriter):
    """Lines that are written to another writer."""

    bases = ("Writer",)

    def __init__(self, below: StringWriter) -> None:
        super().__init__()
        self._below = below

    def println(self, value: Any = "") -> None:
        self._below.write(f"{text(value)}\n")

    def print(self, value: Any) -> None:
        self._below.write(text(value))


class Logger(Thing):
    """Lines of the log: log4j, slf4j and java.util.logging."""

    names = ("Logger", "LogManager", "LoggerFactory")
    packages = ("org.apache.log4j", "org.slf4j", "java.util.logging", "org.apache.logging.log4j")
    abstract = True

    def __init__(self, name: str) -> None:
        self._log = logger.getChild(name)

    @staticmethod
    def getLogger(name: Any) -> Logger:
        return Logger(text(name))

    def _line(self, level: int, value: Any, cause: Any) -> None:
        more = f": {text(cause)}" if isinstance(cause, Throwable) else ""
        self._log.log(level, "%s%s", text(value), more)

    def debug(self, value: Any, cause: Any = None) -> None:
        self._line(logging.DEBUG, value, cause)

    def info(self, value: Any, cause: Any = None) -> None:
        self._line(logging.INFO, value, cause)

    def warn(self, value: Any, cause: Any = None) -> None:
        self._line(logging.WARNING, value, cause)

    def error(self, value: Any, cause: Any = None) -> None:
        self._line(logging.ERROR, value, cause)

    def isDebugEnabled(self) -> bool:
        return self._log.isEnabledFor(logging.DEBUG)
