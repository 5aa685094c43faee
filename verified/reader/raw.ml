(* Rows and labels from raw bytes: X as little-endian float64, row by row, then y as int8 (−1 or +1).
   For the layout `dense` these are the very bytes that data_sha256 of versions 1 and 2 is about. *)

open Outcomes

let read n p source =
  if String.length source <> n * ((8 * p) + 1) then
    other_data (Printf.sprintf "it is about %d rows and %d columns" n p);
  let value i j = Values.Float (Int64.float_of_bits (String.get_int64_le source (8 * ((i * p) + j)))) in
  let label i =
    match String.get_int8 source ((8 * n * p) + i) with
    | 1 -> true
    | -1 -> false
    | _ -> other_data "a label is neither -1 nor +1"
  in
  (Array.init n (fun i -> Array.init p (value i)), Array.init n label)
