"""A person at work in the lab: a real browser, a real server."""

import re
from pathlib import Path
from typing import Any

import pytest

import rosenblatt as rb
from tests.lab.conftest import ROOT, Running

AXE = ROOT / "lab-ui" / "node_modules" / "axe-core" / "axe.min.js"
SHARED = ROOT.parent / "shared" / "data"


def choose(page: Any, name: str) -> None:
    page.select_option("header select", label=name)
    page.wait_for_selector(".verdict-line:not(.muted)")


def verdict(page: Any) -> str:
    return str(page.inner_text(".verdict-line").split("\n")[0])


def expect_verdict(page: Any, words: str) -> None:
    page.wait_for_function(
        "words => document.querySelector('.verdict-line')?.firstChild?.textContent === words", arg=words
    )


def counter(page: Any) -> tuple[int, int]:
    at, total = page.inner_text(".counter").replace(",", "").split(" / ")
    return int(at), int(total)


def places(page: Any) -> list[tuple[float, float]]:
    """Where the points are, in pixels of the page."""
    box = page.locator(".plane").bounding_box()
    moves = page.eval_on_selector_all(".dot", "dots => dots.map(d => d.getAttribute('transform'))")
    found = [re.findall(r"-?[\d.]+", move) for move in moves]
    return [(box["x"] + float(x), box["y"] + float(y)) for x, y in found]


def open_table(page: Any, file: Path) -> None:
    page.set_input_files("input[type=file]", file)
    page.get_by_role("button", name="Open", exact=True).click()
    page.wait_for_function("name => document.querySelector('.look').textContent.startsWith(name)", arg=file.name)
    page.wait_for_selector(".verdict-line:not(.muted)")


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name).click()


def test_points_are_added_dragged_and_deleted(visit: Any) -> None:
    page = visit()
    choose(page, "AND")
    expect_verdict(page, "Completely separable")
    box = page.locator(".plane").bounding_box()
    corners = places(page)
    between = [0.2 * a + 0.8 * b for a, b in zip(corners[0], corners[3], strict=True)]
    page.mouse.click(*between)
    assert len(places(page)) == 5
    assert places(page)[4] == pytest.approx(between, abs=1)
    assert "positive" in page.get_attribute(".dot:nth-child(5)", "class")
    page.get_by_role("radio", name="−1").check()
    page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.06)
    assert "negative" in page.get_attribute(".dot:nth-child(6)", "class")
    expect_verdict(page, "Overlapping")
    x, y = places(page)[5]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 100, y + 100, steps=5)
    page.mouse.move(box["x"] + 20, box["y"] + box["height"] - 40, steps=5)
    page.mouse.up()
    expect_verdict(page, "Completely separable")
    assert places(page)[5] == pytest.approx((box["x"] + 20, box["y"] + box["height"] - 40), abs=2)
    page.keyboard.press("Delete")
    assert len(places(page)) == 5
    press(page, "Delete the chosen point")
    assert len(places(page)) == 4
    press(page, "Clear all points")
    assert places(page) == []
    expect_verdict(page, "Nothing to decide yet")
    page.mouse.click(box["x"] + 100, box["y"] + 100)
    expect_verdict(page, "Completely separable")  # one class alone


def test_a_verdict_follows_a_point_while_it_is_dragged(visit: Any) -> None:
    page = visit()
    choose(page, "AND")
    expect_verdict(page, "Completely separable")
    corners = places(page)
    x, y = corners[3]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move((corners[0][0] + corners[3][0]) / 2 - 60, (corners[0][1] + corners[3][1]) / 2 + 60, steps=8)
    expect_verdict(page, "Overlapping")  # before the button is let go
    page.mouse.move(x, y, steps=8)
    expect_verdict(page, "Completely separable")
    page.mouse.up()


