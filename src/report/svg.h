// SPDX-License-Identifier: BSD-3-Clause
// What pictures of explained graphs and molecules have in common: numbers, texts and the colours of scores, as SVG.
// They are drawn for a light ground, and stay on it on a dark page.
#pragma once

#include <string>
#include <string_view>

namespace gckn {

// Text between tags or in quotes: markup escaped, control characters dropped, and what is not UTF-8 replaced.
std::string xml_escaped(std::string_view text);

// A coordinate with one decimal at most: "12.3", "-4", "0".
void append_number(std::string& svg, double value);

// "x y", as short as paths allow.
void append_point(std::string& svg, double x, double y);

// A score as pictures show it: in tenths from -1 to 1, 0 for one that is no number.
double shown_score(double score);

// The colour of a shown score: from `pale` for 0 to orange for 1 (supports the prediction) and blue for -1 (speaks
// against it). `strongest`: how much of the full colour the largest scores have, less where something is to be read on
// it.
enum class Pale { white, grey };
std::string score_colour(double score, Pale pale, double strongest);

}  // namespace gckn
