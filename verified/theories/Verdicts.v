(** The three verdicts on vectors z = y·(x, 1), as statements about all weights w of an ordered ring. *)

From Coq Require Import Ring Lia.
From Rosenblatt Require Export Vectors.
Open Scope ordered_scope.

Section Verdicts.

Variable K : ordered_ring.
Add Ring K_ring : (laws K) (setoid (equal_equivalence K) (operations_respect_equal K)).
Implicit Types (rows : list (list K)) (w : list K).

(** No row is on the wrong side of w. *)
Definition admissible rows w : Prop := forall z, In z rows -> 0 <= dot z w.

Definition separates rows w : Prop := forall z, In z rows -> 0 < dot z w.

Definition complete rows : Prop := exists w, separates rows w.

Definition quasi rows : Prop :=
  (exists w, admissible rows w /\ exists z, In z rows /\ 0 < dot z w) /\ ~ complete rows.

Definition overlap rows : Prop := forall w, admissible rows w -> forall z, In z rows -> dot z w == 0.

(** Which rows no admissible w has off the plane, and that all others can be off it at once. *)
Definition partition rows (on_plane : list bool) : Prop :=
  (exists w, Forall2 (fun z (on : bool) => if on then dot z w == 0 else 0 < dot z w) rows on_plane) /\
  (forall w, admissible rows w -> Forall2 (fun z on => on = true -> dot z w == 0) rows on_plane).

(** The theorem's margin, max over w of min z·w/‖w‖, without roots. *)
Definition margin_at_least rows (lower : Z * Z) : Prop :=
  exists w, 0 < dot w w /\ forall z, In z rows -> 0 <= dot z w /\
    whole (fst lower * fst lower) * dot w w <= whole (snd lower * snd lower) * (dot z w * dot z w).

Definition margin_at_most rows (upper : Z * Z) : Prop :=
  forall w t, 0 <= t -> (forall z, In z rows -> t <= dot z w) ->
    whole (snd upper * snd upper) * (t * t) <= whole (fst upper * fst upper) * dot w w.

(** Half the width of the widest street: the same, but the last weight, the bias, does not count in ‖w‖. *)
Definition street_at_least rows (lower : Z * Z) : Prop :=
  exists w b, 0 < dot w w /\ forall z, In z rows -> 0 <= dot z (w ++ [b]) /\
    whole (fst lower * fst lower) * dot w w <=
    whole (snd lower * snd lower) * (dot z (w ++ [b]) * dot z (w ++ [b])).

Definition street_at_most rows (d : nat) (upper : Z * Z) : Prop :=
  forall w b t, S (length w) = d -> 0 <= t -> (forall z, In z rows -> t <= dot z (w ++ [b])) ->
    whole (snd upper * snd upper) * (t * t) <= whole (fst upper * fst upper) * dot w w.

(** ** No two of them hold of the same rows *)

Theorem complete_is_not_quasi rows : complete rows -> ~ quasi rows.
Proof. intros h [_ k]. contradiction. Qed.

Theorem complete_is_not_overlap rows : rows <> [] -> complete rows -> ~ overlap rows.
Proof.
  intros hn [w h] k. destruct rows as [|z rows]; [contradiction|].
  apply (h z (or_introl eq_refl)), equal_at_most, (k w); [|left; reflexivity].
  intros y hy. apply less_at_most, h, hy.
Qed.

Theorem quasi_is_not_overlap rows : quasi rows -> ~ overlap rows.
Proof. intros [(w & ha & z & hz & hp) _] k. apply hp, equal_at_most, (k w ha z hz). Qed.

(** A mixture that vanishes lies on the plane of every admissible w. *)

Fixpoint weighted_sum (terms : list (K * K)) : K :=
  match terms with
  | [] => 0
  | (c, s) :: terms => c * s + weighted_sum terms
  end.

Lemma weighted_sum_nonnegative terms : Forall (fun t => 0 < fst t /\ 0 <= snd t) terms -> 0 <= weighted_sum terms.
Proof.
  induction 1 as [|[c s] terms [hc hs] _ IH]; simpl in *; [apply at_most_refl|].
  apply plus_nonnegative; [apply times_nonnegative; [apply less_at_most, hc | exact hs] | exact IH].
Qed.

Lemma weighted_sum_zero terms : Forall (fun t => 0 < fst t /\ 0 <= snd t) terms -> weighted_sum terms == 0 ->
  Forall (fun t => snd t == 0) terms.
Proof.
  intros h. induction h as [|[c s] terms [hc hs] ht IH]; simpl in *; intros e; constructor.
  - simpl. apply (factor_zero K c); [exact hc|].
    apply at_most_antisymmetric; [|apply times_nonnegative; [apply less_at_most, hc | exact hs]].
    rewrite <- e. apply at_most_difference.
    setoid_replace (c * s + weighted_sum terms - c * s) with (weighted_sum terms) by ring.
    apply weighted_sum_nonnegative, ht.
  - apply IH. apply at_most_antisymmetric; [|apply weighted_sum_nonnegative, ht].
    rewrite <- e. apply at_most_difference.
    setoid_replace (c * s + weighted_sum terms - weighted_sum terms) with (c * s) by ring.
    apply times_nonnegative; [apply less_at_most, hc | exact hs].
Qed.

End Verdicts.

Arguments admissible {K}. Arguments separates {K}. Arguments complete {K}. Arguments quasi {K}. Arguments overlap {K}.
Arguments partition {K}. Arguments margin_at_least {K}. Arguments margin_at_most {K}. Arguments street_at_least {K}.
Arguments street_at_most {K}. Arguments weighted_sum {K}.
