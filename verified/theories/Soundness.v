(** What the checker accepts is true, for weights in every ordered ring. *)

From Coq Require Import Ring Lia.
From Rosenblatt Require Export Margins.

(** What a certificate claims about vectors in K. *)
Definition claim {K : ordered_ring} (rows : list row) (c : certificate) (zs : list (list K)) : Prop :=
  match c with
  | Complete w margin street =>
      complete zs /\
      match margin with
      | None => True
      | Some ends => margin_at_least zs (lower ends) /\ margin_at_most zs (upper ends)
      end /\
      match street with
      | None => True
      | Some (_, ends) => street_at_least zs (lower ends) /\ street_at_most zs (length w) (upper ends)
      end
  | Quasi w _ _ => quasi zs /\ partition zs (map (on_plane w) rows)
  | Overlap _ _ => overlap zs
  end.

(** ** Because: few columns do it alone *)

(** Weights that are 0 wherever `named` is not set; `named` has one entry for each. *)
Fixpoint zero_elsewhere (named : list bool) (w : list Z) : bool :=
  match named, w with
  | [], [] => true
  | b :: named, v :: w => (b || (v =? 0)%Z) && zero_elsewhere named w
  | _, _ => false
  end.

(** Such weights do what the verdict's own w must do. *)
Definition check_because (rows : list row) (c : certificate) (named : list bool) (w : list Z) : bool :=
  zero_elsewhere named w &&
  match c with
  | Complete _ _ _ => forallb (fun r => 0 <? product (entries r) w)%Z rows
  | Quasi _ _ _ => forallb (fun r => 0 <=? product (entries r) w)%Z rows &&
      existsb (fun r => 0 <? product (entries r) w)%Z rows
  | Overlap _ _ => false
  end.

Definition because_claim {K : ordered_ring} (c : certificate) (named : list bool) (zs : list (list K)) : Prop :=
  exists w, Forall2 (fun (b : bool) v => b = false -> (v == 0)%K) named w /\
  match c with
  | Complete _ _ _ => separates zs w
  | Quasi _ _ _ => admissible zs w /\ exists z, In z zs /\ (0 < dot z w)%K
  | Overlap _ _ => False
  end.

(** What holds of every row and its vector, row by row. *)
Lemma by_row {A B C} (related : A -> B -> Prop) (P : B -> C -> Prop) (f : A -> C) rows zs : Forall2 related rows zs ->
  (forall r z, In r rows -> related r z -> P z (f r)) -> Forall2 P zs (map f rows).
Proof.
  induction 1 as [|r z rows zs h _ IH]; intros k; simpl; constructor; auto using in_eq, in_cons.
Qed.

Section Soundness.

Variable K : ordered_ring.
Add Ring K_ring : (laws K) (setoid (equal_equivalence K) (operations_respect_equal K)).

Variable modulus : Z.
Variable invert : Z -> Z.
Hypothesis modulus_large : (1 < modulus)%Z.

Lemma nonnegative_row r (z w : list K) : represents r z -> (0 < denominator r)%Z ->
  (0 <= dot z w <-> 0 <= dot (wholes (entries r)) w).
Proof.
  intros hz hd. rewrite (dot_represents K r z hz). symmetry. apply factor_nonnegative, whole_positive, hd.
Qed.

Lemma positive_row r (z w : list K) : represents r z -> (0 < denominator r)%Z ->
  (0 < dot z w <-> 0 < dot (wholes (entries r)) w).
Proof.
  intros hz hd. rewrite (dot_represents K r z hz). symmetry. apply factor_positive, whole_positive, hd.
Qed.

Lemma zero_row r (z w : list K) : represents r z -> (0 < denominator r)%Z ->
  (dot z w == 0 <-> dot (wholes (entries r)) w == 0).
Proof. intros hz hd. rewrite (dot_represents K r z hz). symmetry. apply factor_zero, whole_positive, hd. Qed.

Section Rows.

Variable columns : list Z.
Variable rows : list row.
Variable zs : list (list K).
Hypothesis shaped : forall r, In r rows -> length (entries r) = length columns /\ (0 < denominator r)%Z.
Hypothesis represented : Forall2 represents rows zs.

Lemma admissible_rows w : admissible zs w -> forall r, In r rows -> 0 <= dot (wholes (entries r)) w.
Proof.
  intros h r hr. destruct (vector_of_row K rows zs represented r hr) as (z & hz & e).
  apply (nonnegative_row r z w e); [apply shaped, hr | apply h, hz].
Qed.

Lemma complete_sound w : forallb (fun r => 0 <? product (entries r) w)%Z rows = true -> complete zs.
Proof.
  rewrite forallb_forall. intros h. exists (wholes w). intros z hz.
  destruct (row_of_vector K rows zs represented z hz) as (r & hr & e).
  apply (positive_row r z _ e); [apply shaped, hr|]. rewrite dot_product. apply whole_positive, Z.ltb_lt, h, hr.
Qed.

Lemma overlap_sound lambda span pairs : pair_up rows lambda [] = (true, pairs) ->
  holds_down modulus invert columns span pairs = true -> overlap zs.
Proof.
  intros hp h w hw z hz. apply pair_up_spec in hp as (h1 & _ & h3).
  assert (inside : forall r l, In (r, l) pairs -> In r rows).
  { intros r l k. destruct (h3 r l k) as [[] | k']. exact k'. }
  destruct (row_of_vector K rows zs represented z hz) as (r & hr & e). destruct (h1 r hr) as [l hl].
  apply (zero_row r z w e); [apply shaped, hr|].
  apply (held_down K modulus invert modulus_large columns span pairs w h) with (l := l); [| |exact hl].
  - intros r' l' k. apply shaped, (inside r' l' k).
  - intros r' l' k. apply (admissible_rows w hw), (inside r' l' k).
Qed.

Lemma quasi_sound w lambda span pairs : plane w rows lambda false [] = Some (true, pairs) ->
  holds_down modulus invert columns span pairs = true -> quasi zs /\ partition zs (map (on_plane w) rows).
Proof.
  intros hp h. apply plane_spec in hp as (h1 & h2 & _ & h4 & h5).
  destruct (h5 eq_refl) as [h6 | (strict & hs & ps)]; [discriminate|]. clear h5.
  assert (inside : forall r l, In (r, l) pairs -> In r rows).
  { intros r l k. destruct (h4 r l k) as [[] | [k' _]]. exact k'. }
  assert (held : forall v, admissible zs v -> forall r l, In (r, l) pairs -> dot (wholes (entries r)) v == 0).
  { intros v hv. apply (held_down K modulus invert modulus_large columns span pairs v h).
    - intros r' l' k. apply shaped, (inside r' l' k).
    - intros r' l' k. apply (admissible_rows v hv), (inside r' l' k). }
  split; [split|split].
  - exists (wholes w). split.
    + intros z hz. destruct (row_of_vector K rows zs represented z hz) as (r & hr & e).
      apply (nonnegative_row r z _ e); [apply shaped, hr|]. rewrite dot_product. apply whole_nonnegative, h1, hr.
    + destruct (vector_of_row K rows zs represented strict hs) as (z & hz & e). exists z. split; [exact hz|].
      apply (positive_row strict z _ e); [apply shaped, hs|]. rewrite dot_product. apply whole_positive, ps.
  - intros [v hv].
    destruct (mixture_is_not_empty modulus invert columns span pairs h) as (r & l & hr).
    destruct (vector_of_row K rows zs represented r (inside r l hr)) as (z & hz & e).
    apply (hv z hz), equal_at_most, (zero_row r z v e); [apply shaped, (inside r l hr)|].
    apply (held v) with (l := l); [|exact hr]. intros y hy. apply less_at_most, hv, hy.
  - exists (wholes w). apply (by_row represents); [exact represented|]. intros r z hr e.
    destruct (shaped r hr) as [_ hd]. specialize (h1 r hr). unfold on_plane.
    destruct (Z.eqb_spec (product (entries r) w) 0) as [p | p].
    + apply (zero_row r z _ e hd). rewrite dot_product, p. reflexivity.
    + apply (positive_row r z _ e hd). rewrite dot_product. apply whole_positive. lia.
  - intros v hv. apply (by_row represents); [exact represented|]. intros r z hr e.
    unfold on_plane. rewrite Z.eqb_eq. intros p. destruct (h2 r hr p) as [l hl].
    apply (zero_row r z v e); [apply shaped, hr | apply (held v hv r l hl)].
Qed.

End Rows.

Theorem check_rows_sound columns rows c (zs : list (list K)) : check_rows modulus invert columns rows c = true ->
  Forall2 represents rows zs -> claim rows c zs.
Proof.
  unfold check_rows. rewrite andb_true_iff. intros [hs h] hz. pose proof (well_shaped_spec columns rows hs) as shaped. clear hs.
  destruct c as [w margin street | w lambda span | lambda span]; simpl.
  - rewrite !andb_true_iff in h. destruct h as [[[hl hc] hm] ht]. apply same_length_spec in hl. rewrite hl.
    split; [eapply complete_sound; eassumption|]. split.
    + destruct margin as [ends|]; [|exact I]. apply (margin_sound K rows w); [exact hm | | exact hz].
      intros r k. apply shaped, k.
    + destruct street as [[v ends]|]; [|exact I]. apply (street_sound K columns rows v); assumption.
  - rewrite andb_true_iff in h. destruct h as [_ h].
    destruct (plane w rows lambda false []) as [[[|] pairs]|] eqn:e; try discriminate.
    eapply quasi_sound; eassumption.
  - destruct (pair_up rows lambda []) as [[|] pairs] eqn:e; try discriminate.
    eapply overlap_sound; eassumption.
Qed.

(** The rows of a certificate that passes are not none, so the three verdicts exclude one another. *)
Theorem check_sound rows c (zs : list (list K)) : check modulus invert rows c = true ->
  Forall2 represents rows zs -> zs <> [] /\ claim rows c zs.
Proof.
  unfold check. intros h hz. destruct rows as [|r rows]; [discriminate|].
  split; [intros ->; inversion hz | eapply check_rows_sound; eassumption].
Qed.

Theorem because_sound rows c named w (zs : list (list K)) :
  (forall r, In r rows -> (0 < denominator r)%Z) -> check_because rows c named w = true ->
  Forall2 represents rows zs -> because_claim c named zs.
Proof.
  unfold check_because. rewrite andb_true_iff. intros hd [hz h] hr. exists (wholes w). split.
  - clear - hz. revert w hz. induction named as [|b named IH]; intros [|v w] hz; try discriminate; constructor.
    + simpl in hz. apply andb_true_iff in hz as [hz _]. intros ->. apply Z.eqb_eq in hz. rewrite hz. reflexivity.
    + apply IH. simpl in hz. apply andb_true_iff in hz as [_ hz]. exact hz.
  - destruct c as [w' margin street | w' lambda span | lambda span]; [| |discriminate].
    + rewrite forallb_forall in h. intros z iz. destruct (row_of_vector K rows zs hr z iz) as (r & ir & e).
      apply (positive_row r z _ e (hd r ir)). rewrite dot_product. apply whole_positive, Z.ltb_lt, h, ir.
    + rewrite andb_true_iff, forallb_forall, existsb_exists in h. destruct h as [h (q & iq & hq)]. split.
      * intros z iz. destruct (row_of_vector K rows zs hr z iz) as (r & ir & e).
        apply (nonnegative_row r z _ e (hd r ir)). rewrite dot_product. apply whole_nonnegative, Z.leb_le, h, ir.
      * destruct (vector_of_row K rows zs hr q iq) as (z & iz & e). exists z. split; [exact iz|].
        apply (positive_row q z _ e (hd q iq)). rewrite dot_product. apply whole_positive, Z.ltb_lt, hq.
Qed.

End Soundness.
