"""What `penstock flow run` gives to Spark: whole paths, and who runs the flow."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from penstock.cli.flow.run import job_for, own_path, show, who

ADDRESS = "mq://host:1414/QM1"


def test_a_checkpoint_on_this_machine_has_a_whole_path() -> None:
    assert own_path("place", "") == str(Path("place").resolve())
    assert own_path("place", "spark://host:7077") == "place"
    assert own_path("s3a://bucket/place", "") == "s3a://bucket/place"
    assert own_path("", "") == ""


def test_workers_are_told_who_runs_the_flow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("pear tree\n")
    monkeypatch.setenv("PENSTOCK_USER", "ann")
    monkeypatch.setenv("PENSTOCK_PASSWORD_FILE", str(tmp_path / "secret"))

    at_address = who(job_for(".", "orders", ADDRESS, {}, True, False))

    assert at_address == {"user": "ann", "passwordFile": str(tmp_path / "secret")}
    assert who(job_for(".", "orders", "QM1", {}, True, False)) == {}


def test_a_password_that_was_typed_does_not_go_to_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_USER", "ann")
    monkeypatch.delenv("PENSTOCK_PASSWORD_FILE", raising=False)
    monkeypatch.setattr(typer, "prompt", lambda *_, **__: "pear tree")

    with pytest.raises(typer.BadParameter, match="--password-file"):
        who(job_for(".", "orders", ADDRESS, {}, True, False))


@pytest.mark.parametrize(("messages", "rated"), [(1, False), (99, False), (100, True)])
def test_a_rate_is_shown_for_enough_messages(
    capsys: pytest.CaptureFixture[str], messages: int, rated: bool
) -> None:
    facts = {"messages": messages, "seconds": 0.5, "rate": messages / 0.5, "outputs": 1, "engine": "inline"}
    show({**facts, "failed": 0, "given_up": 0, "lost": 0}, as_json=False)

    assert ("a second" in capsys.readouterr().out) == rated
