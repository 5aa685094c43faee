(** What the theorems rest on. The build fails unless each answer is "Closed under the global context": no axioms. *)

From Rosenblatt Require Import Certificates Fairness Cover Rounding Alternative.

Print Assumptions accepted_certificates_hold.
Print Assumptions accepted_coefficients_hold.
Print Assumptions accepted_reasons_hold.
Print Assumptions accepted_models_hold.
Print Assumptions accepted_comparisons_hold.
Print Assumptions accepted_model_coefficients_hold.
Print Assumptions recedes_exactly.
Print Assumptions rests_exactly.
Print Assumptions direction_extends.
Print Assumptions covered_comparisons.
Print Assumptions complete_is_not_quasi.
Print Assumptions complete_is_not_overlap.
Print Assumptions quasi_is_not_overlap.
Print Assumptions some_verdict_holds.
Print Assumptions gordan.
Print Assumptions convergence.
Print Assumptions at_most_mistake_bound.
Print Assumptions perceptron_converges.
Print Assumptions cyclic_is_fair.
Print Assumptions shuffled_is_fair.
Print Assumptions cycling.
Print Assumptions witness_excludes_separation.
Print Assumptions readable_decimals.
Print Assumptions written_decimals.
Print Assumptions cover_is_a_sum.
Print Assumptions cover_of_few_points.
Print Assumptions new_point_doubles.
