# SPDX-License-Identifier: BSD-3-Clause
"""Non-parametric statistics: times on a busy machine follow no known distribution."""
import math
from typing import Sequence

import numpy as np

EXACT_UP_TO = 40  # number of all samples; above, the normal approximation is close enough


def midranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1; equal values share their mean rank."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[place]


def mann_whitney(a: np.ndarray, b: np.ndarray) -> float:
    """The two-sided p for both samples coming from one distribution. Exact for few samples, also with ties."""
    n, m = len(a), len(b)
    if n == 0 or m == 0:
        return 1.0
    ranks = midranks(np.concatenate([a, b]))
    if n + m <= EXACT_UP_TO:
        return _exact(ranks, n)
    total = n + m
    u = ranks[:n].sum() - n * (n + 1) / 2
    _, ties = np.unique(ranks, return_counts=True)
    variance = n * m / 12 * (total + 1 - (ties**3 - ties).sum() / (total * (total - 1)))
    if variance <= 0:
        return 1.0  # all samples are equal
    z = max(0.0, abs(u - n * m / 2) - 0.5) / math.sqrt(variance)
    return math.erfc(z / math.sqrt(2))


def _exact(ranks: np.ndarray, n: int) -> float:
    """Of all ways to choose n of the ranks: the fraction whose sum is at least as far from its mean as this one."""
    doubled = np.rint(2 * ranks).astype(int)  # mid-ranks are multiples of 1/2
    ways = np.zeros((n + 1, int(doubled.sum()) + 1))
    ways[0, 0] = 1
    for rank in doubled:
        ways[1:, rank:] += ways[:-1, :-rank].copy()
    away = np.abs(np.arange(ways.shape[1]) - n * doubled.sum() / len(doubled))
    here = abs(doubled[:n].sum() - n * doubled.sum() / len(doubled))
    return float(ways[n, away >= here - 1e-9].sum() / ways[n].sum())


def least_p(n: int, m: int) -> float:
    """The smallest p that sets of n and m samples can have, however far apart they are."""
    return min(1.0, 2 / math.comb(n + m, n)) if n and m else 1.0


def holm(ps: Sequence[float]) -> list[float]:
    """p corrected for the number of comparisons: at 0.05, one table in twenty has a wrong difference."""
    corrected = [1.0] * len(ps)
    highest = 0.0
    for place, i in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        highest = max(highest, min(1.0, (len(ps) - place) * ps[i]))
        corrected[i] = highest
    return corrected


def ratio_interval(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """The bootstrap's 95 % interval of median(a) / median(b). The seed is fixed: the same samples give the same interval."""
    above, below = drawn_medians(a, b)
    with np.errstate(divide="ignore", invalid="ignore"):
        return _middle(above / below)


def difference_interval(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """The bootstrap's 95 % interval of median(a) - median(b)."""
    above, below = drawn_medians(a, b)
    return _middle(above - below)


def drawn_medians(a: np.ndarray, b: np.ndarray, times: int = 1000) -> list[np.ndarray]:
    draw = np.random.default_rng(1)
    times = min(times, max(100, 500_000 // max(len(a), len(b))))  # with many samples, fewer drawings are enough
    return [np.median(draw.choice(s, (times, len(s))), axis=1) for s in (a, b)]


def _middle(values: np.ndarray) -> tuple[float, float]:
    low, high = np.nanpercentile(values, [2.5, 97.5])
    return float(low), float(high)


def median_interval(samples: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of the median by the binomial distribution, as the benchmarks compute it. Of fewer than 6 samples: the
    smallest and the largest."""
    ordered = sorted(samples)
    n, below, k = len(ordered), 0.0, 0
    while k < n // 2:
        below += math.comb(n, k) / 2**n
        if below > 0.025:
            break
        k += 1
    place = max(0, k - 1)
    return ordered[place], ordered[n - 1 - place]


def outliers(samples: Sequence[float]) -> list[int]:
    """Indices of the samples more than 1.5 times the distance between the quartiles outside the quartiles (Tukey)."""
    low, high = np.percentile(samples, [25, 75])
    reach = 1.5 * (high - low)
    return [i for i, s in enumerate(samples) if s < low - reach or s > high + reach]
