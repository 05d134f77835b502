"""Explanations of missed bounds, printed on the page of results.

The keys are those of the requirements in `benchmarks`.  A text appears only while its bound is
missed.
"""

from __future__ import annotations

_CALL = (
    "A call costs about 1.5 µs before and after the sweeps: entering a compiled function with "
    "seven arrays takes 0.5 µs, the rest are checks and a new array for the result. The ratio of "
    "batches, where this occurs once, shows the sweeps alone."
)

LIMITS: dict[str, str] = {
    "gradients": (
        "Loads on nodes push the coordinates through the geometry between them. How that changes "
        "costs further derivatives of the mechanism, whose matrices are formed stage by stage. "
        "Without such loads all methods and chains take 5.1 times the run at most."
    ),
    "forward dynamics, call, 7": _CALL,
    "forward dynamics, call, from 30": _CALL,
    "calls": (
        "With few joints the call counts more than the work: an evaluator's method, the checks of "
        "its arrays and a new array for the result take 0.3 to 0.4 µs before anything is computed."
    ),
    "call": (
        "Six of the microseconds are the steps through the compliance of the links (0.6 µs each), "
        "of which the elimination with row exchanges is the largest part. " + _CALL
    ),
    "links": (
        "The workspace of 1000 links with 100 modes and the state itself (over 10 MB) do not "
        "fit in the second-level cache (1 MB); those of 100 links nearly do."
    ),
    "links, batch": (
        "A state of 1000 links with 100 modes, its forces and its result are 3 MB, so that a batch "
        "of them streams from memory; a batch of 100 links stays in the cache. The cost of a call, "
        "whose state stays in the cache, grows linearly."
    ),
    "auto": (
        "Chains of 7 to 20 links with one mode each would be faster by the mass matrix, if its "
        "pivots were well conditioned. Beyond twelve speeds they often are not, and the attempt is "
        "wasted."
    ),
    "batches": (
        "Mass matrices are cleared first, in memory that is new for each call; the kernels alone "
        "add to an array that exists."
    ),
    "simulate rigid": (
        "Four forward dynamics of 3 µs each are three quarters of the time. The rest is the "
        "combination of the stages, 3 µs per step, and one to two milliseconds before the first "
        "step."
    ),
    "simulate flexible": (
        "A step takes two iterations, each as long as a forward dynamics of level full, 15 µs for "
        "ten links with four modes."
    ),
    "rods": (
        "An error of a hundredth of the length needs some sixty steps of 25 µs. The call of "
        "`simulate` takes another one to two milliseconds before and after them, as long as the "
        "steps; Exudyn's time is that of its steps alone."
    ),
    "symbolic operations, half": (
        "The formulas of two or three joints are so short that, written out, they cost about as "
        "much as the recursion, at two joints even less. The ratio falls with every further joint."
    ),
}
