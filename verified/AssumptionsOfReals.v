(** What the theorems about likelihoods rest on: the axioms of Coq's real numbers, and nothing else. *)

From Rosenblatt Require Import Likelihood.

Print Assumptions likelihood_does_not_fall.
Print Assumptions likelihood_rests.
Print Assumptions likelihood_rises.
