"""Separable or not, with proof."""

from rosenblatt.verdicts.certificate import Certificate, verify
from rosenblatt.verdicts.decision import Verdict, separability
from rosenblatt.verdicts.matrix import SeparabilityMatrix, separability_matrix

__all__ = ["Certificate", "SeparabilityMatrix", "Verdict", "separability", "separability_matrix", "verify"]
