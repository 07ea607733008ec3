"""CloudEvents SQL 1.0: parsed, evaluated with its own errors, and lowered to our own syntax tree."""

from siftmesh.language.dialects.cesql.evaluator import Result, evaluate
from siftmesh.language.dialects.cesql.lowering import lower, parse_cesql
from siftmesh.language.dialects.cesql.parser import parse

__all__ = ["Result", "evaluate", "lower", "parse", "parse_cesql"]
