(** Independent whole vectors: d of them leave no room in d dimensions, and what is orthogonal to some of d is a
    combination of the others. *)

From Coq Require Import Ring Lia.
From Rosenblatt Require Export Vectors.
Open Scope Z_scope.

Definition zdot : list Z -> list Z -> Z := @dot integers.

Lemma zdot_comm a b : zdot a b = zdot b a.
Proof. exact (dot_comm integers a b). Qed.
Lemma zdot_nil_r a : zdot a [] = 0.
Proof. exact (dot_nil_r integers a). Qed.
Lemma zdot_mix c v w : zdot (@mix integers c v) w = zdot c (map (fun a => zdot a w) v).
Proof. exact (dot_mix integers c v w). Qed.
Lemma zdot_add_l a b w : zdot (@add integers a b) w = zdot a w + zdot b w.
Proof. exact (dot_add_l integers a b w). Qed.
Lemma zdot_scale_l c a w : zdot (@scale integers c a) w = c * zdot a w.
Proof. exact (dot_scale_l integers c a w). Qed.

Definition zero_vector (a : list Z) : Prop := Forall (fun x => x = 0) a.

Lemma zdot_zero_l a w : zero_vector a -> zdot a w = 0.
Proof. intros h. exact (dot_vanishes_l integers a h w). Qed.

Lemma zdot_self_zero a : zdot a a = 0 -> zero_vector a.
Proof. exact (dot_self_zero integers a). Qed.

Lemma zdot_app c1 : forall c2 s1 s2, length c1 = length s1 -> zdot (c1 ++ c2) (s1 ++ s2) = zdot c1 s1 + zdot c2 s2.
Proof.
  induction c1 as [|x c1 IH]; intros c2 [|t s1] s2 h; try discriminate; simpl; [reflexivity|].
  rewrite IH by (injection h; auto). apply Z.add_assoc.
Qed.

Lemma zdot_scale_coefficients k c s : zdot (map (Z.mul k) c) s = k * zdot c s.
Proof. exact (zdot_scale_l k c s). Qed.

(** Σ c (u·w), which is (Σ c u)·w. *)
Definition mixed (c : list Z) (u : list (list Z)) (w : list Z) : Z := zdot c (map (fun a => zdot a w) u).

Definition independent (u : list (list Z)) : Prop :=
  forall c, length c = length u -> (forall w, mixed c u w = 0) -> zero_vector c.

(** ** More than d vectors of length d are dependent *)

