// Shows the moments of a run that Python computed. No library, nothing loaded; one figure.replay at a time.
(() => {
  "use strict";
  const NS = "http://www.w3.org/2000/svg";
  const DISC = "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0";
  const SQUARE = "M-3.4,-3.4h6.8v6.8h-6.8z";

  function add(parent, name, attributes, text) {
    const element = document.createElementNS(NS, name);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  }

  function bytes(base64) {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  }

  const digits = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
  const whole = new Intl.NumberFormat("en");
  function number(value) {
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-4 || size >= 1e7)) return value.toExponential(2).replace("-", "−").replace("e+", "e");
    return digits.format(value).replace("-", "−");
  }

  function power(value) {
    return value === 1 ? "1" : "10" + String(Math.round(Math.log10(value))).replace(/./g, (c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] ?? "⁻");
  }

  // a linear or logarithmic axis from data to pixels
  function scale(low, high, from, to, log) {
    const f = log ? Math.log10 : (v) => v;
    const a = f(low), b = f(high) === a ? a + 1 : f(high);
    const map = (v) => from + ((f(v) - a) / (b - a)) * (to - from);
    map.ticks = () => {
      if (log) {
        const step = Math.max(1, Math.ceil((b - a) / 4)), powers = [];
        for (let e = Math.ceil(a); e <= b; e += step) powers.push(10 ** e);
        return powers;
      }
      const rough = (b - a) / 4, unit = 10 ** Math.floor(Math.log10(rough));
      const step = [1, 2, 5, 10].map((m) => m * unit).find((s) => s >= rough);
      const ticks = [];
      for (let t = Math.ceil(a / step) * step; t <= b + 1e-9 * step; t += step) ticks.push(Math.abs(t) < 1e-9 * step ? 0 : t);
      return ticks;
    };
    map.label = (t) => (log ? power(t) : number(t));
    return map;
  }

  function axes(svg, x, y, box, names, ticksY) {
    add(svg, "path", { class: "axis", d: `M${box.left},${box.top}V${box.bottom}H${box.right}` });
    const labels = x.ticks().map((t) => {
      const anchor = x(t) > box.right - 20 ? "end" : "middle";
      return add(svg, "text", { x: x(t) + (anchor === "end" ? 8 : 0), y: box.bottom + 16, "text-anchor": anchor }, x.label(t));
    });
    if (ticksY) for (const t of y.ticks()) add(svg, "text", { x: box.left - 6, y: y(t) + 4, "text-anchor": "end" }, y.label(t));
    add(svg, "text", { x: (box.left + box.right) / 2, y: box.bottom + 34, "text-anchor": "middle", class: "strong" }, names[0]);
    add(svg, "text", { x: box.left, y: box.top - 8, "text-anchor": "start", class: "strong" }, names[1]);
    return labels;
  }

  function start(figure) {
    const run = JSON.parse(figure.querySelector(".replay-data").textContent);
    const plane = figure.querySelector(".replay-plane"), chart = figure.querySelector(".replay-chart");
    const words = figure.querySelector(".replay-words"), slider = figure.querySelector("input");
    const speed = figure.querySelector("select"), playButton = figure.querySelector("[data-do=play]");
    const moments = run.k.length, count = run.sign.length;
    const along = run.along ? new Int16Array(bytes(run.along).buffer) : null;
    const wrong = run.wrong.map(bytes);
    const isWrong = (f, i) => (wrong[f][i >> 3] >> (7 - (i & 7))) & 1;
    const across = (f, i) => (along ? along[f * count + i] / 32767 : run.x[i]); // a part of the moment's reach
    let moment = moments - 1, timer = 0, drawPlane = () => {}, drawChart = () => {};

    function extent(values) {
      let low = Math.min(...values), high = Math.max(...values);
      if (low === high) { low -= 1; high += 1; }
      const pad = (high - low) * 0.07;
      return [low - pad, high + pad];
    }

    function layPlane() {
      plane.replaceChildren();
      const width = plane.clientWidth, height = plane.clientHeight;
      plane.setAttribute("viewBox", `0 0 ${width} ${height}`);
      const oneColumn = run.names[1] === "";
      const box = { left: oneColumn ? 12 : 46, right: width - 10, top: 44, bottom: height - 44 };
      let [x0, x1] = along ? [-1.06, 1.06] : extent(run.x), [y0, y1] = extent(run.y);
      if (run.equal) { // one scale for both, unless one column is much longer
        const perX = (x1 - x0) / (box.right - box.left), perY = (y1 - y0) / (box.bottom - box.top);
        const per = Math.max(perX, perY);
        if (per < 6 * Math.min(perX, perY)) {
          const dx = (per * (box.right - box.left) - (x1 - x0)) / 2, dy = (per * (box.bottom - box.top) - (y1 - y0)) / 2;
          x0 -= dx; x1 += dx; y0 -= dy; y1 += dy;
        }
      }
      const x = scale(x0, x1, box.left, box.right), y = scale(y0, y1, box.bottom, box.top);
      if (along) x.ticks = () => [-1, 0, 1];
      const labels = axes(plane, x, y, box, [run.names[0], run.names[1]], !oneColumn);
      let at = box.left; // the classes in their colours, above
      run.classes.forEach((name, c) => {
        const g = c ? "positive" : "negative";
        add(plane, "path", { class: g, d: c ? DISC : SQUARE, transform: `translate(${at + 5},10)` });
        const label = add(plane, "text", { x: at + 14, y: 14, class: g + "-word" }, name);
        at += 28 + label.getComputedTextLength();
      });
      const clip = "clip-" + figure.id;
      add(add(plane, "clipPath", { id: clip }), "rect", {
        x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top });
      const inside = add(plane, "g", { "clip-path": `url(#${clip})` });
      const old = add(inside, "line", { class: "old-line" }), line = add(inside, "line", { class: "plane-line" });
      const marks = run.sign.map((s) => add(inside, "path", { class: s > 0 ? "positive" : "negative", d: s > 0 ? DISC : SQUARE }));
      const rings = run.sign.map(() => add(inside, "circle", { class: "ring", r: 7 }));
      const now = add(inside, "circle", { class: "ring now", r: 11 });
      const place = new Map(run.row.map((row, i) => [row, i]));
      const note = add(plane, "text", { x: box.right, y: 14, "text-anchor": "end" });

      function put(element, f) {
        const [a, b, c] = run.lines[f];
        const size = Math.hypot(a, b);
        element.style.display = size === 0 ? "none" : "";
        if (size === 0) return;
        const mx = (x0 + x1) / 2, my = (y0 + y1) / 2, far = 10 * Math.hypot(x1 - x0, y1 - y0);
        const t = (a * mx + b * my + c) / (size * size), fx = mx - t * a, fy = my - t * b;
        element.setAttribute("x1", x(fx - (far * -b) / size)); element.setAttribute("y1", y(fy - (far * a) / size));
        element.setAttribute("x2", x(fx + (far * -b) / size)); element.setAttribute("y2", y(fy + (far * a) / size));
      }

      drawPlane = (f) => {
        put(line, f);
        if (along || f === 0) old.style.display = "none"; else put(old, f - 1);
        for (let i = 0; i < count; i++) {
          const spot = `translate(${x(across(f, i)).toFixed(1)},${y(run.y[i]).toFixed(1)})`;
          if (along || !marks[i].hasAttribute("transform")) marks[i].setAttribute("transform", spot);
          rings[i].style.display = isWrong(f, i) ? "" : "none";
          if (isWrong(f, i)) rings[i].setAttribute("transform", spot);
        }
        const i = place.get(run.corrected[f]);
        now.style.display = i === undefined ? "none" : "";
        if (i !== undefined) now.setAttribute("transform", `translate(${x(across(f, i))},${y(run.y[i])})`);
        if (along) [-1, 0, 1].forEach((t, j) => { labels[j].textContent = number(t * run.reach[f]); });
        note.textContent = count < run.n ? `${whole.format(count)} of ${whole.format(run.n)} rows drawn` : "";
      };
    }

    function layChart() {
      chart.replaceChildren();
      const width = chart.clientWidth, height = chart.clientHeight;
      chart.setAttribute("viewBox", `0 0 ${width} ${height}`);
      const box = { left: 58, right: width - 14, top: 44, bottom: height - 44 };
      const bounded = run.lower !== null;
      const values = bounded || run.errors === null ? run.normSq : run.errors;
      const last = run.k[moments - 1];
      const log = bounded && last > 100;
      const usable = run.k.map((k, f) => f).filter((f) => !log || (run.k[f] > 0 && values[f] > 0));
      if (usable.length < 2) { drawChart = () => {}; return; }
      const all = usable.flatMap((f) => (bounded ? [values[f], run.upper[f], ...(run.lower[f] > 0 || !log ? [run.lower[f]] : [])] : [values[f]]));
      const low = log ? Math.max(Math.min(...all), Math.min(...usable.map((f) => values[f])) / 1e3) : 0;
      const x = scale(log ? 1 : 0, Math.max(last, 1), box.left, box.right, log);
      const y = scale(low, Math.max(...all) * (log ? 2 : 1.08) || 1, box.bottom, box.top, log);
      axes(chart, x, y, box, ["corrections", bounded || run.errors === null ? "‖w‖²" : "not on their side"], true);
      const path = (list) => usable.filter((f) => !log || list[f] >= low)
        .map((f, i) => `${i ? "L" : "M"}${x(run.k[f]).toFixed(1)},${y(list[f]).toFixed(1)}`).join("");
      if (bounded) {
        add(chart, "path", { class: "upper", d: path(run.upper) });
        add(chart, "path", { class: "lower", d: path(run.lower) });
        const middle = usable[Math.floor(usable.length * 0.45)], late = usable[Math.floor(usable.length * 0.8)];
        add(chart, "text", { class: "upper-word halo", x: x(run.k[middle]) - 6, y: y(run.upper[middle]) - 8, "text-anchor": "end" }, "at most");
        add(chart, "text", { class: "lower-word halo", x: x(run.k[late]) + 2, y: Math.min(box.bottom - 4, y(Math.max(low, run.lower[late])) + 18), "text-anchor": "end" }, "at least");
        if (run.bound !== null) add(chart, "text", { x: box.right, y: 14, "text-anchor": "end" }, `they meet at ${whole.format(run.bound)}`);
      }
      add(chart, "path", { class: "curve", d: path(values) });
      const dot = add(chart, "circle", { class: "dot", r: 6 });
      drawChart = (f) => {
        const seen = !log || run.k[f] > 0;
        dot.style.display = seen ? "" : "none";
        if (seen) { dot.setAttribute("cx", x(run.k[f])); dot.setAttribute("cy", y(log ? Math.max(low, values[f]) : values[f])); }
      };
    }

    function say(f) {
      const total = whole.format(run.k[moments - 1]);
      const when = f === moments - 1 ? "at the end" : "now";
      const some = (off) => `${whole.format(off)} of ${whole.format(run.n)} ${off === 1 ? "examples is" : "examples are"} not on ${off === 1 ? "its" : "their"} side ${when}.`;
      const left = run.errors === null ? "" : ` ${run.errors[f] === 0 ? `Every example is on its side ${when}.` : some(run.errors[f])}`;
      if (run.k[f] === 0) { words.textContent = `The start, before the first of ${total} corrections.` + left; return; }
      const up = run.correctedSign[f] > 0, row = run.corrected[f];
      const s = number(run.before[f]), step = run.step[f] === 1 ? "" : number(run.step[f]) + "·";
      words.textContent = `Correction ${whole.format(run.k[f])} of ${total}: row ${row} (${run.classes[up ? 1 : 0]}) had w·x + b = ${s}, ` +
        `which should be ${up ? "above" : "below"} 0. So w ${up ? "+" : "−"}= ${step}x; now it is ${number(run.after[f])}. ` +
        `‖w‖² = ${number(run.normSq[f])}.` + left;
    }

    function show(f) {
      moment = Math.max(0, Math.min(moments - 1, f));
      slider.value = moment;
      slider.setAttribute("aria-valuetext", `correction ${run.k[moment]} of ${run.k[moments - 1]}`);
      drawPlane(moment); drawChart(moment); say(moment);
    }

    function stop() {
      cancelAnimationFrame(timer); timer = 0;
      playButton.textContent = "Play";
      words.setAttribute("aria-live", "polite");
    }

    function play() {
      if (moment === moments - 1) show(0);
      playButton.textContent = "Pause";
      words.setAttribute("aria-live", "off"); // a voice cannot keep up
      let due = performance.now();
      const tick = (time) => {
        const pause = 1000 / Number(speed.value);
        if (time - due >= pause) { due = time; show(moment + 1); }
        if (moment === moments - 1) stop(); else timer = requestAnimationFrame(tick);
      };
      timer = requestAnimationFrame(tick);
    }

    const actions = { first: () => show(0), back: () => show(moment - 1), next: () => show(moment + 1), last: () => show(moments - 1) };
    figure.addEventListener("click", (event) => {
      const action = event.target.closest("[data-do]")?.dataset.do;
      if (!action) return;
      const playing = timer !== 0;
      if (playing) stop();
      if (action !== "play") actions[action](); else if (!playing) play();
    });
    slider.addEventListener("input", () => { if (timer) stop(); show(Number(slider.value)); });
    const lay = () => { if (plane.clientWidth) { layPlane(); layChart(); show(moment); } };
    new ResizeObserver(lay).observe(plane);
    addEventListener("beforeprint", lay);
    lay();
  }

  document.querySelectorAll("figure.replay").forEach(start);
})();