def test_step_scrub_and_play(visit: Any) -> None:
    page = visit()
    choose(page, "AND")
    page.wait_for_function("() => document.querySelector('.counter').textContent === '18 / 18'")
    press(page, "To the start")
    assert counter(page) == (0, 18)
    assert "Before the first correction" in page.inner_text(".step")
    press(page, "One correction forward")
    press(page, "One correction forward")
    assert counter(page) == (2, 18)
    assert "Correction 2 of 18" in page.inner_text(".step")
    assert page.locator(".line.old").count() == 0  # w(1) = (0, 0, −1): no line yet
    assert page.locator(".ring").count() == 1
    press(page, "One correction forward")
    assert page.locator(".line.old").count() == 1
    press(page, "One correction back")
    assert counter(page) == (2, 18)
    page.locator(".transport input").fill("9")
    assert counter(page) == (9, 18)
    page.select_option(".transport select", label="20 a second")
    press(page, "Play")
    page.wait_for_function("() => document.querySelector('.counter').textContent === '18 / 18'")
    page.wait_for_selector("[aria-label=Play]")
    assert "no mistake is left after 18 corrections" in page.inner_text(".spoken[role=status]", timeout=2000)


def test_the_formula_has_the_numbers_of_this_step(visit: Any) -> None:
    page = visit()
    choose(page, "AND")
    page.wait_for_function("() => document.querySelector('.counter').textContent === '18 / 18'")
    trace = rb.Perceptron(order="cyclic", trace=True).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]).trace_
    assert trace is not None
    for k in (1, 4, 9, 18):
        page.locator(".transport input").fill(str(k))
        shown = page.eval_on_selector_all(
            ".weights .new td", "cells => cells.map(c => Number(c.textContent.replace('−', '-')))"
        )
        assert shown == trace.weights_at(k).tolist()
        assert f"point {trace.rows[k - 1] + 1}," in page.inner_text(".step-head")


def test_xor_shows_the_witness_and_a_product_makes_it_separable(visit: Any) -> None:
    page = visit()
    choose(page, "XOR")
    expect_verdict(page, "Overlapping")
    assert page.inner_text(".proved") == "proved"
    assert page.locator(".witness").count() == 4
    meeting = page.locator(".meeting").bounding_box()
    corners = places(page)
    middle = (sum(x for x, _ in corners) / 4, sum(y for _, y in corners) / 4)
    assert (meeting["x"] + meeting["width"] / 2, meeting["y"] + meeting["height"] / 2) == pytest.approx(middle, abs=1)
    page.select_option("[data-name=phi]", "product")
    expect_verdict(page, "Completely separable")
    assert page.locator(".meeting").count() == 0
    assert "0 of 4 not on their side" in page.inner_text(".hint")


def test_every_preset_opens(visit: Any) -> None:
    page = visit()
    names = page.eval_on_selector_all("header select option:not([hidden])", "o => o.map(e => e.textContent)")
    assert len(names) >= 10
    for name in names:
        choose(page, name)
    assert page.locator(".dot").count() == 40


def test_regressions_are_drawn_beside(visit: Any) -> None:
    page = visit()
    choose(page, "Regression errs")
    page.wait_for_selector(".line.rival-0", state="attached")
    assert page.text_content(".line-name.rival") == "least squares: 2 wrong"
    page.get_by_role("checkbox", name="logistic").check()
    page.wait_for_selector(".line.rival-2", state="attached")


def test_learners_and_recipes_can_be_chosen(visit: Any) -> None:
    page = visit()
    choose(page, "Wide margin")
    for recipe in ("stein", "unit", "signum", "own"):
        page.select_option("[data-name=recipe]", recipe)
        page.wait_for_function("() => document.querySelector('.facts')?.textContent.includes('No mistake is left')")
    page.select_option("[data-name=order]", "random")
    page.select_option("[data-name=start]", "random")
    before = page.inner_text(".counter")
    lengths = set()
    for _ in range(4):
        press(page, "Draw again")
        lengths.add(page.inner_text(".counter"))
    assert len(lengths | {before}) > 1  # other draws, other runs
    for learner in ("passive-aggressive", "adaline", "logistic"):
        page.select_option("[data-name=learner]", learner)
        page.wait_for_function("() => document.querySelector('.theorem-words').textContent.includes('no such bound')")
    page.fill("[data-name=eta]", "1e9")
    page.select_option("[data-name=learner]", "adaline")
    page.locator(".brief", has_text="The step is too large: after").wait_for()
    assert page.input_value("[data-name=eta]") == "1000000000"  # typed, though the field was made anew


def test_the_words_about_the_theorem_are_true_of_its_axes(visit: Any) -> None:
    """Both axes of the chart are logarithmic: the bounds are lines of slopes 2 and 1, and no parabola is to be seen."""
    page = visit()
    choose(page, "AND")
    words = page.inner_text(".theorem-words")
    bound = rb.separability([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]).mistake_bound
    assert "grows at least like k² (slope 2 on these logarithmic axes) and at most like k (slope 1)" in words
    assert f"after {bound} corrections at the latest it is over" in words
    assert "parabola" not in words


