// SPDX-License-Identifier: BSD-3-Clause
#include "figures.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace gckn::cli {

namespace {

bool is_percentage(Metric metric) {
  return metric == Metric::accuracy || metric == Metric::balanced_accuracy;
}

// In those of the target, which may be large or small.
bool has_units(Metric metric) {
  return metric == Metric::rmse || metric == Metric::mae;
}

// A difference or deviation, as value_text has the values but without a percent sign.
std::string spread_text(Metric metric, double value, bool sign) {
  if (has_units(metric)) return sign ? fmt::format("{:+.3g}", value) : fmt::format("{:.3g}", value);
  const int digits = is_percentage(metric) ? 1 : 3;
  const double scaled = is_percentage(metric) ? 100 * value : value;
  return sign ? fmt::format("{:+.{}f}", scaled, digits) : fmt::format("{:.{}f}", scaled, digits);
}

std::string value_text(Metric metric, double value) {
  if (std::isnan(value)) return "–";
  if (is_percentage(metric)) return fmt::format("{:.1f} %", 100 * value);
  return has_units(metric) ? fmt::format("{:.4g}", value) : fmt::format("{:.3f}", value);
}

}  // namespace

void say_target(Console& console, const TargetResult& target) {
  std::string head = fmt::format("{:<20}", "");
  for (const MetricSummary& summary : target.methods[0].metrics) {
    head += fmt::format(" {:>18}", to_string(summary.metric));
  }
  console.say("{}", head);
  for (const MethodResult& method : target.methods) {
    std::string line = fmt::format("{:<20}", method.name);
    for (const MetricSummary& summary : method.metrics) {
      const std::string deviation =
          std::isnan(summary.deviation) ? "" : " ± " + spread_text(summary.metric, summary.deviation, false);
      // The sign ± takes two bytes and one place.
      const std::string text = value_text(summary.metric, summary.mean) + deviation;
      line += fmt::format(" {:>{}}", text, deviation.empty() ? 18 : 19);
    }
    console.say("{}", line);
  }
  const auto& methods = target.methods[0].metrics;
  for (const MetricSummary& summary : methods) {
    if (summary.metric != target.selected_by) continue;
    const char* why = std::isnan(summary.mean)        ? "no fold defines it"
                      : summary.by_fold.size() == 1   ? "the test graphs are too few or too much alike"
                      : std::isnan(summary.deviation) ? "only one fold defines it"
                                                      : "it does not vary between folds";
    if (std::isnan(summary.low)) {
      console.say("There is no 95 % interval of {} for gckn: {}.", to_string(summary.metric), why);
    } else {
      console.say("95 % interval of {} for gckn: {} to {}.", to_string(summary.metric),
                  value_text(summary.metric, summary.low), value_text(summary.metric, summary.high));
    }
    for (const Comparison& comparison : target.comparisons) {
      if (std::isnan(comparison.difference)) continue;
      const auto text = [&](double value) { return spread_text(summary.metric, value, true); };
      console.say(
          "gckn minus {}: {}{}, {}.", comparison.baseline, text(comparison.difference),
          std::isnan(comparison.low) ? "" : fmt::format(" ({} to {})", text(comparison.low), text(comparison.high)),
          std::isnan(comparison.p_value) ? "without a test" : fmt::format("p = {:.2g}", comparison.p_value));
    }
  }
}

void say_metrics(Console& console, const TargetResult& target) {
  for (const MetricSummary& summary : target.methods.front().metrics) {
    const std::string interval = std::isnan(summary.low)
                                     ? ""
                                     : fmt::format("  ({} to {})", value_text(summary.metric, summary.low),
                                                   value_text(summary.metric, summary.high));
    console.say("  {:<20} {:>8}{}", to_string(summary.metric), value_text(summary.metric, summary.mean), interval);
  }
}

}  // namespace gckn::cli
