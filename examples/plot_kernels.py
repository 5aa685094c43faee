"""
Kernels: borders that are no lines
==================================

A perceptron on features that are never written down. Each circled row was corrected at least once: the border is made
of those alone.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

import rosenblatt as rb

X, y = make_moons(150, noise=0.1, random_state=0)
figure, axes = plt.subplots(1, 3, figsize=(11, 3.6))
for ax, gamma in zip(axes, (0.2, 2.0, 20.0), strict=True):
    model = rb.KernelPerceptron(gamma=gamma, average=False, max_passes=500).fit(X, y)
    a, b = np.meshgrid(np.linspace(-1.6, 2.6, 150), np.linspace(-1.2, 1.7, 150))
    f = model.decision_function(np.column_stack([a.ravel(), b.ravel()])).reshape(a.shape)
    ax.contourf(a, b, f > 0, levels=[-1, 0.5, 2], colors=["C1", "C0"], alpha=0.25)
    ax.scatter(*X.T, c=np.where(y > 0, "C0", "C1"), s=12)
    ax.scatter(*X[model.support_].T, s=70, facecolor="none", edgecolor="gray")
    ax.set(title=f"γ = {gamma:g}: {model.outcome_.name}", aspect="equal")
    print(f"gamma {gamma:g}: {model.outcome_.sentence}")
plt.show()

# %%
# How many corrections can such a run make? No more than (R/γ)², and the number is proved.
print(rb.KernelPerceptron(gamma=20.0, average=False).fit(X, y).mistake_bound(X, y))
