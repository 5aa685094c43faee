(** Models that compare rows with rows: conditional logit, and Cox's partial likelihood.

    The likelihood's own comparisons are many: each event with everybody at risk then. A plan has few, some through an
    unknown that lies between. It need not be believed: the check is that its comparisons are the likelihood's own, and
    that they imply all of those. *)

From Coq Require Import Ring Lia FMapPositive.
From Rosenblatt Require Export Models.
Open Scope Z_scope.
Module Numbered := PositiveMap.

(** ** The likelihood's comparisons *)

(** A row of the table. `case`: an event, or a case of its set. `until` and `since` are fractions. *)
Record subject := Subject { held : list cell; stratum : Z; case : bool; until : Z * Z; since : option (Z * Z) }.

Inductive setting :=
  | Conditional  (** each case of a set with each other row of it *)
  | Cox (exact : bool).  (** each event with all at risk then; with exact ties, not with those who have it too *)

Definition at_risk (s : subject) (t : Z * Z) : bool :=
  match since s with None => true | Some entry => less_fraction entry t end && negb (less_fraction (until s) t).

Definition compared (m : setting) (i : positive) (a : subject) (j : positive) (b : subject) : bool :=
  (stratum a =? stratum b) && case a &&
  match m with
  | Conditional => negb (case b)
  | Cox exact => negb (Pos.eqb i j) && at_risk b (until a) &&
      negb (exact && case b && negb (less_fraction (until a) (until b)))
  end.

Definition table : Type := Numbered.t subject.

(** ** Plans *)

Inductive group :=
  | Directly (above below : list positive)  (** each of the first with each of the second *)
  | Through (above below : list positive)  (** the same, by an unknown between *)
  | Tied (lead : positive) (others : list positive).  (** equal to the lead *)

Inductive source := Of (i : positive) | Between.

Definition less_than_row (i j : positive) : form source := [Part true 0 (Of i); Part false 0 (Of j)].

Definition group_forms (place : nat) (g : group) : list (form source) :=
  match g with
  | Directly above below => flat_map (fun i => map (less_than_row i) below) above
  | Through above below =>
      map (fun i => [Part true 0 (Of i); Part false place Between]) above ++
      map (fun j => [Part false 0 (Of j); Part true place Between]) below
  | Tied lead others => flat_map (fun i => [less_than_row lead i; less_than_row i lead]) others
  end.

Definition takes_place (g : group) : bool := match g with Through _ _ => true | _ => false end.

(** Unknowns have the weights after the first `place`, in the order of the groups. *)
Fixpoint plan_forms (place : nat) (plan : list group) : list (form source) :=
  match plan with
  | [] => []
  | g :: plan => group_forms place g ++ plan_forms (if takes_place g then S place else place) plan
  end.

(** ** The plan's comparisons are the likelihood's *)

Section Plan.

Variable m : setting.
Variable data : table.

Definition are_compared (i j : positive) : bool :=
  match Numbered.find i data, Numbered.find j data with
  | Some a, Some b => compared m i a j b
  | _, _ => false
  end.

Definition some_of (l : list positive) : bool := match l with [] => false | _ => true end.

Definition faithful_group (g : group) : bool :=
  match g with
  | Directly above below => forallb (fun i => forallb (are_compared i) below) above
  | Through above below => some_of above && some_of below && forallb (fun i => forallb (are_compared i) below) above
  | Tied lead others => forallb (fun i => are_compared lead i && are_compared i lead) others
  end.

Definition faithful (plan : list group) : bool := forallb faithful_group plan.

(** ** And imply all of them *)

Definition links : Type := Numbered.t (list (list positive)).

Definition link (i : positive) (below : list positive) (found : links) : links :=
  Numbered.add i (below :: match Numbered.find i found with Some l => l | None => [] end) found.

Definition link_group (found : links) (g : group) : links :=
  match g with
  | Directly above below | Through above below => fold_left (fun found i => link i below found) above found
  | Tied lead others => fold_left (fun found i => link i [lead] found) others (link lead others found)
  end.

Definition links_of (plan : list group) : links := fold_left link_group plan (Numbered.empty _).

(** All that follow from those who wait, and those seen before. *)
Fixpoint followers (fuel : nat) (found : links) (seen : Numbered.t bool) (waiting : list (list positive)) :
  Numbered.t bool :=
  match fuel, waiting with
  | O, _ | _, [] => seen
  | S fuel, [] :: waiting => followers fuel found seen waiting
  | S fuel, (j :: rest) :: waiting =>
      match Numbered.find j seen with
      | Some _ => followers fuel found seen (rest :: waiting)
      | None => followers fuel found (Numbered.add j true seen)
          (match Numbered.find j found with Some more => more ++ rest :: waiting | None => rest :: waiting end)
      end
  end.

Definition covers_row (fuel : nat) (found : links) (i : positive) (a : subject) : bool :=
  if case a then
    let seen := followers fuel found (Numbered.add i true (Numbered.empty _))
      (match Numbered.find i found with Some more => more | None => [] end) in
    forallb (fun p => implb (compared m i a (fst p) (snd p))
      (match Numbered.find (fst p) seen with Some _ => true | None => false end)) (Numbered.elements data)
  else true.

(** `fuel` bounds the steps: too little of it can only make the answer no. *)
Definition covers (fuel : nat) (plan : list group) : bool :=
  let found := links_of plan in forallb (fun p => covers_row fuel found (fst p) (snd p)) (Numbered.elements data).

End Plan.

(** ** Rows *)

Definition row_of_subject (decimals : list (option Z)) (data : table) (s : source) : option row :=
  match s with
  | Between => Some (Row [1] 1)
  | Of i =>
      match Numbered.find i data with
      | Some a => match numbers decimals (held a) with Some xs => Some (row_of false true xs) | None => None end
      | None => None
      end
  end.

Fixpoint fill_parts (g : source -> option row) (f : form source) : option (form row) :=
  match f with
  | [] => Some []
  | t :: f =>
      match g (what t), fill_parts g f with
      | Some r, Some rest => Some (Part (plus_sign t) (before t) r :: rest)
      | _, _ => None
      end
  end.

Definition row_of_form (decimals : list (option Z)) (data : table) (d : nat) (f : form source) : option row :=
  match fill_parts (row_of_subject decimals data) f with
  | Some parts => Some (placed d parts)
  | None => None
  end.

(** ** What they mean *)

Section Meaning.

Variable K : ordered_ring.
Add Ring K_ring : (laws K) (setoid (equal_equivalence K) (operations_respect_equal K)).

Variable m : setting.
Variable data : table.
Variable decimals : list (option Z).

(** The values of every row. *)
Variable X : positive -> list K.
Hypothesis values_read : forall i a, Numbered.find i data = Some a -> reads K decimals (held a) (X i).

Open Scope ordered_scope.

Definition source_vector (s : source) : list K := match s with Of i => X i | Between => [1] end.

Definition plan_vectors (d place : nat) (plan : list group) : list (list K) :=
  map (fun f => vector d (fill source_vector f)) (plan_forms place plan).

Lemma fill_parts_represents f parts : fill_parts (row_of_subject decimals data) f = Some parts ->
  Forall2 (part_represents K) parts (fill source_vector f).
Proof.
  revert parts. induction f as [|t f IH]; intros parts h; simpl in h; [injection h as <-; constructor|].
  destruct (row_of_subject decimals data (what t)) as [r|] eqn:e; [|discriminate].
  destruct (fill_parts (row_of_subject decimals data) f) as [rest|]; [|discriminate]. injection h as <-.
  simpl. constructor; [|apply IH; reflexivity]. unfold part_represents. cbn. split; [reflexivity|]. split; [reflexivity|].
  destruct (what t) as [i|]; simpl in e |- *.
  - destruct (Numbered.find i data) as [a|] eqn:ha; [|discriminate].
    destruct (numbers decimals (held a)) as [xs|] eqn:n; [|discriminate]. injection e as <-.
    apply numbers_spec in n as [-> hr].
    assert (hp : Forall (fun n => (0 < snd n)%Z) (map (fun c => number (fst c) (snd c)) (combine decimals (held a)))).
    { rewrite Forall_map. eapply Forall_impl; [|exact hr]. intros c h. apply number_positive, h. }
    split; [apply row_of_positive, hp|].
    assert (hf : Forall2 fraction (map (fun c => number (fst c) (snd c)) (combine decimals (held a))) (X i)).
    { pose proof (values_read i a ha) as q. unfold reads in q. clear - q.
      induction q as [|c v cs x h _ IH]; simpl; constructor; assumption. }
    pose proof (row_represents K false true _ (X i) hp hf) as q. unfold augmented in q. rewrite app_nil_r in q.
    cbv beta in q. rewrite map_id in q. exact q.
  - injection e as <-. split; [reflexivity|]. constructor; [simpl; ring | constructor].
Qed.

Theorem plan_represents d place plan rows :
  map (row_of_form decimals data d) (plan_forms place plan) = map Some rows ->
  Forall2 represents rows (plan_vectors d place plan).
Proof.
  unfold plan_vectors. revert rows. induction (plan_forms place plan) as [|f fs IH]; intros [|r rows] h;
    try discriminate; simpl; constructor; simpl in h; injection h as h1 h2; [|apply IH, h2].
  unfold row_of_form in h1. destruct (fill_parts (row_of_subject decimals data) f) as [parts|] eqn:e; [|discriminate].
  injection h1 as <-. apply placed_represents, fill_parts_represents, e.
Qed.

(** ** Recession directions *)

Definition response_of (i : positive) (v : list K) : K := dot (X i) v.

(** Along v, no comparison of the likelihood turns the wrong way. *)
Definition no_comparison_falls (v : list K) : Prop :=
  forall i a j b, Numbered.find i data = Some a -> Numbered.find j data = Some b -> compared m i a j b = true ->
  response_of j v <= response_of i v.

Definition all_comparisons_rest (v : list K) : Prop :=
  forall i a j b, Numbered.find i data = Some a -> Numbered.find j data = Some b -> compared m i a j b = true ->
  response_of j v == response_of i v.

Definition some_comparison_rises (v : list K) : Prop :=
  exists i a j b, Numbered.find i data = Some a /\ Numbered.find j data = Some b /\ compared m i a j b = true /\
  response_of j v < response_of i v.

Lemma value_less_than i j v : value (fill source_vector (less_than_row i j)) v == response_of i v - response_of j v.
Proof. unfold response_of. simpl. ring. Qed.

Lemma value_above i place v : value (fill source_vector [Part true 0 (Of i); Part false place Between]) v ==
  response_of i v - dot [1] (skipn place v).
Proof. unfold response_of. simpl. ring. Qed.

Lemma value_below j place v : value (fill source_vector [Part false 0 (Of j); Part true place Between]) v ==
  dot [1] (skipn place v) - response_of j v.
Proof. unfold response_of. simpl. ring. Qed.

Definition holds_on (fs : list (form source)) (v : list K) : Prop :=
  forall f, In f fs -> 0 <= value (fill source_vector f) v.

Lemma admissible_plan d place plan v : admissible (plan_vectors d place plan) v <-> holds_on (plan_forms place plan) v.
Proof.
  unfold admissible, plan_vectors, holds_on. split.
  - intros h f hf. rewrite <- (dot_vector K d). apply h, in_map_iff. exists f. auto.
  - intros h z hz. apply in_map_iff in hz as (f & <- & hf). rewrite dot_vector. apply h, hf.
Qed.

(** Who is linked in a group, in the order of responses. *)
Definition linked (g : group) (i j : positive) : Prop :=
  match g with
  | Directly above below | Through above below => In i above /\ In j below
  | Tied lead others => (i = lead /\ In j others) \/ (In i others /\ j = lead)
  end.

Lemma linked_at_most place g v : holds_on (group_forms place g) v -> forall i j, linked g i j ->
  response_of j v <= response_of i v.
Proof.
  intros h i j l. destruct g as [above below | above below | lead others]; simpl in l.
  - destruct l as [hi hj]. apply difference_at_most. rewrite <- value_less_than. apply h. simpl.
    apply in_flat_map. exists i. split; [exact hi | apply in_map, hj].
  - destruct l as [hi hj]. apply at_most_trans with (dot [1] (skipn place v)); apply difference_at_most.
    + rewrite <- value_below. apply h. simpl. apply in_or_app. right.
      apply (in_map (fun j => [Part false 0 (Of j); Part true place Between])), hj.
    + rewrite <- value_above. apply h. simpl. apply in_or_app. left.
      apply (in_map (fun i => [Part true 0 (Of i); Part false place Between])), hi.
  - apply difference_at_most. rewrite <- value_less_than. apply h. simpl. apply in_flat_map.
    destruct l as [[-> hj] | [hi ->]]; eexists; (split; [eassumption|]); simpl; auto.
Qed.

Lemma holds_on_groups place plan v : holds_on (plan_forms place plan) v -> forall g, In g plan -> forall i j,
  linked g i j -> response_of j v <= response_of i v.
Proof.
  revert place. induction plan as [|g plan IH]; intros place h q hq; [destruct hq|].
  simpl in h. destruct hq as [-> | hq].
  - apply (linked_at_most place). intros f hf. apply h, in_or_app. left. exact hf.
  - apply (IH (if takes_place g then S place else place)); [|exact hq].
    intros f hf. apply h, in_or_app. right. exact hf.
Qed.

(** ** Links imply the comparisons that are covered *)

(** All rows in lists of links are at most the row they belong to. *)
Definition sound_links (v : list K) (found : links) : Prop :=
  forall i more l j, Numbered.find i found = Some more -> In l more -> In j l -> response_of j v <= response_of i v.

Lemma sound_link v i below found : sound_links v found -> (forall j, In j below -> response_of j v <= response_of i v) ->
  sound_links v (link i below found).
Proof.
  intros h k i' more l j hm hl hj. unfold link in hm. destruct (Pos.eq_dec i' i) as [-> | n].
  - rewrite Numbered.gss in hm. injection hm as <-. destruct hl as [<- | hl]; [apply k, hj|].
    destruct (Numbered.find i found) as [old|] eqn:e; [|destruct hl]. apply (h i old l j e hl hj).
  - rewrite Numbered.gso in hm by exact n. apply (h i' more l j hm hl hj).
Qed.

Lemma sound_link_each v above below : forall found, sound_links v found ->
  (forall i j, In i above -> In j below -> response_of j v <= response_of i v) ->
  sound_links v (fold_left (fun found i => link i below found) above found).
Proof.
  induction above as [|i above IH]; intros found h k; simpl; [exact h|].
  apply IH; [|intros i' j hi hj; apply k; [right; exact hi | exact hj]].
  apply sound_link; [exact h|]. intros j hj. apply k; [left; reflexivity | exact hj].
Qed.

Lemma sound_link_group v g found : sound_links v found ->
  (forall i j, linked g i j -> response_of j v <= response_of i v) -> sound_links v (link_group found g).
Proof.
  intros h k. destruct g as [above below | above below | lead others]; simpl in k |- *.
  - apply sound_link_each; [exact h|]. intros i j hi hj. apply k. auto.
  - apply sound_link_each; [exact h|]. intros i j hi hj. apply k. auto.
  - apply sound_link_each.
    + apply sound_link; [exact h|]. intros j hj. apply k. auto.
    + intros i j hi [<- | []]. apply k. auto.
Qed.

Lemma sound_links_of v plan : (forall g, In g plan -> forall i j, linked g i j -> response_of j v <= response_of i v) ->
  sound_links v (links_of plan).
Proof.
  unfold links_of. assert (start : sound_links v (Numbered.empty _)).
  { intros i more l j h. rewrite Numbered.gempty in h. discriminate. }
  revert start. generalize (Numbered.empty (list (list positive))).
  induction plan as [|g plan IH]; intros found h k; simpl; [exact h|].
  apply IH; [|intros q hq; apply k; right; exact hq].
  apply sound_link_group; [exact h | apply k; left; reflexivity].
Qed.

Lemma followers_sound v found top : sound_links v found -> forall fuel seen waiting,
  (forall j, Numbered.find j seen <> None -> response_of j v <= top) ->
  (forall l j, In l waiting -> In j l -> response_of j v <= top) ->
  forall j, Numbered.find j (followers fuel found seen waiting) <> None -> response_of j v <= top.
Proof.
  intros h. induction fuel as [|fuel IH]; intros seen waiting hs hw j; simpl; [apply hs|].
  destruct waiting as [|[|k rest] waiting]; [apply hs | |].
  - apply IH; [exact hs|]. intros l i hl hi. apply (hw l i); [right; exact hl | exact hi].
  - assert (hk : response_of k v <= top) by (apply (hw (k :: rest)); left; reflexivity).
    assert (hrest : forall l i, In l (rest :: waiting) -> In i l -> response_of i v <= top).
    { intros l i [<- | hl] hi; [apply (hw (k :: rest)); [left; reflexivity | right; exact hi]|].
      apply (hw l); [right; exact hl | exact hi]. }
    destruct (Numbered.find k seen) eqn:e.
    + apply IH; [exact hs | exact hrest].
    + apply IH.
      * intros i hi. destruct (Pos.eq_dec i k) as [-> | n]; [exact hk|]. apply hs.
        rewrite Numbered.gso in hi by exact n. exact hi.
      * destruct (Numbered.find k found) as [more|] eqn:em; [|exact hrest].
        intros l i hl hi. apply in_app_or in hl as [hl | hl]; [|apply (hrest l i hl hi)].
        apply at_most_trans with (response_of k v); [apply (h k more l i em hl hi) | exact hk].
Qed.

(** Where the plan covers them, an admissible w has no comparison of the likelihood fall. *)
Theorem covered_comparisons d place plan fuel v : covers m data fuel plan = true ->
  admissible (plan_vectors d place plan) v -> no_comparison_falls v.
Proof.
  intros hc hv i a j b hi hj hcmp. apply admissible_plan in hv. unfold covers in hc. rewrite forallb_forall in hc.
  specialize (hc (i, a) (Numbered.elements_correct data i hi)). unfold covers_row in hc. cbn [fst snd] in hc.
  assert (hcase : case a = true).
  { unfold compared in hcmp. rewrite !andb_true_iff in hcmp. tauto. }
  rewrite hcase, forallb_forall in hc. specialize (hc (j, b) (Numbered.elements_correct data j hj)).
  cbn [fst snd] in hc. rewrite hcmp in hc. simpl in hc.
  pose proof (sound_links_of v plan (holds_on_groups place plan v hv)) as sound.
  apply (followers_sound v (links_of plan) (response_of i v) sound fuel (Numbered.add i true (Numbered.empty _))
    (match Numbered.find i (links_of plan) with Some more => more | None => [] end)).
  - intros k hk. destruct (Pos.eq_dec k i) as [-> | n]; [apply at_most_refl|].
    rewrite Numbered.gso, Numbered.gempty in hk by exact n. contradiction.
  - intros l k hl hk. destruct (Numbered.find i (links_of plan)) as [more|] eqn:e; [|destruct hl].
    apply (sound i more l k e hl hk).
  - intros n. rewrite n in hc. discriminate.
Qed.

(** ** And no direction is lost: there is room for every unknown *)

Lemma are_compared_spec i j : are_compared m data i j = true ->
  exists a b, Numbered.find i data = Some a /\ Numbered.find j data = Some b /\ compared m i a j b = true.
Proof.
  unfold are_compared. destruct (Numbered.find i data) as [a|], (Numbered.find j data) as [b|]; try discriminate.
  intros h. exists a, b. auto.
Qed.

Lemma faithful_linked g : faithful_group m data g = true -> forall i j, linked g i j -> are_compared m data i j = true.
Proof.
  destruct g as [above below | above below | lead others]; simpl; intros h i j l.
  - destruct l as [hi hj]. rewrite forallb_forall in h. specialize (h i hi). rewrite forallb_forall in h. auto.
  - destruct l as [hi hj]. rewrite !andb_true_iff in h. destruct h as [_ h].
    rewrite forallb_forall in h. specialize (h i hi). rewrite forallb_forall in h. auto.
  - rewrite forallb_forall in h. destruct l as [[-> hj] | [hi ->]].
    + specialize (h j hj). apply andb_true_iff in h. tauto.
    + specialize (h i hi). apply andb_true_iff in h. tauto.
Qed.

Lemma lowest (s : K) l : exists t, (t = s \/ In t l) /\ t <= s /\ forall x, In x l -> t <= x.
Proof.
  induction l as [|y l (t & ht & hs & hl)].
  - exists s. split; [auto|]. split; [apply at_most_refl | intros x []].
  - destruct (at_most_total t y) as [h | h].
    + exists t. split; [simpl; tauto|]. split; [exact hs|]. intros x [<- | hx]; auto.
    + exists y. split; [simpl; tauto|]. split; [eapply at_most_trans; eassumption|].
      intros x [<- | hx]; [apply at_most_refl | eapply at_most_trans; eauto].
Qed.

Lemma room_between above below v : above <> [] ->
  (forall i j, In i above -> In j below -> response_of j v <= response_of i v) ->
  exists t, (forall i, In i above -> t <= response_of i v) /\ (forall j, In j below -> response_of j v <= t).
Proof.
  intros hn h. destruct above as [|i above]; [contradiction|].
  destruct (lowest (response_of i v) (map (fun i => response_of i v) above)) as (t & ht & h1 & h2). exists t. split.
  - intros k [<- | hk]; [exact h1 | apply h2, in_map_iff; exists k; auto].
  - intros j hj. destruct ht as [-> | ht]; [apply h; [left; reflexivity | exact hj]|].
    apply in_map_iff in ht as (k & <- & hk). apply h; [right; exact hk | exact hj].
Qed.

Lemma response_longer i v u : (length (X i) <= length v)%nat -> response_of i (v ++ u) == response_of i v.
Proof.
  unfold response_of. generalize (X i). intros x. revert v. induction x as [|a x IH]; intros [|b v] h; simpl in *;
    try reflexivity; try lia. rewrite IH by lia. reflexivity.
Qed.

(** Every direction in which no comparison falls goes with values of the unknowns. *)
Theorem direction_extends d plan v : faithful m data plan = true -> (forall i, (length (X i) <= length v)%nat) ->
  no_comparison_falls v -> exists u, admissible (plan_vectors d (length v) plan) (v ++ u).
Proof.
  intros hf hx hv.
  assert (h : forall v', (exists w, v' = v ++ w) -> exists u, holds_on (plan_forms (length v') plan) (v' ++ u)).
  { revert hf. induction plan as [|g plan IH]; intros hf v' [w hw]; [exists []; intros f []|].
    simpl in hf. apply andb_true_iff in hf as [hg hf].
    assert (le : forall i j, linked g i j -> response_of j v <= response_of i v).
    { intros i j l. destruct (are_compared_spec i j (faithful_linked g hg i j l)) as (a & b & hi & hj & hc).
      apply (hv i a j b hi hj hc). }
    assert (same : forall i u, response_of i (v' ++ u) == response_of i v).
    { intros i u. rewrite hw, <- app_assoc. apply response_longer, hx. }
    destruct g as [above below | above below | lead others]; simpl in le |- *.
    - destruct (IH hf v' (ex_intro _ w hw)) as [u hu]. exists u. intros f i. apply in_app_or in i as [i | i]; [|apply hu, i].
      apply in_flat_map in i as (k & hk & i). apply in_map_iff in i as (j & <- & hj).
      rewrite value_less_than, !same. apply difference_at_most, le. auto.
    - apply andb_true_iff in hg as [hg _]. apply andb_true_iff in hg as [hg _].
      destruct (room_between above below v) as (t & h1 & h2); [destruct above; discriminate | intros i j hi hj; apply le; auto|].
      destruct (IH hf (v' ++ [t])) as [u hu]; [exists (w ++ [t]); rewrite hw, app_assoc; reflexivity|].
      exists (t :: u). replace (v' ++ t :: u) with ((v' ++ [t]) ++ u) by (rewrite <- app_assoc; reflexivity).
      assert (between : dot [1] (skipn (length v') ((v' ++ [t]) ++ u)) == t).
      { rewrite <- app_assoc, skipn_app, skipn_all, Nat.sub_diag. simpl. ring. }
      intros f i. apply in_app_or in i as [i | i].
      + apply in_app_or in i as [i | i]; apply in_map_iff in i as (j & <- & hj).
        * rewrite value_above, between, <- app_assoc, same. apply difference_at_most, h1, hj.
        * rewrite value_below, between, <- app_assoc, same. apply difference_at_most, h2, hj.
      + apply hu. rewrite app_length. simpl. rewrite Nat.add_1_r. exact i.
    - destruct (IH hf v' (ex_intro _ w hw)) as [u hu]. exists u. intros f i. apply in_app_or in i as [i | i]; [|apply hu, i].
      apply in_flat_map in i as (k & hk & i).
      destruct i as [<- | [<- | []]]; rewrite value_less_than, !same; apply difference_at_most, le; auto. }
  destruct (h v (ex_intro _ [] (eq_sym (app_nil_r v)))) as [u hu]. exists u. apply admissible_plan, hu.
Qed.

(** ** The three verdicts, in the likelihood's own terms *)

(** Overlap: in every direction in which no comparison falls, all stay: there is no recession direction but those in
    which the likelihood is constant. *)
Theorem overlap_of_comparisons d plan fuel p : faithful m data plan = true -> covers m data fuel plan = true ->
  (forall i, (length (X i) <= p)%nat) -> overlap (plan_vectors d p plan) ->
  forall v, length v = p -> no_comparison_falls v -> all_comparisons_rest v.
Proof.
  intros hf hc hx ho v hl hv.
  destruct (direction_extends d plan v hf) as [u hu]; [intros i; rewrite hl; apply hx | exact hv|]. rewrite hl in hu.
  assert (back : admissible (plan_vectors d p plan) (scale (- (1)) (v ++ u))).
  { intros z hz. rewrite dot_scale_r, (ho _ hu z hz). apply equal_at_most. ring. }
  pose proof (covered_comparisons d p plan fuel _ hc hu) as one_way.
  pose proof (covered_comparisons d p plan fuel _ hc back) as other_way.
  intros i a j b hi hj hcmp. specialize (one_way i a j b hi hj hcmp). specialize (other_way i a j b hi hj hcmp).
  unfold response_of in other_way. rewrite !dot_scale_r in other_way. fold (response_of i (v ++ u)) in other_way.
  fold (response_of j (v ++ u)) in other_way.
  assert (e : response_of j (v ++ u) == response_of i (v ++ u)).
  { apply at_most_antisymmetric; [exact one_way|]. apply opposite_at_most in other_way.
    setoid_replace (- (- (1) * response_of i (v ++ u))) with (response_of i (v ++ u)) in other_way by ring.
    setoid_replace (- (- (1) * response_of j (v ++ u))) with (response_of j (v ++ u)) in other_way by ring.
    exact other_way. }
  rewrite !response_longer in e by (rewrite hl; apply hx). exact e.
Qed.

(** Quasi and complete: some direction has no comparison fall, and one rise. *)
Theorem separation_of_comparisons d plan fuel p w : faithful m data plan = true -> covers m data fuel plan = true ->
  admissible (plan_vectors d p plan) w -> (exists z, In z (plan_vectors d p plan) /\ 0 < dot z w) ->
  no_comparison_falls w /\ some_comparison_rises w.
Proof.
  intros hf hc hw (z & hz & hp). split; [apply (covered_comparisons d p plan fuel w hc hw)|].
  apply admissible_plan in hw. unfold plan_vectors in hz. apply in_map_iff in hz as (f & <- & hin).
  rewrite dot_vector in hp. clear hc. revert p hw hin. unfold faithful in hf.
  induction plan as [|g plan IH]; intros p hw hin; [destruct hin|]. simpl in hf, hw, hin.
  apply andb_true_iff in hf as [hg hf].
  assert (here : holds_on (group_forms p g) w) by (intros q hq; apply hw, in_or_app; left; exact hq).
  apply in_app_or in hin as [hin | hin].
  2: { apply (IH hf (if takes_place g then S p else p)); [|exact hin]. intros q hq. apply hw, in_or_app. right. exact hq. }
  assert (rises : forall i j, linked g i j -> response_of j w < response_of i w -> some_comparison_rises w).
  { intros i j l s. destruct (are_compared_spec i j (faithful_linked g hg i j l)) as (a & b & hi & hj & k).
    exists i, a, j, b. auto. }
  assert (strict : forall a b : K, 0 < a - b -> b < a).
  { intros a b h k. apply h. apply at_most_difference. setoid_replace (0 - (a - b)) with (b - a) by ring.
    apply difference_nonnegative, k. }
  destruct g as [above below | above below | lead others]; simpl in hin, rises.
  - apply in_flat_map in hin as (i & hi & hin). apply in_map_iff in hin as (j & <- & hj).
    rewrite value_less_than in hp. apply (rises i j); auto.
  - pose proof hg as hn. simpl in hn. rewrite !andb_true_iff in hn. destruct hn as [[ha hb] _].
    assert (u1 : forall i, In i above -> dot [1] (skipn p w) <= response_of i w).
    { intros i hi. apply difference_at_most. rewrite <- value_above. apply here. simpl. apply in_or_app. left.
      apply (in_map (fun i => [Part true 0 (Of i); Part false p Between])), hi. }
    assert (u2 : forall j, In j below -> response_of j w <= dot [1] (skipn p w)).
    { intros j hj. apply difference_at_most. rewrite <- value_below. apply here. simpl. apply in_or_app. right.
      apply (in_map (fun j => [Part false 0 (Of j); Part true p Between])), hj. }
    apply in_app_or in hin as [hin | hin]; apply in_map_iff in hin as (k & <- & hk).
    + rewrite value_above in hp. destruct below as [|j below]; [discriminate|].
      apply (rises k j); [split; [exact hk | left; reflexivity]|].
      apply at_most_less_trans with (dot [1] (skipn p w)); [apply u2; left; reflexivity | apply strict, hp].
    + rewrite value_below in hp. destruct above as [|i above]; [discriminate|].
      apply (rises i k); [split; [left; reflexivity | exact hk]|].
      apply less_at_most_trans with (dot [1] (skipn p w)); [apply strict, hp | apply u1; left; reflexivity].
  - apply in_flat_map in hin as (i & hi & hin).
    assert (le1 : response_of i w <= response_of lead w) by (apply (linked_at_most p _ w here); simpl; auto).
    assert (le2 : response_of lead w <= response_of i w) by (apply (linked_at_most p _ w here); simpl; auto).
    destruct hin as [<- | [<- | []]]; rewrite value_less_than in hp; apply strict in hp; contradiction.
Qed.

End Meaning.
