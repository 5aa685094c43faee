"""
What each learner minds
=======================

The perceptron is content with the right side. Logistic regression and the hinge want some distance too, and the squared
loss also minds examples that are too right. The ticks are the examples.
"""

import matplotlib.pyplot as plt

import rosenblatt as rb

X, y = rb.datasets.margin_cloud(60, 2, margin=0.1, random_state=1)
model = rb.LeastSquares().fit(X, y)
display = rb.plot.LossDisplay.from_estimator(model, X, y)

print(f"{(display.agreement > 1).sum()} of {len(y)} examples are more right than the squared loss wants")
plt.show()
