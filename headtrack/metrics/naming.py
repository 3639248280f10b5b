"""Which found person of a picture is which of the people that it is known to show, where no box says so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

NOBODY = -1
MAX_ROUNDS = 50  # it settles after two or three


def name_by_company(found: Sequence[Sequence[str]], people: Sequence[Sequence[str]]) -> list[list[int]]:
    """Assign to each person of each picture one found head, so that found ids and people agree best.

    A found id weighs for a person as many pictures as it was assigned to them in. At first it weighs as many
    as both are in, each divided by the number of its people, and twice that where the one-to-one assignment
    of all ids and people by this weight pairs the two. Every picture then takes the one-to-one assignment of
    the largest weight, and the weights are counted again until nothing changes. Of equal heads the first
    wins: give the largest head first. The choice favours what was found: scores over it are an upper bound.

    Args:
        found: for each picture the id of every head.
        people: for each picture the people it shows, each once.

    Returns:
        For each picture, for each of its people, the index of its head in `found`; -1: too few heads.

    >>> name_by_company([["x"], ["y", "x"]], [["A"], ["A", "B"]])
    [[0], [1, 0]]
    """
    weight = _company(found, people)
    chosen: list[list[int]] = []
    for _ in range(MAX_ROUNDS):
        again = [_choose(ids, names, weight) for ids, names in zip(found, people, strict=True)]
        if again == chosen:
            break
        chosen = again
        weight = defaultdict(float)
        for ids, names, heads in zip(found, people, chosen, strict=True):
            for name, head in zip(names, heads, strict=True):
                if head != NOBODY:
                    weight[ids[head], name] += 1
    return chosen


def _company(found: Sequence[Sequence[str]], people: Sequence[Sequence[str]]) -> dict[tuple[str, str], float]:
    weight: dict[tuple[str, str], float] = defaultdict(float)
    for ids, names in zip(found, people, strict=True):
        for pair in ((one, name) for one in ids for name in names):
            weight[pair] += 1 / len(names)
    every_id = sorted({one for one, _ in weight})
    every_name = sorted({name for _, name in weight})
    for name, column in zip(every_name, _choose(every_id, every_name, weight), strict=True):
        if column != NOBODY:
            weight[every_id[column], name] *= 2
    return weight


def _choose(ids: Sequence[str], names: Sequence[str], weight: dict[tuple[str, str], float]) -> list[int]:
    # A rank takes so little that it only decides between equal weights.
    rank = np.arange(len(ids)) / (1000 * (len(ids) + 1))
    gain = np.array([[weight.get((one, name), 0.0) for one in ids] for name in names], np.float64)
    rows, columns = linear_sum_assignment(gain.reshape(len(names), len(ids)) - rank, maximize=True)
    head = np.full(len(names), NOBODY)
    head[rows] = columns
    return head.tolist()
