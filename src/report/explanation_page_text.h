// SPDX-License-Identifier: BSD-3-Clause
// The page of explanations without its data, joined from src/report/page/ at build time by cmake/EmbedPage.cmake.
#pragma once

#include <string_view>

namespace gckn {

// The data take the place of kExplanationPageData, which it has once.
std::string_view explanation_page_text();

inline constexpr std::string_view kExplanationPageData = R"("{{data}}")";

}  // namespace gckn
