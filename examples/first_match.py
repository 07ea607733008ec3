"""Three standing queries, two events: who wants to hear of what, and why."""

from siftmesh import Matcher


def main() -> None:
    matcher = Matcher()
    matcher.add("alice", "price < 10 AND title = 'Dune'")
    matcher.add("bob", "author LIKE 'Herbert%' AND NOT signed = true")
    matcher.add("carol", "price BETWEEN 20 AND 50 OR tags CONTAINS 'first edition'")

    cheap = {"title": "Dune", "author": "Herbert, Frank", "price": 9.5, "signed": False}
    rare = {
        "title": "Dune",
        "author": "Herbert, Frank",
        "price": 900,
        "signed": True,
        "tags": ["first edition"],
    }

    for event in (cheap, rare):
        print(f"{event['title']} for {event['price']}: {', '.join(sorted(matcher.match(event)))}")

    print("\nWhy alice does not hear of the second:")
    print(matcher.explain("alice", rare))


if __name__ == "__main__":
    main()
