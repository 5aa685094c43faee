"""
Why a perceptron stops
======================

‖w‖² after k corrections lies above a parabola and below a straight line. They meet at the mistake bound, and nobody can
go beyond.
"""

import matplotlib.pyplot as plt

import rosenblatt as rb

X, y = rb.datasets.margin_cloud(200, 10, margin=0.02, random_state=2)
model = rb.Perceptron(trace=True).fit(X, y)
display = rb.plot.ConvergenceDisplay.from_estimator(model, X, y)

print(f"{len(model.trace_):,} corrections of at most {display.curve.bound:,}")
plt.show()
