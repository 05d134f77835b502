"""Errors of functions of time and state say whose they are, once."""

import pytest

import lissom as ls
from tests.samples.mechanisms import sled

SLED = sled()
RETURNED = {
    "unknown body": {"leg": 1.0},
    "too many in a body": {"sled": [1.0, 2.0]},
    "too many": [1.0, 2.0, 3.0],
    "no numbers": "north",
    "not finite": [float("nan")],
    "not finite in a body": {"sled": float("nan")},
    "text in a body": {"sled": "north"},
}
PLACES = {
    "Controller on": lambda f: {"loads": [ls.Controller(f, 0.1)]},
    "forces": lambda f: {"forces": f},
    "Actuator on 'sled'": lambda f: {"loads": [ls.Actuator("sled", f)]},
}


@pytest.mark.parametrize("place", list(PLACES))
@pytest.mark.parametrize("what", list(RETURNED))
def test_the_error_names_the_function_and_its_time_once(place, what):
    def law(time, state):
        return RETURNED[what]

    with pytest.raises(ls.LissomError) as caught:
        ls.simulate(SLED, duration=1.0, **PLACES[place](law))
    text = str(caught.value)
    assert text.count(place) == 1 and text.count("at t = 0 s") == 1, text
