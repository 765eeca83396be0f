"use strict";

// The table of causes: a click on a head sorts, a click on a row unfolds it.
function sortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = body => body.rows[0].cells[column].textContent.trim();
    const numeric = head.classList.contains("number");
    const bodies = [...table.tBodies].sort((a, b) =>
      numeric ? Number(key(a)) - Number(key(b)) : key(a).localeCompare(key(b)));
    if (down) bodies.reverse();
    table.append(...bodies);
  }));
  for (const body of table.tBodies) {
    body.rows[0].addEventListener("click", () => body.classList.toggle("open"));
  }
}

// The timeline: one lane for each function; the wheel zooms, dragging moves, double click shows all.
function timeline(canvas, data, tip) {
  const LANE = 22, NAMES = 170, AXIS = 20;
  const COLOURS = { call: "#69c", trace: "#e83", compile: "#7a4" };
  const context = canvas.getContext("2d");
  const end = Math.max(1e-6, ...data.events.map(e => e[2] + e[3]));
  let from = 0, to = end, dragged = null;

  const x = t => NAMES + (t - from) / (to - from) * (canvas.clientWidth - NAMES);
  const time = px => from + (px - NAMES) / (canvas.clientWidth - NAMES) * (to - from);
  const shown = t => t >= 1 ? t.toFixed(3) + " s" : t >= 1e-3 ? (t * 1e3).toFixed(3) + " ms"
    : (t * 1e6).toFixed(1) + " \u00b5s";

  function draw() {
    const ratio = window.devicePixelRatio || 1, height = AXIS + LANE * data.lanes.length + 4;
    canvas.style.height = height + "px";
    canvas.width = canvas.clientWidth * ratio;
    canvas.height = height * ratio;
    context.scale(ratio, ratio);
    context.font = "12px system-ui, sans-serif";
    const ink = getComputedStyle(canvas).color;
    for (const kind of ["call", "trace", "compile"]) {
      context.fillStyle = COLOURS[kind];
      for (const [lane, what, begin, seconds] of data.events) {
        if (what !== kind || begin > to || begin + seconds < from) continue;
        const left = Math.max(NAMES, x(begin)), right = x(begin + seconds);
        const inset = kind === "call" ? 3 : kind === "trace" ? 6 : 9;
        context.fillRect(left, AXIS + lane * LANE + inset, Math.max(1.5, right - left), LANE - 2 * inset);
      }
    }
    context.fillStyle = ink;
    data.lanes.forEach((name, lane) => context.fillText(name.slice(0, 24), 4, AXIS + lane * LANE + 15));
    for (let i = 0; i <= 5; i++) {
      const t = from + (to - from) * i / 5, px = x(t);
      context.fillText(shown(t), Math.min(px, canvas.clientWidth - 72), 13);
      context.fillRect(px, 16, 1, 4);
    }
  }

  function hovered(event) {
    const box = canvas.getBoundingClientRect();
    const t = time(event.clientX - box.left);
    const lane = Math.floor((event.clientY - box.top - AXIS) / LANE);
    const slack = (to - from) / canvas.clientWidth * 3;
    const order = { compile: 0, trace: 1, call: 2 };
    return data.events
      .filter(e => e[0] === lane && e[2] - slack <= t && t <= e[2] + e[3] + slack)
      .sort((a, b) => order[a[1]] - order[b[1]])[0];
  }

  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    const t = time(event.clientX - canvas.getBoundingClientRect().left);
    const factor = Math.exp(event.deltaY / 300);
    from = Math.max(0, t - (t - from) * factor);
    to = Math.min(end, Math.max(from + 1e-7, t + (to - t) * factor));
    draw();
  }, { passive: false });
  canvas.addEventListener("pointerdown", event => {
    dragged = [event.clientX, from, to];
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", () => { dragged = null; });
  canvas.addEventListener("pointermove", event => {
    if (dragged) {
      const moved = (event.clientX - dragged[0]) / (canvas.clientWidth - NAMES) * (dragged[2] - dragged[1]);
      const by = Math.max(-dragged[1], Math.min(end - dragged[2], -moved));
      from = dragged[1] + by;
      to = dragged[2] + by;
      draw();
    }
    const bar = hovered(event);
    tip.textContent = bar ? `${bar[4]}: ${shown(bar[3])}, at ${shown(bar[2])}` : "";
    tip.style.left = event.clientX + 12 + "px";
    tip.style.top = event.clientY + 12 + "px";
  });
  canvas.addEventListener("pointerleave", () => { tip.textContent = ""; });
  canvas.addEventListener("dblclick", () => { from = 0; to = end; draw(); });
  window.addEventListener("resize", draw);
  draw();
}

sortable(document.getElementById("causes"));
timeline(document.getElementById("timeline"), JSON.parse(document.getElementById("events").textContent),
  document.getElementById("tip"));
