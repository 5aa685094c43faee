(** The theorems: what the program accepts is true of the data, for weights in every ordered ring. *)

From Rosenblatt Require Export Comparisons.

(** ** With a model *)

Section Check.

Variable modulus : Z.
Variable invert : Z -> Z.

(** A model may have no comparison at all: then the likelihood is constant. `columns` is as long as there are weights. *)
Definition check_model (columns : list Z) (rows : list row) (c : certificate) : bool :=
  match rows, c with
  | _ :: _, _ => check_rows modulus invert columns rows c
  | [], Overlap [] (Everywhere base) => (0 <? base)%Z
  | [], Overlap [] (Null vectors) => fills modulus invert columns vectors [] []
  | [], _ => false
  end.

Definition check_model_coefficients (columns : list Z) (rows : list row) (c : certificate) (k : coefficients) : bool :=
  filled_twice modulus invert columns rows c k && check_fates columns rows c k [1%Z] columns (each k).

End Check.

Section Accepted.

Variable modulus : Z.
Variable invert : Z -> Z.
Hypothesis modulus_large : (1 < modulus)%Z.

Section TwoClasses.

Variable decimals : list (option Z).
Variable bias : bool.
Variable examples : list example.
Variable rows : list row.
Variable c : certificate.
Hypothesis read : map (encode decimals bias) examples = map Some rows.
Hypothesis accepted : check modulus invert rows c = true.

Variable K : ordered_ring.
Variable zs : list (list K).
Hypothesis meant : Forall2 (means decimals bias) examples zs.

Theorem accepted_certificates_hold : zs <> [] /\ claim rows c zs.
Proof. apply (check_sound K modulus invert modulus_large rows c zs accepted). eapply encoded_rows; eassumption. Qed.

Theorem accepted_coefficients_hold k : check_coefficients modulus invert rows c k = true ->
  forall j f, nth_error (each k) j = Some f ->
  fate_claim K (map (plane_of c) rows) zs j f /\ identified K zs j f.
Proof.
  intros h. apply (coefficients_sound K modulus invert modulus_large rows c k zs accepted h).
  eapply encoded_rows; eassumption.
Qed.

Theorem accepted_reasons_hold named w : check_because rows c named w = true -> because_claim c named zs.
Proof.
  intros h. apply (because_sound K rows c named w zs); [|exact h | eapply encoded_rows; eassumption].
  pose proof accepted as a. unfold check, check_rows in a. destruct rows as [|r rest] eqn:e; [discriminate|].
  apply andb_true_iff in a as [a _]. intros q hq. apply (well_shaped_spec _ _ a q hq).
Qed.

End TwoClasses.

