"""
Catch, carry and let go
=======================

A payload drifts towards the hand of an arm on a free satellite. The hand grips it, the arm swings
it round, and lets it go on the way. Payload and satellite are two free bodies: what joins them is a
joint that is free, then locked, then free again. The grip is an impulse between the two, so that
momentum stays what it was while energy is lost, and the booms ring.
"""

import numpy as np

import lissom as ls

# %%
# The payload is on a free joint of the hand. Its coordinates are those of its grapple fixture,
# which is its origin, relative to the grip in front of the hand: attitude, then position.

boom = ls.beam(
    4.0, ls.Tube(radius=0.08, thickness=0.003), ls.CARBON, bending=2, torsion=0, stretch=0
)
crate = ls.RigidBody.box(250.0, (0.9, 0.7, 0.7), com=(0.45, 0, 0))
model = ls.Model("capture")
model.add(ls.RigidBody.box(3000.0, (2.0, 1.8, 1.8)), ls.Free(), name="satellite")
model.add(boom, ls.Revolute("z"), to="satellite", at=(1, 0, 0), name="upper")
model.add(boom, ls.Revolute("z"), to="upper.tip", name="lower")
hand = ls.RigidBody.cylinder(8.0, 0.08, 0.3, axis="x", com=(0.15, 0, 0))
model.add(hand, ls.Revolute("z"), to="lower.tip", name="hand")
model.add(crate, ls.Free(), to="hand", at=(0.3, 0, 0), name="payload")
system = model.compile()

# %%
# At the start it is 0.8 m away, comes at 8 cm/s and turns a little. Servos hold the arm on its
# motors, and swing it from 20 s on. Two events are the grip and the release.

pose, swing = {"upper": 0.9, "lower": -1.6, "hand": 0.7}, {"upper": -2.2, "lower": 0.6, "hand": 0.3}
loads = [ls.Actuator(name, ratio=100, rotor_inertia=1e-3) for name in pose]
for name, at in pose.items():
    target = ls.Table([20, 44], [at, at + swing[name]], "smooth", clamped=True)
    loads.append(ls.Servo(name, target, kp=4e3, kd=3e3))
drift = {"payload": [1, 0, 0, 0, 0.8, 0.02, 0.01], "payload.rates": [0, 0.01, 0.02, -0.08, 0, 0]}
start = system.state(**pose, **drift)
events = [
    ls.Event(lambda t, state: state["payload"][4], ls.Lock("payload"), once=True, name="grip"),
    ls.Event(lambda t, state: t - 32, ls.Release("payload"), name="release"),
]
run = ls.simulate(system, start, duration=50, loads=loads, events=events, output_step=0.05)
(caught, _), (let_go, _) = run.events

# %%
# Nothing acts from outside, so that the momentum of the whole is the same before and after. Between
# the events the payload does not move in the hand; before and after them its centre of mass flies
# along a straight line.

momentum = run["momentum"]
kept = np.abs(momentum - momentum[0]).max() / np.abs(momentum[0]).max()
held = (run.time > caught) & (run.time < let_go)
moved = np.abs(run["payload.rates"][held]).max()
turn, place = run["payload.rotation"], run["payload.position"]
centre = place + turn @ crate.com
for flight in (run.time < caught, run.time > let_go):
    t, path = run.time[flight], centre[flight]
    line = np.polynomial.Polynomial.fit
    bent = max(np.abs(path[:, k] - line(t, path[:, k], 1)(t)).max() for k in range(3))
    assert bent < 1e-6
(k,) = np.flatnonzero(run.time == caught)[:1]
lost = -np.diff(run["energy.kinetic"][k : k + 2])[0]
print(f"gripped at {caught:.2f} s, which takes {lost:.3f} J; momentum changes by {kept:.0e}")
assert kept < 1e-6 and moved == 0 and lost > 0

# %%
# The grip takes the jolt in an instant; joints and booms feel it for a while.

shown = "satellite.angles", "lower.tip.deflection", ["upper.force", "lower.force", "hand.force"]
figure = run.plot("payload.velocity", *shown, units="deg, mm, N m", title="")

# %%
# The arm when it grips, and the payload on its own way, seen along z. Forces in the grip are those
# of its joint, ``run["payload.reaction"]``; their peaks need a run without ``output_step``, as
# ``run.envelope("payload.reaction")`` says.

gripping = ls.viz.draw(system, run.state(caught), names=False, view="xy")
later = ls.viz.draw(system, run.state(50), names=False, view="xy")

# %%
# The motion, with deflections enlarged.

run.show(frames=300, scale=20, trails=["payload", "hand"], height=480)
