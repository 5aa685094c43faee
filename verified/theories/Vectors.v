(** Vectors as lists. A list that ends early stands for one that goes on with zeros: so products and sums obey their
    laws whatever the lengths. *)

From Coq Require Import Ring Lia.
From Rosenblatt Require Export OrderedRing.

Section Vectors.

Variable K : ordered_ring.
Add Ring K_ring : (laws K) (setoid (equal_equivalence K) (operations_respect_equal K)).

Fixpoint dot (a b : list K) : K :=
  match a, b with
  | x :: a, y :: b => x * y + dot a b
  | _, _ => 0
  end.

Fixpoint add (a b : list K) : list K :=
  match a, b with
  | [], _ => b
  | _, [] => a
  | x :: a, y :: b => x + y :: add a b
  end.

Definition scale (c : K) (a : list K) : list K := map (times c) a.

(** c1 v1 + c2 v2 + … *)
Fixpoint mix (c : list K) (v : list (list K)) : list K :=
  match c, v with
  | x :: c, a :: v => add (scale x a) (mix c v)
  | _, _ => []
  end.

Definition vanishes (a : list K) : Prop := Forall (fun x => x == 0) a.

Lemma dot_nil_r a : dot a [] = 0.
Proof. destruct a; reflexivity. Qed.

Lemma dot_comm a : forall b, dot a b == dot b a.
Proof. induction a as [|x a IH]; intros [|y b]; simpl; try reflexivity. rewrite IH. ring. Qed.

Lemma dot_add_l a : forall b w, dot (add a b) w == dot a w + dot b w.
Proof.
  induction a as [|x a IH]; intros [|y b] [|t w]; simpl; try ring. rewrite IH. ring.
Qed.

Lemma dot_scale_l c a : forall w, dot (scale c a) w == c * dot a w.
Proof. induction a as [|x a IH]; intros [|t w]; simpl; try ring. unfold scale in IH. rewrite IH. ring. Qed.

Lemma dot_add_r w a b : dot w (add a b) == dot w a + dot w b.
Proof. rewrite dot_comm, dot_add_l, (dot_comm a), (dot_comm b). reflexivity. Qed.

Lemma dot_scale_r w c a : dot w (scale c a) == c * dot w a.
Proof. rewrite dot_comm, dot_scale_l, (dot_comm a). reflexivity. Qed.

Lemma dot_mix c : forall v w, dot (mix c v) w == dot c (map (fun a => dot a w) v).
Proof.
  induction c as [|x c IH]; intros [|a v] w; simpl; try reflexivity.
  rewrite dot_add_l, dot_scale_l, IH. reflexivity.
Qed.

Lemma dot_vanishes_l a : vanishes a -> forall w, dot a w == 0.
Proof.
  induction 1 as [|x a h _ IH]; intros [|t w]; simpl; try reflexivity. rewrite h, IH. ring.
Qed.

Lemma dot_vanishes_r a : vanishes a -> forall w, dot w a == 0.
Proof. intros h w. rewrite dot_comm. apply dot_vanishes_l, h. Qed.

Lemma dot_self_nonnegative a : 0 <= dot a a.
Proof.
  induction a as [|x a IH]; simpl; [apply at_most_refl|].
  apply plus_nonnegative; [apply square_nonnegative | exact IH].
Qed.

Lemma dot_self_zero a : dot a a == 0 -> vanishes a.
Proof.
  induction a as [|x a IH]; simpl; intros h; constructor.
  - apply square_zero, at_most_antisymmetric; [|apply square_nonnegative].
    rewrite <- h. apply at_most_difference.
    setoid_replace (x * x + dot a a - x * x) with (dot a a) by ring. apply dot_self_nonnegative.
  - apply IH, at_most_antisymmetric; [|apply dot_self_nonnegative].
    rewrite <- h. apply at_most_difference.
    setoid_replace (x * x + dot a a - dot a a) with (x * x) by ring. apply square_nonnegative.
Qed.

