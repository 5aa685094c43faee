(* How a check can end badly. *)

exception Refused of string (* the certificate does not hold *)
exception Other_data of string (* it is about other data *)
exception Newer of string (* another checker must be asked *)

let refused text = raise (Refused text)
let other_data text = raise (Other_data text)