def test_a_table_of_ones_own(visit: Any, tmp_path: Path) -> None:
    page = visit()
    file = tmp_path / "flowers.csv"
    rows = [f"{i % 7},{i % 5},{i * 1.5},{'rose' if i % 7 > 3 else 'iris'}" for i in range(60)]
    file.write_text("width,height,weight,species\n" + "\n".join(rows))
    page.set_input_files("input[type=file]", file)
    page.wait_for_selector("dialog[open]")
    assert page.input_value("#lab-target") == "species"
    assert page.input_value("#lab-positive") == "1"
    page.get_by_role("button", name="Open", exact=True).click()
    page.locator(".look", has_text="60 rows, 3 features, classes iris and rose").wait_for()
    expect_verdict(page, "Completely separable")
    assert page.locator(".dot").count() == 60
    page.select_option("[data-name=kind]", "pair")
    page.select_option("[data-name=i]", label="height")
    page.select_option("[data-name=j]", label="weight")
    expect_verdict(page, "Overlapping")
    page.select_option("[data-name=i]", label="width")
    expect_verdict(page, "Completely separable")
    file.write_text("colour,answer\nred,yes\nblue,no\ngreen,no\nred,yes\n")
    page.set_input_files("input[type=file]", file)
    page.get_by_role("button", name="Open", exact=True).click()
    page.wait_for_function("() => document.querySelector('.look').textContent.includes('4 rows, 3 features')")
    expect_verdict(page, "Completely separable")
    file.write_bytes(b"\x00\x01")
    page.set_input_files("input[type=file]", file)
    page.wait_for_selector(".notice:not([hidden])")
    assert "is not text" in page.inner_text(".notice")


def test_sixty_features_in_a_projection(visit: Any, tmp_path: Path) -> None:
    data = rb.datasets.sonar()
    file = tmp_path / "sonar.csv"
    lines = [",".join([*map(str, row), label]) for row, label in zip(data.X, data.y, strict=True)]
    file.write_text("\n".join([",".join([*data.feature_names, "y"]), *lines]))
    page = visit()
    open_table(page, file)
    expect_verdict(page, "Completely separable")
    assert page.locator(".dot").count() == 208
    page.wait_for_function(
        "() => document.querySelector('.facts')?.textContent.includes('stopped after 10,000 corrections')"
    )


def test_many_points_are_painted(visit: Any, tmp_path: Path) -> None:
    cloud = rb.datasets.margin_cloud(3000, 2, margin=0.1, random_state=0)
    file = tmp_path / "cloud.csv"
    file.write_text("a,b,y\n" + "\n".join(f"{x},{z},{c}" for (x, z), c in zip(cloud.X, cloud.y, strict=True)))
    page = visit()
    open_table(page, file)
    expect_verdict(page, "Completely separable")
    assert page.locator(".dot").count() == 0
    painted = "c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(v => v > 0)"
    assert page.eval_on_selector("canvas.dots", painted)
    page.focus(".drawing")
    page.keyboard.press("PageDown")
    assert page.locator(".chosen").count() == 1


def test_keyboard_only(visit: Any) -> None:
    page = visit()
    choose(page, "AND")
    page.wait_for_function("() => document.querySelector('.counter').textContent === '18 / 18'")
    page.evaluate("document.activeElement.blur()")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "option":
            break
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Point 1, class −1, at 0, 0")
    page.keyboard.press("End")
    before = places(page)[3]
    page.keyboard.press("Shift+ArrowUp")
    page.keyboard.press("ArrowLeft")
    after = places(page)[3]
    assert after[1] < before[1] - 20
    assert -20 < after[0] - before[0] < 0
    page.keyboard.press("c")
    assert "negative" in page.get_attribute(".dot:nth-child(4)", "class")
    page.keyboard.press("c")
    page.keyboard.press("n")
    assert page.locator(".dot").count() == 5
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Point 5")
    page.keyboard.press("Delete")
    page.keyboard.press("PageUp")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Point 3")
    total = counter(page)[1]
    page.keyboard.press(",")
    page.keyboard.press(",")
    page.keyboard.press(".")
    assert counter(page) == (total - 1, total)
    page.keyboard.press(" ")
    page.wait_for_selector("[aria-label=Pause]")
    page.keyboard.press(" ")
    page.wait_for_selector("[aria-label=Play]")
    for _ in range(4):
        page.keyboard.press("Home")
        page.keyboard.press("Delete")
    assert page.locator(".dot").count() == 0


