"""Friction in the plane of a contact: regularised, with bristles, of a patch that spins; rolling.

The normal force N multiplies all of them; v is the slip velocity, mu(v) the coefficient.

  F = -N mu(|v|) v / |v|                                                                     (1)
  mu = mu_d tanh 4y + (mu_s - mu_d) y / (y^2/4 + 3/4)^2,  y = |v| / v_s                       (2)

(2) is that of Brown and McPhee, Journal of Computational and Nonlinear Dynamics 11 (2016).  The
state of a bristle is its deflection z, two lengths along the tangents of the contact:

  z' = v - beta (z . v)_+ z,   beta = alpha(|z| / z_ss) / (|z| z_ss),   z_ss = mu / sigma_0     (3)
  F  = -N (sigma_0 z + sigma_1 e z'),  mu = mu_d + (mu_s - mu_d) e,  e = exp(-(|v| / v_S)^2)    (4)
  alpha = 0 below r, 1 above 1, and (1 + sin(pi (x - (1 + r)/2) / (1 - r))) / 2 between         (5)

Dupont et al., IEEE Transactions on Automatic Control 47 (2002).  Here (z . v)_+ / |z| stands for
their |v| where z . v > 0, which is the same along one line and continuous in the plane, where a
deflection on the limit |z| = z_ss turns along it.  The damping sigma_1 fades with e, as their
constant one would multiply the force of a contact that begins with a fast slip, and feed the motion
where a slip speeds up and z_ss falls below |z|.

A round patch of radius a with Hertz's pressure, which slides with v and spins with u = a w, has the
potential of the speed P, whose first and second derivatives are force, moment and their change:

  F = -N mu(P) dP/dv,   M = -N mu(P) dP/dw,   P^2 = (|v|^2 + u^2) h(t),   t = |v|^2 / (|v|^2 + u^2)
  h = h_0 + h_0 t + (11/5 - 5 h_0) t^2 + (3 h_0 - 6/5) t^3 + t^2 (1 - t)^2 (p + q t)           (6)

P is |v| + u^2 / (10 |v|) for fast sliding and sqrt(h_0) u + sqrt(h_0) |v|^2 / u for fast spin,
sqrt(h_0) = 3 pi / 16 as for Hertz's pressure; p and q are fitted to its integral: errors of force
and moment are below 0.006 mu N and 0.006 mu N a.
"""

from __future__ import annotations

import math

from ..compiling import jit

# Places of the numbers of a friction
STATIC, DYNAMIC, SPEED, HOLD, SIGMA_0, SIGMA_1, ELASTIC_PART, SPIN, ROLLING, ROLLING_SPEED = range(
    10
)
SIZE = 10

H_0 = (3.0 * math.pi / 16.0) ** 2
P, Q = -0.339, 0.4493
H = (H_0, H_0, 2.2 - 5.0 * H_0 + P, 3.0 * H_0 - 1.2 - 2.0 * P + Q, P - 2.0 * Q, Q)  # h of (6)
_SMALL = 0.1  # 4y below which a series stands for a difference of nearly equal numbers
_MOST = 60  # iterations; halving alone needs 53


@jit
def slip(table, c, square):
    """Values of m and dm/ds / s of (2), m = mu(s) / s, at the square of a slip speed s.

    F = -N m v,  dF = -m v dN - N (m dv + (dm/ds / s) v (v . dv));  both are finite at rest.
    """
    static, dynamic = table[c + STATIC], table[c + DYNAMIC]
    speed = table[c + SPEED]
    y = math.sqrt(square) / speed
    x = 4.0 * y
    rise = math.tanh(x)
    ratio = rise / x if x > 0.0 else 1.0
    if x < _SMALL:  # derivative of tanh(x) / x over x, by its series
        s = x * x
        change = s * (-2764.0 / 31185.0 + s * (87376.0 / 2027025.0))
        change = -2.0 / 3.0 + s * (8.0 / 15.0 + s * (-34.0 / 105.0 + s * (496.0 / 2835.0 + change)))
    else:
        change = (x * (1.0 - rise * rise) - rise) / (x * x * x)
    q = 1.0 / (0.25 * y * y + 0.75)
    m = (4.0 * dynamic * ratio + (static - dynamic) * q * q) / speed
    slope = 64.0 * dynamic * change - (static - dynamic) * q * q * q
    return m, slope / (speed * speed * speed)


