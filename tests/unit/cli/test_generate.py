import argparse
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from siftmesh.cli import generate
from siftmesh.cli.main import main
from siftmesh.workload import auction, ranges, subscriptions


def command(*words):
    return main(["generate", *map(str, words)])


def test_auctions_as_parquet(tmp_path, capsys):
    out = tmp_path / "new" / "folder"
    assert command("auctions", "--events", 70_000, "--subscriptions", 50, "--seed", 3, "--out", out) == 0
    model = auction.AuctionModel()
    assert pq.read_table(out / "events.parquet").equals(
        pa.Table.from_batches(auction.events(model, 70_000, 3))
    )
    stored = pq.read_table(out / "subscriptions.parquet")
    assert stored.equals(subscriptions.texts(subscriptions.mixed(50, 3, model)))
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        f"{out / 'events.parquet'}  70,000 rows",
        f"{out / 'subscriptions.parquet'}  50 rows",
    ]
    assert printed.err == ""
    assert sorted(path.name for path in out.iterdir()) == ["events.parquet", "subscriptions.parquet"]


def test_ranges_as_json_lines(tmp_path):
    assert (
        command("ranges", "--events", 30, "--subscriptions", 5, "--format", "jsonl", "--out", tmp_path) == 0
    )
    lines = (tmp_path / "events.jsonl").read_text().splitlines()
    (batch,) = ranges.events(ranges.RangeModel(), 30, 1)
    assert [json.loads(line) for line in lines] == batch.to_pylist()
    lines = (tmp_path / "subscriptions.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == ranges.texts(ranges.RangeModel(), 5, 1).to_pylist()


def test_names_are_words_in_json_lines(tmp_path):
    assert (
        command("auctions", "--events", 3, "--subscriptions", 0, "--format", "jsonl", "--out", tmp_path) == 0
    )
    (batch,) = auction.events(auction.AuctionModel(), 3, 1)
    lines = (tmp_path / "events.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == batch.to_pylist()
    assert (tmp_path / "subscriptions.jsonl").read_bytes() == b""


def test_parameters_come_with_their_templates(tmp_path):
    words = ("--events", 1, "--subscriptions", 40, "--classes", "1,collector-inferred", "--parameters")
    assert command("auctions", *words, "--out", tmp_path) == 0
    parts = subscriptions.mixed(40, 1, auction.AuctionModel(), ("1", "collector-inferred"))
    assert json.loads((tmp_path / "templates.json").read_text()) == {p.name: p.template for p in parts}
    for part in parts:
        assert pq.read_table(tmp_path / f"parameters-{part.name}.parquet").equals(part.parameters)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("auctions", "--events", "-1"), "--events is -1 (expected at least 0)"),
        (("ranges", "--seed", "-5"), "--seed is -5 (expected at least 0)"),
        (("auctions", "--classes", "colector"), "did you mean 'collector'?"),
        (("auctions", "--classes", "1,1"), "the classes are 1, 1 (expected one or more, each once)"),
        (("ranges", "--classes", "1"), "--classes and --parameters are for auctions"),
        (("ranges", "--parameters"), "--classes and --parameters are for auctions"),
    ],
)
def test_a_wrong_option_is_one_line_and_nothing_is_written(words, message, tmp_path, capsys):
    out = tmp_path / "out"
    assert command(*words, "--out", out) == 2
    error = capsys.readouterr().err
    assert error.startswith("siftmesh: ")
    assert message in error
    assert error.count("\n") == 1
    assert not out.exists()


def test_a_directory_that_cannot_be_is_one_line(tmp_path, capsys):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    assert command("auctions", "--events", 1, "--out", blocked) == 2
    assert capsys.readouterr().err == (
        f"siftmesh: {blocked}: cannot be written: File exists; choose another --out\n"
    )


def test_a_file_that_fails_half_way_leaves_the_old_one(tmp_path):
    path = tmp_path / "events.parquet"
    path.write_text("old")
    batch = pa.record_batch({"a": pa.array([1])})

    def broken():
        yield batch
        raise ValueError("no second batch")

    args = argparse.Namespace(out=tmp_path, format="parquet")
    with pytest.raises(ValueError, match="no second batch"):
        generate._write(args, "events", batch.schema, broken(), total=2)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
