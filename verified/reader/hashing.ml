(* data_sha256. A column beside X is labels (int8), codes (int64), floats, or numbers by a reading. *)

open Values

type column =
  | Labels of bool array
  | Codes of int array
  | Floats of float array
  | Read of reading * number array

let add_int h n = Sha256.add_int64 h (Int64.of_int n)
let add_float h x = Sha256.add_int64 h (Int64.bits_of_float (x +. 0.0))
let add_text h text = String.iter (fun c -> Sha256.add_int8 h (Char.code c)) text

let short = Z.fits_int64
let add_number h = function Real x -> add_float h x | Whole n -> Sha256.add_int64 h (Z.to_int64 n)
let is_zero = function Real x -> x = 0.0 | Whole n -> Z.sign n = 0
let is_short = function Real _ -> true | Whole n -> short n

(* Row starts and columns of values that are not zero. *)
let add_places h zero rows =
  let count x = Array.fold_left (fun n v -> if zero v then n else n + 1) 0 x in
  add_int h 0;
  ignore (Array.fold_left (fun start x -> let stop = start + count x in add_int h stop; stop) 0 rows);
  Array.iter (Array.iteri (fun j v -> if not (zero v) then add_int h j)) rows

(* Versions 1 and 2: X as little-endian float64, −0.0 as 0.0, then the columns; csr: row starts, columns, other values. *)
let digest layout rows columns =
  let h = Sha256.create () in
  let zero x = x = 0.0 in
  if layout = "csr" then add_places h zero rows;
  Array.iter (Array.iter (fun v -> if layout = "dense" || not (zero v) then add_float h v)) rows;
  let add = function
    | Labels l -> Array.iter (fun label -> Sha256.add_int8 h (if label then 1 else -1)) l
    | Codes c -> Array.iter (add_int h) c
    | Floats f -> Array.iter (add_float h) f
    | Read _ -> ()
  in
  List.iter add columns;
  Sha256.hex h

let block = 65536

let written = function Power k -> Printf.sprintf "{\"power\":%d}" k | Bits b -> Printf.sprintf "{\"binary\":%d}" b

(* Version 3: the readings, then the digests of blocks of rows. Long decimals are hashed as text. *)
let digest_of_blocks layout readings rows columns =
  let n = Array.length rows in
  let long = List.mapi (fun j reading -> match reading with
    | Power _ -> not (Array.for_all (fun x -> j >= Array.length x || is_short x.(j)) rows)
    | Bits _ -> false) readings in
  let long = Array.of_list long in
  let h = Sha256.create () in
  add_text h ("[" ^ String.concat "," (List.map written readings) ^ "]");
  for k = 0 to ((n + block - 1) / block) - 1 do
    let start = k * block in
    let size = min block (n - start) in
    let some = Array.sub rows start size and b = Sha256.create () in
    let kept v = layout = "dense" || not (is_zero v) in
    let text = function Whole m -> add_text b (Z.to_string m ^ ",") | Real _ -> () in
    if layout = "csr" then add_places b is_zero some;
    Array.iter (Array.iteri (fun j v -> if kept v && not long.(j) then add_number b v)) some;
    Array.iteri (fun j l -> if l then Array.iter (fun x -> if j < Array.length x && kept x.(j) then text x.(j)) some) long;
    let add = function
      | Labels l -> Array.iter (fun label -> Sha256.add_int8 b (if label then 1 else -1)) (Array.sub l start size)
      | Codes c -> Array.iter (add_int b) (Array.sub c start size)
      | Floats f -> Array.iter (add_float b) (Array.sub f start size)
      | Read (_, v) -> Array.iter (if Array.for_all is_short v then add_number b else text) (Array.sub v start size)
    in
    List.iter add columns;
    let hex = Sha256.hex b in
    for i = 0 to 31 do
      Sha256.add_int8 h (int_of_string ("0x" ^ String.sub hex (2 * i) 2))
    done
  done;
  Sha256.hex h
