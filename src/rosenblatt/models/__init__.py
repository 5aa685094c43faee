"""What a fit leaves behind: its outcome, its trace, and files to keep them in."""

from rosenblatt.models.hyperplane import Hyperplane
from rosenblatt.models.outcome import Outcome
from rosenblatt.models.run_state import RunState
from rosenblatt.models.trace import JointTrace, Trace
from rosenblatt.models.witness import JointWitness, Witness, read_witness

__all__ = ["Hyperplane", "JointTrace", "JointWitness", "Outcome", "RunState", "Trace", "Witness", "read_witness"]
