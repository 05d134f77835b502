"""The numbers of the papers' equations."""

from __future__ import annotations

NUMBERS = [*range(1, 65), *(f"A{n}" for n in range(1, 11)), *(f"B{n}" for n in range(1, 5))]


def dotted(sections):
    """Numbers such as 4.1, 4.2, ... from {section: count}."""
    return [f"{s}.{n}" for s, count in sections.items() for n in range(1, count + 1)]


def lettered(numbers, letters):
    """Numbers with those that the paper splits into a, b, c."""
    return [f"{n}{letter}" for n in numbers for letter in letters.get(n, [""])]


EQUATIONS = {
    "deleuterio_damaren": lettered(range(1, 44), {}),
    "rodriguez": lettered(
        dotted({3: 2, 4: 7, 5: 1, 6: 2, 7: 2, 8: 5, 9: 26}),
        {"8.2": "ab"},
    ),
    "kwatny_blankenship": lettered(
        range(1, 56),
        {n: "ab" for n in (2, 10, 11, 12, 17, 52, 54, 55)}
        | {n: "abc" for n in (3, 18, 23, 28, 35, 36, 53)},
    ),
    "order_n": dotted({1: 6, 2: 2, 3: 4, 4: 20}),
}
