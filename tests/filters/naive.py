"""Adaptive filters as the textbook writes them, slow and obviously right."""

import numpy as np

from rosenblatt import filters


def regressors(u, taps):
    """x(n) = (u(n), …, u(n − taps + 1)) of a signal; rows as they are."""
    u = np.asarray(u)
    if u.ndim == 2:
        return u
    return np.array([[u[n - k] if n >= k else 0 for k in range(taps)] for n in range(len(u))]).reshape(len(u), taps)


def sign(z):
    return np.sign(z.real) + 1j * np.sign(z.imag) if np.iscomplexobj(z) else np.sign(z)


def small(relative, absolute, power):
    """ε or δ: a share of the power, or a number."""
    return relative * power if absolute is None else absolute


def run(filter, u, d):  # noqa: A002
    """(y, e, weights before each sample, and at last) by the formulas of the docstrings."""
    wide = np.complex128 if np.iscomplexobj(u) or np.iscomplexobj(d) else np.float64
    X, d = regressors(u, filter.taps).astype(wide), np.asarray(d).astype(wide)
    w, eta = np.zeros(filter.taps, dtype=wide), getattr(filter, "eta", None)
    if not isinstance(filter.start, str):
        w = w + filter.start
    P = None
    y, e, path = [], [], []
    for n, x in enumerate(X):
        path.append(w)
        y.append(w @ x)
        e.append(d[n] - y[-1])
        error, c = e[-1], x.conj()
        mean = np.mean([np.linalg.norm(one) ** 2 for one in X[: n + 1]])
        match filter:
            case filters.LeakyLMS():
                w = (1 - eta * filter.leak) * w + eta * error * c
            case filters.LMS():
                w = w + eta * error * c
            case filters.NLMS():
                w = w + eta / (small(filter.eps, filter.eps_absolute, mean) + np.linalg.norm(x) ** 2) * error * c
            case filters.SignLMS(variant="error"):
                w = w + eta * sign(error) * c
            case filters.SignLMS(variant="data"):
                w = w + eta * error * sign(x).conj()
            case filters.SignLMS():
                w = w + eta * sign(error) * sign(x).conj()
            case filters.AffineProjection():
                last = range(n, max(-1, n - filter.order), -1)
                A = X[list(last)]
                errors = d[list(last)] - A @ w
                eps = small(filter.eps, filter.eps_absolute, mean)
                w = w + eta * A.conj().T @ np.linalg.solve(A @ A.conj().T + eps * np.eye(len(A)), errors)
            case filters.RLS():
                if P is None:
                    P = np.eye(filter.taps) / small(filter.delta, filter.delta_absolute, np.linalg.norm(x) ** 2)
                k = P @ c / (filter.forgetting + x @ P @ c)
                w = w + error * k
                P = (P - np.outer(k, x @ P)) / filter.forgetting
    return np.array(y, dtype=wide), np.array(e, dtype=wide), np.array([*path, w])
