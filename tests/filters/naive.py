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


def block_lms(filter, u, d):  # noqa: A002
    """(y, w at the end) of `BlockLMS`: the corrections of LMS, made at the end of each block."""
    channels = np.asarray(u).reshape(len(u), -1).T
    X = np.hstack([regressors(one, filter.taps // len(channels)) for one in channels])
    w, y, waiting = np.zeros(filter.taps, dtype=X.dtype), [], 0
    for n, x in enumerate(X):
        y.append(w @ x)
        waiting = waiting + (d[n] - y[-1]) * x.conj()
        if (n + 1) % filter.block == 0:
            w, waiting = w + filter.eta * waiting, 0
    return np.array(y), w


class Overlap:
    """Overlap-save as the textbook has it, whole spectra throughout: what both partitioned filters are made of."""

    def __init__(self, filter, u):  # noqa: A002
        self.B, self.c = filter.block, 1 if np.ndim(u) == 1 else np.shape(u)[1]
        self.taps = filter.taps // self.c
        self.P = -(-self.taps // self.B)
        self.W = np.zeros((self.c, self.P, 2 * self.B), dtype=complex)
        self.X = np.zeros_like(self.W)

    def output(self, before, now):
        """y of a block, from the block before and this one, a channel in each column."""
        self.X = np.roll(self.X, 1, axis=1)
        self.X[:, 0] = np.fft.fft(np.concatenate([before, now]).T)
        return np.fft.ifft((self.W * self.X).sum(axis=(0, 1)))[self.B :]

    def late(self, e):
        """The spectrum of a block after zeros."""
        return np.fft.fft(np.concatenate([np.zeros(self.B), e]))

    def constrain(self, k):
        """Partition k loses what lies outside it, and the last what lies beyond the taps."""
        w = np.fft.ifft(self.W[:, k])
        w[:, min(self.B, self.taps - k * self.B) :] = 0
        self.W[:, k] = np.fft.fft(w)

    def inside(self, Z):
        """The squared length of the correction by X*·Z, once it is constrained."""
        g = np.fft.ifft(self.X.conj() * Z)[..., : self.B].reshape(self.c, -1)[:, : self.taps]
        return np.sum(abs(g) ** 2)

    def weights(self):
        return np.fft.ifft(self.W)[..., : self.B].reshape(self.c, -1)[:, : self.taps].ravel()


def partitioned(filter, u, d):  # noqa: A002
    """(y, w at the end) of `PartitionedLMS` or `PartitionedKalman`."""
    it, B = Overlap(filter, u), filter.block
    whole = -(-len(d) // B) * B
    U = np.zeros((B + whole, it.c), dtype=complex)
    U[B : B + len(d)] = np.reshape(u, (len(d), -1))
    D, y, state = np.concatenate([d, np.zeros(whole - len(d))]), [], {}
    for block in range(whole // B):
        here = slice(block * B, block * B + B)
        y.append(it.output(U[here], U[here.start + B : here.stop + B]))
        if here.stop > len(d):
            break
        e = D[here] - y[-1]
        step = kalman_step if isinstance(filter, filters.PartitionedKalman) else lms_step
        step(filter, it, block, e, D[here], state)
    return np.concatenate(y)[: len(d)] if y else np.zeros(0), it.weights()


def limited(it, e, Z, length):
    """Z cut to the block and no longer than is safe; `length` is the squared length of what a Z corrects."""
    z = np.fft.ifft(Z)
    z[: it.B] = 0
    Z, gain = np.fft.fft(z), np.vdot(e, z[it.B :]).real
    long = length(Z)
    return Z * (min(1, gain / long) if long > 0 else 0)


def lms_step(filter, it, block, e, d, state):  # noqa: A002
    Z, S = it.late(e), (abs(it.X) ** 2).sum(axis=(0, 1))
    if filter.normalized:
        old = state.get("power", np.zeros_like(S))
        state["power"] = np.where(old > 0, filter.smoothing * old + (1 - filter.smoothing) * S, S)
        state.setdefault("means", []).append(S.mean())
        below = filter.eps * np.mean(state["means"]) + np.maximum(S, state["power"])
        Z = np.divide(Z, below, out=np.zeros_like(Z), where=below > 0)
        full = filter.constraint == "full"
        Z = limited(it, e, Z, it.inside if full else lambda Z: np.mean(S * abs(Z) ** 2))
    it.W = it.W + filter.eta * it.X.conj() * Z
    it.constrain(0)
    if filter.constraint == "full":
        for k in range(it.P):
            it.constrain(k)
    elif filter.constraint == "alternating" and it.P > 1:
        it.constrain(1 + (block + 1) % (it.P - 1))


def kalman_step(filter, it, block, e, d, state):  # noqa: A002
    E, power = it.late(e), abs(it.X) ** 2
    state["noise"] = filter.smoothing * state.get("noise", 0) + (1 - filter.smoothing) * abs(E) ** 2
    P = state.get("P")
    if P is None:
        if not (np.any(d) and power.any()):
            return
        P = np.full(it.W.shape, 2 * np.sum(abs(d) ** 2) * 2 * it.B / power.sum())
    echo = (P * power).sum(axis=(0, 1))
    below = echo + 2 * state["noise"]
    below[below == 0] = np.inf
    it.W = it.W + P * it.X.conj() * limited(it, e, E / below, lambda Z: np.mean(echo * abs(Z) ** 2))
    for k in range(it.P):
        it.constrain(k)
    state["P"] = P * (1 - 0.5 * P * power / below) + filter.drift * it.B * abs(it.W) ** 2
