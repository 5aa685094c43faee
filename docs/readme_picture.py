"""Draw the README's picture: python docs/readme_picture.py. Two verdicts with proofs, the theorem around a run."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import rosenblatt as rb

cloud = rb.datasets.margin_cloud(40, 2, margin=0.35, random_state=6)
rng = np.random.default_rng(4)
labels = np.resize([1, -1], 24)
mixed = np.round(rng.normal(size=(24, 2)) + 0.6 * labels[:, None], 2)
data = rb.datasets.margin_cloud(300, 8, margin=0.04, random_state=5)
curve = rb.theory.convergence(rb.Perceptron(trace=True).fit(*data).trace_, *data, data.w_star)

k = np.geomspace(1, 2 * curve.bound, 200)

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
rb.plot.BoundaryDisplay.from_verdict(rb.separability(*cloud), *cloud, ax=left)
rb.plot.BoundaryDisplay.from_verdict(rb.separability(mixed, labels), mixed, labels, ax=middle)
right.loglog(k, curve.bounds.upper(k), color="#d55e00", label="at most: like k")
right.loglog(curve.k[1:], curve.norm_sq[1:], color="black", lw=2, label="‖w‖² of this run")
right.loglog(k, curve.bounds.lower(k), color="#0072b2", label="at least: like k²")
right.set(xlabel="corrections", xlim=(1, 2 * curve.bound), ylim=(curve.norm_sq[1] / 3, None))
right.set_title(
    f"{len(curve.k) - 1:,} corrections of at most {curve.bound:,}", loc="left", fontsize=10, fontweight="bold"
)
right.legend(frameon=False)
right.spines[["top", "right"]].set_visible(False)
figure.savefig(Path(__file__).parent / "_static" / "verdicts.png", dpi=90)
