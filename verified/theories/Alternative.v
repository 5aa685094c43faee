(** Every data set has one of the three verdicts: Farkas' lemma and Gordan's alternative, on whole numbers. *)

From Coq Require Import Ring Lia.
From Rosenblatt Require Export Soundness.
Open Scope Z_scope.

Notation nonnegative := (Forall (fun x => 0 <= x)).

(** k·a is a combination of the vectors u with weights c that are not negative. *)
Definition in_cone (a : list Z) (u : list (list Z)) : Prop :=
  exists k c, 0 < k /\ length c = length u /\ nonnegative c /\ forall w, k * zdot a w = mixed c u w.

(** v has all of u on one side, and a on the other. *)
Definition cut_off (a : list Z) (u : list (list Z)) : Prop :=
  exists v, Forall (fun z => 0 <= zdot z v) u /\ zdot a v < 0.

(** x moved along z until it is at right angles to v, times −z·v. *)
Definition moved (z v x : list Z) : list Z :=
  @add integers (@scale integers (- zdot z v) x) (@scale integers (zdot x v) z).

Lemma zdot_moved z v x w : zdot (moved z v x) w = - zdot z v * zdot x w + zdot x v * zdot z w.
Proof. unfold moved. rewrite zdot_add_l, !zdot_scale_l. reflexivity. Qed.

Lemma mixed_moved z v c : forall u w,
  mixed c (map (moved z v) u) w = - zdot z v * mixed c u w + mixed c u v * zdot z w.
Proof.
  unfold mixed. induction c as [|k c IH]; intros [|x u] w; try (unfold zdot; simpl; ring).
  change (k * zdot (moved z v x) w + zdot c (map (fun a => zdot a w) (map (moved z v) u)) =
    - zdot z v * (k * zdot x w + zdot c (map (fun a => zdot a w) u)) +
    (k * zdot x v + zdot c (map (fun a => zdot a v) u)) * zdot z w).
  rewrite IH, zdot_moved. ring.
Qed.

Lemma mixed_nonnegative c : forall u v, nonnegative c -> Forall (fun z => 0 <= zdot z v) u -> 0 <= mixed c u v.
Proof.
  unfold mixed. induction c as [|k c IH]; intros [|x u] v hc hu; try (unfold zdot; simpl; lia).
  inversion_clear hc as [|? ? h1 h2]. inversion_clear hu as [|? ? h3 h4]. specialize (IH u v h2 h4).
  change (0 <= k * zdot x v + zdot c (map (fun a => zdot a v) u)). nia.
Qed.

(** Farkas: a vector is in the cone, or a hyperplane cuts it off. *)
Theorem farkas n : forall u a, length u = n -> in_cone a u \/ cut_off a u.
Proof.
  induction n as [|n IH]; intros u a hn.
  - destruct u; [|discriminate]. destruct (Z.eq_dec (zdot a a) 0) as [e | e].
    + left. exists 1, []. repeat split; [constructor|]. intros w. apply zdot_self_zero in e.
      rewrite (zdot_zero_l a w e). reflexivity.
    + right. exists (@scale integers (-1) a). split; [constructor|]. rewrite zdot_comm, zdot_scale_l.
      pose proof (dot_self_nonnegative integers a) as p. change (0 <= zdot a a) in p. lia.
  - destruct u as [|z u]; [discriminate|]. injection hn as hn.
    destruct (IH u a hn) as [(k & c & hk & hl & hc & e) | (v & hv & ha)].
    { left. exists k, (0 :: c). split; [exact hk|]. split; [simpl; congruence|].
      split; [constructor; [lia | exact hc]|]. intros w. change (k * zdot a w = 0 * zdot z w + mixed c u w).
      rewrite e. ring. }
    destruct (Z.le_gt_cases 0 (zdot z v)) as [hz | hz]; [right; exists v; auto|].
    destruct (IH (map (moved z v) u) (moved z v a)) as [(k & c & hk & hl & hc & e) | (x & hx & hax)].
    + rewrite map_length. exact hn.
    + left. rewrite map_length in hl. exists (k * - zdot z v), ((mixed c u v - k * zdot a v) :: map (Z.mul (- zdot z v)) c).
      split; [nia|]. split; [simpl; rewrite map_length; congruence|]. split.
      * constructor; [pose proof (mixed_nonnegative c u v hc hv); nia|]. rewrite Forall_map.
        eapply Forall_impl; [|exact hc]. intros t ht. simpl in *. nia.
      * intros w. change (k * - zdot z v * zdot a w = (mixed c u v - k * zdot a v) * zdot z w +
          mixed (map (Z.mul (- zdot z v)) c) u w).
        rewrite mixed_scale. specialize (e w). rewrite zdot_moved, mixed_moved in e.
        replace (k * - zdot z v * zdot a w) with
          (k * (- zdot z v * zdot a w + zdot a v * zdot z w) - k * zdot a v * zdot z w) by ring.
        rewrite e. ring.
    + right. set (y := @add integers (@scale integers (- zdot z v) x) (@scale integers (zdot z x) v)).
      assert (hy : forall t, zdot t y = zdot (moved z v t) x).
      { intros t. unfold y. rewrite zdot_comm, zdot_add_l, !zdot_scale_l, zdot_moved, (zdot_comm x t), (zdot_comm v t).
        ring. }
      exists y. split; [constructor|].
      * rewrite hy, zdot_moved. apply Z.eq_le_incl. ring.
      * rewrite Forall_map in hx. eapply Forall_impl; [|exact hx]. intros t ht. cbv beta in ht. rewrite hy. exact ht.
      * rewrite hy. exact hax.
