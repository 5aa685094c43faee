(** The perceptron convergence theorem (Novikoff 1962), for any start, any step, any order, in five lectures' dialects:
    the number of corrections is at most the one that rosenblatt.theory.mistake_bound computes. And what comes back to
    its weights after a correction (CYCLING) shows that nothing separates. *)

From Coq Require Import Ring Lia.
From Rosenblatt Require Export Mixtures.
Open Scope ordered_scope.

(** ** The algorithm *)

(** The lectures differ in when an answer is a mistake. *)
Inductive dialect := Stein | Cyclic | Rosenblatt62 | Unit | Signum.

Section Algorithm.

Variable K : ordered_ring.
Add Ring K_ring : (laws K) (setoid (equal_equivalence K) (operations_respect_equal K)).

(** An example: its label is +1 or −1, its vector is (x, 1), or x, or either divided by its length. *)
Definition shown : Type := bool * list K.

Definition z_of (e : shown) : list K := if fst e then snd e else scale (opposite one) (snd e).

(** Whether the response s is a mistake on an example with this label. *)
Definition mistaken (d : dialect) (label : bool) (s : K) : Prop :=
  match d with
  | Stein => if label then s < 0 else 0 <= s  (** 0 is answered +1 *)
  | Cyclic | Unit => if label then s < 0 else 0 < s  (** 0 is right for both *)
  | Rosenblatt62 | Signum => if label then s <= 0 else 0 <= s  (** 0 is wrong for both *)
  end.

(** w := w + step·y·(x, 1). With the signum the step is η times the difference of target and answer, 1 − (−1) = 2. *)
Definition step (d : dialect) (eta : K) : K :=
  match d with
  | Signum => eta + eta
  | _ => eta
  end.

(** A run: any example may be shown at any time; w is corrected exactly where it is mistaken. `run w0 k w` says that k
    corrections led from w0 to w. *)
Inductive run (d : dialect) (eta : K) (examples : list shown) (w0 : list K) : nat -> list K -> Prop :=
  | at_start : run d eta examples w0 0 w0
  | answered k w e : run d eta examples w0 k w -> In e examples -> ~ mistaken d (fst e) (dot (snd e) w) ->
      run d eta examples w0 k w
  | corrected k w e : run d eta examples w0 k w -> In e examples -> mistaken d (fst e) (dot (snd e) w) ->
      run d eta examples w0 (S k) (add w (scale (step d eta) (z_of e))).

(** ** What a correction does *)

Lemma dot_z_of e w : dot (z_of e) w == (if fst e then dot (snd e) w else - dot (snd e) w).
Proof. unfold z_of. destruct (fst e); [reflexivity|]. rewrite dot_scale_l. ring. Qed.

(** In every dialect a mistake has z·w ≤ 0. *)
Lemma mistake_is_not_positive d e w : mistaken d (fst e) (dot (snd e) w) -> dot (z_of e) w <= 0.
Proof.
  intros h. rewrite dot_z_of. set (s := dot (snd e) w) in *. clearbody s.
  assert (negative : 0 <= s -> - s <= 0).
  { intros k. apply opposite_at_most in k. setoid_replace (- 0 : K) with (0 : K) in k by ring. exact k. }
  destruct d, (fst e); simpl in h; auto using less_at_most.
Qed.

Lemma step_positive d eta : 0 < eta -> 0 < step d eta.
Proof. intros h. destruct d; simpl; try exact h. apply plus_positive; [exact h | apply less_at_most, h]. Qed.

Section Bound.

Variable d : dialect.
Variable eta : K.
Variable examples : list shown.
Variable w0 : list K.
Variable hat : list K.  (** separates *)
Variables delta epsilon : K.

Hypothesis eta_positive : 0 < eta.
Hypothesis delta_positive : 0 < delta.
Hypothesis separated : forall e, In e examples -> delta <= dot (z_of e) hat.
Hypothesis bounded : forall e, In e examples -> dot (z_of e) (z_of e) <= epsilon.

Let h : K := step d eta.
Let times_k (k : nat) : K := whole (Z.of_nat k).

Lemma times_k_succ k : times_k (S k) == times_k k + 1.
Proof. unfold times_k. rewrite Nat2Z.inj_succ. unfold Z.succ. rewrite whole_plus. reflexivity. Qed.

(** Progress: ŵ·w grows by ηδ at least. *)
Lemma progress k w : run d eta examples w0 k w -> dot hat w0 + times_k k * (h * delta) <= dot hat w.
Proof.
  induction 1 as [|k w e _ IH _ _|k w e _ IH he _].
  - apply equal_at_most. unfold times_k. simpl. ring.
  - exact IH.
  - rewrite times_k_succ, dot_add_r, dot_scale_r, (dot_comm K hat (z_of e)). fold h.
    setoid_replace (dot hat w0 + (times_k k + 1) * (h * delta)) with
      (dot hat w0 + times_k k * (h * delta) + h * delta) by ring.
    apply plus_at_most_plus; [exact IH|].
    apply times_at_most_l; [apply less_at_most, step_positive, eta_positive | apply separated, he].
Qed.

