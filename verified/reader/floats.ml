(* float64 as mantissa · 2^exponent, by its bits; the mantissa is odd or zero. *)

open Outcomes

let rec odd m e = if m land 1 = 0 then odd (m asr 1) (e + 1) else (m, e)

let dyadic x =
  let bits = Int64.bits_of_float x in
  let fraction = Int64.to_int (Int64.logand bits 0xFFFFFFFFFFFFFL) in
  let power = Int64.to_int (Int64.shift_right_logical bits 52) land 0x7FF in
  if power = 0x7FF then other_data "a value is not a finite number";
  let m = if power = 0 then fraction else fraction lor 0x10000000000000 in
  let m, e = if m = 0 then (0, 0) else odd m (max power 1 - 1075) in
  { Proved.mantissa = Z.of_int (if bits < 0L then -m else m); exponent = Z.of_int e }