def test_a_phone_in_the_dark(visit: Any) -> None:
    page = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    choose(page, "Stars and polygons")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    choose(page, "AND")
    plane, transport = page.locator(".plane").bounding_box(), page.locator(".transport").bounding_box()
    assert transport["y"] - (plane["y"] + plane["height"]) < 20  # the controls are directly under the plane
    page.touchscreen.tap(plane["x"] + 100, plane["y"] + 150)
    assert page.locator(".dot").count() == 5
    dark = page.evaluate("getComputedStyle(document.querySelector('.lab')).backgroundColor")
    assert sum(int(v) for v in re.findall(r"\d+", dark)[:3]) < 150
    sizes = page.eval_on_selector_all(".transport button", "b => b.map(e => e.getBoundingClientRect().height)")
    assert min(sizes) >= 40


def test_a_finger_moves_a_point(visit: Any) -> None:
    page = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    choose(page, "AND")
    page.locator(".plane").scroll_into_view_if_needed()
    x, y = places(page)[3]
    client = page.context.new_cdp_session(page)
    client.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x + 6, "y": y + 6}]})
    for step in range(1, 6):
        touch = [{"x": x + 6, "y": y + 6 + 10 * step}]
        client.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": touch})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert places(page)[3] == pytest.approx((x, y + 50), abs=2)
    assert page.locator(".dot").count() == 4
    assert page.evaluate("scrollY") == 0 or places(page)[3][1] > y  # the page did not scroll instead


def test_a_state_travels_in_an_address(visit: Any, lab: Running) -> None:
    page = visit()
    choose(page, "XOR with Φ")
    expect_verdict(page, "Completely separable")
    page.locator(".transport input").fill("7")
    press(page, "Share…")
    shared = page.input_value("dialog textarea")
    assert "key=" not in shared
    page.get_by_role("button", name="Close").click()
    other = visit(lab.address + "&" + shared.split("#")[1])
    expect_verdict(other, "Completely separable")
    assert counter(other) == counter(page) == (7, 29)
    assert other.input_value("[data-name=phi]") == "product"
    assert "key=" not in other.evaluate("location.href")
    other.select_option("header select", label="AND")
    other.evaluate("hash => { location.hash = hash }", shared.split("#")[1] + "&again")
    other.wait_for_function("() => document.querySelector('.counter').textContent === '7 / 29'")
    third = visit()
    press(third, "Share…")
    third.get_by_label("An address or code somebody shared").fill(shared)
    third.locator("dialog").get_by_role("button", name="Open").click()
    third.wait_for_function("() => document.querySelector('.counter').textContent === '7 / 29'")


def test_things_to_keep(visit: Any) -> None:
    page = visit()
    choose(page, "AND")
    page.wait_for_function("() => document.querySelector('.counter').textContent === '18 / 18'")
    kept = {}
    for name in ("Picture (PNG)", "Points (CSV)", "Corrections (CSV)"):
        page.locator(".menu summary").click()
        with page.expect_download() as download:
            press(page, name)
        kept[name] = Path(download.value.path()).read_bytes()
    assert kept["Picture (PNG)"].startswith(b"\x89PNG")
    assert len(kept["Picture (PNG)"]) > 10_000
    assert kept["Points (CSV)"].decode().splitlines()[:2] == ["x1,x2,class", "0,0,-1"]
    lines = kept["Corrections (CSV)"].decode().splitlines()
    assert len(lines) == 20
    assert lines[0] == "k,point,step,w x1,w x2,w bias"


def test_a_page_without_the_key_says_what_to_do(browser: Any, lab: Running) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{lab.port}/")
    page.wait_for_selector(".notice:not([hidden])")
    assert "open the address that the lab printed" in page.inner_text(".notice")
    context.close()


