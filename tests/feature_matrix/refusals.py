"""Kinds of refusal that somebody has looked at: what the message says, and why it is right."""

from __future__ import annotations

import re

REFUSALS = {
    # Models
    r"motion that moves no inertia": "no acceleration would follow from a force",
    r"level \"ruthless\" drops terms .* loops would not stay closed": "limit of the level",
    r"its joint \(free\) allows every motion and constrains nothing": "an empty join",
    r"the coordinate, was chosen by compile": "a coupling of a joint that nobody placed",
    r"would have to be reversed, which a joint of type \w+ does not support": "own joints",
    r"the (loops|couplings|loops and couplings) cannot be (satisfied|closed) while": "no such",
    r"cannot move: all its joints are fixed": "no equations of motion",
    r"the loops cannot be closed: loop '.*' stays open": "no closed position near neutral",
    # Loads and events
    r"the model has a constant gravity .* as well": "gravity would count twice",
    r"is what remains of a centre's gravity .* counts the gradient twice": "two fields of one kind",
    r"both have their centre at .* so its gravity counts twice": "the same field twice",
    r"is the elastic gear of a drive whose Drive is not among the loads": "half a drive",
    r"acts across the gear of a drive": "a motor between gear and link",
    r"the joint of body '.*' is fixed; nothing moves there": "a load on nothing",
    r"both ends are on the same body or node": "a spring that does nothing",
    r"has no coordinates (to limit|whose rates are its speeds)": "joints without such coordinates",
    r"a spring cannot act on the coordinates of a \w+ joint": "speeds that are no rates",
    r"a rotor is geared to a joint of a single motion": "no single rate to be geared to",
    r"has \d+ motions and \d+ coordinates, not one; watch a function": "no single coordinate",
    r"in the state joint '.*' (is at|has the rate) .*, but .*; start on the motion": "off motion",
    r"cannot be locked with a stiffness, since its speeds are not the rates": "no such spring",
    r"joint '.*' is driven by .*; a driven joint cannot be locked": "two masters of a joint",
    # Own joints, contacts and sampled controllers have no derivatives in continuous time
    r"is one of your own, whose derivatives are not known": "limit of own joints",
    r"symbolic equations are derived for such joints of this package only": "limit of own joints",
    r"does not support symbols.* complex numbers.*; define its method": "the remedy works",
    r"derivatives do not support contacts": "limit of contacts",
    r"a sampled controller has no linear model in continuous time": "it is not continuous",
    r"linearize: forces is a function beside load": "two updates of one period, in no order",
    r"memory\[\d+\] goes on changing": "a controller without a state of rest",
    r"the carrier '.*' of a rotor is fixed to the ground": "a rotor that nothing feels",
    # Sensitivities
    r"is a given motion in a system with loops or couplings": "limit of gradients",
    r"the run of \d+ steps was divided into \d+": "corners of tables between steps",
    r"'.*' cannot be closed near the run": "no such position",
    r"equations of '.*' are singular, or they are redundant only while": "no derivative there",
    r"sampled Controllers have no derivatives": "limit of gradients",
    r"may move the ends of loops, which it would open": "a derivative that does not exist",
    r"is flexible, and its mass is not one number or vector": "masses of flexible bodies",
    r"has no modes and so no stiffness": "stiffness of a rigid body",
    r"states of its own that are not the integral of a Servo": "limit of gradients",
    r"expected \"rk4\" or another explicit Runge-Kutta method": "limit of gradients",
    r"generalized-alpha closes loops within its iterations": "limit of gradients",
    r"a field of gravity acts on all mass": "limit of gradients",
    # Functions of one kind of mechanism
    r"supports trees only": "limit of the function, which names another",
    r"is a rod, which has no nodal coordinates": "limit of nodal bodies",
    r"is flexible and has no nodal data": "none was given",
    r"has no sections whose loads are known": "a body that is no beam, rod or frame",
    r"sections of bodies have no '.*'; known": "quantity of another kind of body",
    r"has no section_force of its own": "a body that is no beam, rod or frame",
    r"has no points at which strain is known": "a body that is no solid or panel",
    r"is rigid against stretch( or shear)?, so that its (normal|section)": "a rod without stretch",
    r"section loads follow from all that acts along it": "fields are known as resultants",
    r"is a frame or on the ground; give a body or one of its nodes": "a frame is no interface",
    r"mode_sweep: the joint of '.*' \(.*\) has \d+ motions; expected one": "no single angle",
    r"the actuated joints .* cannot produce these accelerations": "modes have no motors",
    r"the accelerations open loop '.*'": "accelerations that nobody can have",
    r"there is no input '.*'; give a joint": "a fixed joint, or a frame without one",
    # Positions
    r"no equilibrium found in \d+ steps: .* is still pushed": "a mechanism that falls for ever",
    r"no steady motion found in \d+ steps: .* still (needs|accelerates)": "it falls for ever",
    r"the motion is not steady: as ": "a mechanism that turns and falls",
    r"trim: joint '.*' follows a Motion": "the motion is given twice",
    r"mode_sweep: at the first value, .* there are only free motions": "nothing vibrates",
    # Runs
    r"^run: diverged: .*(body|coupling|loop) '": "a step too long for the stiffest body",
    r"(gradient|sensitivity): the run ended early \((diverged|singular)\): .*body '": "the same",
    r"^SimulationError: the step from .* failed \(diverged\): .*body '": "the same",
    r"^run: singular: .*body '": "the same",
    r"^SimulationError: the step from .* failed .singular.: .*body '": "the same",
    r"^run: loop open: (loop|coupling) '.*' can no longer be": "a given motion that loops forbid",
    r"^run: not finite: the acceleration of .*; try a smaller step": "the remedy works",
    r"the step from t = .* failed \(loop open\)": "a given motion that loops forbid",
    r"^run: stalled: the iterations of the implicit step .*body '": "a stiff law that jumps",
    r"^run: stalled: .* steps are too small .* deflects by 0\.": "a stiffened body near its limit",
    r"^run: time limit: the time limit of": "stiff bodies under functions of Python",
    r"rate_linear is True, but .* has loops or couplings": "they would not stay closed",
    r"^ModelError: joint class \w+ failed at q = .*RuntimeWarning": "warnings are errors here",
    # Files
    r"has no name in an importable module": "functions that a file cannot name",
}


def reason_of(message: str) -> str:
    """Why a refusal is right; empty: nobody has looked at it."""
    return next((why for text, why in REFUSALS.items() if re.search(text, message)), "")
