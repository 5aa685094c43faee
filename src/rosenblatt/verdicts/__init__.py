"""Separable or not, with proof."""

from rosenblatt.verdicts.certificate import Certificate, verify
from rosenblatt.verdicts.decision import Verdict, separability

__all__ = ["Certificate", "Verdict", "separability", "verify"]