Qed.

(** Gordan: all vectors are strictly on one side of a hyperplane, or a mixture of them vanishes. *)
Definition vanishing_combination (u : list (list Z)) : Prop :=
  exists c, length c = length u /\ nonnegative c /\ Exists (fun x => 0 < x) c /\ forall w, mixed c u w = 0.

Lemma same_lengths {A B} (R : A -> B -> Prop) l m : Forall2 R l m -> length l = length m.
Proof. induction 1; simpl; congruence. Qed.

Lemma same_tails {A} (a b c d : list A) : length a = length b -> a ++ c = b ++ d -> c = d.
Proof.
  revert b. induction a as [|x a IH]; intros [|y b] hl e; try discriminate; [exact e|].
  injection e as _ e. apply (IH b); [injection hl; auto | exact e].
Qed.

Lemma whole_integers n : @whole integers n = n.
Proof.
  assert (natural : forall k, @whole integers (Z.of_nat k) = Z.of_nat k).
  { induction k as [|k IH]; [reflexivity|]. rewrite Nat2Z.inj_succ. unfold Z.succ.
    transitivity (@whole integers (Z.of_nat k) + @whole integers 1); [exact (whole_plus integers (Z.of_nat k) 1)|].
    rewrite IH. reflexivity. }
  assert (h : forall m, 0 <= m -> @whole integers m = m).
  { intros m hm. rewrite <- (Z2Nat.id m hm). apply natural. }
  destruct (Z.le_gt_cases 0 n) as [hn | hn]; [apply h, hn|].
  replace n with (- (- n)) at 1 by lia. transitivity (- @whole integers (- n)).
  - exact (whole_opposite integers (- n)).
  - rewrite h by lia. lia.
Qed.

Lemma wholes_integers a : @wholes integers a = a.
Proof. unfold wholes. rewrite <- (map_id a) at 2. apply map_ext. intros x. apply whole_integers. Qed.

(** One vector: some admissible v has it off the plane, or it takes part in a mixture that vanishes. *)
Lemma one_vector u z : In z u ->
  (exists v, Forall (fun x => 0 <= zdot x v) u /\ 0 < zdot z v) \/
  (exists c, length c = length u /\ nonnegative c /\ Exists (fun x => 0 < x) c /\ (forall w, mixed c u w = 0) /\
    forall (K : ordered_ring) (w : list K), Forall (fun x => (0 <= dot (wholes x) w)%K) u ->
    (dot (wholes z) w == 0)%K).
