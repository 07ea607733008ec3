"""Names of books and people that never were, pleasant enough for a demonstration.

Every name is found from its number alone, and two numbers never share a name: the number is scattered over
all combinations of parts by a multiplication that never gives the same twice, then written in those parts.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from siftmesh.errors import ConfigError

__all__ = ["AUTHORS", "TITLES", "authors", "titles"]


def _parts(text: str) -> list[str]:
    return text.split()


_GIVEN_STARTS = _parts(
    "Ad Ber Cal Dar El Fen Gar Hel Ir Jor Kal Lor Mar Nor Ol Per Ros Sel Tam Ul Vel Wil Yor Zel"
)
_GIVEN_ENDS = _parts("a an ena ia in is on ora us wyn eth ick")
_FAMILY_STARTS = _parts(
    "Al Bran Cor Dun Ester Far Gold Hart Is Kes Lang Mar Nor Or Pen Quin Rav Stan Thorn Under Vand West "
    "Yar Zand O'Ber O'Mal D'Ar Mac Fitz Van"
)
_FAMILY_MIDDLES = _parts("be da fi ga ho la mo ne ri sa to vi")
_FAMILY_ENDS = _parts("berg court dale fell gan hurst kin ley mond ner quist rick sen ton veld worth")
_ADJECTIVES = _parts(
    "Amber Ancient Bitter Borrowed Broken Burning Clockwork Crooked Distant Drowned Emerald Empty "
    "Endless Fallen Faithful Forgotten Frozen Gentle Gilded Hidden Hollow Hungry Iron Last Lonely Lost "
    "Midnight Nameless Painted Paper Patient Quiet Restless Scarlet Second Secret Silent Silver Stolen "
    "Wandering"
)
_NOUNS = _parts(
    "Archive Bell Bridge Candle Captain Cartographer Castle Compass Crown Daughter Dragon Empire Ferry "
    "Garden Ghost Harbour Heir Hour Island Journey Key Lantern Letter Library Lighthouse Machine Map "
    "Market Mirror Oath Orchard Orchestra Piano Prophet Queen Raven River Road Sailor School Shadow "
    "Song Staircase Storm Summer Thief Tower Winter"
)
_PLACE_STARTS = _parts(
    "Al Bel Cas Dor Er Fal Gan Hal Il Kar Lor Mel Nar Or Pal Quel Ros Sar Tor Ur Vel Wes Yl Zan"
)
_PLACE_MIDDLES = _parts("a an e en i ir o or u un")
_PLACE_ENDS = _parts("bridge dell dria ford gard haven lund mere mora port stead ville")

# A prime that divides neither capacity below, so that multiplying by it scatters without collisions.
_STEP = 1_000_003


def _words(*parts: list[str]) -> list[str]:
    words = [""]
    for part in parts:
        words = [word + piece for word in words for piece in part]
    return words


_GIVEN = _words(_GIVEN_STARTS, _GIVEN_ENDS)
_FAMILY = _words(_FAMILY_STARTS, _FAMILY_MIDDLES, _FAMILY_ENDS)
_PLACES = _words(_PLACE_STARTS, _PLACE_MIDDLES, _PLACE_ENDS)
_SHAPES = (
    ("The ", "adjective", " ", "noun", " of ", "place"),
    ("", "place", "'s ", "adjective", " ", "noun"),
    ("The ", "adjective", " ", "noun", " and the Road to ", "place"),
    ("", "place", " and the ", "adjective", " ", "noun"),
)

AUTHORS = len(_GIVEN) * len(_FAMILY)
TITLES = len(_SHAPES) * len(_ADJECTIVES) * len(_NOUNS) * len(_PLACES)

Ints = NDArray[np.int64]


def authors(count: int) -> pa.Array:
    """The first `count` names of authors, all different."""
    number = _scatter(count, AUTHORS, "authors")
    number, given = np.divmod(number, len(_GIVEN))
    return pc.binary_join_element_wise(pa.array(_GIVEN).take(given), pa.array(_FAMILY).take(number), " ")


def titles(count: int) -> pa.Array:
    """The first `count` titles of books, all different."""
    number = _scatter(count, TITLES, "titles")
    number, shape = np.divmod(number, len(_SHAPES))
    number, adjective = np.divmod(number, len(_ADJECTIVES))
    place, noun = np.divmod(number, len(_NOUNS))
    words = {
        "adjective": pa.array(_ADJECTIVES).take(adjective),
        "noun": pa.array(_NOUNS).take(noun),
        "place": pa.array(_PLACES).take(place),
    }
    shaped = [
        pc.binary_join_element_wise(*(words.get(piece, piece) for piece in pieces), "") for pieces in _SHAPES
    ]
    return pc.choose(shape, *shaped)


def _scatter(count: int, capacity: int, what: str) -> Ints:
    if not 0 <= count <= capacity:
        raise ConfigError(f"{count} {what} were asked for (expected 0 to {capacity})")
    return np.arange(count, dtype=np.int64) * _STEP % capacity
