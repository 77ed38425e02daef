# SPDX-License-Identifier: BSD-3-Clause
"""A line chart as SVG text: lines with markers, axes, ticks, labels, title, and a legend where there are several lines."""

import math
from html import escape

WIDTH, HEIGHT = 420, 300
LEFT, RIGHT, TOP, BOTTOM = 58, 16, 38, 50
COLOURS = ["#0072b2", "#d55e00"]  # of the palette of Okabe and Ito, which colour-blind readers can tell apart
INK, GRID = "#222222", "#dddddd"


def nice_step(span, count):
    """A step of 1, 2 or 5 times a power of ten that makes about `count` ticks."""
    rough = span / count
    power = 10 ** math.floor(math.log10(rough))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)


def y_ticks(values, smallest_span=4):
    low, high = min(values), max(values)
    if high - low < smallest_span:  # small differences must not look large
        middle = (low + high) / 2
        low, high = middle - smallest_span / 2, middle + smallest_span / 2
    step = nice_step(high - low, 5)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [i * step for i in range(first, last + 1)]


def x_ticks(xs, log):
    if not log or len(xs) <= 8:
        return xs
    return [10.0 ** e for e in range(math.ceil(math.log10(xs[0]) - 1e-9), math.floor(math.log10(xs[-1]) + 1e-9) + 1)]


def tick_text(value):
    if value >= 1e4 or (0 < value < 1e-2):
        return f"1e{round(math.log10(value))}"
    return f"{value:g}"


def line_chart(title, x_label, y_label, lines, log=False):
    """`lines`: by name, pairs of x and y, ascending in x. Returns the file's text."""
    scale = math.log10 if log else float
    all_x = sorted({x for points in lines.values() for x, _ in points})
    ticks = y_ticks([y for points in lines.values() for _, y in points])
    margin = 0.04 * ((scale(all_x[-1]) - scale(all_x[0])) or 1)
    x_low, x_high = scale(all_x[0]) - margin, scale(all_x[-1]) + margin

    def place_x(x):
        return LEFT + (scale(x) - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT)

    def place_y(y):
        return HEIGHT - BOTTOM - (y - ticks[0]) / (ticks[-1] - ticks[0]) * (HEIGHT - TOP - BOTTOM)

    bottom, middle = HEIGHT - BOTTOM, (LEFT + WIDTH - RIGHT) / 2
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
             f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" fill="{INK}">',
             f"<title>{escape(title)}</title>",
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
             f'<text x="{middle:g}" y="22" text-anchor="middle" font-size="14">{escape(title)}</text>']
    for y in ticks:
        parts.append(f'<line x1="{LEFT}" y1="{place_y(y):.1f}" x2="{WIDTH - RIGHT}" y2="{place_y(y):.1f}" '
                     f'stroke="{GRID}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{place_y(y) + 4:.1f}" text-anchor="end">{round(y, 6):g}</text>')
    parts.append(f'<path d="M{LEFT} {TOP}V{bottom}H{WIDTH - RIGHT}" fill="none" stroke="{INK}"/>')
    last = -math.inf  # labels that would overlap are left out
    for x in x_ticks(all_x, log):
        at, text = place_x(x), tick_text(x)
        parts.append(f'<line x1="{at:.1f}" y1="{bottom}" x2="{at:.1f}" y2="{bottom + 5}" stroke="{INK}"/>')
        if at - last >= 8 * len(text):
            parts.append(f'<text x="{at:.1f}" y="{bottom + 18}" text-anchor="middle">{text}</text>')
            last = at
    for index, (name, points) in enumerate(lines.items()):
        colour = COLOURS[index]
        line = " ".join(f"{place_x(x):.1f},{place_y(y):.1f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        radius = 3.5 if len(points) < 20 else 1.8
        for x, y in points:
            parts.append(f'<circle cx="{place_x(x):.1f}" cy="{place_y(y):.1f}" r="{radius}" fill="{colour}">'
                         f"<title>{escape(name)}, {x:.3g}: {y:.1f}</title></circle>")
        if len(lines) > 1:
            parts.append(f'<text x="{LEFT + 8 + 130 * index}" y="{TOP - 4}" fill="{colour}">● {escape(name)}</text>')
    parts.append(f'<text x="{middle:g}" y="{HEIGHT - 12}" text-anchor="middle">{escape(x_label)}</text>')
    parts.append(f'<text transform="translate(16 {(TOP + bottom) / 2:g}) rotate(-90)" text-anchor="middle">'
                 f"{escape(y_label)}</text>")
    return "\n".join([*parts, "</svg>", ""])
