"""Samples a second against padasip, on the same data, with the same answers."""

import numpy as np
import padasip

from benchmarks.timing import WALL, benchmark, best_times, print_table, ratio, some
from rosenblatt import filters

N = 20_000
LONG = 1_000_000


def _data(n: int, taps: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    u = rng.normal(size=n)
    return u, np.convolve(u, rng.normal(size=taps))[:n] + 0.1 * rng.normal(size=n)


def _pairs(taps: int) -> dict[str, tuple[filters.AdaptiveFilter, object]]:
    theirs = padasip.filters
    return {
        "LMS": (filters.LMS(taps, 0.1 / taps), theirs.FilterLMS(taps, mu=0.1 / taps, w="zeros")),
        "NLMS": (filters.NLMS(taps, 0.5, eps_absolute=1e-3), theirs.FilterNLMS(taps, mu=0.5, eps=1e-3, w="zeros")),
        "affine projection, order 5": (
            filters.AffineProjection(taps, 0.5, order=5, eps_absolute=1e-3),
            theirs.FilterAP(taps, mu=0.5, order=5, ifc=1e-3, w="zeros"),
        ),
        "RLS": (filters.RLS(taps, 0.99, delta_absolute=0.1), theirs.FilterRLS(taps, mu=0.99, eps=0.1, w="zeros")),
    }


@benchmark("filters")
def against_padasip() -> None:
    """One run over 20,000 samples, one thread each; theirs is given the delay line ready made."""
    rows = []
    for taps in some((8, 32, 128)):
        u, d = _data(N, taps)
        X = np.ascontiguousarray(filters.delay_line(u, taps))
        for name, (ours, theirs) in _pairs(taps).items():
            difference = float(abs(ours.reset().run(u, d).y - theirs.run(d, X)[0]).max())  # type: ignore[attr-defined]
            calls = {
                "ours": lambda ours=ours, u=u, d=d: ours.reset().run(u, d),
                "theirs": lambda theirs=theirs, X=X, d=d: theirs.run(d, X),
            }
            mine, other = best_times(calls, rounds=4).values()
            speed = f"{N / mine / 1e6:.2f} million/s"
            rows.append([name, str(taps), speed, ratio(other / mine), f"{difference:.0e}"])
    print_table(["filter", "taps", "rosenblatt", "padasip takes", "largest difference"], rows)


@benchmark("signals")
def long_signals() -> None:
    """A million samples with 32 taps: real and complex, float32 and float64, sensors in rows."""
    u, d = _data(LONG, 32)
    X = np.ascontiguousarray(filters.delay_line(u[: LONG // 8], 32))
    rows = []
    for one in (filters.LMS(32, 0.003), filters.NLMS(32), filters.RLS(32)):
        n = LONG // 10 if isinstance(one, filters.RLS) else LONG
        calls = {
            "float64": lambda one=one, n=n: one.reset().run(u[:n], d[:n]),
            "float32": lambda one=one, n=n: one.reset().run(u[:n].astype(np.float32), d[:n].astype(np.float32)),
            "complex128": lambda one=one, n=n: one.reset().run(u[:n] * 1j, d[:n]),
        }
        for name, best in best_times(calls, rounds=2).items():  # type: ignore[arg-type]
            rows.append([type(one).__name__, name, f"{best / n * 1e9:.0f} ns"])
    as_rows = best_times({"rows": lambda: filters.NLMS(32).run(X, d[: len(X)])}, rounds=2)["rows"]
    rows.append(["NLMS", "float64, rows of regressors", f"{as_rows / len(X) * 1e9:.0f} ns"])
    print_table(["filter", "signal", "a sample"], rows)


@benchmark("samples")
def single_samples() -> None:
    """One sample at a time: `adapt` on a regressor, as in a control loop."""
    u, d = _data(2000, 32)
    X = np.ascontiguousarray(filters.delay_line(u, 32))
    ours, theirs = filters.NLMS(32), padasip.filters.FilterNLMS(32, mu=0.5, w="zeros")
    times = best_times(
        {
            "rosenblatt": lambda: [ours.adapt(x, y) for x, y in zip(X, d, strict=True)],
            "padasip": lambda: [theirs.adapt(y, x) for x, y in zip(X, d, strict=True)],
        },
        rounds=3,
    )
    print_table(["", "a sample"], [[name, f"{best / 2000 * 1e6:.1f} µs"] for name, best in times.items()])


@benchmark("ensembles")
def ensembles() -> None:
    """A learning curve over 1,000 realisations of 1,000 samples: one thread, all cores, and a loop over `run`."""
    rng = np.random.default_rng(0)
    u, d = rng.normal(size=(1000, 1000)), rng.normal(size=(1000, 1000))
    one = filters.NLMS(16)
    times = best_times(
        {
            "one thread": lambda: filters.learning_curve(one, u, d, n_jobs=1),
            "all cores": lambda: filters.learning_curve(one, u, d),
            "a loop": lambda: np.mean([one.reset().run(a, b).e ** 2 for a, b in zip(u, d, strict=True)], axis=0),
        },
        rounds=3,
        clock=WALL,
    )
    print_table(["", "takes"], [[name, f"{best * 1e3:.0f} ms"] for name, best in times.items()])
