(* Numbers from text: a float64, as Python's float reads it; or the decimal m·10^e that is written there. *)

open Outcomes

let is_digit c = c >= '0' && c <= '9'

(* Digits, with single underscores between them; the place after them. *)
let digits text i =
  let n = String.length text in
  let rec go j =
    if j < n && is_digit text.[j] then go (j + 1)
    else if j > i && j + 1 < n && text.[j] = '_' && is_digit text.[j + 1] then go (j + 1)
    else j
  in
  go i

let well_formed text =
  let n = String.length text in
  let start = if n > 0 && (text.[0] = '+' || text.[0] = '-') then 1 else 0 in
  let whole = digits text start in
  let point = if whole < n && text.[whole] = '.' then digits text (whole + 1) else whole in
  let some = whole > start || point > whole + 1 in
  let power =
    if point < n && (text.[point] = 'e' || text.[point] = 'E') then
      let sign = if point + 1 < n && (text.[point + 1] = '+' || text.[point + 1] = '-') then point + 2 else point + 1 in
      let stop = digits text sign in
      if stop > sign then stop else -1
    else point
  in
  some && power = n

let parse text =
  let text = String.trim text in
  match String.lowercase_ascii text with
  | "nan" | "+nan" | "-nan" -> Some nan
  | "inf" | "+inf" | "infinity" | "+infinity" -> Some infinity
  | "-inf" | "-infinity" -> Some neg_infinity
  | _ when well_formed text -> Some (float_of_string (String.concat "" (String.split_on_char '_' text)))
  | _ -> None

let without_underscores text = String.concat "" (String.split_on_char '_' text)

(* Blanks as Python strips them from numbers. *)
let stripped text =
  let blank c = String.contains " \t\n\r\012\011" c in
  let n = String.length text in
  let rec left i = if i < n && blank text.[i] then left (i + 1) else i in
  let rec right j = if j > 0 && blank text.[j - 1] then right (j - 1) else j in
  let i = left 0 in
  String.sub text i (max 0 (right n - i))

let most_digits = 31
let farthest_power = 2000

let without_zeros_before text =
  let n = String.length text in
  let rec go i = if i < n && text.[i] = '0' then go (i + 1) else i in
  let i = go 0 in
  String.sub text i (n - i)

let rec without_zeros_after text =
  let n = String.length text in
  if n > 0 && text.[n - 1] = '0' then without_zeros_after (String.sub text 0 (n - 1)) else text

(* Whether it is negative, its digits, and the power of ten of the last; the zeros at both ends are left out. *)
let parts text =
  let n = String.length text in
  let start = if n > 0 && (text.[0] = '+' || text.[0] = '-') then 1 else 0 in
  let whole = digits text start in
  let point = if whole < n && text.[whole] = '.' then digits text (whole + 1) else whole in
  let between a b = if b > a then without_underscores (String.sub text a (b - a)) else "" in
  let places = between (whole + 1) point in
  let exponent = between (point + 1) n in
  let all = without_zeros_before (between start whole ^ places) in
  let m = without_zeros_after all in
  let e = (if exponent = "" then 0 else int_of_string (if exponent.[0] = '+' then between (point + 2) n else exponent)) in
  (text.[0] = '-', m, e - String.length places, String.length all - String.length m)

(* (m, e), without zeros at the end of m. *)
let as_written text =
  let plain = stripped text in
  let no () = other_data (Printf.sprintf "%S is not a number" text) in
  if not (well_formed plain) then no ();
  if (match String.index_from_opt (String.lowercase_ascii plain) 0 'e' with
      | Some i -> String.length plain - i - 1 > 6 | None -> false) then no ();
  let negative, m, e, zeros = parts plain in
  if String.length m > most_digits || abs e > farthest_power then
    other_data (Printf.sprintf "%S has more than %d digits, or too long an exponent" text most_digits);
  if m = "" then (Z.zero, 0) else ((if negative then Z.neg else Fun.id) (Z.of_string m), e + zeros)

(* The decimal of n digits nearest to x: the whole number of them, and the power of ten of the last. *)
let nearest n x =
  match String.split_on_char 'e' (Printf.sprintf "%.*e" (n - 1) x) with
  | [ digits; power ] ->
      let power = int_of_string (if power.[0] = '+' then String.sub power 1 (String.length power - 1) else power) in
      (Z.of_string (String.concat "" (String.split_on_char '.' digits)), power - n + 1)
  | _ -> other_data "a value is not a finite number"
