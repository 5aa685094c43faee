"""The sonar data of Gorman and Sejnowski, bundled."""

from importlib.resources import files

import numpy as np

from rosenblatt.datasets.dataset import Dataset

__all__ = ["sonar"]


def sonar() -> Dataset:
    """Sonar returns from a metal cylinder (M) and from rocks (R): 208 rows, 60 energies, completely separable.

    Gorman, R. P., and Sejnowski, T. J. (1988), Analysis of hidden units in a layered network trained to classify sonar
    targets, Neural Networks 1, 75–89. From the UCI Machine Learning Repository, "Connectionist Bench (Sonar, Mines vs.
    Rocks)", licensed CC BY 4.0.

    >>> X, y = sonar()
    >>> X.shape, sorted(set(y.tolist()))
    ((208, 60), ['M', 'R'])
    """
    lines = files("rosenblatt.datasets").joinpath("sonar.csv").read_text(encoding="ascii").splitlines()
    cells = [line.split(",") for line in lines]
    X = np.array([row[:-1] for row in cells[1:]], dtype=np.float64)
    y = np.array([row[-1] for row in cells[1:]])
    return Dataset(X, y, tuple(cells[0][:-1]), "Sonar: metal cylinder (M) or rock (R). Gorman and Sejnowski 1988.")