Proof.
  intros hz. destruct (farkas (length u) u (@scale integers (-1) z) eq_refl) as [(k & c & hk & hl & hc & e) | (v & hv & ha)].
  - right. destruct (in_split _ _ hz) as (l1 & l2 & eu). rewrite eu, app_length in hl. simpl in hl.
    set (c1 := firstn (length l1) c). set (c2 := skipn (length l1) c).
    assert (ec : c = c1 ++ c2) by (symmetry; apply firstn_skipn).
    assert (h1 : length c1 = length l1) by (unfold c1; rewrite firstn_length; lia).
    assert (h2 : length c2 = S (length l2)) by (unfold c2; rewrite skipn_length; lia).
    clearbody c1 c2. destruct c2 as [|x c2]; [discriminate|]. injection h2 as h2.
    rewrite ec in hc. apply Forall_app in hc as [n1 n2]. inversion_clear n2 as [|? ? nx n3].
    assert (rel : forall w, mixed (c1 ++ (k + x) :: c2) u w = 0).
    { intros w. specialize (e w). rewrite zdot_scale_l, ec, eu, mixed_app in e by exact h1.
      rewrite eu, mixed_app by exact h1.
      change (mixed c1 l1 w + ((k + x) * zdot z w + mixed c2 l2 w) = 0).
      change (k * (-1 * zdot z w) = mixed c1 l1 w + (x * zdot z w + mixed c2 l2 w)) in e. lia. }
    exists (c1 ++ (k + x) :: c2). split; [rewrite eu, !app_length; simpl; lia|].
    split; [apply Forall_app; split; [exact n1 | constructor; [lia | exact n3]]|].
    split; [apply Exists_app; right; constructor; lia|]. split; [exact rel|].
    intros K w hw. Local Open Scope ordered_scope.
    assert (zero : dot (wholes (@mix integers (c1 ++ (k + x)%Z :: c2) u)) w == 0).
    { apply dot_wholes_vanishes, zdot_self_zero. rewrite zdot_mix. apply rel. }
    rewrite dot_wholes_mix in zero.
    assert (terms : Forall2 (fun a t => a * t == 0) (wholes (c1 ++ (k + x)%Z :: c2))
      (map (fun a => dot (wholes a) w) u)).
    { pose proof (dot_zero_terms K (wholes (c1 ++ (k + x)%Z :: c2)) (map (fun a => dot (wholes a) w) u)) as t.
      assert (ln : length (wholes (c1 ++ (k + x)%Z :: c2) : list K) = length (map (fun a => dot (wholes a) w) u)).
      { unfold wholes. rewrite !map_length, eu, !app_length. simpl. lia. }
      rewrite <- ln, firstn_all, ln, firstn_all in t. apply t; [| |exact zero].
      - unfold wholes. rewrite Forall_map. apply Forall_app. split; [|constructor].
        + eapply Forall_impl; [|exact n1]. intros a h. apply whole_nonnegative, h.
        + apply whole_nonnegative. lia.
        + eapply Forall_impl; [|exact n3]. intros a h. apply whole_nonnegative, h.
      - rewrite Forall_map. exact hw. }
    rewrite eu in terms. unfold wholes in terms at 1. rewrite !map_app in terms.
    apply Forall2_app_inv_l in terms as (t1 & t2 & f1 & f2 & et).
    assert (lt : length t1 = length l1) by (apply same_lengths in f1; rewrite map_length in f1; lia).
    assert (e2 : t2 = map (fun a => dot (wholes a) w) (z :: l2)).
    { symmetry. eapply same_tails; [|exact et]. rewrite map_length. congruence. }
    subst t2. inversion_clear f2 as [|? ? ? ? f3 f4].
    apply (factor_zero K (whole (k + x))); [apply whole_positive; lia | exact f3].
  - left. exists v. split; [exact hv|]. rewrite zdot_scale_l in ha. lia.
Qed.

Open Scope Z_scope.

(** Admissible vectors add up: one of them has off the plane whatever any has. *)
Lemma together u : exists v, Forall (fun x => 0 <= zdot x v) u /\
  forall z, In z u -> 0 < zdot z v \/
    forall (K : ordered_ring) (w : list K), Forall (fun x => (0 <= dot (wholes x) w)%K) u -> (dot (wholes z) w == 0)%K.
Proof.
  assert (h : forall part, incl part u -> exists v, Forall (fun x => 0 <= zdot x v) u /\
    forall z, In z part -> 0 < zdot z v \/
      forall (K : ordered_ring) (w : list K), Forall (fun x => (0 <= dot (wholes x) w)%K) u -> (dot (wholes z) w == 0)%K).
  { induction part as [|z part IH]; intros hi.
    - exists []. split; [|intros z []]. apply Forall_forall. intros x _. rewrite zdot_nil_r. lia.
    - destruct IH as (v & hv & hp); [intros x hx; apply hi; right; exact hx|].
      destruct (one_vector u z (hi z (or_introl eq_refl))) as [(y & hy & hz) | (c & _ & _ & _ & _ & held)].
      + assert (sum : forall x, zdot x (@add integers v y) = zdot x v + zdot x y).
        { intros x. rewrite zdot_comm, zdot_add_l, (zdot_comm v), (zdot_comm y). reflexivity. }
        assert (both : forall x, In x u -> 0 <= zdot x v /\ 0 <= zdot x y).
        { intros x hx. rewrite Forall_forall in hv, hy. split; [apply hv | apply hy]; exact hx. }
        exists (@add integers v y). split.
        * apply Forall_forall. intros x hx. rewrite sum. destruct (both x hx). lia.
        * intros x [<- | hx].
          -- left. rewrite sum. destruct (both z (hi z (or_introl eq_refl))). lia.
          -- destruct (hp x hx) as [g | g]; [|right; exact g]. left. rewrite sum.
             destruct (both x (hi x (or_intror hx))). lia.
      + exists v. split; [exact hv|]. intros x [<- | hx]; [right; exact held | apply hp, hx]. }
  destruct (h u (incl_refl u)) as (v & hv & hp). exists v. split; assumption.
Qed.

