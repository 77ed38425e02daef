// SPDX-License-Identifier: BSD-3-Clause
// The page of explanations without its data, joined from src/report/page/ at build time by cmake/EmbedPage.cmake.
#pragma once

#include <string_view>

namespace gckn {

// The data belong where it says kExplanationPageData, which it does once.
std::string_view explanation_page_text();

inline constexpr std::string_view kExplanationPageData = "{{data}}";

}  // namespace gckn
