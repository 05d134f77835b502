"""What limits the bounds that are missed, in words; the page of results prints them.

The keys are those of the requirements in `lissom.benchmarks`. A text stays on the page only while
its bound is missed.
"""

from __future__ import annotations

LIMITS: dict[str, str] = {
    "links": (
        "The workspace of 1000 links with 100 modes and the states themselves (over 10 MB) do not "
        "fit in the second-level cache; those of 100 links nearly do."
    ),
}
