// A page in a folder may not fetch its neighbours: there the search takes their words from one script (docs/excerpts.py).
if (location.protocol === "file:") {
  const loaded = new Promise((ready) => {
    const script = document.createElement("script");
    script.src = "_static/excerpts.js";
    script.onload = ready;
    document.head.append(script);
  });
  const root = new URL(".", location.href).href;
  window.fetch = async (address) => {
    await loaded;
    const name = new URL(address, location.href).href.slice(root.length).replace(/\.html$/, "");
    return new Response(`<div role="main">${window.excerpts[decodeURIComponent(name)] ?? ""}</div>`);
  };
}
