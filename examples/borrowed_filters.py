"""Filters that were written for other systems work side by side, and each keeps its own meaning."""

import json

from siftmesh import Matcher
from siftmesh.logic.render import render

FILTERS = {
    "sql": "temperature > 30 AND room LIKE 'lab%'",
    "cesql": "temperature > 30 AND room LIKE 'lab%'",
    "cloudevents": '[{"prefix": {"room": "lab"}}, {"sql": "temperature > 30"}]',
    "eventbridge": '{"temperature": [{"numeric": [">", 30]}], "room": [{"prefix": "lab"}]}',
    "jms": "temperature > 30 AND room LIKE 'lab%'",
}


def main() -> None:
    matcher = Matcher()
    for dialect, text in FILTERS.items():
        matcher.add(dialect, text, dialect=dialect)
        print(f"{dialect:12} is kept as {render(matcher[dialect])}")
    for temperature in (31, "31", 31.5):
        event = {"room": "lab 2", "temperature": temperature}
        print(f"\n{json.dumps(event)} meets {', '.join(matcher.match(event))}")


if __name__ == "__main__":
    main()
