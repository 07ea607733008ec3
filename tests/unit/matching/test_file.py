"""Files of arrays: what comes out is what went in, or it is said what is wrong with the file."""

from __future__ import annotations

import errno
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec
import numpy as np
import pytest

from siftmesh.errors import ConfigError, DamagedData
from siftmesh.matching.file import MAGIC, VERSION, load, save
from tests.effort import effort

ARRAYS: dict[str, Any] = {
    "words": np.arange(-40, 60, dtype=np.int32),
    "nothing": np.zeros(0, np.int32),
    "longs": np.array([0, 1, -1, 2**62], np.int64),
    "heap": np.frombuffer(b"some text", np.uint8),
    "doubles": np.array([0.5, -0.0, float("nan"), float("inf")]),
    "last": np.zeros(0, np.uint8),
}
META = {"ids": ["a", 1, None, 2.5, True], "é": {"x": [[]]}}


def written(path: Path) -> bytes:
    save(path, ARRAYS, META)
    return path.read_bytes()


def some_of(count: int, rng: random.Random) -> list[int]:
    """Some numbers below another, in order, the first and the last among them."""
    chosen = rng.sample(range(count), min(count, effort(300)))
    return sorted({0, *chosen, count - 1})


def refused(path: Path) -> str | None:
    try:
        load(path)
    except DamagedData as error:
        return str(error)
    return None


def same(arrays: dict[str, Any]) -> bool:
    return list(arrays) == list(ARRAYS) and all(
        arrays[name].dtype == array.dtype and arrays[name].tobytes() == array.tobytes()
        for name, array in ARRAYS.items()
    )


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    for path in (tmp_path / "index", str(tmp_path / "an índex.sift")):
        save(path, ARRAYS, META)
        arrays, meta = load(path)
        assert same(arrays)
        assert meta == META
    assert sorted(one.name for one in tmp_path.iterdir()) == ["an índex.sift", "index"]


def test_there_may_be_nothing_in_it(tmp_path: Path) -> None:
    save(tmp_path / "index", {}, {})
    assert load(tmp_path / "index") == ({}, {})


def test_views_are_saved_as_what_is_seen(tmp_path: Path) -> None:
    grid = np.arange(20, dtype=np.int64).reshape(4, 5)
    save(tmp_path / "index", {"steps": grid[:, ::2], "back": grid[0, ::-1]}, {})
    arrays, _ = load(tmp_path / "index")
    assert arrays["steps"].tolist() == grid[:, ::2].ravel().tolist()
    assert arrays["back"].tolist() == [4, 3, 2, 1, 0]


def test_arrays_lie_where_processors_like_them(tmp_path: Path) -> None:
    save(tmp_path / "index", ARRAYS, META)
    arrays, _ = load(tmp_path / "index")
    assert all(array.ctypes.data % 64 == 0 for array in arrays.values() if len(array))


def test_a_damaged_byte_is_noticed_or_harmless(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    path = tmp_path / "index"
    whole = written(path)
    harmless = 0
    for place in some_of(len(whole), rng):
        damaged = bytearray(whole)
        damaged[place] ^= rng.choice([1, 0x80, 0xFF])
        path.write_bytes(damaged)
        told = refused(path)
        if told is None:
            # Nothing stands there.
            assert whole[place] == 0
            arrays, meta = load(path)
            assert same(arrays)
            assert meta == META
            harmless += 1
        else:
            assert told.startswith(f"{path}: ")
    assert harmless < effort(300) // 3


def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "index"
    whole = written(path)
    for length in some_of(len(whole), random.Random(seed)):
        path.write_bytes(whole[:length])
        with pytest.raises(DamagedData) as caught:
            load(path)
        assert str(caught.value).startswith(f"{path}: ")
    assert "the file is cut off: it has" in str(caught.value)
    # What somebody has put behind it is none of ours.
    path.write_bytes(whole + b"more")
    assert same(load(path)[0])


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "this is no index of Siftmesh: it has only 0 bytes"),
        (b"SIFTMESH", "this is no index of Siftmesh: it has only 8 bytes"),
        (b"PAR1" + bytes(100), "this is no index of Siftmesh: it begins with b'PAR1\\x00\\x00\\x00\\x00'"),
        (b"siftmesh" + bytes(100), "this is no index of Siftmesh: it begins with b'siftmesh'"),
        (MAGIC + b"\xff" * 100, "the header is damaged"),
        (MAGIC + bytes(100), "the header is damaged"),
    ],
)
def test_a_foreign_file_is_refused(tmp_path: Path, data: bytes, sentence: str) -> None:
    path = tmp_path / "index"
    path.write_bytes(data)
    with pytest.raises(DamagedData) as caught:
        load(path)
    assert str(caught.value) == f"{path}: {sentence}"


