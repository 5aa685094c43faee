(** The ends of a margin and of a street that pass the checker are ends. *)

From Coq Require Import Ring Lia.
From Rosenblatt Require Export Mixtures.

Lemma add_times_length k n a : forall sum, length a = n -> (length sum <= n)%nat -> length (add_times k a sum) = n.
Proof.
  revert n. induction a as [|x a IH]; intros n [|y sum] h l; simpl in *.
  - exact h.
  - lia.
  - rewrite map_length. exact h.
  - destruct n as [|n]; [discriminate|]. f_equal. apply IH; lia.
Qed.

Lemma total_length m n weighted : weighted <> [] -> (forall c r, In (c, r) weighted -> length (entries r) = n) ->
  length (total m weighted) = n.
Proof.
  intros hn hr. unfold total.
  assert (h : forall weighted sum, (forall c r, In (c, r) weighted -> length (entries r) = n) ->
    (length sum <= n)%nat -> (weighted <> [] \/ length sum = n) ->
    length (fold_left (fun sum p => add_times (fst p * (m / denominator (snd p))) (entries (snd p)) sum)
      weighted sum) = n).
  { clear. induction weighted as [|[c r] weighted IH]; intros sum hr hs hd; cbn [fold_left fst snd].
    - destruct hd as [hd | hd]; [contradiction | exact hd].
    - assert (e : length (add_times (c * (m / denominator r)) (entries r) sum) = n).
      { apply add_times_length; [apply (hr c r); left; reflexivity | exact hs]. }
      apply IH; [intros c' r' k; apply (hr c' r'); right; exact k | lia | right; exact e]. }
  apply h; [exact hr | simpl; lia | left; exact hn].
Qed.

Lemma sum_of_weights_spec weighted :
  sum_of_weights weighted = fold_right (fun p s => (fst p + s)%Z) 0%Z weighted.
Proof.
  unfold sum_of_weights.
  assert (h : forall s, fold_left (fun s p => (s + fst p)%Z) weighted s =
    (s + fold_right (fun p s => (fst p + s)%Z) 0%Z weighted)%Z).
  { induction weighted as [|p weighted IH]; intros s; cbn [fold_left fold_right]; [lia|]. rewrite IH. lia. }
  apply h.
Qed.

Lemma sum_of_weights_positive weighted : weighted <> [] -> (forall c r, In (c, r) weighted -> (0 < c)%Z) ->
  (0 < sum_of_weights weighted)%Z.
Proof.
  intros hn hp. rewrite sum_of_weights_spec.
  assert (h : forall l : list (Z * row), (forall c r, In (c, r) l -> (0 < c)%Z) ->
    (0 <= fold_right (fun p s => (fst p + s)%Z) 0%Z l)%Z).
  { induction l as [|[c r] l IH]; intros k; cbn [fold_right fst]; [lia|].
    pose proof (k c r (or_introl eq_refl)). assert (0 <= fold_right (fun p s => (fst p + s)%Z) 0%Z l)%Z; [|lia].
    apply IH. intros c' r' k'. apply (k c' r'). right. exact k'. }
  destruct weighted as [|[c r] weighted]; [contradiction|]. cbn [fold_right fst].
  pose proof (hp c r (or_introl eq_refl)). specialize (h weighted).
  assert (0 <= fold_right (fun p s => (fst p + s)%Z) 0%Z weighted)%Z; [|lia].
  apply h. intros c' r' k. apply (hp c' r'). right. exact k.
Qed.

Section Margins.

Variable K : ordered_ring.
Add Ring K_ring : (laws K) (setoid (equal_equivalence K) (operations_respect_equal K)).

(** Where the rows stand for vectors zs, each vector has its row and each row its vector. *)
Lemma row_of_vector rows (zs : list (list K)) : Forall2 represents rows zs ->
  forall z, In z zs -> exists r, In r rows /\ represents r z.
