"""What each foreign dialect means, as data: `jms.json`, `cloudevents.json`, `eventbridge.json`.

A case is a filter with an event and whether it matches, or with the error that it must give and (`at`) the
text under the marker. The event may stand on the section for all of its cases.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from siftmesh import errors
from siftmesh.language.ast import Condition
from siftmesh.language.dialects.cloudevents import parse_cloudevents
from siftmesh.language.dialects.eventbridge import parse_eventbridge
from siftmesh.language.dialects.jms import parse_jms
from siftmesh.language.formatter import format_filter
from siftmesh.language.parser import parse
from siftmesh.logic.evaluate import holds
from siftmesh.logic.lower import lower
from siftmesh.model.event import Event
from tests.reference.ast_oracle import truth

FOLDER = Path(__file__).parent
DIALECTS: dict[str, Callable[..., Condition]] = {
    "jms": parse_jms,
    "cloudevents": parse_cloudevents,
    "eventbridge": parse_eventbridge,
}
FEWEST = {"jms": 180, "cloudevents": 80, "eventbridge": 150}


def sections(dialect: str) -> list[dict[str, Any]]:
    return json.loads((FOLDER / f"{dialect}.json").read_text(encoding="utf-8"))


def cases() -> Iterator[Any]:
    for dialect in DIALECTS:
        for section in sections(dialect):
            for number, case in enumerate(section["cases"]):
                whole = {"event": section["event"], **case}
                yield pytest.param(dialect, whole, id=f"{dialect}-{section['section']}-{number}")


def decoded(thing: Any) -> Any:
    """An event of a case: {"$timestamp": text} is what JSON has no value for."""
    if isinstance(thing, dict):
        if list(thing) == ["$timestamp"]:
            return datetime.fromisoformat(thing["$timestamp"])
        return {name: decoded(value) for name, value in thing.items()}
    return thing


@pytest.mark.parametrize(("dialect", "case"), list(cases()))
def test_case(dialect: str, case: dict[str, Any]) -> None:
    parse_dialect = DIALECTS[dialect]
    if "error" in case:
        with pytest.raises(errors.SubscriptionError) as caught:
            parse_dialect(case["filter"])
        assert type(caught.value).__name__ == case["error"], caught.value
        if "at" in case:
            source, span = caught.value.source, caught.value.span
            assert source is not None
            assert span is not None
            assert source[span[0] : span[1]] == case["at"]
        return
    condition = parse_dialect(case["filter"])
    event = Event.of(decoded(case["event"]))
    assert (truth(condition, event) is True) is case["matches"], format_filter(condition)
    assert holds(lower(condition), event) is case["matches"], format_filter(condition)
    assert parse(format_filter(condition)) == condition


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_data_is_all_there(dialect: str) -> None:
    found = [case for section in sections(dialect) for case in section["cases"]]
    assert len(found) >= FEWEST[dialect]
    assert all(section["section"] and section["description"] for section in sections(dialect))
    texts = [
        json.dumps([section["event"], case], sort_keys=True)
        for section in sections(dialect)
        for case in section["cases"]
    ]
    assert len(set(texts)) == len(texts)
