// SPDX-License-Identifier: BSD-3-Clause
// Time and peak memory from a graph file to vectors, stage by stage, of the engine and of the plain baseline.
//
//   gckn_bench DATASETS_DIR                     all cases, the engine only
//   gckn_bench DATASETS_DIR --case NCI1 --plain one case, the baseline too
//   gckn_bench --calibrate                      the speed of the machine
//
// Every measurement runs in a process of its own, so that memory is its own; times are medians over --repeat runs.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "gckn/gckn.h"
#include "io/archive.h"
#include "measure.h"
#include "plain_baseline.h"

namespace gckn::bench {
namespace {

struct Case {
  const char* name;
  const char* file;
  const char* arch;
  int path_length;
  Features features;
  Pooling pooling;
  double target;   // seconds on two idle cores
  double authors;  // seconds of the authors' code
  bool plain;      // feasible for the baseline
};

constexpr std::array kCases{
    Case{"NCI1", "NCI1.zip", "subtree", 4, Features::labels, Pooling::mean, 0.45, 21, true},
    Case{"PROTEINS", "PROTEINS.zip", "path", 4, Features::labels, Pooling::mean, 0.12, 7, true},
    Case{"IMDB-BINARY", "IMDB-BINARY.zip", "subtree", 2, Features::degree, Pooling::mean, 0.3, 18, true},
    Case{"ENZYMES", "ENZYMES.zip", "path", 4, Features::attributes, Pooling::mean, 0.8, 33, true},
    Case{"BZR", "BZR.zip", "subtree", 4, Features::attributes, Pooling::mean, 0.25, 15, false},
    Case{"PROTEINS_full", "PROTEINS_full.zip", "path", 4, Features::attributes, Pooling::mean, 1.2, 39, true},
    Case{"COLLAB", "gin/COLLAB.zip", "subtree", 2, Features::degree, Pooling::sum, 45, 0, false},
};

// One line per stage and one for the whole, collected from a child process.
struct Line {
  std::string stage;
  double seconds;
  double peak_megabytes;
};

// Cuts time into stages: each lasts until the next one begins.
class StageClock {
 public:
  void begin(std::string_view stage) {
    if (stage == stage_) return;
    end();
    stage_ = stage;
    since_ = Clock::now();
  }
  void end() {
    if (!stage_.empty()) lines_.push_back({stage_, seconds_since(since_), peak_megabytes()});
    stage_.clear();
  }
  [[nodiscard]] const std::vector<Line>& lines() const { return lines_; }

 private:
  std::string stage_;
  Clock::time_point since_;
  std::vector<Line> lines_;
};

NetworkConfig config_of(const Case& c) {
  const Architecture arch{.path_length = c.path_length, .filters = 128, .sigma = 0.6, .pooling = c.pooling};
  NetworkConfig config = std::string_view(c.arch) == "subtree" ? subtree(arch) : path(arch);
  config.features = c.features;
  return config;
}

enum class Engine { ours, saved, plain };

std::vector<Line> run(const Case& c, const std::filesystem::path& folder, Engine engine,
                      const std::filesystem::path& model, int threads) {
  const Clock::time_point begin = Clock::now();
  StageClock clock;
  clock.begin("reading");
  RunOptions options;
  options.threads = threads;
  const GraphSet graphs = read_graphs(folder / c.file, options);
  options.progress = [&](const Progress& progress) {
    clock.begin(progress.stage);
    return true;
  };
  if (engine == Engine::plain) {
    plain_fit_and_embed(graphs, config_of(c), [&](std::string_view stage) { clock.begin(stage); });
  } else if (engine == Engine::saved) {
    clock.begin("loading the network");
    const Network network = load_network(model);
    const Matrix vectors = network.embed(graphs, options);
  } else {
    const auto [network, vectors] = fit_and_embed(graphs, config_of(c), {}, options);
    if (!model.empty()) save_network(network, model);
  }
  clock.end();
  std::vector<Line> lines = clock.lines();
  lines.push_back({"file to vectors", seconds_since(begin), peak_megabytes()});
  return lines;
}

// Runs `body` in a child and returns the lines it produces.
template <typename Body>
std::vector<Line> in_child(const Body& body) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    std::string text;
    try {
      for (const Line& line : body())
        text += fmt::format("{}\t{}\t{}\n", line.stage, line.seconds, line.peak_megabytes);
    } catch (const std::exception& error) {
      fmt::print(stderr, "gckn_bench: {}\n", error.what());
      _exit(1);
    }
    const bool written = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; (n = read(ends[0], buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("a measurement failed");
  std::vector<Line> lines;
  std::istringstream stream(text);
  for (std::string row; std::getline(stream, row);) {
    const std::size_t first = row.find('\t');
    const std::size_t second = row.find('\t', first + 1);
    lines.push_back({row.substr(0, first), std::stod(row.substr(first + 1)), std::stod(row.substr(second + 1))});
  }
  return lines;
}

// The run with the median total.
template <typename Body>
std::vector<Line> median_run(int repeat, const Body& body) {
  std::vector<std::vector<Line>> runs;
  for (int i = 0; i < repeat; ++i) runs.push_back(in_child(body));
  std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.back().seconds < b.back().seconds; });
  return runs[runs.size() / 2];
}

void print_lines(const char* name, const char* engine, const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    fmt::print("| {} | {} | {} | {:.3f} | {:.0f} |\n", name, engine, line.stage, line.seconds, line.peak_megabytes);
  }
}