(** ** Models: the rows are those of the likelihood's factors *)

Lemma model_rows_sound (K : ordered_ring) columns rows c (zs : list (list K)) :
  check_model modulus invert columns rows c = true -> Forall2 represents rows zs ->
  match c with
  | Overlap _ _ => overlap zs
  | _ => exists w, admissible zs w /\ exists z, In z zs /\ (0 < dot z w)%K
  end.
Proof.
  intros h hz. destruct rows as [|r rest].
  - inversion hz. subst. destruct c as [| |[|] [|]]; try discriminate; intros w _ z [].
  - pose proof (check_rows_sound K modulus invert modulus_large columns (r :: rest) c zs h hz) as q.
    destruct c as [w margin street | w lambda span | lambda span]; simpl in q.
    + destruct q as [[v hv] _]. exists v. split; [intros z i; apply less_at_most, hv, i|].
      inversion hz as [|r' z rest' zs' _ _]. subst. exists z. split; [left; reflexivity | apply hv; left; reflexivity].
    + destruct q as [[hq _] _]. exact hq.
    + exact q.
Qed.

Theorem accepted_model_coefficients_hold (K : ordered_ring) columns rows c k (zs : list (list K)) :
  check_model modulus invert columns rows c = true ->
  check_model_coefficients modulus invert columns rows c k = true -> Forall2 represents rows zs ->
  forall j f, nth_error (each k) j = Some f -> fate_claim K (map (plane_of c) rows) zs j f /\ identified K zs j f.
Proof.
  intros hc h hz j f hj. unfold check_model_coefficients in h. apply andb_true_iff in h as [hf hk].
  assert (shaped : forall q, In q rows -> length (entries q) = length columns /\ (0 < denominator q)%Z).
  { intros q hq. destruct rows as [|r rest]; [destruct hq|]. simpl in hc. unfold check_rows in hc.
    apply andb_true_iff in hc as [hc _]. apply (well_shaped_spec columns (r :: rest) hc q hq). }
  destruct (fates_sound K modulus invert modulus_large columns rows c k shaped hf zs hz columns 0 (each k)) as [_ g];
    [reflexivity | exact hk | exact (g j f hj)].
Qed.

Section Observations.

Variable K : ordered_ring.
Variables (decimals : list (option Z)) (d p width : nat).
Variable observations : list observation.
Variable parts : list (list row).
Hypothesis read : map (rows_of_observation decimals d p width) observations = map Some parts.
Variable xs : list (list K).
Hypothesis meant : Forall2 (fun o x => reads K decimals (given o) x) observations xs.

Let seen : list (observation * list K) := combine observations xs.
Let zs : list (list K) := concat (map (fun s => vectors K d p width (fst s) (snd s)) seen).

(** Every factor of the likelihood, seen along v. *)
Definition all_recede (v : list K) : Prop := forall o x, In (o, x) seen -> recedes K p width o x v.
Definition all_rest (v : list K) : Prop := forall o x, In (o, x) seen -> rests K p width o x v.

Lemma observations_represent : Forall2 represents (concat parts) zs.
Proof.
  unfold zs, seen. clear zs seen. pose proof meant as m. revert parts read.
  induction m as [|o x os xs' h m IH]; intros [|rows parts'] e; try discriminate; simpl.
  - constructor.
  - simpl in e. injection e as e1 e2. apply Forall2_app; [|apply IH; assumption].
    exact (observation_represents K decimals d p width o rows x e1 h).
Qed.

Lemma all_recede_exactly v : admissible zs v <-> all_recede v.
Proof.
  unfold admissible, all_recede, zs. split.
  - intros h o x i. apply (recedes_exactly K d). intros z hz. apply h, in_concat.
    exists (vectors K d p width o x). split; [apply in_map_iff; exists (o, x); auto | exact hz].
  - intros h z hz. apply in_concat in hz as (l & hl & hz). apply in_map_iff in hl as ([o x] & <- & i).
    apply (recedes_exactly K d p width o x v); [apply h, i | exact hz].
Qed.

Lemma all_rest_exactly v : (forall z, In z zs -> (dot z v == 0)%K) <-> all_rest v.
Proof.
  unfold all_rest, zs. split.
  - intros h o x i. apply (rests_exactly K d). intros z hz. apply h, in_concat.
    exists (vectors K d p width o x). split; [apply in_map_iff; exists (o, x); auto | exact hz].
  - intros h z hz. apply in_concat in hz as (l & hl & hz). apply in_map_iff in hl as ([o x] & <- & i).
    apply (rests_exactly K d p width o x v); [apply h, i | exact hz].
Qed.

(** Overlap: a direction in which no factor falls leaves all of them where they are. Otherwise: in some direction no
    factor falls, and not all of them rest. *)
Theorem accepted_models_hold columns c : check_model modulus invert columns (concat parts) c = true ->
  match c with
  | Overlap _ _ => forall v, all_recede v -> all_rest v
  | _ => exists v, all_recede v /\ ~ all_rest v
  end.
Proof.
  intros h. pose proof (model_rows_sound K columns _ c zs h observations_represent) as q.
  assert (other : (exists w, admissible zs w /\ exists z, In z zs /\ (0 < dot z w)%K) -> exists v, all_recede v /\ ~ all_rest v).
  { intros (w & hw & z & hz & hp). exists w. split; [apply all_recede_exactly, hw|]. intros r.
    apply hp, equal_at_most. rewrite <- all_rest_exactly in r. apply r, hz. }
  destruct c as [w margin street | w lambda span | lambda span]; try (apply other, q).
  intros v hv. apply all_rest_exactly. intros z hz. apply q; [apply all_recede_exactly, hv | exact hz].
Qed.

End Observations.

(** ** Models that compare rows with rows *)

Section Compared.

Variable K : ordered_ring.
Variable m : setting.
Variable data : table.
Variable decimals : list (option Z).
Variable X : positive -> list K.
Hypothesis values_read : forall i a, Numbered.find i data = Some a -> reads K decimals (held a) (X i).
Variables (d p fuel : nat) (plan : list group) (rows : list row).
Hypothesis width : forall i, (length (X i) <= p)%nat.
Hypothesis read : map (row_of_form decimals data d) (plan_forms p plan) = map Some rows.
Hypothesis plan_is_faithful : faithful m data plan = true.
Hypothesis plan_covers : covers m data fuel plan = true.

Theorem accepted_comparisons_hold columns c : check_model modulus invert columns rows c = true ->
  match c with
  | Overlap _ _ => forall v, length v = p -> no_comparison_falls K m data X v -> all_comparisons_rest K m data X v
  | _ => exists v, no_comparison_falls K m data X v /\ some_comparison_rises K m data X v
  end.
Proof.
  intros h. pose proof (plan_represents K data decimals X values_read d p plan rows read) as hz.
  pose proof (model_rows_sound K columns rows c _ h hz) as q.
  assert (other : (exists w, admissible (plan_vectors K X d p plan) w /\
    exists z, In z (plan_vectors K X d p plan) /\ (0 < dot z w)%K) ->
    exists v, no_comparison_falls K m data X v /\ some_comparison_rises K m data X v).
  { intros (w & hw & hs). exists w.
    apply (separation_of_comparisons K m data X d plan fuel p w); assumption. }
  destruct c as [w margin street | w lambda span | lambda span]; try (apply other, q).
  apply (overlap_of_comparisons K m data X d plan fuel p); assumption.
Qed.

End Compared.

End Accepted.
