"""
How far from the hyperplane
===========================

Signed distances by class, upwards and downwards: to the middle of the widest street, which leaves a gap, and to the
hyperplane of least squares, which leaves some examples on the wrong side.
"""

import matplotlib.pyplot as plt

import rosenblatt as rb

X, y = rb.datasets.sonar()
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 3.8), layout="constrained")
rb.plot.MarginDisplay.from_verdict(rb.separability(X, y), X, y, ax=left)
display = rb.plot.MarginDisplay.from_estimator(rb.LeastSquares().fit(X, y), X, y, ax=right)

print(display.sentence)
plt.show()