// The machine's speed on the day.
std::vector<Line> calibrate() {
  const ProductSpeed speed = product_speed<float>();
  return {{"OpenBLAS", speed.blas, 0}, {"gckn", speed.ours, 0}};
}

// Megabytes per second of read_graphs on one thread from an unpacked set, building the GraphSet included.
void print_reading(const std::filesystem::path& folder, const char* file) {
  const std::filesystem::path unpacked =
      std::filesystem::temp_directory_path() / fmt::format("gckn_bench_{}", getpid());
  double bytes = 0;
  std::filesystem::path set;
  for (const ArchiveEntry& entry : read_zip(folder / file, [](std::string_view) { return true; })) {
    const std::filesystem::path path = unpacked / entry.path;
    std::filesystem::create_directories(path.parent_path());
    write_text(entry.text, path);
    // Folds lie a folder deeper; they are small and not counted.
    if (path.parent_path().parent_path() == unpacked) {
      set = path.parent_path();
      bytes += static_cast<double>(entry.text.size());
    }
  }
  RunOptions options;
  options.threads = 1;
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const Clock::time_point begin = Clock::now();
    const GraphSet graphs = read_graphs(set, options);
    best = std::min(best, seconds_since(begin));
  }
  std::filesystem::remove_all(unpacked);
  fmt::print("| {} | {:.1f} | {:.0f} |\n", file, bytes * 1e-6, bytes * 1e-6 / best);
}

}  // namespace
}  // namespace gckn::bench

int main(int argc, char** argv) {
  using namespace gckn::bench;
  CLI::App app{"Time and peak memory from graph files to vectors"};
  std::string folder;
  std::string only;
  bool calibrate_only = false;
  bool plain = false;
  int repeat = 5;
  int threads = 0;
  app.add_option("DATASETS_DIR", folder, "Folder with NCI1.zip, PROTEINS.zip, ..., gin/COLLAB.zip");
  app.add_option("--case", only, "Only this case");
  app.add_flag("--calibrate", calibrate_only, "Only the speed of the machine");
  app.add_flag("--plain", plain, "The plain baseline too (slow)");
  app.add_option("--threads", threads, "Threads of the engine; 0: all cores")->capture_default_str();
  app.add_option("--repeat", repeat, "Runs per case; the median counts")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (folder.empty() && !calibrate_only) return app.exit(CLI::RequiredError("DATASETS_DIR"));
  try {
    const std::vector<Line> speed = in_child(calibrate);
    fmt::print("sgemm on one core: OpenBLAS {:.0f} GFLOP/s, gckn {:.0f} GFLOP/s; {} cores\n\n", speed[0].seconds,
               speed[1].seconds, sysconf(_SC_NPROCESSORS_ONLN));
    if (calibrate_only) return 0;
    fmt::print("| set | engine | stage | seconds | peak MB |\n|---|---|---|---|---|\n");
    std::vector<std::string> summary;
    for (const Case& c : kCases) {
      if (!only.empty() && only != c.name) continue;
      const std::filesystem::path model =
          std::filesystem::temp_directory_path() / fmt::format("gckn_bench_{}.gckn", getpid());
      const int runs = c.target > 10 ? 1 : repeat;
      const auto ours = median_run(runs, [&] { return run(c, folder, Engine::ours, {}, threads); });
      in_child([&] { return run(c, folder, Engine::ours, model, threads); });
      const auto saved = median_run(runs, [&] { return run(c, folder, Engine::saved, model, threads); });
      std::filesystem::remove(model);
      print_lines(c.name, "gckn", ours);
      print_lines(c.name, "gckn, saved network", saved);
      std::string row = fmt::format("| {} {} k={} | {:.3f} | {:.2f} | {:.3f} | {:.0f} |", c.name, c.arch, c.path_length,
                                    ours.back().seconds, c.target, saved.back().seconds, ours.back().peak_megabytes);
      row += c.authors > 0 ? fmt::format(" {:.0f} ({:.0f}x) |", c.authors, c.authors / ours.back().seconds) : " – |";
      if (plain && c.plain) {
        const auto baseline = in_child([&] { return run(c, folder, Engine::plain, {}, threads); });
        print_lines(c.name, "plain", baseline);
        row +=
            fmt::format(" {:.1f} ({:.0f}x) |", baseline.back().seconds, baseline.back().seconds / ours.back().seconds);
      } else {
        row += " – |";
      }
      summary.push_back(row);
    }
    fmt::print("\n| case | seconds | target | with a saved network | peak MB | authors' code | plain baseline |\n");
    fmt::print("|---|---|---|---|---|---|---|\n");
    for (const std::string& row : summary) fmt::print("{}\n", row);
    if (!only.empty()) return 0;
    fmt::print("\n| read on one thread | MB | MB/s |\n|---|---|---|\n");
    for (const char* file :
         {"NCI1.zip", "PROTEINS_full.zip", "IMDB-BINARY.zip", "Mutagenicity.zip", "gin/NCI1.zip", "gin/COLLAB.zip"}) {
      print_reading(folder, file);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "gckn_bench: {}\n", error.what());
    return 1;
  }
  return 0;
}