@jit
def rolling(table, c, square):
    """Values of m and dm/dw / w, of rolling resistance at the square of a rolling rate w.

    M = -N m w with m = l / sqrt(|w|^2 + w_s^2), l the lever of the resistance;
    dM = -m w dN - N (m dw + (dm/dw / w) w (w . dw)).
    """
    speed = table[c + ROLLING_SPEED]
    total = square + speed * speed
    m = table[c + ROLLING] / math.sqrt(total)
    return m, -m / total


@jit
def patch(table, c, v_2, w, a):
    """Coefficients of friction of a patch of radius a at slip v, v_2 = |v|^2, and spin w, by (6).

    F = -N A v,  M = -N B w along the normal.  Returned are A, B and

      dF = -N (A dv + v (A_v (v . dv) + A_w dw + A_a da)) - A v dN
      dM = -N (A_w (v . dv) + B_w dw + w B_a da) - B w dN

    Without spin it is `slip`.
    """
    V, U = v_2, a * a * w * w
    W = V + U
    inverse = 1.0 / W if W > 0.0 else 0.0
    t = V * inverse if W > 0.0 else 1.0
    h, h_1, h_2 = _patch_function(t)
    m, slope = slip(table, c, W * h)
    Q_V, Q_U = h + (1.0 - t) * h_1, h - t * h_1
    half, curve = 0.5 * slope, m * h_2 * inverse  # dm/d(P^2)
    VV = half * Q_V * Q_V + curve * (1.0 - t) * (1.0 - t)
    VU = half * Q_V * Q_U - curve * t * (1.0 - t)
    UU = half * Q_U * Q_U + curve * t * t
    A, C = m * Q_V, m * Q_U
    B = a * a * C
    B_w = B + 2.0 * a * a * U * UU
    A_a, B_a = 2.0 * a * w * w * VU, 2.0 * a * (C + U * UU)
    return A, B, 2.0 * VV, 2.0 * a * a * w * VU, B_w, A_a, B_a


@jit
def _patch_function(t):
    """Value of h of (6), and its first two derivatives."""
    h = H[0] + t * (H[1] + t * (H[2] + t * (H[3] + t * (H[4] + t * H[5]))))
    h_1 = H[1] + t * (2.0 * H[2] + t * (3.0 * H[3] + t * (4.0 * H[4] + t * 5.0 * H[5])))
    h_2 = 2.0 * H[2] + t * (6.0 * H[3] + t * (12.0 * H[4] + t * 20.0 * H[5]))
    return h, h_1, h_2


@jit
def stribeck(table, c, square):
    """Coefficient mu of (4), e, and the derivatives of both by the speed, over the speed."""
    speed = table[c + SPEED]
    e = math.exp(-square / (speed * speed))
    slope = -2.0 * e / (speed * speed)
    rise = table[c + STATIC] - table[c + DYNAMIC]
    return table[c + DYNAMIC] + rise * e, e, rise * slope, slope


@jit
def _flow(x, r):
    """Value of alpha (5) and its slope."""
    if x <= r:
        return 0.0, 0.0
    if x >= 1.0:
        return 1.0, 0.0
    angle = math.pi * (x - 0.5 * (1.0 + r)) / (1.0 - r)
    return 0.5 * (1.0 + math.sin(angle)), 0.5 * math.pi / (1.0 - r) * math.cos(angle)


@jit
def bristle_rate(table, c, z, v):
    """Rate of a bristle by (3), two numbers, and its derivatives by z and v, four each by rows."""
    along = z[0] * v[0] + z[1] * v[1]
    length = math.sqrt(z[0] * z[0] + z[1] * z[1])
    mu, _e, mu_slope, _slope = stribeck(table, c, v[0] * v[0] + v[1] * v[1])
    x = length * table[c + SIGMA_0] / mu
    alpha, flow = _flow(x, table[c + ELASTIC_PART])
    if along <= 0.0 or alpha == 0.0:
        return v, (0.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 1.0)
    unit = table[c + SIGMA_0] / (length * mu)
    beta = alpha * unit
    g = beta * along
    by_length = along * unit * (flow * x - alpha) / (length * length)  # over the length
    by_mu = -along * unit / mu * (flow * x + alpha) * mu_slope  # over the speed
    z_0, z_1 = beta * v[0] + by_length * z[0], beta * v[1] + by_length * z[1]
    v_0, v_1 = beta * z[0] + by_mu * v[0], beta * z[1] + by_mu * v[1]
    return (
        (v[0] - g * z[0], v[1] - g * z[1]),
        (-g - z[0] * z_0, -z[0] * z_1, -z[1] * z_0, -g - z[1] * z_1),
        (1.0 - z[0] * v_0, -z[0] * v_1, -z[1] * v_0, 1.0 - z[1] * v_1),
    )


