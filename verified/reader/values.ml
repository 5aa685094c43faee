(* What a cell is by the reading of its column: the whole number of a decimal, or a float. *)

open Outcomes

type given = Float of float | Text of string
type reading = Power of int | Bits of int
type number = Whole of Z.t | Real of float

let largest = Z.pow (Z.of_int 10) 15 (* decimals below this are told apart by float64 *)

(* The decimal of at most 15 digits to which a float is nearest, if there is one: what programs write for it. *)
let short_decimal x =
  let text = Printf.sprintf "%.15g" x in
  if float_of_string text = x then Some (Decimal_text.as_written text) else None

let exactly x (m, e) =
  let ten k = Z.pow (Z.of_int 10) k in
  let f = Floats.dyadic x in
  let scaled n k = if k > 0 then Z.shift_left n k else n in
  let k = Z.to_int f.Proved.exponent in
  Z.equal (Z.mul (scaled f.Proved.mantissa k) (ten (max 0 (-e)))) (scaled (Z.mul m (ten (max 0 e))) (-k))

(* Whether a program writes m·10^e for the float x: of the shortest decimals that are read as x, the nearest. Where the
   nearest of so many digits is not read as x, x is a power of two, and the next one may be. *)
let written_for x (m, e) =
  let of_digits n =
    let nearest, last = Decimal_text.nearest n x in
    let text c = Printf.sprintf "%se%d" (Z.to_string c) last in
    let read_as_x c = float_of_string (text c) = x in
    let found = List.find_opt read_as_x [ nearest; Z.succ nearest; Z.pred nearest ] in
    Option.map (fun c -> Decimal_text.as_written (text c)) found
  in
  let rec shortest n = match of_digits n with None when n < 17 -> shortest (n + 1) | found -> found in
  match shortest 1 with Some (a, b) -> Z.equal a m && b = e | None -> false

let float_as bits text (m, e) =
  let x = match Decimal_text.parse text with Some x -> x | None -> other_data (text ^ " is not a number") in
  if bits = 32 then begin
    let single = Int32.float_of_bits (Int32.bits_of_float x) in
    if Float.is_nan (single -. single) then other_data (text ^ " is beyond float32");
    single
  end
  else begin
    if Float.is_nan (x -. x) then other_data (text ^ " is beyond float64");
    if Z.geq (Z.abs m) largest && not (exactly x (m, e) || written_for x (m, e)) then
      other_data (text ^ " is not what programs write for a float");
    x
  end

let as_power k (m, e) =
  if Z.sign m = 0 then Z.zero
  else if e < k then other_data (Printf.sprintf "a value is not a whole number times 10^%d, as its reading says" k)
  else Z.mul m (Z.pow (Z.of_int 10) (e - k))

(* A value by the reading of its column. *)
let read reading given =
  match (reading, given) with
  | _, Float x when Float.is_nan (x -. x) -> other_data "a value is not a finite number"
  | Bits _, Float x -> Real (x +. 0.0)
  | Bits bits, Text text -> Real (float_as bits text (Decimal_text.as_written text) +. 0.0)
  | Power k, Text text -> Whole (as_power k (Decimal_text.as_written text))
  | Power k, Float x -> (
      match short_decimal x with
      | Some written -> Whole (as_power k written)
      | None -> other_data "a float is no decimal of 15 digits, as its column's reading says")

(* The cell, as what is proved takes it. *)
let cell reading number =
  match (reading, number) with
  | Power k, Whole m -> Proved.Written (m, Z.of_int k)
  | _, Real x -> Proved.Binary (Floats.dyadic x)
  | Bits _, Whole m -> Proved.Written (m, Z.zero)

let as_float = function
  | Float x -> x
  | Text t -> ( match Decimal_text.parse t with Some x -> x | None -> other_data (t ^ " is not a number"))
