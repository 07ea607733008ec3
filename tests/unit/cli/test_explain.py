"""`siftmesh test`, `siftmesh explain` and `siftmesh parse`."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from siftmesh.cli.main import main


@pytest.fixture
def event(tmp_path: Path) -> Path:
    file = tmp_path / "event.json"
    file.write_text('{"price": 5, "title": "Dune"}')
    return file


# ---- test


def test_a_match_is_told_with_what_makes_it_one(event: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test", "price < 10 AND title = 'Dune'", "--event", str(event)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "match",
        "  price < 10 is true (price is 5)",
        "  title = 'Dune' is true (title is 'Dune')",
    ]


def test_a_miss_is_told_with_what_prevents_a_match(event: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["test", "price < 10 AND author = 'Herbert' AND title = 'Emma'", "--event", str(event)]
    assert main(arguments) == 1
    assert capsys.readouterr().out.splitlines() == [
        "no match",
        "  author = 'Herbert' is unknown (author is missing)",
        "  title = 'Emma' is false (title is 'Dune')",
    ]


def test_the_same_as_json(event: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test", "price < 10", "--event", str(event), "--json"]) == 0
    reason = {"asks": "price < 10", "truth": "true", "operator": "<", "operand": 10, "saw": {"price": 5}}
    assert json.loads(capsys.readouterr().out) == {"matches": True, "reasons": [{**reason, "missing": []}]}
    assert main(["test", "price < 1", "--event", str(event), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["matches"] is False


def test_a_filter_of_another_dialect(event: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test", '{"price": [5]}', "--dialect", "eventbridge", "--event", str(event)]) == 0
    assert main(["test", '{"price": [6]}', "--dialect", "eventbridge", "--event", str(event)]) == 1
    assert capsys.readouterr().err == ""


def test_to_test_a_filter_nothing_has_to_be_compiled(event: Path) -> None:
    program = (
        "import sys\n"
        "from siftmesh.cli.main import main\n"
        "assert main(['test', 'price < 10', '--event', sys.argv[1]]) == 0\n"
        "assert 'numba' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(event)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


# ---- events


@pytest.mark.parametrize("command", ["test", "explain"])
def test_an_event_can_stand_on_the_command_line(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "price < 10", "--event", ' {"price": 5}']) == 0
    assert main([command, "price < 10", "--event", '{"price": 50}']) == 1
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("command", ["test", "explain"])
def test_an_event_can_come_from_standard_input(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for price, code in ((5, 0), (50, 1)):
        text = json.dumps({"price": price}).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        assert main([command, "price < 10", "--event", "-"]) == code


@pytest.mark.parametrize("command", ["test", "explain"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[1]", "an event is a JSON object; give one, such as "),
        ('"{}"', "an event is a JSON object; give one, such as "),
        ('{"a": 9223372036854775808}', "at a: an integer of 65 bits needs more than 64"),
        ('{"items": [{"name": 1}]}', "at items: items.name lies inside an array of objects"),
        ('{"a": 1', "not JSON at column 8"),
    ],
)
def test_a_wrong_event_is_refused(
    event: Path, content: str, message: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    event.write_text(content)
    for given, name in [(str(event), str(event)), (content, "--event")][: 1 + content.startswith("{")]:
        assert main([command, "items.name = 1", "--event", given]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.startswith(f"siftmesh: {name}: {message}")
        assert printed.err.count("\n") == 1


@pytest.mark.parametrize("command", ["test", "explain"])
def test_a_wrong_filter_is_refused(command: str, event: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "price <", "--event", str(event)]) == 2
    assert capsys.readouterr() == (
        "",
        "siftmesh: the filter ends too early at column 8; expected an attribute, a constant, a function, NOT"
        " or an opening parenthesis\n",
    )


# ---- explain


@pytest.mark.parametrize(
    ("index", "where"),
    [("scan", "every event and looked at it"), ("adaptive", "title = 'Dune' and looked at it")],
)
def test_a_match_is_explained_with_exit_code_0(
    index: str, where: str, event: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["explain", "price < 10 AND title = 'Dune'", "--event", str(event), "--index", index]
    assert main(arguments) == 0
    assert capsys.readouterr().out.splitlines() == [
        "the filter matches",
        "  true    all of",
        "    true    price < 10   [price is 5]",
        "    true    title = 'Dune'   [title is 'Dune']",
        f"the index waits for {where}",
    ]


def test_a_miss_is_explained_with_exit_code_1(event: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["explain", "author = 'Herbert'", "--event", str(event), "--index", "adaptive"]
    assert main(arguments) == 1
    assert capsys.readouterr().out.splitlines() == [
        "the filter does not match",
        "  unknown author = 'Herbert'   [author is missing]",
        "the index waits for author = 'Herbert' and did not look at it",
    ]
    assert main([*arguments, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["matches"], told["access"], told["skipped"]) == (False, "author = 'Herbert'", True)
    assert told["verdict"]["missing"] == ["author"]


# ---- parse


@pytest.mark.parametrize(
    ("text", "read_as", "normal_form"),
    [
        ("b=2 and not a>1", "b = 2 AND NOT a > 1", "a <= 1 AND b = 2"),
        ("a = 1d", "a = 86400", "a = 86400"),
        ("a < 1 AND a > 2", "a < 1 AND a > 2", "FALSE"),
    ],
)
def test_a_filter_is_shown_as_read_and_in_normal_form(
    text: str, read_as: str, normal_form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["parse", text]) == 0
    assert capsys.readouterr().out == f"read as      {read_as}\nnormal form  {normal_form}\n"


@pytest.mark.parametrize(
    ("dialect", "text", "normal_form"),
    [
        ("jms", "price BETWEEN 1 AND 2", "price"),
        ("eventbridge", '{"price": [1]}', "price"),
        ("cloudevents", '{"exact": {"type": "x"}}', "type = 'x'"),
    ],
)
def test_filters_of_other_dialects(
    dialect: str, text: str, normal_form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["parse", text, "--dialect", dialect]) == 0
    assert normal_form in capsys.readouterr().out


def test_the_schema_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text('{"price": "float"}')
    assert main(["parse", "price < 1", "--schema", str(schema)]) == 0
    assert main(["parse", "prise < 1", "--schema", str(schema)]) == 2
    assert (
        capsys.readouterr().err
        == "siftmesh: there is no attribute prise at column 1; expected price perhaps\n"
    )


@pytest.mark.parametrize("command", ["test", "explain"])
def test_an_event_that_is_nothing_is_refused(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "a = 1", "--event", ""]) == 2
    assert capsys.readouterr().err.startswith("siftmesh: --event is empty; give a JSON object")


@pytest.mark.parametrize("command", ["test", "explain"])
def test_infinity_is_told_as_such(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "a < 5", "--event", '{"a": 1e999}', "--json"]) == 1
    assert '"saw":{"a":"Infinity"}' in capsys.readouterr().out
