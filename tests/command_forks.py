"""Commands of penstock in processes of their own that start quickly: forks of one that has imported them.

Python and the modules of a command cost half a second of processor time, and the tests run more than a
thousand commands. The first `Command` of a test process starts this file as a program; it imports what
commands need, and forks for each. A fork has the arguments, environment, folder and files of its command; at
its end it does what every Python does, but leaves its modules to the system. What a real start must show
(imports, exit codes, the installed script) `tests/processes/cli/test_main.py` and the documentation's pages
show with real ones. Programs of the crash tests are run in the same way, by the name of their module.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Self

COMMAND_LINE = "penstock.cli.main"
ROOT = str(Path(__file__).resolve().parents[1])
FILES = 4  # that come with a request: input, output, errors, and where its end is told
LENGTH = struct.Struct("!I")
SECONDS = 120.0  # for a command that comes to its end by itself
NUMBER = struct.Struct("!i")
MODULES = (  # with what they import, most of what commands need; rooms whose packages are large are not here
    "penstock.serve.serving",
    "penstock.cli.main",
    "penstock.cli.printing",
    "penstock.cli.connecting",
    "penstock.cli.qmgr.start",
    "penstock.cli.service_notice",
    "penstock.client.connect",
    "penstock.admin.mqsc",
    "penstock.face.blocking",
    "penstock.flow",
    "penstock.flow.open_project",
    "penstock.flow.broker.home",
    "penstock.flow.broker.deployments",
    "penstock.host.starting",
    "penstock.tools.health",
    "penstock.tools.doctor",
    "penstock.tools.dead_letters",
    "penstock.flow.running.coordination",
    "penstock.flow.aggregation.on_queues",
    "sqlalchemy.dialects.postgresql.psycopg",
    "typer.rich_utils",
)


class Command:
    """A command of penstock that runs: as much of `subprocess.Popen` as the tests use."""

    def __init__(
        self,
        words: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        stdin: int | IO[Any] | None = None,
        stdout: int | IO[Any] | None = None,
        stderr: int | IO[Any] | None = None,
        cwd: str | Path | None = None,
        text: bool = False,
        start_new_session: bool = False,
        module: str = COMMAND_LINE,
    ) -> None:
        self.args = list(words)
        self.returncode: int | None = None
        self._lock = threading.Lock()
        self._end, told = socket.socketpair()
        given: list[int] = []
        self.stdin, read = _pipe(stdin, 0, text, given)
        self.stdout, written = _pipe(stdout, 1, text, given)
        self.stderr, complained = (
            (None, written) if stderr == subprocess.STDOUT else _pipe(stderr, 2, text, given)
        )
        request = {
            "words": self.args,
            "env": dict(os.environ if env is None else env),
            "cwd": str(cwd or Path.cwd()),
            "session": start_new_session,
            "module": module,
        }
        try:
            _send(request, [read, written, complained, told.fileno()])
        finally:
            told.close()
            for file in given:
                os.close(file)
        self.pid = NUMBER.unpack(_read(self._end, NUMBER.size))[0]

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def wait(self, timeout: float | None = None) -> int:
        with self._lock:
            if self.returncode is None:
                if not select.select([self._end], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
                self.returncode = NUMBER.unpack(_read(self._end, NUMBER.size))[0]
                self._end.close()
            return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, input: Any = None, timeout: float | None = None) -> tuple[Any, Any]:
        """Give it its input, read to its end what it writes, and wait for it."""
        found: dict[str, Any] = {"stdout": None, "stderr": None}
        readers = [
            threading.Thread(target=self._drain, args=(name, found), daemon=True)
            for name in found
            if getattr(self, name) is not None
        ]
        for reader in readers:
            reader.start()
        if self.stdin is not None:
            with contextlib.suppress(BrokenPipeError), self.stdin:
                if input is not None:
                    self.stdin.write(input)
        self.wait(timeout)
        for reader in readers:
            reader.join(timeout)
            if reader.is_alive():
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        return found["stdout"], found["stderr"]

    def _drain(self, name: str, found: dict[str, Any]) -> None:
        with getattr(self, name) as file:
            found[name] = file.read()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for file in (self.stdin, self.stdout, self.stderr):
            if file is not None:
                file.close()
        self.wait()


def run_command(
    *words: str,
    env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
    input: Any = None,
    text: bool = True,
    timeout: float = SECONDS,
    module: str = COMMAND_LINE,
) -> subprocess.CompletedProcess[Any]:
    """Run a command to its end, and return its code and what it wrote."""
    stdin = subprocess.DEVNULL if input is None else subprocess.PIPE
    kinds = {"stdin": stdin, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = Command(words, env=env, cwd=cwd, text=text, module=module, **kinds)
    try:
        out, err = command.communicate(input, timeout)
    except subprocess.TimeoutExpired:
        command.kill()
        raise
    return subprocess.CompletedProcess(command.args, command.wait(), out, err)


def _pipe(kind: Any, number: int, text: bool, given: list[int]) -> tuple[Any, int]:
    """Return our end of a file of the command, if there is one, and the number of its own end."""
    if kind is None:
        return None, number
    if kind == subprocess.DEVNULL:
        given.append(os.open(os.devnull, os.O_RDWR))
        return None, given[-1]
    if kind != subprocess.PIPE:
        return None, kind if isinstance(kind, int) else kind.fileno()
    reading, writing = os.pipe()
    given.append(writing if number else reading)
    ours, mode = (reading, "r") if number else (writing, "w")
    return os.fdopen(ours, mode if text else f"{mode}b"), given[-1]


# -- the test's end of the line ----------------------------------------------------------------------

_line: socket.socket | None = None
_starting = threading.Lock()


def _send(request: dict[str, Any], files: list[int]) -> None:
    global _line
    with _starting:
        if _line is None:
            _line = _start()
        message = json.dumps(request).encode()
        socket.send_fds(_line, [LENGTH.pack(len(message))], files)
        _line.sendall(message)


def _start() -> socket.socket:
    ours, theirs = socket.socketpair()
    with theirs:
        program = [sys.executable, __file__, str(theirs.fileno())]
        # not in the folder or the home of one test, and without what the terminal signals
        origin = subprocess.Popen(program, pass_fds=[theirs.fileno()], start_new_session=True)

    def end() -> None:
        ours.close()
        origin.wait()

    atexit.register(end)
    return ours


def _read(line: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        more = line.recv(size - len(found))
        if not more:
            raise AssertionError("the process that commands are forked from has ended")
        found += more
    return found


# -- the process that commands are forked from ---------------------------------------------------------


def serve(line: socket.socket) -> Callable[[], None] | None:
    """Fork for every request, and tell how forks end; in a fork, return what it has to do."""
    running: dict[int, int] = {}
    woken, wake = socket.socketpair()
    for end in (woken, wake):
        end.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    while True:
        ready = select.select([line, woken], [], [])[0]
        if woken in ready:
            with contextlib.suppress(BlockingIOError):
                woken.recv(4096)
        tell_ends(running)
        if line in ready:
            message, files, _, _ = socket.recv_fds(line, LENGTH.size, FILES)
            if not message:
                return None
            request = json.loads(_read(line, LENGTH.unpack(message)[0]))
            process = os.fork()
            if not process:
                return lambda: become(request, files)
            os.write(files[3], NUMBER.pack(process))
            running[process] = files[3]
            for file in files[:3]:
                os.close(file)


def tell_ends(running: dict[int, int]) -> None:
    while running:
        process, status = os.waitpid(-1, os.WNOHANG)
        if not process:
            return
        told = running.pop(process)
        with contextlib.suppress(OSError):
            os.write(told, NUMBER.pack(os.waitstatus_to_exitcode(status)))
        os.close(told)


def become(request: dict[str, Any], files: list[int]) -> None:
    """Be the command."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if request["session"]:
        os.setsid()
    for number, file in enumerate(files[:3]):
        os.dup2(file, number)
    os.closerange(3, max(int(each.name) for each in Path("/dev/fd").iterdir()) + 1)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", 1 if os.isatty(1) else -1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.argv = ["penstock", *request["words"]]

    if request["module"] != COMMAND_LINE:
        sys.path.insert(0, ROOT)
        runpy.run_module(request["module"], run_name="__main__", alter_sys=True)
    else:
        importlib.import_module(COMMAND_LINE).main()


def end_with(work: Callable[[], None]) -> None:
    """Do it and end as Python does, except for taking its modules apart, which would copy them first."""
    code = 0
    try:
        work()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException as failure:  # noqa: BLE001  shown, as at the end of every Python
        sys.excepthook(type(failure), failure, failure.__traceback__)
        code = -signal.SIGINT if isinstance(failure, KeyboardInterrupt) else 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for file in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            file.flush()
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def main() -> None:
    sys.path.pop(0)  # the folder of the tests
    line = socket.socket(fileno=int(sys.argv[1]))
    for module in MODULES:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()  # a fork's collections leave alone what it shares
    work = serve(line)
    if work is not None:
        end_with(work)


if __name__ == "__main__":
    main()
