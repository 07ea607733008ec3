"""The index of subscriptions that are nothing but ranges: one bit for each conjunction of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from siftmesh.kernels.layout import Bytes, Longs, Words
from siftmesh.matching.bitmap_match import Searcher, plain
from siftmesh.matching.bitmap_merge import Merge
from siftmesh.matching.bitmap_open import OPEN_ARRAYS, OpenTerms
from siftmesh.matching.bitmap_segments import SEGMENT_ARRAYS, STEP, Segment, build
from siftmesh.matching.bitmap_terms import Bound, Term, Terms, terms_of

__all__ = ["BitmapIndex", "Bound", "Term"]

# In the directory: no such owner, an owner whose terms are never met, and one whose terms are in the open
# part.
_ABSENT = 0
_NOWHERE = -1
_OPEN = 1
# What each new term lets merges do. To move a term once takes about a tenth of it, and there are few levels.
_CREDIT = 1 << 10
# What the terms of a new segment let merges do at least: small ones take some steps, too.
_LEAST_STEPS = 4


class BitmapIndex:
    """Finds the owners of conjunctions of ranges that an event meets; for matches not while it is changed.

    New terms are first tested one by one, `open_terms` of them, and then sealed into a segment of bitmaps.
    `fanout` segments of about one size are merged into a bigger one, up to `segment_terms`; each change pays
    for a small part of that.
    """

    def __init__(self, open_terms: int = 512, segment_terms: int = 1 << 18, fanout: int = 4) -> None:
        self._sizes = (open_terms, segment_terms, fanout)
        self._open = OpenTerms()
        self._segments: dict[int, Segment] = {}
        self._where = np.zeros(16, np.int64)
        # Single numbers are read and written faster than in an array.
        self._places = self._where.data
        self._count = 0
        self._uid = _OPEN
        # Merges under way, by the number of the segment that each makes.
        self._merges: dict[int, Merge] = {}
        self._credit = 0
        self._pay = max(_CREDIT, _LEAST_STEPS * STEP // open_terms)
        # Whether there may be something to merge that nobody has looked for.
        self._untidy = False
        # Made at the first match behind a change of the segments.
        self._searcher: Searcher | None = None

    def __len__(self) -> int:
        return self._count

    def __contains__(self, owner: int) -> bool:
        return 0 <= owner < len(self._places) and self._places[owner] != _ABSENT

    # -- changes -------------------------------------------------------------------------------------------

    def add(self, owner: int, terms: Iterable[Term]) -> None:
        """Register an owner that is not there, who is met if one of the terms is."""
        if owner in self:
            raise ValueError(f"owner {owner} is there already")
        self._reach(owner)
        met = terms_of(owner, terms)
        self._count += 1
        if not met:
            self._places[owner] = _NOWHERE
            return
        if self._open.count + len(met) > self._sizes[0]:
            self._seal()
        self._places[owner] = (_OPEN << 32) | self._open.count
        self._open.add(owner, met)
        self._work(len(met))

    def add_many(
        self,
        owners: Words,
        verify: NDArray[np.bool_],
        starts: Longs,
        dims: Words,
        lows: Longs,
        highs: Longs,
        flags: Bytes,
    ) -> None:
        """Register owners that are not there: term t has the bounds starts[t] to starts[t + 1].

        The terms of one owner are adjacent.
        """
        if not owners.size:
            return
        names = owners[np.concatenate([[True], owners[1:] != owners[:-1]])]
        if int(names.min()) < 0:
            raise ValueError(f"{names.min()} is no number of an owner")
        self._reach(int(names.max()))
        if np.unique(names).size < names.size or np.any(self._where[names] != _ABSENT):
            raise ValueError("an owner is there already")
        terms = Terms(
            np.where(verify, ~owners, owners).astype(np.int32),
            np.asarray(starts, np.int64),
            np.asarray(dims, np.int32),
            np.asarray(lows, np.int64),
            np.asarray(highs, np.int64),
            np.asarray(flags).astype(np.uint8),
        )
        terms = terms.possible().settled()
        self._where[names] = _NOWHERE
        self._count += names.size
        self._insert(terms)
        self._work(terms.codes.size)

    def remove(self, owner: int) -> None:
        """Forget an owner."""
        if owner not in self:
            raise KeyError(owner)
        place = self._own_directory()[owner]
        self._places[owner] = _ABSENT
        self._count -= 1
        if place == _NOWHERE:
            return
        uid = place >> 32
        slot = place & 0xFFFFFFFF
        if uid == _OPEN:
            self._open.remove(owner, slot)
        elif uid in self._segments:
            segment = self._segments[uid]
            segment.remove(slot)
            if segment.live * 2 < segment.built:
                self._untidy = True
        else:
            self._merges[uid].remove(slot)
        if self._untidy or self._merges:
            self._work(1)

    def compact(self) -> None:
        """Merge all that there is to merge, and drop what was removed."""
        self._finish()
        if self._open.live:
            self._seal()
        most = self._sizes[1]
        bins: list[list[Segment]] = []
        for segment in sorted(self._segments.values(), key=_size, reverse=True):
            for chosen in bins:
                if sum(other.live for other in chosen) + segment.live <= most:
                    chosen.append(segment)
                    break
            else:
                bins.append([segment])
        for chosen in bins:
            if len(chosen) > 1 or chosen[0].live < chosen[0].built:
                self._begin(chosen)
                self._finish()

    def _reach(self, owner: int) -> None:
        if owner < 0:
            raise ValueError(f"{owner} is no number of an owner")
        if owner >= len(self._own_directory()):
            self._places.release()
            # In place: at this size most of the memory is not even moved.
            self._where.resize(owner + 1 + self._where.size // 4, refcheck=False)
            self._places = self._where.data

    def _own_directory(self) -> memoryview:
        if not self._where.flags.owndata:
            self._where = self._where.copy()
            self._places = self._where.data
        return self._places

    def _insert(self, terms: Terms) -> None:
        """Put terms into segments of their own, or few of them among the open ones."""
        small, most, _ = self._sizes
        owners = terms.owners
        first = 0
        while first < owners.size:
            last = min(first + most, owners.size)
            while last < owners.size and owners[last] == owners[last - 1]:
                last += 1
            part = terms if last - first == owners.size else terms.part(first, last)
            first = last
            if part.codes.size > small // 2:
                self._grow(part)
                continue
            if self._open.count + part.codes.size > small:
                self._seal()
            self._open_up(part)

    def _open_up(self, terms: Terms) -> None:
        places = np.arange(terms.codes.size) + self._open.count
        # Of several terms of an owner the first place stays.
        self._where[terms.owners[::-1]] = (_OPEN << 32) | places[::-1]
        self._open.extend(terms)

    def _grow(self, terms: Terms) -> None:
        self._uid += 1
        self._segments[self._uid] = build(terms, self._uid, self._where)
        self._searcher = None
        self._untidy = True

    def _seal(self) -> None:
        """Make a segment of the open terms, or only make room if most of them are dead."""
        keep = self._open.live * 2 < self._open.count
        terms = self._open.taken()
        if not terms.codes.size:
            return
        if keep:
            self._open_up(terms)
        else:
            self._grow(terms)

    # -- merges --------------------------------------------------------------------------------------------

    def _work(self, changes: int) -> None:
        """Go on with merges, as far as so many changes pay for."""
        if not self._untidy and not self._merges:
            return
        self._credit += changes * self._pay
        while self._credit >= STEP:
            while self._untidy:
                sources = self._candidates()
                if sources:
                    self._begin(sources)
                self._untidy = bool(sources)
            if not self._merges:
                self._credit = 0
                return
            self._step()

    def _candidates(self) -> list[Segment]:
        """Segments to be merged; those of which a merge is under way are left alone."""
        small, most, fanout = self._sizes
        busy = {source.uid for merge in self._merges.values() for source in merge.sources}
        levels: dict[int, list[Segment]] = {}
        for segment in sorted(self._segments.values(), key=_size):
            if segment.uid in busy:
                continue
            if segment.live * 2 < segment.built:
                return [segment]
            level = 0
            while segment.live > small * fanout**level:
                level += 1
            levels.setdefault(level, []).append(segment)
        for level in sorted(levels):
            chosen: list[Segment] = []
            total = 0
            for segment in levels[level]:
                total += segment.live
                if total <= most:
                    chosen.append(segment)
            if len(levels[level]) >= fanout and len(chosen) > 1:
                return chosen[: 2 * fanout]
        return []

    def _begin(self, sources: Sequence[Segment]) -> None:
        self._own_directory()
        self._uid += 1
        self._merges[self._uid] = Merge(self._uid, sources, self._where)

    def _step(self) -> None:
        # The small ones first: otherwise many small segments would come together while a big one is made.
        merge = min(self._merges.values(), key=_work_of)
        cost = next(merge.steps, None)
        if cost is not None:
            self._credit -= cost
            return
        del self._merges[merge.uid]
        for source in merge.sources:
            del self._segments[source.uid]
        if merge.made is not None and merge.made.live:
            self._segments[merge.uid] = merge.made
        self._searcher = None
        self._untidy = True

    def settle(self, steps: int) -> bool:
        """Do so many steps of merges; whether none is under way then."""
        for _ in range(steps):
            if not self._merges:
                break
            self._step()
        # Whoever asks for it pays for it, and not the changes to come.
        self._credit = max(self._credit, 0)
        return not self._merges

    def _finish(self) -> None:
        while not self.settle(1):
            pass

    # -- matches -------------------------------------------------------------------------------------------

    def match(self, present: Bytes, lows: Longs, highs: Longs, work: Longs) -> tuple[Longs, Words]:
        """The owners that events meet: where those of each event begin, and all of them.

        One that is to be verified is written as ~owner. A row of `present` says which dimensions an event
        has, and rows of the others their keys; a value between two keys has that below as low and that above
        as high. What was to do is added to `work`, by the WORK_ places.
        """
        return self._search().many(present, lows, highs, work)

    def match_one(self, present: Bytes, lows: Longs, highs: Longs, work: Longs) -> Words:
        """The owners that one event meets, of which the arrays have one place for each dimension."""
        return self._search().one(present, lows, highs, work)

    def _search(self) -> Searcher:
        searcher = self._searcher
        if searcher is None:
            self._searcher = searcher = Searcher(self._segments.values(), self._open)
        return searcher

    # -- storage -------------------------------------------------------------------------------------------

    def memory(self) -> dict[str, int]:
        """How many bytes each structure takes; scratch and merges under way are left out."""
        sizes = {"directory": self._where.nbytes}
        sizes["open"] = sum(array.nbytes for array in self._open.arrays().values())
        for segment in self._segments.values():
            for name, array in segment.arrays().items():
                sizes[name] = sizes.get(name, 0) + array.nbytes
        return sizes

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """All there is, as arrays by name."""
        self._finish()
        numbers = [*self._sizes, self._count, self._uid, self._open.count, self._open.live]
        for segment in self._segments.values():
            numbers += [segment.uid, segment.live, segment.built]
        arrays: dict[str, NDArray[np.generic]] = {"numbers": np.array(numbers), "where": self._where}
        for name, array in self._open.arrays().items():
            arrays[f"open.{name}"] = array
        for segment in self._segments.values():
            arrays |= {f"{segment.uid}.{name}": array for name, array in segment.arrays().items()}
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> BitmapIndex:
        """What `arrays` was made of. They may be read-only maps of files, and they are not written to."""
        open_terms, segment_terms, fanout, count, uid, used, live, *segments = arrays["numbers"].tolist()
        index = cls(open_terms, segment_terms, fanout)
        index._count = count
        index._uid = uid
        index._where = plain(arrays["where"])  # type: ignore[assignment]  # these are int64
        index._places = index._where.data
        index._open = OpenTerms.from_arrays([arrays[f"open.{name}"] for name in OPEN_ARRAYS], used, live)
        for at in range(0, len(segments), 3):
            name, live, built = segments[at : at + 3]
            parts = {part: plain(arrays[f"{name}.{part}"]) for part in SEGMENT_ARRAYS}
            # Removals write to these, and they are small.
            parts["alive"] = np.array(arrays[f"{name}.alive"])
            index._segments[name] = Segment(name, **parts, live=live, built=built)  # type: ignore[arg-type]  # as built
        index._untidy = True
        return index


def _size(segment: Segment) -> int:
    return segment.live


def _work_of(merge: Merge) -> int:
    return merge.slots