def with_header(header: bytes, rest: bytes = b"") -> bytes:
    return MAGIC + len(header).to_bytes(8, "little") + crc32(header).to_bytes(8, "little") + header + rest


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        (
            {"version": VERSION + 1, "new": 1},
            f"the index has version {VERSION + 1}, known is version {VERSION}",
        ),
        ({}, f"the index has version None, known is version {VERSION}"),
        ([], f"the index has version None, known is version {VERSION}"),
        ({"version": VERSION}, "the header is damaged"),
        (
            {
                "version": VERSION,
                "byteorder": "little",
                "size": 0,
                "meta": {},
                "arrays": [["a", "?", 0, 0, 0]],
            },
            "the header is damaged",
        ),
        (
            {
                "version": VERSION,
                "byteorder": "little",
                "size": 8,
                "meta": {},
                "arrays": [["a", "q", 5, 0, 0]],
            },
            "the header is damaged",
        ),
        (
            {
                "version": VERSION,
                "byteorder": "little",
                "size": 8,
                "meta": {},
                "arrays": [["a", "q", -1, 0, 0]],
            },
            "the header is damaged",
        ),
        (None, "the header is damaged"),
    ],
)
def test_a_header_of_another_program_is_refused(tmp_path: Path, header: Any, sentence: str) -> None:
    path = tmp_path / "index"
    text = b"no JSON" if header is None else msgspec.json.encode(header)
    path.write_bytes(with_header(text, bytes(16)))
    with pytest.raises(DamagedData) as caught:
        load(path)
    assert str(caught.value) == f"{path}: {sentence}"


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    with pytest.raises(ConfigError) as caught:
        load(missing)
    assert str(caught.value) == f"{missing}: cannot be read: No such file or directory"
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load(tmp_path)


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    place = tmp_path / "nowhere" / "index"
    with pytest.raises(ConfigError) as caught:
        save(place, ARRAYS, META)
    assert str(caught.value) == f"{place}: cannot be written: No such file or directory"
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ConfigError, match="cannot be written: Not a directory"):
        save(tmp_path / "file" / "index", ARRAYS, META)
    (tmp_path / "folder" / "full").mkdir(parents=True)
    with pytest.raises(ConfigError, match="cannot be written: "):
        save(tmp_path / "folder", ARRAYS, META)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "folder"]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_folder_that_is_read_only_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o500)
    with pytest.raises(ConfigError, match="cannot be written: Permission denied"):
        save(folder / "index", ARRAYS, META)


@pytest.mark.parametrize("wrong", [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), KeyboardInterrupt()])
def test_a_file_stays_what_it_was_until_the_new_one_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: BaseException
) -> None:
    path = tmp_path / "index"
    before = written(path)

    def fail(_: int) -> None:
        raise wrong

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ConfigError if isinstance(wrong, OSError) else KeyboardInterrupt) as caught:
        save(path, {"words": ARRAYS["words"][:5]}, {})
    if isinstance(wrong, OSError):
        assert str(caught.value) == f"{path}: cannot be written: No space left on device"
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_what_no_file_can_hold_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    for arrays, meta in (({}, {"thing": object()}), ({"a": np.zeros(1, np.complex128)}, {})):
        with pytest.raises((TypeError, KeyError)):
            save(tmp_path / "index", arrays, meta)
    assert not list(tmp_path.iterdir())


