"""Lists for people and for programs."""

import json

from penstock.cli.printing import show_columns, show_facts, show_json, visible


def test_columns_are_as_wide_as_their_widest_value_and_never_cut(capsys):
    show_columns(("name", "depth"), [("A" * 60, 5), ("B", None)])

    lines = capsys.readouterr().out.splitlines()
    assert lines == ["NAME".ljust(60) + "  DEPTH", "A" * 60 + "  5", "B"]


def test_bytes_and_tuples_become_json(capsys):
    show_json({"id": b"\x01\x02", "names": ("a", "b")})

    assert json.loads(capsys.readouterr().out) == {"id": "0102", "names": ["a", "b"]}


def test_groups_of_facts_are_indented_under_their_name(capsys):
    show_facts({"a": 1, "log": {"used": 2}, "queues": [{"name": "Q"}]})

    assert capsys.readouterr().out == "a       1\nlog\n  used  2\nqueues\n  name  Q\n"


def test_control_characters_do_not_reach_the_terminal(capsys):
    show_columns(("name",), [("a\x1b[2J\nb",)])
    show_facts({"body": "one\ntwo\x9b\r\u202e"})

    assert capsys.readouterr().out == "NAME\na\\x1b[2J\\nb\nbody  one\ntwo\\x9b\\r\\u202e\n"
    assert visible("Grüße \N{SNOWMAN}") == "Grüße \N{SNOWMAN}"
