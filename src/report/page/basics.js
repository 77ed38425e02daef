// SPDX-License-Identifier: BSD-3-Clause
// What all scripts of the page use: making elements, writing numbers, showing pictures, light and dark.
//
// The texts of the data come from users' files and may be anything. They reach the page through element() only, which
// makes text of them and never markup.
"use strict";

// element("a.name", { href: "#x", onclick: f }, "text", child, null): tag and classes, attributes, children. What is null,
// undefined or false is left out.
function element(kind, attributes, ...children) {
  const [tag, ...classes] = kind.split(".");
  const made = document.createElement(tag);
  if (classes.length > 0) made.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

const grouped = new Intl.NumberFormat("en");
const unknown = "–";

function isKnown(value) {
  return typeof value === "number" && Number.isFinite(value);
}

function counted(count, one, many) {
  return `${grouped.format(count)} ${count === 1 ? one : many}`;
}

// Three decimals line up in a column; what these cannot show has an exponent.
function decimal(value) {
  if (!isKnown(value)) return unknown;
  const size = Math.abs(value);
  const text = size !== 0 && (size < 0.0005 || size >= 1e7) ? value.toExponential(2) : fixed(value, size);
  return text.replace("-", "−");
}

function fixed(value, size) {
  const digits = size >= 1000 ? 1 : 3;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function signed(value) {
  return isKnown(value) && value > 0 ? `+${decimal(value)}` : decimal(value);
}

function percent(share) {
  return isKnown(share) ? `${(100 * share).toFixed(1).replace("-", "−")} %` : unknown;
}

// Pictures are turned into addresses when they come near the part of the page that is seen: 5,000 at once would be slow.
const pictureOf = new WeakMap();
const pictureWatch = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      pictureWatch.unobserve(entry.target);
      entry.target.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(pictureOf.get(entry.target))}`;
    }
  },
  { rootMargin: "600px" },
);

// An SVG text as an image, in which no script runs and nothing is loaded.
function picture(svg, alt) {
  const frame = element("div.picture");
  const say = (text) => frame.replaceChildren(element("span.no-picture", null, text));
  if (!svg) {
    say("No picture");
    return frame;
  }
  const image = element("img", { alt, decoding: "async", onerror: () => say("This picture cannot be shown") });
  pictureOf.set(image, svg);
  pictureWatch.observe(image);
  frame.append(image);
  return frame;
}

// Copies without a network or a secure origin: by the clipboard where the browser has one for files, else by a selection.
async function copyText(text, place) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = element("textarea.off-screen", { readonly: true, "aria-hidden": "true", tabindex: "-1" });
    field.value = text;
    place.append(field);
    field.select();
    let copied = false;
    try {
      copied = document.execCommand("copy");
    } catch {
      // Nothing left to try; the caller says so.
    }
    field.remove();
    return copied;
  }
}

// Light or dark as the system says, until the reader chooses. Where a file may not store anything, the choice holds until
// the page is closed.
const themeKey = "gckn-theme";

function storedTheme() {
  try {
    return localStorage.getItem(themeKey);
  } catch {
    return null;
  }
}

function setTheme(theme) {
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
}

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function startTheme(button) {
  const show = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Show the page in ${isDark() ? "light" : "dark"} colours`);
  };
  button.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    setTheme(theme);
    try {
      localStorage.setItem(themeKey, theme);
    } catch {
      // Not remembered, then.
    }
    show();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  show();
}

// Before anything is drawn, so that nothing flashes.
setTheme(storedTheme());
