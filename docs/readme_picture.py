"""Draw the README's pictures: python docs/readme_picture.py. Two verdicts and the theorem; one for each door."""

import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold, cross_val_score

import rosenblatt as rb

HERE = Path(__file__).parent

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
figure.savefig(HERE / "_static" / "verdicts.png", dpi=90)


def door(name: str, ax: plt.Axes) -> None:
    """A small picture beside a door."""
    ax.figure.set_layout_engine("constrained")
    ax.figure.savefig(HERE / "_static" / f"door-{name}.png", dpi=100)


def frame(title: str) -> plt.Axes:
    """Small axes with nothing but what is drawn."""
    _, ax = plt.subplots(figsize=(2.6, 1.7))
    ax.set_title(title, fontsize=8, loc="left")
    ax.tick_params(labelsize=6)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


# a student: one run's lines, the last one dark
points = rb.datasets.margin_cloud(24, 2, margin=0.3, random_state=3)
trace = rb.Perceptron.from_recipe("rosenblatt62", trace=True).fit(*points).trace_
ax = frame(f"{len(trace)} corrections, then none is wrong")
ax.scatter(*points.X[points.y > 0].T, s=9, color="#0060b0")
ax.scatter(*points.X[points.y < 0].T, s=9, marker="s", facecolor="none", edgecolor="#c65312")
low, high = ax.get_ylim()
x = np.array(ax.get_xlim())
for step in range(1, len(trace) + 1):
    u, v, b = trace.weights_at(step)
    if v:
        ax.plot(x, -(u * x + b) / v, color="black", lw=0.7, alpha=1.0 if step == len(trace) else 0.25)
ax.set(xlim=x, ylim=(low, high), xticks=[], yticks=[])
door("student", ax)

# an engineer: what each learner gets wrong
X, y = rb.datasets.sonar()
ax = frame("sonar: right in cross-validation")
names = {
    "perceptron": rb.Perceptron(average=False),
    "averaged": rb.Perceptron(average=True),
    "logistic": rb.Logistic(regularizer=1.0),
}
warnings.simplefilter("ignore")  # of fits that do not separate in 1,000 passes
right = [
    cross_val_score(model, X, y, cv=StratifiedKFold(10, shuffle=True, random_state=0)).mean()
    for model in names.values()
]
ax.barh(list(names), right, color="#0060b0", height=0.55)
for place, part in enumerate(right):
    ax.text(part - 0.01, place, f"{part:.0%}", color="white", ha="right", va="center", fontsize=7)
ax.set(xlim=(0.5, 1))
door("engineer", ax)

# a statistician: an estimate that runs to infinity
table = pd.read_csv(HERE / "data" / "patients.csv")
found = rb.estimate(table.drop(columns="high_grade"), table["high_grade"])
ax = frame("one estimate is +∞")
rows = found.to_frame().iloc[2::-1].astype({"estimate": float, "lower": float, "upper": float})
for place, (value, low, high) in enumerate(zip(rows["estimate"], rows["lower"], rows["upper"], strict=True)):
    ax.plot([max(low, -8), min(high, 8)], [place, place], color="black", lw=1)
    if np.isfinite(value):
        ax.plot(value, place, "o", ms=4, color="black")
    else:
        ax.annotate("", xy=(8.9, place), xytext=(7.5, place), arrowprops={"arrowstyle": "-|>", "color": "black"})
ax.axvline(0, color="gray", lw=0.6)
ax.set(yticks=range(3), yticklabels=rows.index, xlim=(-8, 9))
door("statistician", ax)

# a signal person: an echo, and what is left of it
rng = np.random.default_rng(0)
far = rng.normal(size=6000)
room = rng.normal(size=24) * np.exp(-np.arange(24) / 6)
echo = np.convolve(far, room)[:6000]
run = rb.filters.NLMS(taps=24, eta=0.5).run(far, echo + 0.01 * rng.normal(size=6000))
ax = frame("the echo, and what is left of it")
ax.plot(echo, lw=0.3, color="#c65312")
ax.plot(run.e, lw=0.3, color="#0060b0")
ax.set(xticks=[], yticks=[])
door("signal", ax)

# a researcher: a probe in each layer, beside chance
layers = rng.normal(size=(6, 800, 16))
concept = np.arange(800) % 2 == 1
for layer, strength in enumerate((0, 0, 0.4, 0.9, 1.5, 2.5)):
    layers[layer, :, 0] += strength * concept
probes = rb.probes.fit(layers, {"odd": concept}, controls=5, test=0.25, random_state=1).to_frame()
ax = frame("is it readable, layer by layer?")
bars = [probes["auc"] - probes["auc_low"], probes["auc_high"] - probes["auc"]]
ax.errorbar(probes["layer"], probes["auc"], bars, fmt="o-", ms=3, lw=1)
ax.axhline(0.5, color="gray", lw=0.6)
ax.set(xlabel="layer", ylabel="AUROC")
ax.xaxis.label.set_size(7)
ax.yaxis.label.set_size(7)
door("researcher", ax)