def test_who_writes_to_an_array_does_not_write_to_the_file(tmp_path: Path) -> None:
    path = tmp_path / "index"
    before = written(path)
    arrays, _ = load(path)
    others, _ = load(path)
    for array in arrays.values():
        assert array.flags.writeable
        array[:] = 7
    assert arrays["words"].tolist() == [7] * 100
    assert same(others)
    assert path.read_bytes() == before
    del arrays, others
    assert path.read_bytes() == before


def test_a_new_file_leaves_those_who_have_the_old_one_alone(tmp_path: Path) -> None:
    path = tmp_path / "index"
    save(path, ARRAYS, META)
    arrays, _ = load(path)
    # It may even be made of the arrays of the old one.
    save(path, {"words": arrays["words"][:5]}, {"new": True})
    assert same(arrays)
    assert load(path)[1] == {"new": True}
    path.unlink()
    assert same(arrays)


OTHER = """
import sys
from siftmesh.matching.file import load

arrays, meta = load(sys.argv[1])
words = arrays["words"]
print(int(words.sum()), flush=True)
words += 1
sys.stdin.readline()  # until the other process has looked
print(int(words.sum()), flush=True)
with open("/proc/self/smaps") as lines:
    inside = False
    for line in lines:
        if line.rstrip().endswith(sys.argv[1]):
            inside = True
        elif inside and line.startswith("Private_Dirty:"):
            print(int(line.split()[1]) * 1024, flush=True)
            break
"""


def test_processes_share_a_file_and_do_not_see_what_others_write(tmp_path: Path) -> None:
    path = tmp_path / "index"
    big = np.ones(1 << 20, np.int64)
    save(path, {"words": ARRAYS["words"], "big": big}, META)
    arrays, _ = load(path)
    before = path.read_bytes()
    expected = int(ARRAYS["words"].sum())
    with subprocess.Popen(
        [sys.executable, "-c", OTHER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        assert int(other.stdout.readline()) == expected
        assert int(arrays["words"].sum()) == expected
        arrays["words"][0] += 1_000
        print(file=other.stdin, flush=True)
        assert int(other.stdout.readline()) == expected + len(ARRAYS["words"])
        private = other.stdout.readline()
    assert other.returncode == 0
    if private:
        # What was not written to is not copied, though all of it was read.
        assert int(private) < big.nbytes // 4
    assert path.read_bytes() == before


def test_a_file_keeps_its_mode_and_a_link_its_target(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    save(target, {}, {"first": 1})
    target.chmod(0o600)
    link.symlink_to(target)
    save(link, {}, {"second": 2})
    assert link.is_symlink()
    assert load(target)[1] == {"second": 2}
    assert target.stat().st_mode & 0o777 == 0o600


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for place in (pipe, tmp_path):
        with pytest.raises(ConfigError, match="cannot be written: it is no file"):
            save(place, {}, {})
    assert pipe.is_fifo()


@pytest.mark.parametrize("path", [None, 5, "", "/", "a\0b", "\ud800"])
def test_what_is_no_path_is_refused(path: Any) -> None:
    for use in (load, lambda path: save(path, {}, {})):
        with pytest.raises(ConfigError, match="is no path; give the name of a file"):
            use(path)


def test_numbers_of_another_order_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = {"little": "big", "big": "little"}[sys.byteorder]
    with monkeypatch.context() as patch:
        patch.setattr(sys, "byteorder", other)
        save(tmp_path / "file", {}, {})
    with pytest.raises(DamagedData, match=f"the numbers are {other}-endian, here they are {sys.byteorder}"):
        load(tmp_path / "file")
