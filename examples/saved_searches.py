"""A table of saved searches becomes standing queries: one template, one row of parameters for each search."""

import pyarrow as pa

from siftmesh import Matcher

SEARCHES = pa.table(
    {
        "search": ["ann-1", "ann-2", "ben-1"],
        "words": ["%dune%", "%emma%", "%dune%"],
        "most": [10.0, 5.0, 50.0],
    }
)


def main() -> None:
    matcher = Matcher(schema={"title": "string", "price": "float", "seller": "string"})
    added = matcher.add_many("title ILIKE :words AND price <= :most", SEARCHES, id="search")
    print(f"{added} searches of one form")

    offer = {"title": "Dune Messiah", "price": 9.5, "seller": "south books"}
    print(f"{offer['title']} for {offer['price']}: {', '.join(matcher.match(offer))}")

    matcher.remove("ann-1")
    print(f"without ann-1: {', '.join(matcher.match(offer))}")


if __name__ == "__main__":
    main()
