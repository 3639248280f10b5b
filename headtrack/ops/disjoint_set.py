"""Union of sets under cannot-link constraints."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt


class DisjointSet:
    """Groups of 0..n-1 that grow by union, unless two of their members must stay apart.

    Args:
        n: how many items.
        cannot_link: pairs of items that never share a group.

    >>> groups = DisjointSet(3, cannot_link=[(0, 2)])
    >>> groups.union(0, 1), groups.union(1, 2)
    (True, False)
    >>> groups.labels().tolist()
    [0, 0, 1]
    """

    def __init__(self, n: int, *, cannot_link: Iterable[tuple[int, int]] = ()) -> None:
        self._parent = list(range(n))
        self._members: list[list[int]] = [[i] for i in range(n)]
        self._enemies: list[set[int]] = [set() for _ in range(n)]  # roots that a root must avoid
        for a, b in cannot_link:
            self._enemies[a].add(int(b))
            self._enemies[b].add(int(a))

    def find(self, item: int) -> int:
        """Give the root of the item's group."""
        while self._parent[item] != item:
            self._parent[item] = self._parent[self._parent[item]]
            item = self._parent[item]
        return item

    def allowed(self, a: int, b: int) -> bool:
        """Tell whether the groups of two items may be joined."""
        return self.find(b) not in self._enemies[self.find(a)]

    def union(self, a: int, b: int) -> bool:
        """Join the groups of two items; False where a constraint forbids it."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return True
        if b in self._enemies[a]:
            return False
        keep, drop = min(a, b), max(a, b)
        self._parent[drop] = keep
        self._members[keep] += self._members[drop]
        for enemy in self._enemies[drop]:
            self._enemies[enemy].discard(drop)
            self._enemies[enemy].add(keep)
        self._enemies[keep] |= self._enemies[drop]
        return True

    def forbid(self, a: int, b: int) -> bool:
        """Keep the groups of two items apart from now on; False where they are one already."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        self._enemies[a].add(b)
        self._enemies[b].add(a)
        return True

    def members(self, item: int) -> list[int]:
        """Give the items of an item's group, unordered."""
        return self._members[self.find(item)]

    def labels(self) -> npt.NDArray[np.int32]:
        """Number the groups by their first item: (n,) int32."""
        roots = [self.find(i) for i in range(len(self._parent))]
        number = {root: k for k, root in enumerate(dict.fromkeys(roots))}
        return np.array([number[root] for root in roots], np.int32)
