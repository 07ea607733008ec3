"""The index of subscriptions that are nothing but ranges: one bit for each conjunction of them."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from siftmesh.kernels.bitmap import SLACK, Bytes, Longs, Words, match_open, match_segment, weave
from siftmesh.matching.bitmap_segments import SEGMENT_ARRAYS, STEP, Merge, Segment, Terms, build

__all__ = ["BitmapIndex", "Bound", "Term"]

# A dimension, the lowest and the highest key, and whether it is the keys between them that are excluded.
Bound = tuple[int, int, int, bool]
# Whether a match is still to be verified, and what has to hold.
Term = tuple[bool, Sequence[Bound]]

_LOWEST = -(1 << 63)
_HIGHEST = (1 << 63) - 1
# In the directory: no such owner, an owner whose terms are never met, and one whose terms are in the open part.
_ABSENT = 0
_NOWHERE = -1
_OPEN = 1
# What each new term lets merges do. To move a term once takes about a tenth of it, and there are few levels.
_CREDIT = 1 << 10
_PARTS = ("starts", "dims", "lows", "highs", "negated", "codes", "dead")


class _Window:
    """An array as numpy takes it from other libraries: like the one it is made of, but not marked read-only.

    Kernels are compiled anew for arrays that are marked so, and they do not write to these.
    """

    def __init__(self, array: NDArray[np.generic]) -> None:
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, "data": (array.ctypes.data, False)}


def _plain(array: NDArray[np.generic]) -> NDArray[np.generic]:
    flat = np.asarray(array).ravel()
    return flat if flat.flags.writeable else np.asarray(_Window(flat))


class _Scratch:
    """What one match writes to besides its result."""

    def __init__(self, words: int) -> None:
        self.bits = np.empty(3 * words, np.int64)
        self.out = np.empty(1 << 16, np.int32)
        self.bounds = np.zeros(2, np.int64)

    def grow(self, filled: int, more: int) -> None:
        """Make room behind what is filled."""
        out = np.empty(max(2 * self.out.size, filled + more + SLACK), np.int32)
        out[:filled] = self.out[:filled]
        self.out = out


class _Open:
    """The newest terms, which are tested one by one."""

    def __init__(self, room: int) -> None:
        self.starts = np.zeros(room + 1, np.int64)
        self.dims = np.zeros(8 * room, np.int32)
        self.lows = np.zeros(8 * room, np.int64)
        self.highs = np.zeros(8 * room, np.int64)
        self.negated = np.zeros(8 * room, np.uint8)
        self.codes = np.zeros(room, np.int32)
        self.dead = np.zeros(room, np.uint8)
        self.count = 0
        self.live = 0

    def reserve(self, terms: int, bounds: int) -> None:
        """Make room for so many more."""
        for name, more in (("starts", terms + 1), ("codes", terms), ("dead", terms)):
            self._lengthen(name, self.count + more)
        for name in ("dims", "lows", "highs", "negated"):
            self._lengthen(name, int(self.starts[self.count]) + bounds)

    def _lengthen(self, name: str, size: int) -> None:
        array: NDArray[np.generic] = getattr(self, name)
        if array.size < size:
            longer = np.zeros(max(size, 2 * array.size), array.dtype)
            longer[: array.size] = array
            setattr(self, name, longer)

    def add(self, owner: int, terms: Sequence[Term]) -> None:
        self.reserve(len(terms), sum(len(bounds) for _, bounds in terms))
        at = int(self.starts[self.count])
        for verify, bounds in terms:
            for dim, low, high, negated in bounds:
                self.dims[at] = dim
                self.lows[at] = low
                self.highs[at] = high
                self.negated[at] = negated
                at += 1
            self.codes[self.count] = ~owner if verify else owner
            self.dead[self.count] = 0
            self.count += 1
            self.starts[self.count] = at
        self.live += len(terms)

    def extend(self, terms: Terms) -> None:
        count = terms.codes.size
        self.reserve(count, terms.dims.size)
        at = int(self.starts[self.count])
        bounds = slice(at, at + terms.dims.size)
        self.dims[bounds] = terms.dims
        self.lows[bounds] = terms.lows
        self.highs[bounds] = terms.highs
        self.negated[bounds] = terms.negated
        self.starts[self.count : self.count + count + 1] = terms.starts + at
        self.codes[self.count : self.count + count] = terms.codes
        self.dead[self.count : self.count + count] = 0
        self.count += count
        self.live += count

    def remove(self, owner: int, first: int) -> None:
        at = first
        while at < self.count and self.codes[at] in {owner, ~owner}:
            self.dead[at] = 1
            at += 1
        self.live -= at - first

    def taken(self) -> Terms:
        """What lives, and nothing is left."""
        bounds = int(self.starts[self.count])
        terms = Terms(
            self.codes[: self.count],
            self.starts[: self.count + 1],
            self.dims[:bounds],
            self.lows[:bounds],
            self.highs[:bounds],
            self.negated[:bounds],
        ).chosen(self.dead[: self.count] == 0)
        self.count = self.live = 0
        return terms


class BitmapIndex:
    """Finds the owners of conjunctions of ranges that an event meets; for matches not while it is changed.

    New terms are first tested one by one, `open_terms` of them, and then sealed into a segment of bitmaps.
    `fanout` segments of about one size are merged into a bigger one, up to `segment_terms`; each change pays
    for a small part of that.
    """

    def __init__(self, open_terms: int = 512, segment_terms: int = 1 << 18, fanout: int = 4) -> None:
        self._sizes = (open_terms, segment_terms, fanout)
        self._open = _Open(open_terms)
        self._segments: dict[int, Segment] = {}
        self._where = np.zeros(64, np.int64)
        self._count = 0
        self._uid = _OPEN
        self._merge: Merge | None = None
        self._steps: Generator[int] = iter(())  # type: ignore[assignment]  # no steps
        self._credit = 0
        # Whether there may be something to merge that nobody has looked for.
        self._untidy = False
        self._spare: list[_Scratch] = []

    def __len__(self) -> int:
        return self._count

    def __contains__(self, owner: int) -> bool:
        return 0 <= owner < self._where.size and bool(self._where[owner] != _ABSENT)

    # -- changes -------------------------------------------------------------------------------------------

    def add(self, owner: int, terms: Iterable[Term]) -> None:
        """Register an owner that is not there, who is met if one of the terms is."""
        if owner in self:
            raise ValueError(f"owner {owner} is there already")
        self._reach(owner)
        met = [term for term in terms if not any(_never(*bound) for bound in term[1])]
        met.sort(key=lambda term: term[0])
        self._count += 1
        if not met:
            self._where[owner] = _NOWHERE
            return
        if self._open.count + len(met) > self._sizes[0]:
            self._seal()
        self._where[owner] = (_OPEN << 32) | self._open.count
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
        negated: NDArray[np.bool_],
    ) -> None:
        """Register owners that are not there: term t has the bounds starts[t] to starts[t + 1].

        The terms of one owner are adjacent.
        """
        if not owners.size:
            return
        heads = np.concatenate([[True], owners[1:] != owners[:-1]])
        names = owners[heads]
        self._reach(int(names.max()))
        if np.unique(names).size < names.size or np.any(self._where[names] != _ABSENT):
            raise ValueError("an owner is there already")
        codes = np.where(verify, ~owners, owners).astype(np.int32)
        terms = Terms(
            codes,
            np.asarray(starts, np.int64),
            np.asarray(dims, np.int32),
            np.asarray(lows, np.int64),
            np.asarray(highs, np.int64),
            np.asarray(negated).astype(np.uint8),
        )
        whole = (terms.lows == _LOWEST) & (terms.highs == _HIGHEST)
        never = np.where(terms.negated != 0, whole, terms.lows > terms.highs)
        if never.any():
            counts = np.concatenate([[0], np.cumsum(never)])
            terms = terms.chosen(counts[terms.starts[1:]] == counts[terms.starts[:-1]])
        group = np.cumsum(np.concatenate([[True], terms.owners[1:] != terms.owners[:-1]])[: terms.codes.size])
        late = terms.codes < 0
        if np.any(late[:-1] & ~late[1:] & (group[1:] == group[:-1])):
            terms = terms.ordered(np.lexsort((late, group)))
        self._where[names] = _NOWHERE
        self._count += names.size
        self._insert(terms)
        self._work(terms.codes.size)

    def remove(self, owner: int) -> None:
        """Forget an owner."""
        if owner not in self:
            raise KeyError(owner)
        place = int(self._own_directory()[owner])
        self._where[owner] = _ABSENT
        self._count -= 1
        if place == _NOWHERE:
            return
        uid = place >> 32
        slot = place & 0xFFFFFFFF
        if uid == _OPEN:
            self._open.remove(owner, slot)
        elif self._merge is not None and self._merge.uid == uid:
            self._merge.remove(slot)
        else:
            segment = self._segments[uid]
            segment.remove(slot)
            if segment.live * 2 < segment.built:
                self._untidy = True
        self._work(1)

    def compact(self) -> None:
        """Merge all that there is to merge, and drop what was removed."""
        self._finish()
        if self._open.live:
            self._seal()
        most = self._sizes[1]
        bins: list[list[Segment]] = []
        for segment in sorted(self._segments.values(), key=lambda segment: -segment.live):
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
        if owner >= self._own_directory().size:
            # In place: at this size most of the memory is not even moved.
            self._where.resize(owner + 1 + self._where.size // 4, refcheck=False)

    def _own_directory(self) -> Longs:
        if not self._where.flags.owndata:
            self._where = self._where.copy()
        return self._where

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
            places = np.arange(part.codes.size) + self._open.count
            # Of several terms of an owner the first place stays.
            self._where[part.owners[::-1]] = (_OPEN << 32) | places[::-1]
            self._open.extend(part)

    def _grow(self, terms: Terms) -> None:
        self._uid += 1
        self._segments[self._uid] = build(terms, self._uid, self._where)
        self._untidy = True

    def _seal(self) -> None:
        """Make a segment of the open terms, or only make room if most of them are dead."""
        keep = self._open.live * 2 < self._open.count
        terms = self._open.taken()
        if keep and terms.codes.size:
            self._where[terms.owners[::-1]] = (_OPEN << 32) | np.arange(terms.codes.size)[::-1]
            self._open.extend(terms)
        elif terms.codes.size:
            self._grow(terms)

    # -- merges --------------------------------------------------------------------------------------------

    def _work(self, changes: int) -> None:
        """Go on with merges, as far as so many changes pay for."""
        if self._merge is None and not self._untidy:
            return
        self._credit += changes * _CREDIT
        while self._credit >= STEP:
            if self._merge is None:
                sources = self._candidates()
                if not sources:
                    self._untidy = False
                    self._credit = 0
                    return
                self._begin(sources)
            self._step()

    def _candidates(self) -> list[Segment]:
        small, most, fanout = self._sizes
        levels: dict[int, list[Segment]] = {}
        for segment in sorted(self._segments.values(), key=lambda segment: segment.live):
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
        self._uid += 1
        self._merge = Merge(self._uid, sources, self._own_directory())
        self._steps = self._merge.steps()

    def _step(self) -> None:
        merge = self._merge
        if merge is None:
            return
        cost = next(self._steps, None)
        if cost is not None:
            self._credit -= cost
            return
        for source in merge.sources:
            del self._segments[source.uid]
        if merge.made is not None and merge.made.live:
            self._segments[merge.uid] = merge.made
        self._merge = None
        self._steps.close()
        self._untidy = True

    def _finish(self) -> None:
        while self._merge is not None:
            self._step()
        self._credit = 0

    # -- matches -------------------------------------------------------------------------------------------

    def match(self, present: Bytes, lows: Longs, highs: Longs, work: Longs) -> tuple[Longs, Words]:
        """The owners that events meet, as where each event's begin, and all of them; ~owner is to be verified.

        A row of `present` says which dimensions an event has, and rows of the others their keys. What was to
        do is added to `work`, by the WORK_ places.
        """
        events, width = present.shape
        values = (_plain(present), _plain(lows), _plain(highs), width)
        parts = [*self._segments.values()]
        scratch = self._borrow()
        places = np.zeros((len(parts) + 1, events + 1), np.int64)
        filled = 0
        for number, part in enumerate(parts):
            bounds = places[number]
            bounds[0] = filled
            event = 0
            while (
                event := match_segment(
                    part.head,
                    part.small,
                    part.keys,
                    part.ids,
                    part.rows,
                    part.alive,
                    *values,
                    event,
                    scratch.bits,
                    scratch.out,
                    bounds,
                    work,
                )
            ) < events:
                scratch.grow(int(bounds[event]), part.slots)
            filled = int(bounds[events])
        bounds = places[-1]
        bounds[0] = filled
        event = 0
        while (event := match_open(*self._open_part(), *values, event, scratch.out, bounds, work)) < events:
            scratch.grow(int(bounds[event]), self._open.count)
        total = int(bounds[events])
        if filled in {0, total} and len(parts) < 2:
            # Only one of them found something.
            result = places[0 if filled else -1].copy(), scratch.out[:total].copy()
        else:
            result = np.zeros(events + 1, np.int64), np.empty(total, np.int32)
            weave(scratch.out, places, *result)
        self._spare.append(scratch)
        return result

    def match_one(self, present: Bytes, lows: Longs, highs: Longs, work: Longs) -> Words:
        """The owners that one event meets, of which the arrays have one place for each dimension."""
        values = (_plain(present), _plain(lows), _plain(highs), present.size)
        scratch = self._borrow()
        bounds = scratch.bounds
        filled = 0
        for part in self._segments.values():
            bounds[0] = filled
            if scratch.out.size - filled < part.slots + SLACK:
                scratch.grow(filled, part.slots)
            match_segment(
                part.head,
                part.small,
                part.keys,
                part.ids,
                part.rows,
                part.alive,
                *values,
                0,
                scratch.bits,
                scratch.out,
                bounds,
                work,
            )
            filled = int(bounds[1])
        if self._open.live:
            bounds[0] = filled
            if scratch.out.size - filled < self._open.count:
                scratch.grow(filled, self._open.count)
            match_open(*self._open_part(), *values, 0, scratch.out, bounds, work)
            filled = int(bounds[1])
        found = scratch.out[:filled].copy()
        self._spare.append(scratch)
        return found

    def _open_part(self) -> tuple[Longs, Words, Longs, Longs, Bytes, Words, Bytes, int]:
        part = self._open
        return (
            part.starts, part.dims, part.lows, part.highs, part.negated, part.codes, part.dead, part.count
        )  # fmt: skip

    def _borrow(self) -> _Scratch:
        """Scratch that no other match uses: taking from a list and giving back to it are safe among threads."""
        words = max((part.slots for part in self._segments.values()), default=0) >> 6
        with suppress(IndexError):
            scratch = self._spare.pop()
            if scratch.bits.size >= 3 * words:
                return scratch
        return _Scratch(words)

    # -- storage -------------------------------------------------------------------------------------------

    def memory(self) -> dict[str, int]:
        """How many bytes each structure takes; scratch and merges under way are left out."""
        sizes = {"directory": self._where.nbytes, "open": 0}
        for name in _PARTS:
            sizes["open"] += getattr(self._open, name).nbytes
        for segment in self._segments.values():
            for name, array in segment.arrays().items():
                sizes[name] = sizes.get(name, 0) + array.nbytes
        return sizes

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """All there is, as arrays by name."""
        self._finish()
        part = self._open
        numbers = [*self._sizes, self._count, self._uid, part.count, part.live]
        for segment in self._segments.values():
            numbers += [segment.uid, segment.live, segment.built]
        arrays: dict[str, NDArray[np.generic]] = {"numbers": np.array(numbers), "where": self._where}
        for name in _PARTS:
            arrays[f"open.{name}"] = getattr(part, name)
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
        index._where = _plain(arrays["where"])  # type: ignore[assignment]  # these are int64
        index._open.count = used
        index._open.live = live
        for name in _PARTS:
            setattr(index._open, name, np.array(arrays[f"open.{name}"]))
        for at in range(0, len(segments), 3):
            name, live, built = segments[at : at + 3]
            parts = {part: _plain(arrays[f"{name}.{part}"]) for part in SEGMENT_ARRAYS}
            # Removals write to these, and they are small.
            parts["alive"] = np.array(arrays[f"{name}.alive"])
            index._segments[name] = Segment(name, **parts, live=live, built=built)  # type: ignore[arg-type]  # as built
        index._untidy = True
        return index


def _never(_dim: int, low: int, high: int, negated: bool) -> bool:
    """Whether no value meets a bound."""
    if negated:
        return low == _LOWEST and high == _HIGHEST
    return low > high