Theorem gordan u : (exists v, Forall (fun x => 0 < zdot x v) u) \/ vanishing_combination u.
Proof.
  destruct (together u) as (v & hv & hp).
  destruct (Forall_Exists_dec (fun x => 0 < zdot x v) (fun x => Z_lt_dec 0 (zdot x v)) u) as [h | h]; [left; eauto|].
  apply Exists_exists in h as (z & hz & nz). right.
  destruct (one_vector u z hz) as [(y & hy & py) | (c & hl & hc & he & hw & _)]; [|exists c; auto].
  destruct (hp z hz) as [g | g]; [contradiction|]. exfalso.
  specialize (g integers y). assert (e : @dot integers (wholes z) y = 0).
  { apply g. eapply Forall_impl; [|exact hy]. intros x hx. rewrite wholes_integers. exact hx. }
  rewrite wholes_integers in e. unfold zdot in py. lia.
Qed.

(** ** One of the three verdicts holds *)

Section Exhaustive.

Variable K : ordered_ring.
Open Scope ordered_scope.

Theorem some_verdict_holds rows (zs : list (list K)) : (forall r, In r rows -> (0 < denominator r)%Z) ->
  Forall2 represents rows zs -> complete zs \/ quasi zs \/ overlap zs.
Proof.
  intros hd hz. destruct (together (map entries rows)) as (v & hv & hp).
  assert (back : forall w, admissible zs w -> Forall (fun x => 0 <= dot (wholes x) w) (map entries rows)).
  { intros w hw. rewrite Forall_map. apply Forall_forall. intros r hr.
    destruct (vector_of_row K rows zs hz r hr) as (z & iz & e). apply (nonnegative_row K r z w e); auto. }
  assert (each : forall z, In z zs -> exists r, In r rows /\ represents r z /\ 0 <= dot z (wholes v) /\
    (0 < dot z (wholes v) \/ forall w, admissible zs w -> dot z w == 0)).
  { intros z iz. destruct (row_of_vector K rows zs hz z iz) as (r & hr & e). exists r. split; [exact hr|].
    split; [exact e|]. rewrite Forall_map, Forall_forall in hv. split.
    - apply (nonnegative_row K r z _ e); [auto|]. rewrite dot_wholes. apply whole_nonnegative, (hv r hr).
    - destruct (hp (entries r) (in_map entries rows r hr)) as [g | g].
      + left. apply (positive_row K r z _ e); [auto|]. rewrite dot_wholes. apply whole_positive, g.
      + right. intros w hw. apply (zero_row K r z w e); [auto|]. apply g, back, hw. }
  assert (split : (forall z, In z zs -> 0 < dot z (wholes v)) \/
    exists z, In z zs /\ forall w, admissible zs w -> dot z w == 0).
  { clear - each. assert (h : forall part, incl part zs -> (forall z, In z part -> 0 < dot z (wholes v)) \/
      exists z, In z zs /\ forall w, admissible zs w -> dot z w == 0).
    { induction part as [|z part IH]; intros hi; [left; intros z []|].
      destruct (each z (hi z (or_introl eq_refl))) as (_ & _ & _ & _ & [g | g]).
      - destruct IH as [k | k]; [intros x hx; apply hi; right; exact hx | | right; exact k].
        left. intros x [<- | hx]; [exact g | apply k, hx].
      - right. exists z. split; [apply hi; left; reflexivity | exact g]. }
    apply (h zs), incl_refl. }
  assert (some : (exists z, In z zs /\ 0 < dot z (wholes v)) \/
    forall z, In z zs -> forall w, admissible zs w -> dot z w == 0).
  { clear - each. assert (h : forall part, incl part zs -> (exists z, In z zs /\ 0 < dot z (wholes v)) \/
      forall z, In z part -> forall w, admissible zs w -> dot z w == 0).
    { induction part as [|z part IH]; intros hi; [right; intros z []|].
      destruct (each z (hi z (or_introl eq_refl))) as (_ & _ & _ & _ & [g | g]).
      - left. exists z. split; [apply hi; left; reflexivity | exact g].
      - destruct IH as [k | k]; [intros x hx; apply hi; right; exact hx | left; exact k |].
        right. intros x [<- | hx]; [exact g | apply k, hx]. }
    apply (h zs), incl_refl. }
  destruct split as [all | (held & hin & hh)]; [left; exists (wholes v); exact all|]. right.
  destruct some as [(z & iz & pz) | none]; [left | right; intros w hw z iz; apply none; assumption].
  split.
  - exists (wholes v). split; [|exists z; auto]. intros x hx. destruct (each x hx) as (_ & _ & _ & g & _). exact g.
  - intros [w hw]. apply (hw held hin), equal_at_most, hh. intros x hx. apply less_at_most, hw, hx.
Qed.

End Exhaustive.
