(* Few comparisons that imply those of a Cox or conditional model: those of checker.py, in its order, with its names.
   Nothing here need be believed: what is proved checks that the plan is faithful and covers the model. *)

let many = 16 (* a row that needs more times than this before its last is compared by a tree *)

(* A group of the plan, and what the certificate calls its rows (an equality is named once). *)
type group = { proved : Proved.group; called : (string * bool) list }

let number i = Z.of_int (i + 1)
let numbers = List.map number

(* `name i side`: of a row that is compared through an unknown. *)
let compare_sets sets name =
  let group (key, above, below) =
    match (above, below) with
    | ([] | [ _ ]), _ | _, ([] | [ _ ]) ->
        let pairs = List.concat_map (fun i -> List.map (fun j -> (Printf.sprintf "%d:%d" i j, false)) below) above in
        { proved = Proved.Directly (numbers above, numbers below); called = pairs }
    | _ ->
        let called side rows = List.map (fun i -> (name i ((2 * key) + side), false)) rows in
        { proved = Proved.Through (numbers above, numbers below); called = called 0 above @ called 1 below }
  in
  List.map group sets

let conditional groups cases =
  let last = Array.fold_left max (-1) groups in
  let above = Array.make (last + 1) [] and below = Array.make (last + 1) [] in
  for i = Array.length groups - 1 downto 0 do
    let part = if cases.(i) = 1 then above else below in
    part.(groups.(i)) <- i :: part.(groups.(i))
  done;
  compare_sets (List.init (last + 1) (fun g -> (g, above.(g), below.(g)))) (fun i _ -> string_of_int i)

(* How many of the sorted array are not above x (`right`), or below it. *)
let bisect compare ~right sorted x =
  let rec go low high =
    if low >= high then low
    else
      let middle = (low + high) / 2 in
      let c = compare sorted.(middle) x in
      if c < 0 || (right && c = 0) then go (middle + 1) high else go low middle
  in
  go 0 (Array.length sorted)

let rec nodes low high =
  if low >= high then []
  else
    (if low mod 2 = 1 then [ low ] else []) @ (if high mod 2 = 1 then [ high - 1 ] else []) @ nodes ((low + 1) / 2) (high / 2)

let rec bit_length n = if n = 0 then 0 else 1 + bit_length (n / 2)

(* Sets of events and of rows at risk at all of them: one for each time, and nodes of a tree. *)
let risk_sets events first last rows =
  let size_of = Array.length events in
  let earliest = Array.map (List.fold_left (fun low i -> min low first.(i)) max_int) events in
  let before = Array.make size_of (-1) and open_ = ref [] in
  for k = 0 to size_of - 1 do
    let rec pop = function top :: rest when top >= earliest.(k) -> pop rest | stack -> stack in
    open_ := pop !open_;
    (match !open_ with top :: _ -> before.(k) <- top | [] -> ());
    open_ := k :: !open_
  done;
  let ends = Array.of_list (List.filter (fun k -> k < size_of - 1 && earliest.(k + 1) > k) (List.init size_of Fun.id)) in
  let size = 1 lsl bit_length (max (Array.length ends - 1) 0) in
  let below = Hashtbl.create 16 and above = Hashtbl.create 16 in
  let find table k = Option.value (Hashtbl.find_opt table k) ~default:[] in
  let push table k i = Hashtbl.replace table k (i :: find table k) in
  let compare_row j =
    let rec walk k needed count =
      if k >= first.(j) && count < many + 2 then walk before.(k) (k :: needed) (count + 1) else (List.rev needed, count)
    in
    let needed, count = walk last.(j) [] 0 in
    let needed =
      if count < many + 2 then needed
      else
        let at time = size + bisect compare ~right:false ends time in
        let leaf node = if node >= size then ends.(node - size) else size_of + node in
        List.hd needed :: List.map leaf (nodes (at first.(j)) (at last.(j)))
    in
    List.iter (fun k -> push below k j) needed
  in
  List.iter compare_row rows;
  let add leaf k =
    for height = 1 to bit_length (leaf + size) - 1 do
      let node = size_of + ((leaf + size) lsr height) in
      if Hashtbl.mem below node then List.iter (push above node) events.(k)
    done
  in
  Array.iteri add ends;
  let times = List.init size_of (fun k -> (k, events.(k), List.rev (find below k))) in
  let inner = List.filter (fun k -> k >= size_of) (List.sort_uniq compare (List.of_seq (Hashtbl.to_seq_keys below))) in
  times @ List.map (fun k -> (k, List.rev (find above k), List.rev (find below k))) inner

let compare_fractions (a, b) (c, d) = Z.compare (Z.mul a d) (Z.mul c b)

(* strata and events are codes; times are fractions; entry is empty where nobody enters late. *)
let cox exact strata time event entry =
  let n = Array.length time in
  let compare_times (s, t) (s', t') = if s <> s' then compare s s' else compare_fractions t t' in
  let when_ i = (strata.(i), time.(i)) in
  let all = List.init n Fun.id in
  let times =
    Array.of_list (List.sort_uniq compare_times (List.filter_map (fun i -> if event.(i) = 1 then Some (when_ i) else None) all))
  in
  let late = Array.length entry > 0 in
  let first i =
    if late then bisect compare_times ~right:true times (strata.(i), entry.(i))
    else bisect (fun (s, _) x -> compare s x) ~right:false times strata.(i)
  in
  let first = Array.init n first in
  let last = Array.init n (fun i -> bisect compare_times ~right:true times (when_ i) - 1 - event.(i)) in
  let events = Array.make (Array.length times) [] in
  let by_entry i j = if late then compare_fractions entry.(i) entry.(j) else 0 in
  let add i = if event.(i) = 1 then events.(last.(i) + 1) <- i :: events.(last.(i) + 1) in
  List.iter add (List.stable_sort by_entry all);
  Array.iteri (fun k some -> events.(k) <- List.rev some) events;
  let tied = Array.make n false in
  let equal k = function
    | lead :: (_ :: _ as others) when not exact ->
        List.iter (fun i -> tied.(i) <- true) others;
        events.(k) <- [ lead ];
        let called = List.map (fun i -> (Printf.sprintf "%d:%d" lead i, true)) others in
        [ { proved = Proved.Tied (number lead, numbers others); called } ]
    | _ -> []
  in
  let equalities = List.concat (List.mapi equal (Array.to_list events)) in
  let sets = risk_sets events first last (List.filter (fun i -> not tied.(i)) all) in
  equalities @ compare_sets sets (fun i k -> Printf.sprintf "%d:%d" i (n + k))
