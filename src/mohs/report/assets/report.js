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

  const drawn = new Set();
  function draw(element) {
    const figure = recoloured(figures[element.dataset.figure], exchange[current()]);
    drawn.add(element);
    return Plotly.react(element, figure.data, figure.layout, { ...config,
      toImageButtonOptions: { filename: element.dataset.figure, scale: 2 } });
  }

  // A figure is drawn when it comes near the window: a long report opens at once.
  const places = [...document.querySelectorAll(".figure")];
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

  const redraw = () => drawn.forEach(draw);
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
