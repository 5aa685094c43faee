"""The books of a run (`kinds.py`), for the compiled loops."""

from rosenblatt.kernels import kinds
from rosenblatt.kernels.compile import also_compiled, also_compiled_inlined

__all__ = ["end_pass", "record_correction", "record_right_answers"]

for function in (kinds.copy_values, kinds.record_mistakes, kinds.look_for_repeat, kinds.look_for_rest, kinds.end_pass):
    also_compiled(function)
for function in (kinds.record_right_answers, kinds.record_correction):
    also_compiled_inlined(function)

end_pass, record_correction = kinds.end_pass, kinds.record_correction
record_right_answers = kinds.record_right_answers