def test_one_file_works_without_a_network(visit: Any, tmp_path: Path) -> None:
    pytest.importorskip("anywidget")
    file = tmp_path / "lab.html"
    rb.Lab(*rb.datasets.xor()).to_html(file, title="XOR")
    fresh = visit(file.as_uri(), offline=True)
    choose(fresh, "OR")
    expect_verdict(fresh, "Completely separable")
    page = visit(file.as_uri(), offline=True)
    assert page.title() == "XOR"
    expect_verdict(page, "Overlapping")
    assert page.locator(".meeting").count() == 1
    press(page, "To the start")
    press(page, "One correction forward")
    assert counter(page) == (1, 4)
    assert page.inner_text(".weights .new").split() == ["w(1)", "0", "0", "−1"]
    page.select_option("[data-name=phi]", "product")
    expect_verdict(page, "Completely separable")
    assert "no mistake is left after 29 corrections" in page.inner_text(".verdict").lower()
    choose(page, "AND")
    assert counter(page)[1] == 18


def test_in_a_notebook(visit: Any, lab: Running) -> None:
    """The widget's `render` with a model that stands for Jupyter's; Python answers through the server."""
    page = visit()
    page.evaluate(
        """async (key) => {
      const { default: widget } = await import("/lab.js");
      const listeners = [];
      const header = { n: 4, p: 2, settings: {}, columns: [["X", "f64", 8], ["y", "i8", 4]] };
      const text = new TextEncoder().encode(JSON.stringify(header));
      const start = Math.ceil((4 + text.length) / 8) * 8;
      const bytes = new Uint8Array(1 + start + 68);          // one byte aside: a view that is not aligned
      const view = new DataView(bytes.buffer, 1);
      view.setUint32(0, text.length, true);
      bytes.set(text, 5);
      [0, 0, 0, 1, 1, 0, 1, 1].forEach((v, i) => view.setFloat64(start + 8 * i, v, true));
      [-1, 1, 1, -1].forEach((v, i) => view.setInt8(start + 64 + i, v));
      const model = {
        get: (name) => name === "message" ? view : { presets: [], names: ["x1", "x2"], classes: ["0", "1"] },
        on: (_, callback) => listeners.push(callback),
        off: () => listeners.splice(0),
        send: async (content, _, buffers) => {
          const headers = { "x-rosenblatt-key": key };
          const answer = await fetch("/" + content.to, { method: "POST", body: buffers[0], headers });
          const buffer = await answer.arrayBuffer();
          listeners.forEach((tell) => tell({ id: content.id }, [new DataView(buffer)]));
        },
      };
      document.body.replaceChildren();
      const outer = document.createElement("div");
      const shadow = outer.attachShadow({ mode: "open" });
      const el = document.createElement("div");
      shadow.append(el);
      document.body.append(outer);
      window.leaked = 0;
      document.addEventListener("keydown", () => window.leaked++);
      window.end = widget.render({ model, el });
    }""",
        "the-key-of-the-tests",
    )
    page.locator(".verdict-line", has_text="Overlapping").wait_for()
    assert page.locator(".meeting").count() == 1
    page.locator(".dot").nth(3).focus()
    page.keyboard.press("Delete")
    page.locator(".verdict-line", has_text="Completely separable").wait_for()
    assert page.locator(".dot").count() == 3
    assert page.evaluate("window.leaked") == 0  # a notebook would have deleted a cell
    before = page.evaluate("[location.href, document.title]")
    page.get_by_role("link", name="Gates").click()
    page.get_by_role("button", name="NAND").click()
    page.locator(".saying", has_text="This neuron computes NAND.").wait_for()
    assert page.evaluate("[location.href, document.title]") == before  # they are the notebook's
    assert not page.locator(".verdict").is_visible()
    page.evaluate("window.end()")


@pytest.mark.some(1)
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_axe_finds_nothing_serious(visit: Any, width: int, scheme: str) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed (cd lab-ui && npm ci)")
    page = visit(viewport={"width": width, "height": 860}, color_scheme=scheme, bypass_csp=True)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    for state in ("Wide margin", "XOR", "Regression errs", "Stars and polygons"):
        choose(page, state)
        page.evaluate("document.querySelector('.keys').open = true")
        found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
        serious = [(v["id"], v["nodes"][0]["html"][:150]) for v in found if v["impact"] in ("serious", "critical")]
        assert serious == [], state
    for act in ("Tour", "Make it cycle"):
        press(page, act)
        page.evaluate("document.querySelectorAll('details.why').forEach(one => { one.open = true })")
        found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
        assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == [], act
    press(page, "Share…")
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == []
