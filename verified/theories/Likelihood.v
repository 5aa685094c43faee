(** The likelihoods themselves, over Coq's real numbers: along a recession direction the log-likelihood of a row does
    not fall; where the row rests it is constant; where it does not rest it rises, strictly.

    Here, and only here, Coq's axioms of the reals are used. *)

From Coq Require Import Reals Lra Lia Ring.
From Rosenblatt Require Import Models.
Import List.ListNotations.

Definition reals : ordered_ring.
Proof.
  refine (OrderedRing R eq 0%R 1%R Rplus Rmult Rminus Ropp Rle (eq_equivalence) RTheory (Eq_ext _ _ _) _ _ _ _ _ _ _ _).
  - intros x y z. apply Rle_trans.
  - intros x y. apply Rle_antisym.
  - intros x y. lra.
  - intros x y z h. lra.
  - intros x y. apply Rmult_le_pos.
  - intros x y. apply Rmult_integral.
  - exact R1_neq_R0.
Defined.

Open Scope R_scope.
Definition vec : Type := list reals.

(** The weights after a time t along v. *)
Definition along (w v : vec) (t : R) : vec := @add reals w (@scale reals t v).

Lemma add_nil (a : vec) : @add reals a [] = a.
Proof. destruct a; reflexivity. Qed.

Lemma skipn_add n : forall a b : vec, skipn n (@add reals a b) = @add reals (skipn n a) (skipn n b).
Proof.
  induction n as [|n IH]; intros a b; [reflexivity|].
  destruct a as [|x a], b as [|y b]; simpl; try reflexivity; try apply IH.
  symmetry. apply add_nil.
Qed.

Lemma skipn_scale n t : forall a : vec, skipn n (@scale reals t a) = @scale reals t (skipn n a).
Proof. intros a. apply skipn_map. Qed.

Lemma skipn_along n w v t : skipn n (along w v t) = along (skipn n w) (skipn n v) t.
Proof. unfold along. rewrite skipn_add, skipn_scale. reflexivity. Qed.

Lemma dot_along (a u v : vec) (t : R) : @dot reals a (along u v t) = @dot reals a u + t * @dot reals a v.
Proof.
  unfold along. etransitivity; [exact (dot_add_r reals a u (@scale reals t v))|].
  apply (f_equal (Rplus (@dot reals a u))). exact (dot_scale_r reals a t v).
Qed.

Lemma value_along (f : form vec) w v t : @value reals f (along w v t) = @value reals f w + t * @value reals f v.
Proof.
  induction f as [|p f IH]; [cbn; ring|].
  change (@sign_of reals (plus_sign p) * @dot reals (what p) (skipn (before p) (along w v t)) +
    @value reals f (along w v t) =
    @sign_of reals (plus_sign p) * @dot reals (what p) (skipn (before p) w) + @value reals f w +
    t * (@sign_of reals (plus_sign p) * @dot reals (what p) (skipn (before p) v) + @value reals f v)).
  rewrite IH, skipn_along, dot_along.
  set (A := @dot reals (what p) (skipn (before p) w)). set (B := @dot reals (what p) (skipn (before p) v)).
  set (C := @sign_of reals (plus_sign p)). set (D := @value reals f w). set (E := @value reals f v).
  clearbody A B C D E. cbn in A, B, C, D, E. ring.
Qed.

Lemma eta_along o (x : vec) w v t : eta_of reals o x (along w v t) = eta_of reals o x w + t * eta_of reals o x v.
Proof. apply value_along. Qed.

Lemma eta_class_along width o (x : vec) w v t k :
  eta_class reals width o x (along w v t) k = eta_class reals width o x w k + t * eta_class reals width o x v k.
Proof. destruct k as [|k]; cbn; [ring|]. rewrite skipn_along. apply eta_along. Qed.

(** ** The log-likelihood of a row *)

(** −log(1/(1 + e^−s)): what a row of a logistic model costs. *)
Definition cost (s : R) : R := ln (1 + exp (- s)).

Definition real (n : Z * Z) : R := IZR (fst n) / IZR (snd n).

Fixpoint sum_to (many : nat) (f : nat -> R) : R :=
  match many with O => 0 | S many => sum_to many f + f many end.

(** Constants that do not depend on the weights are left out. *)
Definition log_likelihood (width : nat) (o : observation) (x w : vec) : R :=
  let eta := eta_of reals o x w in
  match observed o with
  | Class second => if second then - cost eta else - cost (- eta)
  | Successes k m => - (real k * cost eta) - (real m - real k) * cost (- eta)
  | Count k => real k * eta - exp eta
  | Category own many =>
      - ln (sum_to many (fun j => exp (eta_class reals width o x w j - eta_class reals width o x w own)))
  | _ => 0
  end.

(** What was observed is possible: denominators are positive, 0 ≤ k ≤ m, a class is one of the classes. *)
Definition possible (o : observation) : Prop :=
  match observed o with
  | Class _ => True
  | Successes k m => (0 < snd k)%Z /\ (0 < snd m)%Z /\ 0 <= real k <= real m
  | Count k => (0 < snd k)%Z /\ 0 <= real k
  | Category own many => (own < many)%nat
  | _ => False
  end.

Lemma cost_falls s t : s < t -> cost t < cost s.
Proof.
  intros h. unfold cost. apply ln_increasing; [pose proof (exp_pos (- t)); lra|].
  apply Rplus_lt_compat_l, exp_increasing. lra.
Qed.

Lemma cost_falls_weakly s t : s <= t -> cost t <= cost s.
Proof. intros [h | ->]; [left; apply cost_falls, h | right; reflexivity]. Qed.

Lemma less_fraction_real a b : (0 < snd a)%Z -> (0 < snd b)%Z -> (less_fraction a b = true <-> real a < real b).
Proof.
  intros ha hb. unfold less_fraction, real. rewrite Z.ltb_lt. apply IZR_lt in ha, hb. split; intros h.
  - apply IZR_lt in h. rewrite !mult_IZR in h. apply (Rmult_lt_reg_r (IZR (snd a) * IZR (snd b))); [nra|].
    replace (IZR (fst a) / IZR (snd a) * (IZR (snd a) * IZR (snd b))) with (IZR (fst a) * IZR (snd b)) by (field; lra).
    replace (IZR (fst b) / IZR (snd b) * (IZR (snd a) * IZR (snd b))) with (IZR (fst b) * IZR (snd a)) by (field; lra).
    exact h.
  - apply lt_IZR. rewrite !mult_IZR.
    apply (Rmult_lt_compat_r (IZR (snd a) * IZR (snd b))) in h; [|nra].
    replace (IZR (fst a) / IZR (snd a) * (IZR (snd a) * IZR (snd b))) with (IZR (fst a) * IZR (snd b)) in h by (field; lra).
    replace (IZR (fst b) / IZR (snd b) * (IZR (snd a) * IZR (snd b))) with (IZR (fst b) * IZR (snd a)) in h by (field; lra).
    exact h.
Qed.

Lemma sum_to_le many f g : (forall j, (j < many)%nat -> f j <= g j) -> sum_to many f <= sum_to many g.
Proof. induction many as [|n IH]; intros h; simpl; [lra|]. apply Rplus_le_compat; [apply IH; auto with arith | apply h; lia]. Qed.

Lemma sum_to_lt many f g i : (i < many)%nat -> (forall j, (j < many)%nat -> f j <= g j) -> f i < g i ->
  sum_to many f < sum_to many g.
Proof.
  induction many as [|n IH]; intros hi h k; [lia|]. simpl. destruct (Nat.eq_dec i n) as [-> | ne].
  - apply Rplus_le_lt_compat; [apply sum_to_le; auto with arith | exact k].
  - apply Rplus_lt_le_compat; [apply IH; auto with arith; lia | apply h; lia].
Qed.

Lemma sum_to_positive many f i : (i < many)%nat -> (forall j, 0 < f j) -> 0 < sum_to many f.
Proof.
  intros hi h. assert (p : forall n, 0 <= sum_to n f).
  { induction n as [|n IHn]; simpl; [lra|]. specialize (h n). lra. }
  destruct many as [|n]; [lia|]. simpl. specialize (p n). specialize (h n). lra.
Qed.

Lemma sum_to_ext many f g : (forall j, (j < many)%nat -> f j = g j) -> sum_to many f = sum_to many g.
Proof. induction many as [|n IH]; intros h; simpl; [reflexivity|]. rewrite IH by auto with arith. rewrite h by lia. reflexivity. Qed.

(** ** The theorem *)

Theorem likelihood_does_not_fall p width o (x w v : vec) t : possible o -> 0 <= t -> recedes reals p width o x v ->
  log_likelihood width o x w <= log_likelihood width o x (along w v t).
Proof.
  intros hp ht h. unfold possible, recedes, log_likelihood in *. cbv zeta in *. rewrite ?eta_along.
  set (e := eta_of reals o x w). set (f := eta_of reals o x v) in *.
  destruct (observed o) as [[|] | k m | k | own many | k last | level last | won]; cbn in h; try contradiction.
  - apply Ropp_le_contravar, cost_falls_weakly. assert (0 <= t * f) by (apply Rmult_le_pos; assumption). lra.
  - apply Ropp_le_contravar, cost_falls_weakly. assert (t * f <= 0) by nra. lra.
  - destruct hp as (hk & hm & h0 & h1), h as [ha hb].
    assert (a : real k * cost (e + t * f) <= real k * cost e).
    { destruct h0 as [h0 | h0]; [|rewrite <- h0; lra]. apply Rmult_le_compat_l; [lra|]. apply cost_falls_weakly.
      assert (z : less_fraction (0, 1)%Z k = true).
      { apply less_fraction_real; [reflexivity | exact hk | unfold real at 1; cbn; lra]. }
      specialize (ha z). assert (0 <= t * f) by (apply Rmult_le_pos; assumption). lra. }
    assert (b : (real m - real k) * cost (- (e + t * f)) <= (real m - real k) * cost (- e)).
    { destruct h1 as [h1 | h1]; [|rewrite h1; lra]. apply Rmult_le_compat_l; [lra|]. apply cost_falls_weakly.
      assert (z : less_fraction k m = true) by (apply less_fraction_real; assumption).
      specialize (hb z). assert (t * f <= 0) by nra. lra. }
    lra.
  - destruct hp as [hk h0], h as [ha hb]. destruct h0 as [h0 | h0].
    + assert (z : (0 < fst k)%Z).
      { apply lt_IZR. unfold real in h0. apply IZR_lt in hk.
        apply (Rmult_lt_compat_r (IZR (snd k))) in h0; [|lra]. unfold Rdiv in h0.
        rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_0_l in h0 by lra. exact h0. }
      rewrite (hb z). right. rewrite Rmult_0_r, Rplus_0_r. reflexivity.
    + rewrite <- h0. assert (le : e + t * f <= e) by nra.
      assert (exp (e + t * f) <= exp e) by (destruct le as [l | ->]; [left; apply exp_increasing, l | right; reflexivity]).
      lra.
  - apply Ropp_le_contravar.
    assert (le : sum_to many (fun j => exp (eta_class reals width o x (along w v t) j - eta_class reals width o x (along w v t) own)) <=
      sum_to many (fun j => exp (eta_class reals width o x w j - eta_class reals width o x w own))).
    { apply sum_to_le. intros j hj. rewrite !eta_class_along. specialize (h j hj).
      set (a := eta_class reals width o x v j) in *. set (b := eta_class reals width o x v own) in *.
      set (c := eta_class reals width o x w j). set (g := eta_class reals width o x w own). clearbody a b c g. cbn in *.
      assert (l : c + t * a - (g + t * b) <= c - g) by nra.
      destruct l as [l | ->]; [left; apply exp_increasing, l | right; reflexivity]. }
    assert (pos : 0 < sum_to many (fun j => exp (eta_class reals width o x (along w v t) j -
      eta_class reals width o x (along w v t) own))) by (apply (sum_to_positive _ _ own hp); intros j; apply exp_pos).
    destruct le as [l | ->]; [left; apply ln_increasing; assumption | right; reflexivity].
Qed.

(** Where the row rests along v, nothing changes. *)
Theorem likelihood_rests p width o (x w v : vec) t : possible o -> rests reals p width o x v ->
  log_likelihood width o x (along w v t) = log_likelihood width o x w.
Proof.
  intros hp h. unfold possible, rests, log_likelihood in *. cbv zeta in *. rewrite ?eta_along.
  set (e := eta_of reals o x w). set (f := eta_of reals o x v) in *.
  assert (same : f = 0 -> e + t * f = e) by (intros ->; rewrite Rmult_0_r, Rplus_0_r; reflexivity).
  destruct (observed o) as [[|] | k m | k | own many | k last | level last | won]; cbn in h; try contradiction; try (rewrite (same h); reflexivity).
  - destruct hp as (hk & hm & h0 & h1).
    destruct h0 as [h0 | h0]; [|destruct h1 as [h1 | h1]].
    + rewrite same; [reflexivity|]. apply h. left. apply less_fraction_real; [reflexivity | exact hk | unfold real at 1; cbn; lra].
    + rewrite same; [reflexivity|]. apply h. right. apply less_fraction_real; assumption.
    + rewrite <- h1, <- h0. ring.
  - f_equal. f_equal. apply sum_to_ext. intros j hj. rewrite !eta_class_along. f_equal.
    pose proof (h j hj) as q. cbn in q. rewrite q. ring.
Qed.

(** Where it recedes and does not rest, it rises. *)
Theorem likelihood_rises p width o (x w v : vec) t : possible o -> 0 < t -> recedes reals p width o x v ->
  ~ rests reals p width o x v -> log_likelihood width o x w < log_likelihood width o x (along w v t).
Proof.
  intros hp ht h n. unfold possible, recedes, rests, log_likelihood in *. cbv zeta in *. rewrite ?eta_along.
  set (e := eta_of reals o x w). set (f := eta_of reals o x v) in *.
  destruct (observed o) as [[|] | k m | k | own many | k last | level last | won]; cbn in h, n; try contradiction.
  - apply Ropp_lt_contravar, cost_falls. assert (0 < t * f) by nra. lra.
  - apply Ropp_lt_contravar, cost_falls. assert (t * f < 0) by nra. lra.
  - destruct hp as (hk & hm & h0 & h1), h as [ha hb].
    assert (up : 0 < real k -> 0 <= f).
    { intros q. apply ha. apply less_fraction_real; [reflexivity | exact hk | unfold real at 1; cbn; lra]. }
    assert (down : real k < real m -> f <= 0) by (intros q; apply hb; apply less_fraction_real; assumption).
    assert (one_of : 0 < real k \/ real k < real m).
    { destruct (Rlt_dec 0 (real k)) as [q | q]; [left; exact q|]. destruct (Rlt_dec (real k) (real m)) as [r | r]; [right; exact r|].
      exfalso. apply n. intros [z | z]; exfalso.
      - apply less_fraction_real in z; [|reflexivity | exact hk]. apply q. unfold real at 1 in z. cbn in z. lra.
      - apply less_fraction_real in z; [|exact hk | exact hm]. apply r, z. }
    assert (nz : f <> 0) by (intros z; apply n; intros _; exact z).
    destruct (Rlt_dec 0 (real k)) as [q | q].
    + specialize (up q). assert (fp : 0 < f) by lra.
      assert (km : real k = real m) by (destruct h1 as [h1 | h1]; [specialize (down h1); lra | exact h1]).
      rewrite <- km. assert (c : cost (e + t * f) < cost e) by (apply cost_falls; nra). nra.
    + assert (k0 : real k = 0) by lra. rewrite k0. assert (q' : real k < real m) by tauto.
      specialize (down q'). assert (fp : f < 0) by lra.
      assert (c : cost (- (e + t * f)) < cost (- e)) by (apply cost_falls; nra). nra.
  - destruct hp as [hk h0], h as [ha hb]. assert (nz : f <> 0) by exact n.
    destruct h0 as [h0 | h0].
    + exfalso. apply nz, hb. apply lt_IZR. unfold real in h0. apply IZR_lt in hk.
      apply (Rmult_lt_compat_r (IZR (snd k))) in h0; [|lra]. unfold Rdiv in h0.
      rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_0_l in h0 by lra. exact h0.
    + rewrite <- h0. assert (exp (e + t * f) < exp e) by (apply exp_increasing; nra). lra.
  - apply Ropp_lt_contravar, ln_increasing; [apply (sum_to_positive _ _ own hp); intros j; apply exp_pos|].
    assert (some : exists i, (i < many)%nat /\ eta_class reals width o x v i < eta_class reals width o x v own).
    { clear - h n. assert (dec : forall m, (m <= many)%nat -> (exists i, (i < m)%nat /\
        eta_class reals width o x v i < eta_class reals width o x v own) \/
        forall i, (i < m)%nat -> eta_class reals width o x v i = eta_class reals width o x v own).
      { induction m as [|m IH]; intros hm; [right; intros i hi; lia|].
        destruct IH as [(i & hi & l) | all]; [lia | left; exists i; split; [lia | exact l]|].
        destruct (h m ltac:(lia)) as [l | eq]; [left; exists m; split; [lia | exact l]|].
        right. intros i hi. destruct (Nat.eq_dec i m) as [-> | ne]; [exact eq | apply all; lia]. }
      destruct (dec many (le_n _)) as [s | all]; [exact s | contradiction]. }
    destruct some as (i & hi & li). apply (sum_to_lt _ _ _ i hi).
    + intros j hj. rewrite !eta_class_along. specialize (h j hj).
      set (a := eta_class reals width o x v j) in *. set (b := eta_class reals width o x v own) in *.
      set (c := eta_class reals width o x w j). set (g := eta_class reals width o x w own). clearbody a b c g. cbn in *.
      assert (l : c + t * a - (g + t * b) <= c - g) by nra.
      destruct l as [l | ->]; [left; apply exp_increasing, l | right; reflexivity].
    + rewrite !eta_class_along. apply exp_increasing.
      set (a := eta_class reals width o x v i) in *. set (b := eta_class reals width o x v own) in *.
      set (c := eta_class reals width o x w i). set (g := eta_class reals width o x w own). clearbody a b c g. cbn in *. nra.
Qed.
