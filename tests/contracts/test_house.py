"""The rules of the house, as tests: what a reviewer would otherwise have to remember."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
PACKAGE = SRC / "siftmesh"
MODULES = sorted(PACKAGE.rglob("*.py"))
PYTHON_FILES = sorted(
    path for folder in ("src", "tests", "benchmarks", "examples") for path in (ROOT / folder).rglob("*.py")
)

LONGEST_MODULE = 400

# What users may import from the front door. To add a name is to promise it.
EXPORTS = [
    "Event",
    "EventError",
    "Explanation",
    "LimitExceeded",
    "Limits",
    "Matcher",
    "Matches",
    "Schema",
    "SiftmeshError",
    "SubscriptionError",
    "Template",
    "Timestamp",
    "Tree",
    "WorkCounters",
    "__version__",
]

# Every layer below net and sim, as in .importlinter.
PURE = frozenset(
    {
        "broker",
        "errors",
        "joins",
        "kernels",
        "language",
        "logic",
        "matching",
        "model",
        "plans",
        "routing",
        "wire",
        "workload",
    }
)
PURE_EXCEPTIONS = {"matching/file.py"}

# Calls that reach outside without an import that lint-imports could see.
IMPURE_CALLS = {"open", "input", "print", "breakpoint"}
CLOCKS = {"now", "utcnow", "today"}


def listed(faults: Mapping[str, object] | list[str]) -> str:
    """Return every fault on its own line: pytest would show the first few of them."""
    lines = [f"{where}: {what}" for where, what in faults.items()] if isinstance(faults, Mapping) else faults
    return "\n" + "\n".join(lines)


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def comments(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of each comment; strings that look like one do not count."""
    source = path.read_text(encoding="utf-8")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def holds_code(path: Path) -> bool:
    return any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for node in parsed(path).body
    )


# -- modules -----------------------------------------------------------------------------------------------


def test_modules_are_short_enough_to_hold_one_idea() -> None:
    lengths = {relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    too_long = {name: lines for name, lines in lengths.items() if lines > LONGEST_MODULE}
    assert not too_long, listed(too_long)


def mirror_of(module: Path) -> Path:
    """Return where the unit tests of a module stand: the same path under tests/unit."""
    inside = module.relative_to(PACKAGE)
    if inside.name == "__init__.py":
        return ROOT / "tests/unit" / inside.parent / "test_init.py"
    return ROOT / "tests/unit" / inside.parent / f"test_{inside.stem.strip('_')}.py"


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("matcher.py", "tests/unit/test_matcher.py"),
        ("logic/lower.py", "tests/unit/logic/test_lower.py"),
        ("language/dialects/cesql.py", "tests/unit/language/dialects/test_cesql.py"),
        ("kernels/__init__.py", "tests/unit/kernels/test_init.py"),
    ],
)
def test_the_mirror_of_a_module(module: str, expected: str) -> None:
    assert relative(mirror_of(PACKAGE / module)) == expected


def test_every_module_has_its_unit_tests() -> None:
    needs = [path for path in MODULES if path.name != "__init__.py" or holds_code(path)]
    missing = {relative(path): relative(mirror_of(path)) for path in needs if not mirror_of(path).is_file()}
    assert not missing, listed(missing)


def test_every_package_says_so() -> None:
    folders = {path.parent for path in MODULES}
    assert sorted(relative(folder) for folder in folders if not (folder / "__init__.py").is_file()) == []


def test_the_package_is_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()


# -- layers ------------------------------------------------------------------------------------------------


