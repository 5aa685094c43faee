(* A float64 from text, as Python's float reads it. *)

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
