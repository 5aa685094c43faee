(* Coq's whole numbers are Zarith's. Where Coq fixes what others leave open, so do these: quotients are rounded down,
   x / 0 = 0, x mod 0 = x, 2 ^ -1 = 0, log2 0 = 0. *)

type t = Z.t

let zero, one, two = (Z.zero, Z.one, Z.of_int 2)
let add a b = Z.add a b
let sub a b = Z.sub a b
let mul a b = Z.mul a b
let neg a = Z.neg a
let abs a = Z.abs a
let max a b = Z.max a b
let equal a b = Z.equal a b
let leq a b = Z.leq a b
let lt a b = Z.lt a b
let twice p = Z.shift_left p 1
let twice_and_one p = Z.succ (Z.shift_left p 1)

let by_last_digit odd even one p =
  if Z.equal p Z.one then one () else (if Z.is_odd p then odd else even) (Z.shift_right p 1)

let by_sign zero pos neg n = match Z.sign n with 0 -> zero () | 1 -> pos n | _ -> neg (Z.neg n)
let div a b = if Z.sign b = 0 then Z.zero else Z.fdiv a b

let modulo a b =
  if Z.sign b > 0 then Z.erem a b else if Z.sign b = 0 then a else Z.sub a (Z.mul b (Z.fdiv a b))

let lcm a b = if Z.equal a b then Z.abs a else Z.lcm a b

let pow a b =
  if Z.sign b < 0 then Z.zero
  else if Z.equal a two then Z.shift_left Z.one (Z.to_int b)
  else Z.pow a (Z.to_int b)

let log2 a = if Z.sign a <= 0 then Z.zero else Z.of_int (Z.numbits a - 1)
