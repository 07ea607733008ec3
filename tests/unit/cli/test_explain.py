"""`siftmesh explain` and `siftmesh parse`."""

from __future__ import annotations

from pathlib import Path

import pytest

from siftmesh.cli.main import main


@pytest.fixture
def event(tmp_path: Path) -> Path:
    file = tmp_path / "event.json"
    file.write_text('{"price": 5, "title": "Dune"}')
    return file


def test_a_match_is_explained_with_exit_code_0(event: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "price < 10 AND title = 'Dune'", "--event", str(event)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "the filter matches",
        "  true    all of",
        "    true    price < 10   [price is 5]",
        "    true    title = 'Dune'   [title is 'Dune']",
    ]


def test_a_miss_is_explained_with_exit_code_1(event: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "author = 'Herbert'", "--event", str(event)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "the filter does not match",
        "  unknown author = 'Herbert'   [author is missing]",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[1]", "an event is a mapping, not list"),
        ('{"a": 9223372036854775808}', "at a: an integer of 65 bits needs more than 64"),
        ('{"items": [{"name": 1}]}', "at items: items.name lies inside an array of objects"),
        ('{"a": 1', "not JSON at column 8"),
    ],
)
def test_a_wrong_event_is_refused(
    event: Path, content: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    event.write_text(content)
    assert main(["explain", "items.name = 1", "--event", str(event)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"siftmesh: {event}: {message}")
    assert printed.err.count("\n") == 1


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
