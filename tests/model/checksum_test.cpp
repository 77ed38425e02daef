// SPDX-License-Identifier: BSD-3-Clause
// A model file that is not as it was written does not load.
#include <gtest/gtest.h>

#include <string>

#include "gckn/datasets.h"
#include "gckn/error.h"
#include "gckn/model_file.h"
#include "support/files.h"

namespace gckn {
namespace {

TEST(Checksum, NoFlippedBitGoesUnnoticed) {
  const test::TempDir folder;
  const GraphSet graphs = make_motif_set({.graphs = 20, .nodes = 8});
  const TrainOptions options{.networks = {path({.path_length = 1, .filters = 4})}, .learning = {.C = {1}}, .folds = 2};
  save_model(train(graphs, options).model, folder / "whole.gckn");
  EXPECT_NO_THROW((void)load_model(folder / "whole.gckn"));
  const std::string whole = test::read_text(folder / "whole.gckn");
  // Every byte, each time another bit of it.
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ (1U << (i * 5 % 8)));
    const auto path = folder.write("damaged.gckn", damaged);
    EXPECT_THROW((void)load_model(path), InputError) << "byte " << i << " of " << whole.size();
    EXPECT_THROW((void)load_network(path), InputError) << "byte " << i << " of " << whole.size();
  }
}

TEST(Checksum, DamageIsSaidInOneSentence) {
  const test::TempDir folder;
  const GraphSet graphs = make_motif_set({.graphs = 20, .nodes = 8});
  save_network(fit_network(graphs, path({.path_length = 1, .filters = 4})), folder / "whole.gckn");
  std::string bytes = test::read_text(folder / "whole.gckn");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  const auto path = folder.write("damaged.gckn", bytes);
  test::expect_input_error([&] { (void)load_network(path); },
                           {"damaged.gckn", "is damaged: its contents do not fit its checksum"});
}

}  // namespace
}  // namespace gckn