def test_the_layers_hold() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run(
        [lint, "--no-logo", "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def impurities(tree: ast.Module) -> list[str]:
    """Return the calls by which a module without imports could still read a clock or a file."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS:
            found.append(f"line {node.lineno}: {node.func.id}(...)")
        elif isinstance(node.func, ast.Attribute) and node.func.attr in CLOCKS:
            found.append(f"line {node.lineno}: .{node.func.attr}(...)")
    return found


@pytest.mark.parametrize(
    ("source", "count"),
    [("x = open('f')", 1), ("datetime.now()", 1), ("a.open()", 0), ("def f(now: int): return now", 0)],
)
def test_impurities_are_seen(source: str, count: int) -> None:
    assert len(impurities(ast.parse(source))) == count


def test_pure_layers_call_nothing_impure() -> None:
    found = []
    for path in MODULES:
        inside = path.relative_to(PACKAGE)
        if inside.parts[0].removesuffix(".py") in PURE and inside.as_posix() not in PURE_EXCEPTIONS:
            found += [f"{relative(path)}: {call}" for call in impurities(parsed(path))]
    assert not found, listed(found)


# -- names -------------------------------------------------------------------------------------------------


def test_the_exports_are_these() -> None:
    import siftmesh

    assert sorted(siftmesh.__all__) == sorted(EXPORTS)
    assert [name for name in EXPORTS if not hasattr(siftmesh, name)] == []


def test_the_version_is_the_one_that_is_built() -> None:
    import siftmesh

    assert siftmesh.__version__ == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


# -- kernels -----------------------------------------------------------------------------------------------


def kernels_in(tree: ast.Module) -> set[str]:
    """Return the functions at the top of a module that numba compiles."""
    found = set()
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name.endswith(("jit", "vectorize", "kernel")):
                found.add(node.name)
    return found


def names_used(tree: ast.Module) -> set[str]:
    """Return the names that a module's code mentions; to import a name is not to use it."""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return names | {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


@pytest.mark.parametrize(
    ("source", "kernels"),
    [
        ("@njit\ndef a(): ...", {"a"}),
        ("@numba.njit(cache=True)\ndef a(): ...\ndef b(): ...", {"a"}),
        ("@dataclass\nclass A: ...", set()),
    ],
)
def test_kernels_are_found(source: str, kernels: set[str]) -> None:
    assert kernels_in(ast.parse(source)) == kernels


def test_warmup_knows_every_kernel() -> None:
    warmup = PACKAGE / "kernels/warmup.py"
    known = names_used(parsed(warmup)) if warmup.is_file() else set()
    modules = [path for path in MODULES if path.is_relative_to(PACKAGE / "kernels")]
    missing = [f"{relative(path)}: {name}" for path in modules for name in kernels_in(parsed(path)) - known]
    assert not missing, listed(missing)


# -- words -------------------------------------------------------------------------------------------------

TEXT_SUFFIXES = {
    ".py",
    ".md",
    ".toml",
    ".json",
    ".yaml",
    ".yml",
    ".sql",
    ".svg",
    ".cfg",
    ".lock",
    ".jsonl",
    "",
}
TOP_FOLDERS = ("src", "tests", "docs", "benchmarks", "examples", "experiments", "requirements", ".ci")
TOP_FILES = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Makefile",
    "pyproject.toml",
    ".importlinter",
    ".gitignore",
    ".pre-commit-config.yaml",
)

# What a stranger's checkout knows nothing of: this machine, who wrote it how, and where it is kept.
FORBIDDEN = {
    "a path of one machine": r"(?<![\w.])/(?:work|tmp|root|home|opt)/",
    "a folder outside the project": r"\.\./shared|(?<![\w-])shared/(?:conformance|papers|design|notes)",
    "the name of a host": r"github\.com|gitlab\.|pypi\.org|pythonhosted|files\.python",
    "an issue number": r"(?i)\bissue #?\d+|(?<![\w&#'\"(/])#\d{1,5}\b(?![0-9a-f])",
    "how it was written": r"(?i)\bsub-?agent|\bclaude\b|\bLLM\b|\banthropic\b|\bco-authored-by\b",
}
# The kit of CESQL conformance files is too large to carry along; its test says where to find a copy.
KIT_TEST = re.compile(r"tests/.*cesql")


def project_texts() -> Iterator[Path]:
    for folder in TOP_FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix in TEXT_SUFFIXES and "__pycache__" not in path.parts:
                yield path
    yield from (ROOT / name for name in TOP_FILES)


def test_no_text_says_what_a_stranger_cannot_know() -> None:
    found = []
    for path in project_texts():
        if path == Path(__file__).resolve():
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            for what, pattern in FORBIDDEN.items():
                if what == "a folder outside the project" and KIT_TEST.match(relative(path)):
                    continue
                if re.search(pattern, line):
                    found.append(f"{relative(path)}:{number}: {what}: {line.strip()[:100]}")
    assert not found, listed(found)


@pytest.mark.parametrize(
    ("line", "forbidden"),
    [
        ("see /work/main/x", True),
        ("in ../shared/notes", True),
        ("fixes issue 12", True),
        ("as in #12, it", True),
        ("the framework/x and network/y", False),
        ('fill="#123456"', False),
        ("event #n", False),
    ],
)
def test_the_forbidden_words_are_told_from_harmless_ones(line: str, forbidden: bool) -> None:
    assert any(re.search(pattern, line) for pattern in FORBIDDEN.values()) is forbidden


def test_no_notes_to_self() -> None:
    found = [
        f"{relative(path)}:{line}: {text}"
        for path in PYTHON_FILES
        for line, text in comments(path)
        if re.search(r"\b(TODO|FIXME|XXX|HACK)\b", text)
    ]
    assert not found, listed(found)


EXEMPTION = re.compile(
    r"#\s*(?:noqa|type:\s*ignore)(?P<codes>\s*:\s*[A-Z0-9, ]*[A-Z0-9]|\[[\w, -]+\])?(?P<rest>.*)"
)


def exemption_fault(comment: str) -> str | None:
    """Return what is wrong with a comment that silences a tool: no rule named, or no reason given."""
    match = EXEMPTION.search(comment)
    if match is None:
        return None
    if not match["codes"]:
        return "names no rule"
    words = re.sub(r"#\s*(?:noqa|type:\s*ignore)\S*", "", match["rest"])
    before = comment[: match.start()]
    return None if len(re.findall(r"[A-Za-z]{3,}", words + before)) >= 1 else "gives no reason"


@pytest.mark.parametrize(
    ("comment", "fault"),
    [
        ("# the price, in cents", None),
        ("# type: ignore[misc]  # numba has no types", None),
        ("# noqa: N802 - ast.NodeVisitor wants this name", None),
        ("# type: ignore", "names no rule"),
        ("# noqa", "names no rule"),
        ("# type: ignore[misc]", "gives no reason"),
        ("# noqa: N802, E501", "gives no reason"),
    ],
)
def test_exemptions_are_judged(comment: str, fault: str | None) -> None:
    assert exemption_fault(comment) == fault


def test_a_reason_stands_beside_every_exemption() -> None:
    found = [
        f"{relative(path)}:{line}: {fault}: {text}"
        for path in PYTHON_FILES
        for line, text in comments(path)
        if path != Path(__file__).resolve() and (fault := exemption_fault(text))
    ]
    assert not found, listed(found)


# -- tests -------------------------------------------------------------------------------------------------


def test_unit_tests_belong_to_a_module() -> None:
    mirrors = {mirror_of(path) for path in MODULES}
    files = sorted((ROOT / "tests/unit").rglob("test_*.py"))
    orphans = [relative(path) for path in files if path not in mirrors]
    assert not orphans, listed(orphans)
