(** The theorems: what the program accepts is true of the data, for weights in every ordered ring. *)

From Rosenblatt Require Export Data Coefficients.

Section Accepted.

Variable modulus : Z.
Variable invert : Z -> Z.
Hypothesis modulus_large : (1 < modulus)%Z.

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

End Accepted.
