"""Bodies in an object store (OFFLOAD(OBJECT)): one immutable object for each message.

The address is DSGROUP with the owner's name for `*`: `file:///folder/*` needs nothing, other URLs (s3, gs,
az) need the extra `objects`. An object is written before its row and deleted by its owner; checksums are in
the reference. Called by `bodies`. Invariant: an object is never changed.
"""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.store._checksum import crc32c
from penstock.store.body_reference import IN_OBJECT, BodyReference
from penstock.store.failures import file_failure
from penstock.store.files import Files

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.share.facility import Facility

NEEDS_LIBRARY = "needs the package obstore: pip install 'penstock[objects]'"
RETRIES_MAX, RETRY_TIME = 3, timedelta(seconds=10)  # a pipe waits, and others with it


class Store(Protocol):
    """Objects by name below one address."""

    def put(self, name: str, data: bytes) -> None:
        """Write an object, durable on return."""

    def get(self, name: str) -> bytes:
        """Return an object."""

    def delete(self, name: str) -> None:
        """Remove an object; a missing one is not an error."""

    def folders(self, name: str) -> list[str]:
        """Return the names of the folders in a folder, without their path."""

    def names(self, folder: str) -> list[str]:
        """Return the names of the objects in a folder, without their path."""


class FolderStore:
    """Objects as files of one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = Files()

    def put(self, name: str, data: bytes) -> None:
        """Write a file under another name first."""
        path = self._folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as failure:
            raise file_failure(failure, "creating", path.parent) from failure
        self._files.replace(path, path.with_suffix(".new"), data)

    def get(self, name: str) -> bytes:
        """Read a file."""
        try:
            return (self._folder / name).read_bytes()
        except OSError as failure:
            text = f"object {name} of {self._folder}: {failure}"
            raise error(mq.MQRC_DATA_SET_NOT_AVAILABLE, text, path=str(self._folder)) from failure

    def delete(self, name: str) -> None:
        """Remove a file."""
        self._files.unlink(self._folder / name)

    def folders(self, name: str) -> list[str]:
        """Return the folders in a folder; none if it is missing."""
        return [path.name for path in self._in(name) if path.is_dir()]

    def names(self, folder: str) -> list[str]:
        """Return the files in a folder, half-written ones too."""
        return [path.name for path in self._in(folder) if path.is_file()]

    def _in(self, folder: str) -> list[Path]:
        try:
            return list((self._folder / folder).iterdir())
        except FileNotFoundError:
            return []
        except OSError as failure:
            raise file_failure(failure, "listing", self._folder / folder) from failure


class RemoteStore:
    """Objects of S3, Google or Azure, through obstore; keys and endpoint come from the environment."""

    def __init__(self, url: str) -> None:
        try:
            import obstore
            from obstore.store import from_url
        except ImportError as missing:
            raise error(mq.MQRC_DATA_SET_NOT_AVAILABLE, f"{url} {NEEDS_LIBRARY}") from missing
        self._library: Any = obstore
        self._url = url
        retries: Any = {"max_retries": RETRIES_MAX, "retry_timeout": RETRY_TIME}
        self._store: Any = from_url(url, retry_config=retries)

    def put(self, name: str, data: bytes) -> None:
        """Write an object."""
        self._call(self._library.put, name, data)

    def get(self, name: str) -> bytes:
        """Read an object."""
        return bytes(self._call(self._library.get, name).bytes())

    def delete(self, name: str) -> None:
        """Remove an object."""
        self._call(self._library.delete, name)

    def folders(self, name: str) -> list[str]:
        """Return the common prefixes below a prefix."""
        found = self._call(self._library.list_with_delimiter, f"{name}/")
        return [prefix.rstrip("/").rsplit("/", 1)[1] for prefix in found["common_prefixes"]]

    def names(self, folder: str) -> list[str]:
        """Return the objects below a prefix."""
        chunks = self._call(lambda store, prefix: list(self._library.list(store, prefix)), f"{folder}/")
        return [each["path"].rsplit("/", 1)[1] for chunk in chunks for each in chunk]

    def _call(self, action: Any, name: str, *more: Any) -> Any:
        try:
            return action(self._store, name, *more)
        except (OSError, ValueError, RuntimeError, self._library.exceptions.BaseError) as failure:
            text = f"object {name} of {self._url}: {str(failure).splitlines()[0]}"
            raise error(mq.MQRC_DATA_SET_NOT_AVAILABLE, text, path=self._url) from failure


def store_at(url: str) -> Store:
    """Return the objects at an address."""
    parts = urlsplit(url)
    return FolderStore(Path(parts.path)) if parts.scheme == "file" else RemoteStore(url)


class ObjectBodies:
    """The objects of one structure, of all members."""

    def __init__(self, facility: Facility, structure: str, number: int, address: str) -> None:
        self._facility, self._structure, self.number = facility, structure, number
        self._address = address
        self._stores: dict[str, Store] = {}
        self._lock = threading.Lock()
        self._count = 0

    def write(self, body: bytes) -> BodyReference:
        """Write a body as an object of this member."""
        facility = self._facility
        with self._lock:
            self._count += 1
            count = self._count
        reference = BodyReference(
            IN_OBJECT,
            facility.member,
            len(body),
            crc32c(body),
            count,
            facility.incarnation,
            structure=self.number,
        )
        self._at(facility.name).put(self._name(reference), body)
        return reference

    def read(self, reference: BodyReference, owner: str) -> bytes:
        """Return a body; 2561 if it is damaged or missing."""
        body = self._at(owner).get(self._name(reference))
        if (len(body), crc32c(body)) != (reference.length, reference.checksum):
            text = f"object {self._name(reference)} of {self._address} is damaged"
            raise error(mq.MQRC_DATA_SET_NOT_AVAILABLE, text)
        return body

    def free(self, reference: BodyReference, owner: str) -> None:
        """Remove a body that no row refers to."""
        self._at(owner).delete(self._name(reference))

    def of_lives(self, owner: str, last: int) -> dict[tuple[int, int], list[str]]:
        """Return the names of an owner's objects up to a life, by incarnation and number."""
        store = self._at(owner)
        found: dict[tuple[int, int], list[str]] = {}
        for life in store.folders(self._structure):
            if not life.isdecimal() or int(life) > last:
                continue
            for name in store.names(f"{self._structure}/{life}"):
                number = name.partition(".")[0]  # of a file that was being written, too
                if number.isdecimal():
                    path = f"{self._structure}/{life}/{name}"
                    found.setdefault((int(life), int(number)), []).append(path)
        return found

    def remove(self, owner: str, names: Iterable[str]) -> None:
        """Remove objects that no row refers to."""
        store = self._at(owner)
        for name in names:
            store.delete(name)

    def _at(self, owner: str) -> Store:
        with self._lock:
            found = self._stores.get(owner)
            if found is None:
                found = self._stores[owner] = store_at(self._address.replace("*", owner, 1))
            return found

    def _name(self, reference: BodyReference) -> str:
        return f"{self._structure}/{reference.incarnation}/{reference.number}"
