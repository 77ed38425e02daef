// SPDX-License-Identifier: BSD-3-Clause
// What the anchors of a model stand for, in the names of its labels.
#pragma once

#include <string>
#include <vector>

#include "console.h"
#include "gckn/explanation_page.h"
#include "gckn/model.h"

namespace gckn::cli {

// Of the first layer, those with the largest weights first where these have a meaning; empty where anchors have no
// names, as with attributes.
std::vector<PageAnchor> named_anchors(const Model& model, std::size_t target);

// What their weights are, to end a sentence with.
std::string meaning_of_weights(const Model& model, std::size_t target);

// Prints them as a table, or as the result of the command.
void say_anchors(Console& console, const std::string& model_file, const Model& model, std::size_t target);

}  // namespace gckn::cli
