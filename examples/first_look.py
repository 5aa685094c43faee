"""A perceptron learns, in the terminal: each frame is one correction of the line between two kinds of points."""

import sys
import time

import numpy as np

import rosenblatt as rb

WIDTH, HEIGHT = 64, 20  # characters
SECONDS = 0.25  # for each frame, where somebody watches


def frame(X: np.ndarray, y: np.ndarray, w: np.ndarray, row: int | None) -> str:
    """The points as + and o, the line between them, and a ring around the point that was wrong."""
    across, down = np.linspace(-3.2, 3.2, WIDTH), np.linspace(3.2, -3.2, HEIGHT)
    picture = [[" "] * WIDTH for _ in range(HEIGHT)]
    if w[:2].any():  # where the response changes its sign from one cell to the next, there is the line
        response = w[0] * across[None, :] + w[1] * down[:, None] + w[2] > 0
        edge = (response[:, 1:] != response[:, :-1])[:-1] | (response[1:] != response[:-1])[:, :-1]
        for i, j in zip(*np.nonzero(edge), strict=True):
            picture[i][j] = "·"
    for k, (point, label) in enumerate(zip(X, y, strict=True)):
        i, j = int(np.abs(down - point[1]).argmin()), int(np.abs(across - point[0]).argmin())
        picture[i][j] = "+" if label > 0 else "o"
        if k == row:
            picture[i][max(0, j - 1)], picture[i][min(WIDTH - 1, j + 1)] = "(", ")"
    return "\n".join("  " + "".join(line).rstrip() for line in picture)


def main() -> None:
    """Show the run: every correction in a terminal; where nobody watches, the last one."""
    X, y = rb.datasets.margin_cloud(30, 2, margin=0.35, random_state=8)
    model = rb.Perceptron(order="cyclic", trace=True).fit(X, y)
    rows, w = model.trace_.rows.tolist(), model.trace_.start.copy()
    watched = sys.stdout.isatty()
    for k, row in enumerate([None, *rows]):
        if row is not None:
            w = w + y[row] * np.append(X[row], 1.0)
        words = (
            "w = 0: there is no line yet."
            if row is None
            else f"Correction {k} of {len(rows)}: ( ) was wrong, w += y·(x, 1)."
        )
        if watched or k == len(rows):
            print(f"{frame(X, y, w, row)}\n  {words}")
        if watched and k < len(rows):
            time.sleep(SECONDS)
            print(f"\033[{HEIGHT + 1}A\033[J", end="")
    print(f"\n  A perceptron learned to tell + from o. {model.outcome_.name}: {model.outcome_.sentence}")


if __name__ == "__main__":
    main()
