// SPDX-License-Identifier: BSD-3-Clause
// From SMILES to vectors: what RDKit's parsing costs, and what gckn adds to it, with one thread and with all.
//
//   gckn_molecules_bench zinc250k.smi.zip [--rows 250000] [--path-length 4] [--filters 128]
#include <GraphMol/GraphMol.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "../cli/model_options.h"
#include "convert.h"
#include "gckn/gckn.h"
#include "gckn/molecules.h"
#include "gckn/resumable_output.h"
#include "line_source.h"
#include "measure.h"
#include "util/parallel.h"

namespace gckn::bench {
namespace {

struct Options {
  std::string data;
  std::size_t rows = ~std::size_t{0};
  std::size_t learn_rows = 3000;
  cli::ModelOptions network;
};

std::vector<std::string> read_smiles(const Options& options) {
  LineSource lines(options.data);
  std::vector<std::string> smiles;
  std::string line;
  while (smiles.size() < options.rows && lines.next(line)) {
    smiles.push_back(line.substr(0, line.find_first_of(" \t")));
  }
  return smiles;
}

std::string text_of(const std::vector<std::string>& smiles) {
  std::string text = "smiles\n";
  for (const std::string& one : smiles) text += one + '\n';
  return text;
}

template <typename Parse>
double seconds_of_parsing(const std::vector<std::string>& smiles, const RunOptions& run, const Parse& parse) {
  const ThreadScope threads(run);
  const Clock::time_point begin = Clock::now();
  constexpr std::size_t kTile = 64;
  parallel_tiles(smiles.size(), kTile, [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) parse(smiles[i]);
  });
  return seconds_since(begin);
}

void parse_with_defaults(const std::string& smiles) {
  try {
    const std::unique_ptr<RDKit::RWMol> molecule(RDKit::SmilesToMol(smiles));
  } catch (const std::exception&) {
    return;  // no molecule: its time counts all the same
  }
}

void parse_as_gckn(const std::string& smiles) {
  MoleculeRecord record;
  record.text = smiles;
  static_cast<void>(convert(record, {}));
}

// The whole way, to a file.
double seconds_to_vectors(const std::vector<std::string>& smiles, const Network& network, const RunOptions& run) {
  std::istringstream stream(text_of(smiles));
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("gckn-molecules-bench-{}.npy", ::getpid());
  const Clock::time_point begin = Clock::now();
  {
    MoleculeReader reader(stream, "bench.smi", {}, run);
    ResumableOutput out({{file, network.vector_size()}}, {});
    while (const std::optional<MoleculeSet> block = reader.next()) {
      out.append(0, network.embed(block->graphs, run));
      out.end_block();
    }
    out.finish();
  }
  const double seconds = seconds_since(begin);
  std::filesystem::remove(file);
  return seconds;
}

int run(const Options& options) {
  const ProductSpeed speed = product_speed<float>();
  fmt::print("calibration: sgemm {:.1f} GFLOP/s on one core (OpenBLAS), {:.1f} (ours)\n", speed.blas, speed.ours);
  const std::vector<std::string> smiles = read_smiles(options);
  const std::vector<std::string> learnt(
      smiles.begin(), smiles.begin() + static_cast<std::ptrdiff_t>(std::min(options.learn_rows, smiles.size())));
  const Network network = fit_network(molecules_of_smiles(learnt).graphs, cli::network_config(options.network), {}, {});
  fmt::print("{} molecules; {} columns, anchors from the first {}\n\n", smiles.size(), network.vector_size(),
             learnt.size());
  fmt::print("threads  RDKit, its defaults  RDKit, as asked  SMILES to vectors  ours   ours / RDKit  molecules/s\n");
  std::vector<double> whole;
  for (const int threads : {1, static_cast<int>(std::thread::hardware_concurrency())}) {
    RunOptions run_options;
    run_options.threads = threads;
    const double defaults = seconds_of_parsing(smiles, run_options, parse_with_defaults);
    const double asked = seconds_of_parsing(smiles, run_options, parse_as_gckn);
    whole.push_back(seconds_to_vectors(smiles, network, run_options));
    const double ours = whole.back() - asked;
    fmt::print("{:7}  {:17.2f} s  {:13.2f} s  {:15.2f} s  {:.2f} s  {:12.2f}  {:11.0f}\n", threads, defaults, asked,
               whole.back(), ours, ours / asked, static_cast<double>(smiles.size()) / whole.back());
    std::fflush(stdout);
  }
  fmt::print("\nall threads: {:.2f} times as fast as one; peak memory {:.0f} MB, the file itself included\n",
             whole.front() / whole.back(), peak_megabytes());
  return 0;
}

}  // namespace
}  // namespace gckn::bench

int main(int argc, char** argv) {
  gckn::bench::Options options;
  options.network.path_length = {4};
  options.network.filters = {128};
  CLI::App program("From SMILES to vectors: RDKit's part and gckn's.");
  program.add_option("DATA", options.data, "SMILES, one per line; may be packed")->required();
  program.add_option("--rows", options.rows, "Take so many of the first lines");
  program.add_option("--learn-rows", options.learn_rows, "Learn anchors from so many of them")->capture_default_str();
  gckn::cli::add_model_options(program, options.network, false);
  CLI11_PARSE(program, argc, argv);
  try {
    return gckn::bench::run(options);
  } catch (const std::exception& error) {
    std::fputs(fmt::format("error: {}\n", error.what()).c_str(), stderr);
    return 1;
  }
}
