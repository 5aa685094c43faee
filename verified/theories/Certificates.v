(** The theorem: what the program accepts is true of the data, for weights in every ordered ring. *)

From Rosenblatt Require Export Data.

Theorem accepted_certificates_hold : forall (modulus : Z) (invert : Z -> Z), (1 < modulus)%Z ->
  forall decimals bias examples rows c,
  map (encode decimals bias) examples = map Some rows -> check modulus invert rows c = true ->
  forall (K : ordered_ring) (zs : list (list K)), Forall2 (means decimals bias) examples zs ->
  zs <> [] /\ claim rows c zs.
Proof.
  intros modulus invert hm decimals bias examples rows c he hc K zs hz.
  apply (check_sound K modulus invert hm rows c zs hc). eapply encoded_rows; eassumption.
Qed.