(** The vector r without its first entry, less the multiple of x that makes that entry vanish (times x's). *)
Definition clear_head (x r : list Z) : list Z :=
  @add integers (@scale integers (hd 0 x) (tl r)) (@scale integers (- hd 0 r) (tl x)).

Lemma zdot_cons a t w : zdot a (t :: w) = hd 0 a * t + zdot (tl a) w.
Proof. destruct a; reflexivity. Qed.

Lemma zdot_clear_head x r w : zdot (clear_head x r) w = hd 0 x * zdot (tl r) w - hd 0 r * zdot (tl x) w.
Proof. unfold clear_head. rewrite zdot_add_l, !zdot_scale_l. ring. Qed.

Lemma mixed_clear_head x c u w :
  mixed c (map (clear_head x) u) w = hd 0 x * mixed c (map (@tl Z) u) w - zdot c (map (hd 0) u) * zdot (tl x) w.
Proof.
  unfold mixed. rewrite !map_map. revert u. induction c as [|k c IH]; intros [|r u]; simpl; try ring.
  change (k * zdot (clear_head x r) w + zdot c (map (fun a => zdot (clear_head x a) w) u) = hd 0 x *
    (k * zdot (tl r) w + zdot c (map (fun a => zdot (tl a) w) u)) -
    (k * hd 0 r + zdot c (map (hd 0) u)) * zdot (tl x) w).
  rewrite IH, zdot_clear_head. ring.
Qed.

Lemma mixed_cons c u t w : mixed c u (t :: w) = zdot c (map (hd 0) u) * t + mixed c (map (@tl Z) u) w.
Proof.
  unfold mixed. rewrite map_map. revert u. induction c as [|k c IH]; intros [|r u]; simpl; try ring.
  change (k * zdot r (t :: w) + zdot c (map (fun a => zdot a (t :: w)) u) =
    (k * hd 0 r + zdot c (map (hd 0) u)) * t + (k * zdot (tl r) w + zdot c (map (fun a => zdot (tl a) w) u))).
  rewrite IH, zdot_cons. ring.
Qed.

Lemma mixed_nil c u : mixed c u [] = 0.
Proof.
  unfold mixed. revert u. induction c as [|k c IH]; intros [|r u]; simpl; try reflexivity.
  change (k * zdot r [] + zdot c (map (fun a => zdot a []) u) = 0). rewrite IH, zdot_nil_r. ring.
Qed.

Lemma mixed_app c1 c2 u1 u2 w : length c1 = length u1 -> mixed (c1 ++ c2) (u1 ++ u2) w = mixed c1 u1 w + mixed c2 u2 w.
Proof. intros h. unfold mixed. rewrite map_app, zdot_app; [reflexivity | rewrite map_length; exact h]. Qed.

Lemma mixed_scale k c u w : mixed (map (Z.mul k) c) u w = k * mixed c u w.
Proof. apply zdot_scale_coefficients. Qed.

Lemma clear_head_length d x r : (length x <= S d -> length r <= S d -> length (clear_head x r) <= d)%nat.
Proof.
  intros hx hr. unfold clear_head, scale.
  assert (h : forall (a b : list Z), (length a <= d -> length b <= d -> length (@add integers a b) <= d)%nat).
  { clear. induction d as [|d IH]; intros [|s a] [|t b]; simpl; try lia. intros ha hb.
    apply le_n_S, IH; lia. }
  apply h; rewrite map_length; [destruct r | destruct x]; simpl in *; lia.
Qed.

Lemma zero_vector_app a b : zero_vector (a ++ b) <-> zero_vector a /\ zero_vector b.
Proof. apply Forall_app. Qed.

Lemma zero_vector_times k c : k <> 0 -> zero_vector (map (Z.mul k) c) -> zero_vector c.
Proof.
  intros hk h. unfold zero_vector in *. rewrite Forall_map in h.
  eapply Forall_impl; [|exact h]. intros x e. simpl in e. apply Z.mul_eq_0 in e. tauto.
Qed.

Definition dependent (u : list (list Z)) : Prop :=
  exists c, length c = length u /\ (forall w, mixed c u w = 0) /\ ~ zero_vector c.

Lemma dependent_without_heads u : Forall (fun a => hd 0 a = 0) u -> dependent (map (@tl Z) u) -> dependent u.
Proof.
  intros h (c & hc & hw & hz). rewrite map_length in hc. exists c. split; [exact hc|]. split; [|exact hz].
  intros [|t w]; [apply mixed_nil|]. rewrite mixed_cons, hw.
  assert (e : zdot c (map (hd 0) u) = 0).
  { clear - h. revert c. induction h as [|a u e _ IH]; intros [|k c]; simpl; try reflexivity.
    change (k * hd 0 a + zdot c (map (hd 0) u) = 0). rewrite IH, e. ring. }
  rewrite e. ring.
Qed.

Lemma dependent_with_pivot x l1 l2 : hd 0 x <> 0 -> dependent (map (clear_head x) (l1 ++ l2)) ->
  dependent (l1 ++ x :: l2).
Proof.
  intros hx (c & hc & hw & hz). rewrite map_length, app_length in hc.
  set (c1 := firstn (length l1) c). set (c2 := skipn (length l1) c).
  assert (e : c = c1 ++ c2) by (symmetry; apply firstn_skipn).
  assert (h1 : length c1 = length l1) by (unfold c1; rewrite firstn_length; lia).
  assert (h2 : length c2 = length l2) by (unfold c2; rewrite skipn_length; lia).
  clearbody c1 c2. subst c.
  set (k := - (zdot c1 (map (hd 0) l1) + zdot c2 (map (hd 0) l2))).
  exists (map (Z.mul (hd 0 x)) c1 ++ k :: map (Z.mul (hd 0 x)) c2). split; [|split].
  - rewrite !app_length. simpl. rewrite !map_length. lia.
  - intros w. rewrite mixed_app by (rewrite map_length; exact h1).
    change (mixed (map (Z.mul (hd 0 x)) c1) l1 w + (k * zdot x w + mixed (map (Z.mul (hd 0 x)) c2) l2 w) = 0).
    rewrite !mixed_scale. destruct w as [|t w].
    + rewrite !mixed_nil, zdot_nil_r. ring.
    + specialize (hw w). rewrite map_app, mixed_app in hw by (rewrite map_length; exact h1).
      rewrite !mixed_clear_head in hw. rewrite !mixed_cons, zdot_cons. unfold k.
      etransitivity; [|exact hw]. ring.
  - intros h. apply hz. apply zero_vector_app in h as [n1 n2]. inversion_clear n2.
    apply zero_vector_app. split; eapply zero_vector_times; eassumption.
Qed.

Theorem too_many_are_dependent d : forall u, Forall (fun a => (length a <= d)%nat) u -> (d < length u)%nat -> dependent u.
Proof.
  induction d as [|d IH]; intros u hu hn.
  - destruct u as [|a u]; [simpl in hn; lia|].
    exists (1 :: map (fun _ => 0) u). split; [simpl; rewrite map_length; reflexivity|]. split.
    + intros w. unfold mixed. simpl. clear hn. inversion_clear hu as [|? ? ha hs].
      destruct a; [|simpl in ha; lia]. clear ha.
      change (1 * 0 + zdot (map (fun _ => 0) u) (map (fun a => zdot a w) u) = 0).
      apply zdot_zero_l. unfold zero_vector. rewrite Forall_map. apply Forall_forall. reflexivity.
    + intros h. inversion_clear h. discriminate.
  - destruct (Forall_Exists_dec (fun a => hd 0 a = 0) (fun a => Z.eq_dec (hd 0 a) 0) u) as [h | h].
    + apply dependent_without_heads; [exact h|]. apply IH; [|rewrite map_length; lia].
      rewrite Forall_map. eapply Forall_impl; [|exact hu]. intros [|] ?; simpl in *; lia.
    + apply Exists_exists in h as (x & hin & hx). destruct (in_split _ _ hin) as (l1 & l2 & ->).
      apply dependent_with_pivot; [exact hx|].
      rewrite app_length in hn. simpl in hn. apply IH; [|rewrite map_length, app_length; lia].
      apply Forall_app in hu as [k1 k2]. inversion_clear k2 as [|? ? kx k3].
      rewrite Forall_map. apply Forall_app. split; eapply Forall_impl; try eassumption;
        intros r hr; apply clear_head_length; assumption.
Qed.

(** ** What is orthogonal to V is a combination of U, where U and V are orthogonal and fill the space *)

Lemma mixed_orthogonal a : forall u w, Forall (fun x => zdot x w = 0) u -> mixed a u w = 0.
Proof.
  induction a as [|k a IH]; intros [|x u] w h; try reflexivity. inversion_clear h as [|? ? e hs].
  change (k * zdot x w + mixed a u w = 0). rewrite e, IH by exact hs. ring.
Qed.

Lemma mixed_zero c u w : zero_vector c -> mixed c u w = 0.
Proof. apply zdot_zero_l. Qed.

Theorem orthogonal_complement d (U V : list (list Z)) t :
  Forall (fun a => (length a <= d)%nat) U -> Forall (fun a => (length a <= d)%nat) V -> (length t <= d)%nat ->
  independent U -> independent V -> (d <= length U + length V)%nat ->
  Forall (fun v => Forall (fun u => zdot u v = 0) U) V -> Forall (fun v => zdot t v = 0) V ->
  exists k a, k <> 0 /\ length a = length U /\ forall w, k * zdot t w + mixed a U w = 0.
Proof.
  intros hU hV ht iU iV hd hUV htV.
  destruct (too_many_are_dependent d (t :: U ++ V)) as (c & hc & hw & hz).
  { constructor; [exact ht|]. apply Forall_app. split; assumption. }
  { simpl. rewrite app_length. lia. }
  destruct c as [|k c]; [discriminate|]. simpl in hc. injection hc as hc. rewrite app_length in hc.
  set (a := firstn (length U) c). set (b := skipn (length U) c).
  assert (e : c = a ++ b) by (symmetry; apply firstn_skipn).
  assert (ha : length a = length U) by (unfold a; rewrite firstn_length; lia).
  assert (hb : length b = length V) by (unfold b; rewrite skipn_length; lia).
  clearbody a b. subst c.
  assert (rel : forall w, k * zdot t w + (mixed a U w + mixed b V w) = 0).
  { intros w. rewrite <- mixed_app by exact ha. apply hw. }
  set (Q := @mix integers b V). set (P := @mix integers a U).
  assert (hQ : forall w, mixed b V w = zdot Q w) by (intros w; symmetry; apply zdot_mix).
  assert (hP : forall w, mixed a U w = zdot P w) by (intros w; symmetry; apply zdot_mix).
  assert (tQ : zdot t Q = 0).
  { rewrite zdot_comm, <- hQ. apply mixed_orthogonal. eapply Forall_impl; [|exact htV].
    intros v h. rewrite zdot_comm. exact h. }
  assert (PQ : zdot P Q = 0).
  { rewrite zdot_comm, <- hQ. apply mixed_orthogonal. eapply Forall_impl; [|exact hUV].
    intros v h. rewrite zdot_comm, <- hP. apply mixed_orthogonal. exact h. }
  assert (zb : zero_vector b).
  { apply iV; [exact hb|]. intros w. rewrite hQ. apply zdot_zero_l, zdot_self_zero.
    specialize (rel Q). rewrite hP, hQ, tQ, PQ in rel. lia. }
  exists k, a. split; [|split].
  - intros ->. apply hz. constructor; [reflexivity|]. apply zero_vector_app. split; [|exact zb].
    apply iU; [exact ha|]. intros w. specialize (rel w). rewrite (mixed_zero b V w zb) in rel. lia.
  - exact ha.
  - intros w. specialize (rel w). rewrite (mixed_zero b V w zb) in rel. lia.
Qed.

(** ** The same for weights in any ordered ring *)

Theorem vanishing_on_complement (K : ordered_ring) d (U V : list (list Z)) t (w : list K) :
  Forall (fun a => (length a <= d)%nat) U -> Forall (fun a => (length a <= d)%nat) V -> (length t <= d)%nat ->
  independent U -> independent V -> (d <= length U + length V)%nat ->
  Forall (fun v => Forall (fun u => zdot u v = 0) U) V -> Forall (fun v => zdot t v = 0) V ->
  (Forall (fun u => dot (wholes u) w == 0) U -> dot (wholes t) w == 0)%K.
Proof.
  intros hU hV ht iU iV hd hUV htV hw.
  destruct (orthogonal_complement d U V t) as (k & a & hk & ha & rel); try assumption.
  Local Open Scope ordered_scope.
  assert (z : @vanishes integers (@add integers (@scale integers k t) (@mix integers a U))).
  { apply zdot_self_zero. rewrite zdot_add_l, zdot_scale_l, zdot_mix. apply rel. }
  pose proof (dot_wholes_vanishes K _ z w) as e.
  rewrite dot_wholes_add, dot_wholes_scale, dot_wholes_mix in e.
  rewrite (dot_vanishes_r K (map (fun x => dot (wholes x) w) U)) in e by (unfold vanishes; rewrite Forall_map; exact hw).
  assert (e' : whole k * dot (wholes t) w == 0).
  { rewrite <- e. rewrite (Radd_comm (laws K)), (Radd_0_l (laws K)). reflexivity. }
  apply no_zero_divisors in e' as [e' | e']; [|exact e']. exfalso. apply hk, (whole_zero K), e'.
Qed.