@jit
def bristle(table, c, z, v):
    """Values of f = F / N of a bristle by (4), f_z and f_v by rows; and its rate as `bristle_rate`.

    dF = f dN + N (f_z dz + f_v dv).
    """
    rate, by_z, by_v = bristle_rate(table, c, z, v)
    _mu, e, _mu_slope, slope = stribeck(table, c, v[0] * v[0] + v[1] * v[1])
    stiff, damped = table[c + SIGMA_0], table[c + SIGMA_1] * e
    fade = table[c + SIGMA_1] * slope
    f = -stiff * z[0] - damped * rate[0], -stiff * z[1] - damped * rate[1]
    f_z = (
        -stiff - damped * by_z[0], -damped * by_z[1],
        -damped * by_z[2], -stiff - damped * by_z[3],
    )  # fmt: skip
    f_v = (
        -damped * by_v[0] - fade * rate[0] * v[0], -damped * by_v[1] - fade * rate[0] * v[1],
        -damped * by_v[2] - fade * rate[1] * v[0], -damped * by_v[3] - fade * rate[1] * v[1],
    )  # fmt: skip
    return f, f_z, f_v, rate, by_z, by_v


@jit
def bristle_step(table, c, z, v, h):
    """Bristle after an implicit Euler step of length h at the slip v of its end, and dz/dv by rows.

    z_1 = z + h z'(z_1, v) is parallel to z + h v by (3); with x = |z_1| / z_ss it is one equation,
    whose left side grows:

      x (1 + g alpha(x)) = |z + h v| / z_ss,   g = h (v . (z + h v))_+ / (|z + h v| z_ss)   (7)
    """
    end = z[0] + h * v[0], z[1] + h * v[1]
    length = math.sqrt(end[0] * end[0] + end[1] * end[1])
    mu, _e, _mu_slope, _slope = stribeck(table, c, v[0] * v[0] + v[1] * v[1])
    limit = mu / table[c + SIGMA_0]
    along = v[0] * end[0] + v[1] * end[1]
    g = h * along / (length * limit) if along > 0.0 else 0.0
    share = 1.0
    if length > 0.0:
        share = _bristle_length(length / limit, g, table[c + ELASTIC_PART]) * limit / length
    new = share * end[0], share * end[1]
    _rate, by_z, by_v = bristle_rate(table, c, new, v)
    a, b = 1.0 - h * by_z[0], -h * by_z[1]
    d, e = -h * by_z[2], 1.0 - h * by_z[3]
    over = h / (a * e - b * d)
    change = (
        over * (e * by_v[0] - b * by_v[2]), over * (e * by_v[1] - b * by_v[3]),
        over * (a * by_v[2] - d * by_v[0]), over * (a * by_v[3] - d * by_v[1]),
    )  # fmt: skip
    return new, change


@jit
def _bristle_length(y, g, r):
    """Solution x of (7) with the right side y: Newton's method, halving where it leaves bounds."""
    if y <= r:
        return y
    if y >= 1.0 + g:
        return y / (1.0 + g)
    low, high = r, min(y, 1.0)
    x = 0.5 * (low + high)
    for _ in range(_MOST):
        alpha, flow = _flow(x, r)
        excess = x * (1.0 + g * alpha) - y
        if excess > 0.0:
            high = x
        else:
            low = x
        step = excess / (1.0 + g * (alpha + x * flow))
        new = x - step
        if new <= low or new >= high:
            new = 0.5 * (low + high)
        if abs(new - x) <= 1e-15:
            return new
        x = new
    return x
