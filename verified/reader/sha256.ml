(* SHA-256 (FIPS 180-4), block by block. *)

let constants =
  [| 0x428a2f98; 0x71374491; 0xb5c0fbcf; 0xe9b5dba5; 0x3956c25b; 0x59f111f1; 0x923f82a4; 0xab1c5ed5; 0xd807aa98;
     0x12835b01; 0x243185be; 0x550c7dc3; 0x72be5d74; 0x80deb1fe; 0x9bdc06a7; 0xc19bf174; 0xe49b69c1; 0xefbe4786;
     0x0fc19dc6; 0x240ca1cc; 0x2de92c6f; 0x4a7484aa; 0x5cb0a9dc; 0x76f988da; 0x983e5152; 0xa831c66d; 0xb00327c8;
     0xbf597fc7; 0xc6e00bf3; 0xd5a79147; 0x06ca6351; 0x14292967; 0x27b70a85; 0x2e1b2138; 0x4d2c6dfc; 0x53380d13;
     0x650a7354; 0x766a0abb; 0x81c2c92e; 0x92722c85; 0xa2bfe8a1; 0xa81a664b; 0xc24b8b70; 0xc76c51a3; 0xd192e819;
     0xd6990624; 0xf40e3585; 0x106aa070; 0x19a4c116; 0x1e376c08; 0x2748774c; 0x34b0bcb5; 0x391c0cb3; 0x4ed8aa4a;
     0x5b9cca4f; 0x682e6ff3; 0x748f82ee; 0x78a5636f; 0x84c87814; 0x8cc70208; 0x90befffa; 0xa4506ceb; 0xbef9a3f7;
     0xc67178f2 |]

type t = { state : int array; words : int array; block : Bytes.t; mutable filled : int; mutable length : int }

let create () =
  let state =
    [| 0x6a09e667; 0xbb67ae85; 0x3c6ef372; 0xa54ff53a; 0x510e527f; 0x9b05688c; 0x1f83d9ab; 0x5be0cd19 |]
  in
  { state; words = Array.make 64 0; block = Bytes.create 64; filled = 0; length = 0 }

let mask = 0xFFFFFFFF
let rotate x n = ((x lsr n) lor (x lsl (32 - n))) land mask

let compress h =
  let w = h.words in
  for t = 0 to 15 do
    w.(t) <- Int32.to_int (Bytes.get_int32_be h.block (4 * t)) land mask
  done;
  for t = 16 to 63 do
    let x = w.(t - 15) and y = w.(t - 2) in
    let s = rotate x 7 lxor rotate x 18 lxor (x lsr 3) and r = rotate y 17 lxor rotate y 19 lxor (y lsr 10) in
    w.(t) <- (w.(t - 16) + s + w.(t - 7) + r) land mask
  done;
  let s = h.state in
  let rec round t a b c d e f g k =
    if t = 64 then
      List.iteri (fun i v -> s.(i) <- (s.(i) + v) land mask) [ a; b; c; d; e; f; g; k ]
    else
      let choice = e land f lxor (lnot e land g) and majority = a land b lxor (a land c) lxor (b land c) in
      let one = k + (rotate e 6 lxor rotate e 11 lxor rotate e 25) + choice + constants.(t) + w.(t) in
      let two = (rotate a 2 lxor rotate a 13 lxor rotate a 22) + majority in
      round (t + 1) ((one + two) land mask) a b c ((d + one) land mask) e f g
  in
  round 0 s.(0) s.(1) s.(2) s.(3) s.(4) s.(5) s.(6) s.(7)

let add_byte h n =
  Bytes.set_uint8 h.block h.filled n;
  h.filled <- h.filled + 1;
  if h.filled = 64 then (compress h; h.filled <- 0)

(* Eight bytes, the least significant first. *)
let add_int64 h n =
  h.length <- h.length + 8;
  if h.filled <= 56 then begin
    Bytes.set_int64_le h.block h.filled n;
    h.filled <- h.filled + 8;
    if h.filled = 64 then (compress h; h.filled <- 0)
  end
  else
    for i = 0 to 7 do
      add_byte h (Int64.to_int (Int64.shift_right_logical n (8 * i)) land 0xFF)
    done

let add_int8 h n =
  h.length <- h.length + 1;
  add_byte h (n land 0xFF)

let hex h =
  add_byte h 0x80;
  while h.filled <> 56 do
    add_byte h 0
  done;
  for i = 7 downto 0 do
    add_byte h (((8 * h.length) lsr (8 * i)) land 0xFF)
  done;
  String.concat "" (Array.to_list (Array.map (Printf.sprintf "%08x") h.state))
