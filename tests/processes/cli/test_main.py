"""The command line's entrance."""

import json
import subprocess
import sys

import pytest

SCRIPT = "import sys; sys.argv[0] = 'penstock'; from penstock.cli.main import main; main()"
pytestmark = pytest.mark.installed


def penstock(*arguments, **options):
    command = [sys.executable, "-c", SCRIPT, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **options)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("qmgr",),
        ("dlq",),
        *[("qmgr", word) for word in ("create", "list", "delete", "status", "backup")],
        *[("dlq", word) for word in ("list", "show", "retry", "move", "export")],
        *[
            (word,)
            for word in ("mqsc", "put", "get", "browse", "trigger-monitor", "explain", "doctor", "demo")
        ],
    ],
    ids=" ".join,
)
def test_every_command_explains_itself(words):
    done = penstock(*words, "--help")

    assert done.returncode == 0, done.stderr
    assert "Usage: penstock" in done.stdout


def test_help_loads_neither_engine_nor_rich():
    probe = (
        "import sys, penstock.cli.main\n"
        "heavy = ('rich', 'msgspec', 'penstock.qmgr', 'penstock.store', 'penstock.admin', 'asyncio')\n"
        "print([name for name in heavy if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


def test_an_unknown_queue_manager_is_one_line_and_exit_1():
    done = penstock("put", "ORDERS", "x", "--qmgr", "NOBODY")

    assert done.returncode == 1
    assert done.stderr.startswith("penstock: 2058 MQRC_Q_MGR_NAME_ERROR")
    assert done.stderr.count("\n") == 1


def test_the_same_in_json():
    done = penstock("qmgr", "status", "NOBODY", "--json")

    assert done.returncode == 1
    assert json.loads(done.stderr)["error"]["reason"] == 2058


def test_mqsc_without_its_queue_manager_is_exit_20():
    assert penstock("mqsc", "NOBODY", "-c", "DISPLAY QMGR").returncode == 20


def test_a_missing_queue_manager_name_is_explained_when_there_is_none():
    done = penstock("get", "ORDERS")

    assert done.returncode == 2
    assert "penstock qmgr create NAME" in done.stderr


def test_version_prints_the_version():
    import penstock as package

    assert penstock("version").stdout == f"{package.__version__}\n"


def test_completion_scripts_are_there():
    done = penstock(
        "--show-completion", "bash", env={"PATH": "", "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    )

    assert "_penstock_completion" in done.stdout or "COMPLETE" in done.stdout


HEAVY = (
    *("rich", "sqlalchemy", "pyspark", "yaml", "lxml", "http.client", "penstock.spark", "penstock.cli.qmgr"),
    *("penstock.flow.importer.building", "penstock.flow.http", "penstock.flow.nodes.xsl_transform"),
    *("penstock.tree.model.xsd", "penstock.esql.parser.program", "penstock.cli.spark"),
    *("pydantic", "penstock.qmgr.putting", "penstock.model.pcf"),
)


def test_a_flow_of_queues_starts_without_what_it_does_not_use(tmp_path):
    """`penstock flow run` imports the nodes of its flow, and no database, Spark, HTTP, YAML or screen."""
    from tests.flow_station import Station

    station = Station(tmp_path)
    words = ("run", "copy", "-p", str(station.project), "-m", "QM1", "--engine", "inline", "--until-empty")
    probe = f"""
import sys, penstock.cli.main as cli
sys.argv = ["penstock", "flow", *{words!r}, "--quiet"]
cli.main.__globals__["say_the_rest"] = lambda: print([name for name in {HEAVY!r} if name in sys.modules])
cli.main()
"""

    station.start()
    try:
        done = subprocess.run(
            [sys.executable, "-c", probe],
            capture_output=True,
            text=True,
            check=True,
            env=station.env,
        )
    finally:
        station.stop()

    assert done.stdout.splitlines()[-1] == "[]"


def test_a_command_line_gets_its_command_alone_and_help_all_of_them():
    from penstock.cli.main import COMMANDS, application

    alone = application(["flow", "run", "x"])
    every = application()

    assert len(alone.registered_groups) + len(alone.registered_commands) == 1
    assert len(alone.registered_groups[0].typer_instance.registered_commands) == 1
    assert len(every.registered_groups) + len(every.registered_commands) == len(COMMANDS)
    assert "Usage: penstock" in penstock("--help").stdout
    assert "No such command 'nothing'" in penstock("nothing").stderr
    assert "No such command 'nothing'" in penstock("flow", "nothing").stderr
