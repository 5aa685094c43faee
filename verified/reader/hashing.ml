(* data_sha256: X as little-endian float64, -0.0 as 0.0, then y as int8; csr: row starts, columns, other values. *)

let digest layout rows =
  let h = Sha256.create () in
  let add_int n = Sha256.add_int64 h (Int64.of_int n) in
  let add_float x = Sha256.add_int64 h (Int64.bits_of_float (x +. 0.0)) in
  if layout = "csr" then begin
    let count x = Array.fold_left (fun n v -> if v <> 0.0 then n + 1 else n) 0 x in
    add_int 0;
    ignore (List.fold_left (fun start (x, _) -> let stop = start + count x in add_int stop; stop) 0 rows);
    List.iter (fun (x, _) -> Array.iteri (fun j v -> if v <> 0.0 then add_int j) x) rows;
    List.iter (fun (x, _) -> Array.iter (fun v -> if v <> 0.0 then add_float v) x) rows
  end
  else List.iter (fun (x, _) -> Array.iter add_float x) rows;
  List.iter (fun (_, label) -> Sha256.add_int8 h (if label then 1 else -1)) rows;
  Sha256.hex h
