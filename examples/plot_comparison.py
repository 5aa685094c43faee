"""
Every learner's hyperplane
==========================

Eight points that a vertical line separates. Two of them lie far out on their right side, and drag the hyperplane of the
smallest squared loss over two others; the perceptron looks at sides only.
"""

import matplotlib.pyplot as plt

import rosenblatt as rb
from rosenblatt.comparison import counterexample

X, y = counterexample()
comparison = rb.compare(X, y)
rb.plot.ComparisonDisplay.from_comparison(comparison, X, y)

print({row.learner: row.errors for row in comparison.rows})
plt.show()