(** Restraint: ‖w‖² grows by η²ε at most. *)
Lemma restraint k w : run d eta examples w0 k w -> dot w w <= dot w0 w0 + times_k k * (h * h * epsilon).
Proof.
  induction 1 as [|k w e _ IH _ _|k w e _ IH he hm].
  - apply equal_at_most. unfold times_k. simpl. ring.
  - exact IH.
  - rewrite times_k_succ, dot_add_l, !dot_add_r, !dot_scale_l, !dot_scale_r, (dot_comm K w (z_of e)). fold h.
    set (z := z_of e) in *.
    setoid_replace (dot w w + h * dot z w + (h * dot z w + h * (h * dot z z))) with
      (dot w w + (h * h * dot z z + (h + h) * dot z w)) by ring.
    setoid_replace (dot w0 w0 + (times_k k + 1) * (h * h * epsilon)) with
      (dot w0 w0 + times_k k * (h * h * epsilon) + h * h * epsilon) by ring.
    apply plus_at_most_plus; [exact IH|]. setoid_replace (h * h * epsilon) with (h * h * epsilon + 0) by ring.
    assert (hh : 0 <= h) by apply less_at_most, step_positive, eta_positive.
    apply plus_at_most_plus.
    + apply times_at_most_l; [apply times_nonnegative; exact hh | apply bounded, he].
    + setoid_replace (0 : K) with ((h + h) * 0) by ring.
      apply times_at_most_l; [apply plus_nonnegative; exact hh | apply (mistake_is_not_positive d), hm].
Qed.

(** Collision: a parabola in k is not above a line. *)
Theorem convergence k w : run d eta examples w0 k w ->
  (dot hat w0 + times_k k * (h * delta)) * (dot hat w0 + times_k k * (h * delta)) <=
  dot hat hat * (dot w0 w0 + times_k k * (h * h * epsilon)).
Proof.
  intros r. pose proof (progress k w r) as p. pose proof (restraint k w r) as q.
  assert (hh : 0 <= h) by apply less_at_most, step_positive, eta_positive.
  assert (line : dot w0 w0 <= dot w0 w0 + times_k k * (h * h * epsilon)).
  { destruct k as [|k]; [apply equal_at_most; unfold times_k; simpl; ring|].
    apply at_most_difference.
    setoid_replace (dot w0 w0 + times_k (S k) * (h * h * epsilon) - dot w0 w0) with
      (times_k (S k) * (h * h * epsilon)) by ring.
    assert (some : exists e, In e examples).
    { clear - r. remember (S k) as n. revert k Heqn. induction r as [|n w e _ IH _ _|n w e _ _ he _]; intros k hn.
      - discriminate.
      - apply (IH k hn).
      - exists e. exact he. }
    destruct some as [e he]. apply times_nonnegative; [apply whole_nonnegative; lia|].
    apply times_nonnegative; [apply times_nonnegative; exact hh|].
    eapply at_most_trans; [apply dot_self_nonnegative | apply bounded, he]. }
  set (u := dot hat w0 + times_k k * (h * delta)) in *.
  destruct (at_most_total 0 u) as [hu | hu].
  - eapply at_most_trans; [apply square_at_most; [exact hu | exact p]|].
    eapply at_most_trans; [apply cauchy|]. apply times_at_most_l; [apply dot_self_nonnegative | exact q].
  - apply at_most_trans with (dot hat w0 * dot hat w0).
    + setoid_replace (u * u) with (- u * - u) by ring.
      setoid_replace (dot hat w0 * dot hat w0) with (- dot hat w0 * - dot hat w0) by ring.
      apply square_at_most.
      * apply opposite_at_most in hu. setoid_replace (- 0 : K) with (0 : K) in hu by ring. exact hu.
      * apply opposite_at_most, at_most_difference. unfold u.
        setoid_replace (dot hat w0 + times_k k * (h * delta) - dot hat w0) with (times_k k * (h * delta)) by ring.
        apply times_nonnegative; [apply whole_nonnegative; lia|].
        apply times_nonnegative; [exact hh | apply less_at_most, delta_positive].
    + eapply at_most_trans; [apply cauchy|]. apply times_at_most_l; [apply dot_self_nonnegative | exact line].
Qed.

(** The number that mistake_bound computes: the larger root of A·k² + B·k + C, rounded down, where A, B, C are whole
    numbers in the proportion of (ηδ)², 2ηδ·ŵ·w0 − ‖ŵ‖²η²ε and (ŵ·w0)² − ‖ŵ‖²‖w0‖². *)
Definition mistake_bound (A B C : Z) : Z := ((Z.sqrt (B * B - 4 * A * C) - B) / (2 * A))%Z.

Theorem at_most_mistake_bound (A B C : Z) (s : K) k w : 0 < s -> (0 < A)%Z ->
  whole A == s * ((h * delta) * (h * delta)) ->
  whole B == s * ((1 + 1) * (h * delta) * dot hat w0 - dot hat hat * (h * h * epsilon)) ->
  whole C == s * (dot hat w0 * dot hat w0 - dot hat hat * dot w0 w0) ->
  run d eta examples w0 k w -> (Z.of_nat k <= mistake_bound A B C)%Z.
