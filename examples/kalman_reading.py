"""
Dynamics read as a Kalman filter
================================

Forward dynamics of an arm is the same computation as filtering a random process: the inertias of
its bodies are covariances, and what each joint feels is a measurement. Here the process is
sampled, and the filter's covariances are found in the samples; then the filter and the smoother
give the accelerations of ``forward_dynamics``. ``(A 54)`` is equation (54) of Jain
& Rodriguez 1992.
"""

import matplotlib.pyplot as plt
import numpy as np

import lissom as ls


def gap(a, b):
    """Largest difference of two arrays or operators, relative to the second."""
    a, b = (x.as_matrix() if hasattr(x, "as_matrix") else np.asarray(x) for x in (a, b))
    return np.abs(a - b).max() / np.abs(b).max()


def sampled(x, expected):
    """Largest difference of the samples' covariance from the expected one, as a correlation."""
    sigma = np.sqrt(np.diag(expected))
    return np.abs((x @ x.T / x.shape[1] - expected) / np.outer(sigma, sigma)).max()


def correlation(x):
    """Absolute correlations of rows."""
    return np.abs(np.corrcoef(x))


# %%
# An arm of three flexible links with a load, at rest.

link = ls.beam(1.5, ls.Tube(radius=0.03, thickness=0.002), ls.CARBON, modes=4)
load = ls.RigidBody.sphere(mass=2, radius=0.1)
model = ls.Model("arm")
model.add(link, ls.Revolute("z"), name="shoulder")
model.add(link, ls.Revolute("y"), to="shoulder.tip", name="elbow")
model.add(link, ls.Revolute("y"), to="elbow.tip", name="wrist")
model.add(load, ls.Universal("x", "y"), to="wrist.tip", name="load")
system = model.compile()
state = system.state(shoulder=0.3, elbow=-0.8, wrist=1.1, load=[0.4, 0.2])
op = ls.operators(system, state)
print(system)

# %%
# The identities that make the algorithm.

M = ls.mass_matrix(system, state)
L, L_inverse = op.innovations, op.innovations_inverse
print("\nrelative error of the identities")
print(f"  (A 43)  M = H Phi M_m Phi* H*                     {gap(op.mass, M):.0e}")
print(f"  (A 54)  M = (I + H Phi K) D (I + H Phi K)*        {gap(L @ op.D @ L.T, M):.0e}")
error = gap(L_inverse.T @ op.D_inverse @ L_inverse, np.linalg.inv(M))
print(f"  (A 56)  M^-1 = (I - H Psi K)* D^-1 (I - H Psi K)  {error:.0e}")

# %%
# The random process. "Time" runs from the tip to the base. The state is the force :math:`f`
# through the hinges. Each body adds noise :math:`w` whose covariance is its inertia :math:`M_m`,
# and each hinge measures, without error, what it can feel of the force:
#
# .. math:: f(i) = \Phi(i, i+1) f(i+1) + w(i), \qquad T(i) = H(i) f(i).
#
# Stacked, :math:`f = \Phi w` and :math:`T = H \Phi w`. So :math:`T` has the mass matrix for its
# covariance. Gravity, speeds and deformation would give :math:`w` a mean; here it has none.

rng = np.random.default_rng(0)
n = 100_000
roots = [np.linalg.cholesky(block) for block in op.M_m.blocks]
w = np.concatenate([root @ rng.standard_normal((len(root), n)) for root in roots])
f = op.Phi @ w
T = op.H @ f
print(f"\n{n} samples: the largest error of a correlation should be near {4 * n**-0.5:.3f}")
print(f"  covariance of T against the mass matrix  {sampled(T, M):.3f}")

# %%
# The filter. :math:`z` is the force predicted from the measurements outboard, its error has the
# covariance :math:`P`, and :math:`K` is the Kalman gain :math:`G` shifted to the next body. What
# is new in a measurement, :math:`\epsilon`, is white: its covariance :math:`D` has no entries
# between different hinges.

z = op.Psi @ (op.K @ T)
epsilon = T - op.H @ z
own, outboard = slice(0, len(op.P.blocks[0])), slice(op.speeds[0].stop, None)  # of the shoulder
print(f"  covariance of f - z against P            {sampled((f - z)[own], op.P.blocks[0]):.3f}")
print(f"  covariance of epsilon against D          {sampled(epsilon, op.D.as_matrix()):.3f}")

# %%
# The same without sampling: for given torques, the expectation of the force in the shoulder if
# all torques outboard of it are known, from the joint covariances of :math:`f` and :math:`T`.

torques = rng.standard_normal(system.n_v)
covariance = (op.Phi @ op.M_m @ op.Phi.T).as_matrix()[own, own]
f_with_T = (op.Phi @ op.M_m @ op.Phi.T @ op.H.T).as_matrix()[own, outboard]
regression = f_with_T @ np.linalg.inv(M[outboard, outboard])
expected = regression @ torques[outboard]
filtered = (op.Psi @ (op.K @ torques))[own]
remaining = covariance - regression @ f_with_T.T
filter_error, covariance_error = gap(filtered, expected), gap(remaining, op.P.blocks[0])
print("\nforce in the shoulder as expected from the torques outboard: moment [N m], force [N]")
print("  joint distribution ", expected[-6:].round(6))
print("  filter             ", filtered[-6:].round(6))
print(f"  relative difference {filter_error:.0e}, of the covariances {covariance_error:.0e}")

# %%
# The smoother runs back from base to tip, and what it finds are the accelerations: the noise that
# all measurements together make likely is :math:`M_m \alpha`, inertia times acceleration.

nu = op.D_inverse @ (torques - op.H @ (op.Psi @ (op.K @ torques)))
alpha = op.Psi.T @ (op.H.T @ nu)
likely = op.M_m @ (op.Phi.T @ (op.H.T @ np.linalg.solve(M, torques)))
accelerations = nu - op.K.T @ alpha
smoother_error = gap(accelerations, ls.forward_dynamics(system, state, torques))
print("\nsmoother, relative errors")
print(f"  M_m alpha against the expected noise E[w | T]   {gap(op.M_m @ alpha, likely):.0e}")
print(f"  accelerations against forward_dynamics          {smoother_error:.0e}")
assert max(filter_error, covariance_error) < 1e-8 and smoother_error < 1e-9

# %%
# Torques are correlated all over, as the mass matrix says. What is new in them is white:
# correlations are left within a body only, between its modes and its joint.

figure, axes = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
for panel, samples, title in zip(axes, (T, epsilon), ("torques T", "innovations ε"), strict=True):
    picture = panel.imshow(correlation(samples[:, :5000]), vmin=0, vmax=1, cmap="viridis")
    panel.set(title=f"Correlations of the {title}", xlabel="speed", ylabel="speed")
    panel.set(xticks=range(0, system.n_v, 4), yticks=range(0, system.n_v, 4))
figure.colorbar(picture, ax=axes)
plt.show()