(** Cauchy and Schwarz: (a·b)² ≤ ‖a‖² ‖b‖². *)
Theorem cauchy a b : dot a b * dot a b <= dot a a * dot b b.
Proof.
  set (A := dot a a). set (B := dot b b). set (C := dot a b).
  assert (h : 0 <= A * (A * B - C * C)).
  { assert (e : dot (add (scale A b) (scale (- C) a)) (add (scale A b) (scale (- C) a)) == A * (A * B - C * C)).
    { rewrite dot_add_l, !dot_add_r, !dot_scale_l, !dot_scale_r, (dot_comm b a). fold A B C. ring. }
    rewrite <- e. apply dot_self_nonnegative. }
  destruct (at_most_total (C * C) (A * B)) as [k | k]; [exact k|].
  assert (z : A * (A * B - C * C) == 0).
  { apply at_most_antisymmetric; [|exact h].
    setoid_replace (A * (A * B - C * C)) with (- (A * (C * C - A * B))) by ring.
    setoid_replace (0 : K) with (- (0 : K)) by ring. apply opposite_at_most.
    apply times_nonnegative; [apply dot_self_nonnegative | apply difference_nonnegative, k]. }
  apply no_zero_divisors in z as [z | z].
  - apply dot_self_zero in z. unfold C. rewrite (dot_vanishes_l a z b).
    apply equal_at_most. unfold A. rewrite (dot_vanishes_l a z a). ring.
  - apply equal_at_most. setoid_replace (A * B) with (A * B - C * C + C * C) by ring. rewrite z. ring.
Qed.

(** A sum of terms that are not negative is zero only where each term is. *)
Lemma dot_nonnegative c : forall s, Forall (fun x => 0 <= x) c -> Forall (fun x => 0 <= x) s -> 0 <= dot c s.
Proof.
  induction c as [|x c IH]; intros [|t s] hc hs; simpl; try apply at_most_refl.
  inversion_clear hc. inversion_clear hs. apply plus_nonnegative; [apply times_nonnegative; assumption | auto].
Qed.

Lemma dot_zero_terms c : forall s, Forall (fun x => 0 <= x) c -> Forall (fun x => 0 <= x) s -> dot c s == 0 ->
  Forall2 (fun x t => x * t == 0) (firstn (length s) c) (firstn (length c) s).
Proof.
  induction c as [|x c IH]; intros [|t s] hc hs e; simpl; try constructor; simpl in e.
  - inversion_clear hc. inversion_clear hs. apply at_most_antisymmetric; [|apply times_nonnegative; assumption].
    rewrite <- e. apply at_most_difference. setoid_replace (x * t + dot c s - x * t) with (dot c s) by ring.
    apply dot_nonnegative; assumption.
  - inversion_clear hc. inversion_clear hs. apply IH; try assumption.
    apply at_most_antisymmetric; [|apply dot_nonnegative; assumption].
    rewrite <- e. apply at_most_difference. setoid_replace (x * t + dot c s - dot c s) with (x * t) by ring.
    apply times_nonnegative; assumption.
Qed.

(** Whole vectors seen in K. *)
Definition wholes (a : list Z) : list K := map whole a.

End Vectors.

Arguments dot {K}. Arguments add {K}. Arguments scale {K}. Arguments mix {K}. Arguments vanishes {K}.
Arguments wholes {K}.

Section Wholes.

Variable K : ordered_ring.
Add Ring K_ring : (laws K) (setoid (equal_equivalence K) (operations_respect_equal K)).

Lemma dot_wholes a : forall b, dot (wholes a) (wholes b) == (whole (@dot integers a b) : K).
Proof.
  induction a as [|x a IH]; intros [|y b]; simpl; try reflexivity.
  rewrite whole_plus, whole_times, IH. reflexivity.
Qed.

Lemma dot_wholes_add a : forall b (w : list K),
  dot (wholes (@add integers a b)) w == dot (wholes a) w + dot (wholes b) w.
Proof.
  induction a as [|x a IH]; intros [|y b] [|t w]; simpl; try ring. rewrite whole_plus, IH. ring.
Qed.

Lemma dot_wholes_scale c a : forall w : list K, dot (wholes (@scale integers c a)) w == whole c * dot (wholes a) w.
Proof.
  induction a as [|x a IH]; intros [|t w]; simpl; try ring. rewrite whole_times. unfold scale in IH. rewrite IH. ring.
Qed.

Lemma dot_wholes_mix c : forall v (w : list K),
  dot (wholes (@mix integers c v)) w == dot (wholes c) (map (fun a => dot (wholes a) w) v).
Proof.
  induction c as [|x c IH]; intros [|a v] w; simpl; try reflexivity.
  rewrite dot_wholes_add, dot_wholes_scale, IH. reflexivity.
Qed.

Lemma dot_wholes_vanishes a : @vanishes integers a -> forall w : list K, dot (wholes a) w == 0.
Proof.
  intros h w. apply dot_vanishes_l. induction h as [|x a e _ IH]; constructor; [|exact IH].
  simpl in e. subst. reflexivity.
Qed.

End Wholes.