Proof.
  induction 1 as [|r z rows zs h _ IH]; intros y []; [subst; exists r; auto using in_eq|].
  destruct (IH y) as (r' & k & e); [assumption|]. exists r'. auto using in_cons.
Qed.

Lemma vector_of_row rows (zs : list (list K)) : Forall2 represents rows zs ->
  forall r, In r rows -> exists z, In z zs /\ represents r z.
Proof.
  induction 1 as [|r z rows zs h _ IH]; intros q []; [subst; exists z; auto using in_eq|].
  destruct (IH q) as (z' & k & e); [assumption|]. exists z'. auto using in_cons.
Qed.

Lemma dot_product a b : dot (wholes a) (wholes b) == (whole (product a b) : K).
Proof. rewrite product_spec. apply dot_wholes. Qed.

Lemma whole_square n : (whole (square n) : K) == whole n * whole n.
Proof. apply whole_times. Qed.

(** z·w ≥ p/q·‖w‖. *)
Lemma farther_spec p q size w rows : farther p q size w rows = true ->
  (forall r, In r rows -> (0 < denominator r)%Z) ->
  forall r (z : list K), In r rows -> represents r z ->
    0 <= dot z (wholes w) /\
    whole (p * p) * whole size <= whole (q * q) * (dot z (wholes w) * dot z (wholes w)).
Proof.
  unfold farther. rewrite forallb_forall. intros h hd r z hr hz. specialize (h r hr).
  apply andb_true_iff in h as [h1 h2]. apply Z.leb_le in h1. apply Z.leb_le in h2.
  assert (e : (whole (product (entries r) w) : K) == whole (denominator r) * dot z (wholes w)).
  { rewrite <- dot_product. apply dot_represents, hz. }
  assert (hD : (0 : K) < whole (denominator r)) by (apply whole_positive, hd, hr).
  split.
  - apply (factor_nonnegative K (whole (denominator r))); [exact hD|]. rewrite <- e. apply whole_nonnegative, h1.
  - apply (whole_at_most K) in h2. rewrite whole_times, !whole_square, !whole_times, e in h2.
    apply (factor_at_most K (whole (denominator r) * whole (denominator r))); [apply times_positive; exact hD|].
    rewrite !whole_times. eapply at_most_trans; [|eapply at_most_trans; [exact h2|]]; apply equal_at_most; ring.
Qed.

(** t·m·Σλ ≤ Σ λ (m z)·w where t ≤ z·w on every row. *)
Lemma terms_at_least m weighted (w : list K) t :
  (forall c r, In (c, r) weighted -> (0 < c)%Z /\ (0 < denominator r)%Z /\ (denominator r | m)%Z) -> (0 < m)%Z ->
  (forall c r, In (c, r) weighted -> whole (denominator r) * t <= dot (wholes (entries r)) w) ->
  whole (m * sum_of_weights weighted) * t <= weighted_sum (terms m weighted w).
Proof.
  intros hp hm hw. rewrite sum_of_weights_spec. induction weighted as [|[c r] weighted IH].
  - simpl. rewrite Z.mul_0_r. apply equal_at_most. simpl. ring.
  - cbn [fold_right fst]. rewrite Z.mul_add_distr_l, whole_plus.
    destruct (hp c r (or_introl eq_refl)) as (hc & hd & [q hq]).
    assert (e : (whole (m * c) : K) == whole (c * (m / denominator r)) * whole (denominator r)).
    { rewrite <- whole_times. replace (m * c)%Z with (c * (m / denominator r) * denominator r)%Z; [reflexivity|].
      rewrite hq, Z.div_mul by lia. ring. }
    simpl. rewrite e.
    setoid_replace ((whole (c * (m / denominator r)) * whole (denominator r) +
      whole (m * fold_right (fun p s => (fst p + s)%Z) 0%Z weighted)) * t) with
      (whole (c * (m / denominator r)) * (whole (denominator r) * t) +
      whole (m * fold_right (fun p s => (fst p + s)%Z) 0%Z weighted) * t) by ring.
    apply plus_at_most_plus.
    + apply times_at_most_l; [|apply (hw c r); left; reflexivity].
      apply less_at_most, whole_positive, Z.mul_pos_pos; [exact hc|].
      apply multiplier_positive; [exact hm | exact hd | exists q; exact hq].
    + apply IH; [intros c' r' k; apply (hp c' r'); right; exact k|].
      intros c' r' k. apply (hw c' r'). right. exact k.
Qed.

(** From (k·t)² ≤ N·W and s²·N ≤ (r·k)² follows s²t² ≤ r²W. *)
Lemma combine_squares (k t N W r s : K) : 0 < k -> 0 <= W ->
  (k * t) * (k * t) <= N * W -> s * s * N <= (r * k) * (r * k) -> s * s * (t * t) <= r * r * W.
Proof.
  intros hk hW h1 h2. apply (factor_at_most K (k * k)); [apply times_positive; exact hk|].
  apply at_most_trans with (s * s * (N * W)).
  - setoid_replace (k * k * (s * s * (t * t))) with (s * s * (k * t * (k * t))) by ring.
    apply times_at_most_l; [apply square_nonnegative | exact h1].
  - setoid_replace (s * s * (N * W)) with (W * (s * s * N)) by ring.
    setoid_replace (k * k * (r * r * W)) with (W * (r * k * (r * k))) by ring.
    apply times_at_most_l; assumption.
Qed.

(** What the mixture of an interval gives: positive weights, and the sum's length. *)
Lemma nearer_spec level r s rows lambda : nearer level r s rows lambda = true ->
  (forall q, In q rows -> (0 < denominator q)%Z) ->
  exists weighted m, weighted <> [] /\ (0 < m)%Z /\ (0 < sum_of_weights weighted)%Z /\
    (forall c q, In (c, q) weighted -> In q rows /\ (0 < c)%Z /\ (0 < denominator q)%Z /\ (denominator q | m)%Z) /\
    (level = true -> last (total m weighted) 0%Z = 0%Z) /\
    (square s * product (total m weighted) (total m weighted) <= square (r * (m * sum_of_weights weighted)))%Z.
Proof.
  unfold nearer. destruct (pair_up rows lambda []) as [fit pairs] eqn:e. rewrite !andb_true_iff.
  intros [[[hf hp] hl] hs] hd. subst fit. apply pair_up_spec in e as (_ & _ & e).
  set (weighted := participants (fun l => l) pairs) in *. apply all_positive_spec in hp as [hn hp].
  assert (hin : forall c q, In (c, q) weighted -> In q rows).
  { intros c q k. apply participants_spec in k as (l & k & _). destruct (e q l k) as [[] | k']. exact k'. }
  destruct (common_denominator_spec weighted) as [hm hdiv]; [intros c q k; apply hd, (hin c q k)|].
  exists weighted, (common_denominator weighted). repeat split; try assumption.
  - apply sum_of_weights_positive; assumption.
  - apply (hin c q H).
  - apply (hp c q H).
  - apply hd, (hin c q H).
  - apply (hdiv c q H).
  - intros ->. apply Z.eqb_eq, hl.
  - apply Z.leb_le, hs.
Qed.

Lemma nearer_bounds level r s rows lambda (zs : list (list K)) : nearer level r s rows lambda = true ->
  (forall q, In q rows -> (0 < denominator q)%Z) -> Forall2 represents rows zs ->
  exists weighted m, weighted <> [] /\ (forall c q, In (c, q) weighted -> In q rows) /\
    (level = true -> last (total m weighted) 0%Z = 0%Z) /\
    forall (w : list K) t W, 0 <= t -> 0 <= W -> (forall z, In z zs -> t <= dot z w) ->
      dot (wholes (total m weighted)) w * dot (wholes (total m weighted)) w <=
        dot (wholes (total m weighted)) (wholes (total m weighted)) * W ->
      whole (s * s) * (t * t) <= whole (r * r) * W.
Proof.
  intros h hd hz. apply nearer_spec in h as (weighted & m & hn & hm & hsum & hp & hl & hs); [|exact hd].
  exists weighted, m. split; [exact hn|]. split; [intros c q k; apply (hp c q k)|]. split; [exact hl|].
  intros w t W ht hW hw hc. set (S := total m weighted) in *.
  set (k := (m * sum_of_weights weighted)%Z) in *.
  assert (hk : (0 : K) < whole k) by (apply whole_positive, Z.mul_pos_pos; assumption).
  rewrite !whole_times. apply (combine_squares (whole k) t (dot (wholes S) (wholes S))); [exact hk | exact hW | |].
  - eapply at_most_trans; [|exact hc]. apply square_at_most.
    + apply times_nonnegative; [apply less_at_most, hk | exact ht].
    + unfold S. rewrite dot_total. apply terms_at_least; [intros c q i; apply (hp c q i) | exact hm|].
      intros c q i. destruct (vector_of_row rows zs hz q) as (z & iz & rz); [apply (hp c q i)|].
      rewrite (dot_represents K q z rz). apply times_at_most_l; [|apply hw, iz].
      apply whole_nonnegative. destruct (hp c q i) as (_ & _ & p & _). lia.
  - rewrite dot_product. apply (whole_at_most K) in hs. rewrite whole_times, !whole_square, !whole_times in hs.
    eapply at_most_trans; [exact hs|]. apply equal_at_most. unfold k. rewrite !whole_times. ring.
Qed.

Theorem margin_sound rows w ends (zs : list (list K)) : check_margin w rows (Some ends) = true ->
  (forall q, In q rows -> (0 < denominator q)%Z) -> Forall2 represents rows zs ->
  margin_at_least zs (lower ends) /\ margin_at_most zs (upper ends).
Proof.
  unfold check_margin, within. rewrite !andb_true_iff. intros [[[_ hsize] hf] hn] hd hz. split.
  - exists (wholes w). split.
    + rewrite dot_product. apply whole_positive, Z.ltb_lt, hsize.
    + intros z iz. destruct (row_of_vector rows zs hz z iz) as (r & ir & rz).
      destruct (farther_spec _ _ _ _ _ hf hd r z ir rz) as [h1 h2]. split; [exact h1|].
      rewrite dot_product. exact h2.
  - intros w' t ht hw.
    destruct (nearer_bounds _ _ _ _ _ _ hn hd hz) as (weighted & m & _ & _ & _ & h).
    apply (h w' t (dot w' w')); [exact ht | apply dot_self_nonnegative | exact hw | apply cauchy].
Qed.

(** ** The street: the last weight does not count *)

Lemma dot_last (a w : list K) x y : length a = length w -> dot (a ++ [x]) (w ++ [y]) == dot a w + x * y.
Proof.
  revert w. induction a as [|s a IH]; intros [|t w] h; try discriminate; simpl; [ring|].
  rewrite IH by (injection h; auto). ring.
Qed.

Lemma wholes_last (a : list Z) : a <> [] -> (wholes a : list K) = wholes (removelast a) ++ [whole (last a 0%Z)].
Proof.
  intros h. transitivity (@wholes K (removelast a ++ [last a 0%Z])).
  - f_equal. apply app_removelast_last, h.
  - unfold wholes. apply map_app.
Qed.

Lemma size_without_bias_spec w : w <> [] ->
  (whole (size_without_bias w) : K) == dot (wholes (removelast w)) (wholes (removelast w)).
Proof.
  intros h. unfold size_without_bias.
  replace (product w w - square (last w 0))%Z with (product w w + - square (last w 0))%Z by ring.
  rewrite whole_plus, whole_opposite, whole_square, <- dot_product, (wholes_last w h), dot_last by reflexivity.
  ring.
Qed.

Theorem street_sound columns rows w ends (zs : list (list K)) : check_street columns rows (Some (w, ends)) = true ->
  (forall q, In q rows -> length (entries q) = length columns /\ (0 < denominator q)%Z) ->
  Forall2 represents rows zs ->
  street_at_least zs (lower ends) /\ street_at_most zs (length columns) (upper ends).
Proof.
  unfold check_street, within. rewrite !andb_true_iff. intros [_ [[[_ hsize] hf] hn]] hq hz.
  assert (hd : forall q, In q rows -> (0 < denominator q)%Z) by (intros q k; apply (hq q k)).
  apply Z.ltb_lt in hsize.
  assert (hw : w <> []) by (intros ->; discriminate).
  split.
  - exists (wholes (removelast w)), (whole (last w 0%Z)). rewrite <- (wholes_last w hw). split.
    + rewrite <- size_without_bias_spec by exact hw. apply whole_positive, hsize.
    + intros z iz. destruct (row_of_vector rows zs hz z iz) as (r & ir & rz).
      destruct (farther_spec _ _ _ _ _ hf hd r z ir rz) as [h1 h2]. split; [exact h1|].
      rewrite <- size_without_bias_spec by exact hw. exact h2.
  - intros w' b t hl ht hw'.
    destruct (nearer_bounds _ _ _ _ _ _ hn hd hz) as (weighted & m & hne & hin & hlast & h).
    apply (h (w' ++ [b]) t (dot w' w')); [exact ht | apply dot_self_nonnegative | exact hw' |].
    specialize (hlast eq_refl). set (S := total m weighted) in *.
    assert (lS : length S = length columns).
    { apply total_length; [exact hne|]. intros c q k. apply hq, (hin c q k). }
    assert (nS : S <> []) by (intros e; rewrite e in lS; simpl in lS; lia).
    assert (lr : length (@wholes K (removelast S)) = length w').
    { unfold wholes. rewrite map_length. rewrite (app_removelast_last 0%Z nS), app_length in lS. simpl in lS. lia. }
    rewrite (wholes_last S nS), hlast, !dot_last by (exact lr || reflexivity).
    set (a := wholes (removelast S)).
    setoid_replace (dot a w' + whole 0 * b) with (dot a w') by (simpl; ring).
    setoid_replace (dot a a + whole 0 * whole 0) with (dot a a) by (simpl; ring). apply cauchy.
Qed.

End Margins.
