"""The error log that operators read."""

import json
import threading

from penstock.host.monitoring.error_log import ErrorLog


def lines_of(folder):
    """Return the lines of all error logs, oldest first."""
    logs = sorted(folder.glob("AMQERR*.LOG"), reverse=True)
    return [line for log in logs for line in log.read_text("utf-8").splitlines()]


def test_an_entry_shows_id_time_severity_text_explanation_and_action(tmp_path):
    ErrorLog(tmp_path, "QM1").write(
        "AMQ8004I", "Queue manager QM1 ended.", "It was asked to.", "None.", now=0.0
    )

    text = (tmp_path / "AMQERR01.LOG").read_text()

    assert "1970-01-01T00:00:00.000+00:00" in text
    assert "QMgr(QM1) information" in text
    assert "AMQ8004I: Queue manager QM1 ended." in text
    assert "EXPLANATION:\nIt was asked to.\nACTION:\nNone.\n" in text


def test_json_lines_hold_the_same(tmp_path):
    ErrorLog(tmp_path, "QM1", json_lines=True).write("AMQ6119S", "A sync failed.", now=1.5)

    entry = json.loads((tmp_path / "AMQERR01.LOG").read_text())

    assert entry["id"] == "AMQ6119S"
    assert entry["severity"] == "severe"
    assert entry["time"] == "1970-01-01T00:00:01.500+00:00"


def test_three_files_rotate_and_the_first_is_the_newest(tmp_path):
    log = ErrorLog(tmp_path, "QM1", json_lines=True, file_bytes_max=400)

    for number in range(20):
        log.write("AMQ0001I", f"entry {number}", now=0.0)

    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "AMQERR01.LOG",
        "AMQERR02.LOG",
        "AMQERR03.LOG",
    ]
    numbers = [int(json.loads(line)["text"].split()[1]) for line in lines_of(tmp_path)]
    assert numbers == list(range(numbers[0], 20))
    assert all(path.stat().st_size < 800 for path in tmp_path.iterdir())


def test_entries_of_many_threads_stay_whole(tmp_path):
    log = ErrorLog(tmp_path, "QM1", json_lines=True)
    threads = [
        threading.Thread(target=lambda: [log.write("AMQ0001I", "x" * 200, now=0.0) for _ in range(20)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [json.loads(line)["text"] for line in lines_of(tmp_path)] == ["x" * 200] * 80


def test_a_log_that_cannot_be_written_stops_nobody(tmp_path, caplog):
    ErrorLog(tmp_path / "missing", "QM1").write("AMQ0001I", "unheard")

    assert "error_log_not_written" in caplog.text
