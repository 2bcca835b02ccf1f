"""One cell by the fourth-order Runge-Kutta method, independent of the program's own sources."""

C, ALPHA, B, GAMMA, MU1, MU2 = 8, 0.01, 0.15, 0.002, 0.2, 0.3  # Göktepe and Kuhl 2009
MS_PER_TAU = 12.9


def rates(phi, r):
    f = C * phi * (phi - ALPHA) * (1 - phi) - r * phi
    g = (GAMMA + MU1 * r / (MU2 + phi)) * (-r - C * phi * (phi - B - 1))
    return f, g


def step(phi, r, h):
    f1, g1 = rates(phi, r)
    f2, g2 = rates(phi + h / 2 * f1, r + h / 2 * g1)
    f3, g3 = rates(phi + h / 2 * f2, r + h / 2 * g2)
    f4, g4 = rates(phi + h * f3, r + h * g3)
    return phi + h / 6 * (f1 + 2 * f2 + 2 * f3 + f4), r + h / 6 * (g1 + 2 * g2 + 2 * g3 + g4)


def reference(step_ms=0.005, end_ms=450):
    """The beat from φ = 0.2, r = 0, as a row beside those of the test."""
    phi, r, trajectory = 0.2, 0.0, [0.2]
    for _ in range(round(end_ms / step_ms)):
        phi, r = step(phi, r, step_ms / MS_PER_TAU)
        trajectory.append(phi)
    peak = max(trajectory)

    def crossing(level, start, sign):
        for k in range(start, len(trajectory) - 1):
            before, after = sign * (trajectory[k] - level), sign * (trajectory[k + 1] - level)
            if before < 0 <= after:
                return (k - before / (after - before)) * step_ms

    top = trajectory.index(peak)
    upstroke = crossing(0.5, 0, +1)
    return {
        "source": "runge_kutta_here",
        "step_ms": f"{step_ms:g}",
        "peak_mv": f"{100 * peak - 80:.4f}",
        "upstroke_ms": f"{upstroke:.4f}",
        "apd50_ms": f"{crossing(0.5 * peak, top, -1) - upstroke:.4f}",
        "apd90_ms": f"{crossing(0.1 * peak, top, -1) - upstroke:.4f}",
    }
