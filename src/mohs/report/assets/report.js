"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const figures = read("figures");
  const exchange = read("exchange");
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const config = { responsive: true, displaylogo: false, modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]] };

  const current = () => root.dataset.theme || (system.matches ? "dark" : "light");

  // Figures are drawn in the light theme; a colour is a whole text of seven characters.
  function recoloured(value, colours) {
    if (typeof value === "string") return value.length === 7 && colours[value] || value;
    if (Array.isArray(value)) return value.map((item) => recoloured(item, colours));
    if (value && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, recoloured(item, colours)]));
    return value;
  }

  // A narrow place has a layout of its own, and shorter texts in the cells of maps.
  const fitting = (element) => figures[element.dataset.figure].fits.find((fit) => element.clientWidth < fit.below);
  function fitted(element) {
    const figure = figures[element.dataset.figure];
    const fit = fitting(element);
    if (!fit) return figure;
    return { data: figure.data.map((trace, i) => fit.cells[i] ? { ...trace, text: fit.cells[i] } : trace),
      layout: { ...fit.layout, template: figure.layout.template } };
  }
  const reserve = (element) => { element.style.height = `${fitted(element).layout.height}px`; };

  const drawn = new Map();
  function draw(element) {
    const figure = recoloured(fitted(element), exchange[current()]);
    reserve(element);
    drawn.set(element, fitting(element));
    return Plotly.react(element, figure.data, figure.layout, { ...config,
      toImageButtonOptions: { filename: element.dataset.figure, scale: 2 } });
  }

  const places = [...document.querySelectorAll(".figure")];
  if (!window.Plotly) {
    const missing = document.getElementById("unplotted");
    missing.textContent = `The figures need ${missing.dataset.needed} in the folder above this report.`;
    missing.hidden = false;
    places.forEach((element) => element.remove());
    places.length = 0;
  }
  places.forEach(reserve);
  window.addEventListener("resize", () => places.forEach((element) => {
    if (!drawn.has(element)) reserve(element);
    else if (drawn.get(element) !== fitting(element)) draw(element);
  }));

  // A figure is drawn when it comes near the window: a long report opens at once.
  const watch = new IntersectionObserver((entries) => entries.forEach((entry) => {
    if (!entry.isIntersecting) return;
    watch.unobserve(entry.target);
    draw(entry.target);
  }), { rootMargin: "600px" });
  places.forEach((element) => watch.observe(element));
  window.addEventListener("beforeprint", () => {
    places.filter((element) => !drawn.has(element)).forEach(draw);
    document.querySelectorAll("details").forEach((element) => { element.open = true; });
  });

  const redraw = () => [...drawn.keys()].forEach(draw);
  system.addEventListener("change", redraw);
  document.getElementById("theme").addEventListener("click", () => {
    root.dataset.theme = current() === "dark" ? "light" : "dark";
    redraw();
  });

  const files = read("files");
  document.querySelectorAll("[data-file]").forEach((button) => button.addEventListener("click", () => {
    const file = files[button.dataset.file];
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([file.text], { type: file.type }));
    link.download = button.dataset.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }));
})();