Proof.
  intros hs hA eA eB eC r. pose proof (convergence k w r) as c.
  assert (q : (A * (Z.of_nat k * Z.of_nat k) + B * Z.of_nat k + C <= 0)%Z).
  { apply Z.nlt_ge. intros n. apply (whole_positive K) in n. apply n. clear n.
    rewrite !whole_plus, !whole_times, eA, eB, eC. fold (times_k k).
    apply difference_nonnegative in c. apply at_most_difference.
    setoid_replace (0 - (s * (h * delta * (h * delta)) * (times_k k * times_k k) +
      s * ((1 + 1) * (h * delta) * dot hat w0 - dot hat hat * (h * h * epsilon)) * times_k k +
      s * (dot hat w0 * dot hat w0 - dot hat hat * dot w0 w0))) with
      (s * (dot hat hat * (dot w0 w0 + times_k k * (h * h * epsilon)) -
      (dot hat w0 + times_k k * (h * delta)) * (dot hat w0 + times_k k * (h * delta)))) by ring.
    apply times_nonnegative; [apply less_at_most, hs | exact c]. }
  unfold mistake_bound. apply Z.div_le_lower_bound; [lia|].
  set (n := Z.of_nat k) in *.
  destruct (Z.le_gt_cases 0 (2 * A * n + B)) as [g | g].
  - assert (t : (2 * A * n + B <= Z.sqrt (B * B - 4 * A * C))%Z); [|lia].
    apply Z.sqrt_le_square; nia.
  - pose proof (Z.sqrt_nonneg (B * B - 4 * A * C)). lia.
Qed.

End Bound.

(** ** CYCLING *)

(** Where something separates, every correction brings w nearer to it. *)
Lemma strict_progress d eta examples w0 hat : 0 < eta -> (forall e, In e examples -> 0 < dot (z_of e) hat) ->
  forall k w, run d eta examples w0 k w -> dot hat w0 <= dot hat w /\ (k <> 0%nat -> dot hat w0 < dot hat w).
Proof.
  intros he hs k w. induction 1 as [|k w e _ IH _ _|k w e _ IH hin _].
  - split; [apply at_most_refl | congruence].
  - exact IH.
  - rewrite dot_add_r, dot_scale_r, (dot_comm K hat (z_of e)).
    assert (p : 0 < step d eta * dot (z_of e) hat) by (apply times_positive; [apply step_positive, he | apply hs, hin]).
    assert (q : dot hat w0 < dot hat w + step d eta * dot (z_of e) hat).
    { apply at_most_less_trans with (dot hat w); [apply IH|]. intros n. apply p.
      apply difference_nonnegative in n. apply at_most_difference.
      setoid_replace (0 - step d eta * dot (z_of e) hat) with (dot hat w - (dot hat w + step d eta * dot (z_of e) hat))
        by ring. exact n. }
    split; [apply less_at_most, q | intros _; exact q].
Qed.

(** A run that is back at its weights after a correction proves that no hyperplane separates strictly. *)
Theorem cycling d eta examples w0 k w : 0 < eta -> run d eta examples w0 (S k) w ->
  (forall v, dot v w == dot v w0) -> ~ complete (map z_of examples).
Proof.
  intros he r back [hat hs].
  destruct (strict_progress d eta examples w0 hat he) with (k := S k) (w := w) as [_ p]; [|exact r|].
  - intros e hin. apply hs, in_map, hin.
  - apply p; [discriminate|]. rewrite (back hat). apply at_most_refl.
Qed.

(** The witness of such a run, checked as `witness_` has it: whole weights on rows whose mixture vanishes. *)
Theorem witness_excludes_separation (rows : list row) (zs : list (list K)) weighted :
  vanishing_mixture weighted = true -> (forall c r, In (c, r) weighted -> In r rows /\ (0 < denominator r)%Z) ->
  Forall2 represents rows zs -> ~ complete zs.
Proof.
  intros hv hin hz [w hw].
  assert (vector : forall r, In r rows -> exists z, In z zs /\ represents r z).
  { clear - hz. induction hz as [|r z rows zs e _ IH]; intros q []; [subst; exists z; auto using in_eq|].
    destruct (IH q) as (z' & k & e'); [assumption|]. exists z'. auto using in_cons. }
  assert (positive : forall c r, In (c, r) weighted -> 0 < dot (wholes (entries r)) w).
  { intros c r k. destruct (hin c r k) as [i hd]. destruct (vector r i) as (z & iz & e).
    rewrite (dot_represents K r z e). apply times_positive; [apply whole_positive, hd | apply hw, iz]. }
  pose proof hv as h. apply andb_true_iff in h as [h _]. apply all_positive_spec in h as [hn _].
  destruct weighted as [|[c r] weighted]; [contradiction|].
  apply (positive c r (or_introl eq_refl)), equal_at_most.
  apply (vanishing_mixture_spec K ((c, r) :: weighted) w hv) with (c := c); [| |left; reflexivity].
  - intros c' r' k. apply (hin c' r' k).
  - intros c' r' k. apply less_at_most, (positive c' r' k).
Qed.

End Algorithm.
