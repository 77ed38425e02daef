// SPDX-License-Identifier: BSD-3-Clause
#include "plain_evaluation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "gckn/error.h"

namespace gckn::cli {

namespace {

constexpr std::size_t kFolds = 10;

struct Example {
  std::size_t row = 0;
  std::size_t class_index = 0;
  std::size_t fold = 0;
};

// Every class is shuffled and dealt out to the folds like cards, going on where the class before ended.
std::vector<Example> deal(const Targets& targets, std::uint64_t seed) {
  std::vector<std::vector<std::size_t>> rows_of_class(targets.class_names.size());
  for (std::size_t g = 0; g < targets.class_of_graph.size(); ++g) {
    if (targets.class_of_graph[g] >= 0) rows_of_class[targets.class_of_graph[g]].push_back(g);
  }
  std::mt19937_64 random(seed);
  std::vector<Example> examples;
  for (std::size_t c = 0; c < rows_of_class.size(); ++c) {
    std::vector<std::size_t>& rows = rows_of_class[c];
    // Not std::shuffle, which differs between standard libraries; the bias of % is without weight here.
    for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random() % i]);
    for (const std::size_t row : rows) examples.push_back({row, c, examples.size() % kFolds});
  }
  return examples;
}

// Lower triangle of A A' for the rows of A. Row tiles keep what is read often in the cache.
DoubleMatrix gram(const DoubleMatrix& a) {
  constexpr std::size_t kTile = 32;
  DoubleMatrix product(a.rows(), a.rows());
  for (std::size_t tile = 0; tile < a.rows(); tile += kTile) {
    const std::size_t tile_end = std::min(a.rows(), tile + kTile);
    for (std::size_t i = tile; i < a.rows(); ++i) {
      for (std::size_t j = tile; j < std::min(tile_end, i + 1); ++j) {
        product(i, j) = std::transform_reduce(a.row(i), a.row(i) + a.cols(), a.row(j), 0.0);
      }
    }
  }
  return product;
}

// Solves A X = B for a symmetric positive definite A (lower triangle given) by Cholesky; both are overwritten,
// A with its factor, B with X.
void solve_in_place(DoubleMatrix& a, DoubleMatrix& b) {
  const std::size_t n = a.rows();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double rest = a(i, j) - std::transform_reduce(a.row(i), a.row(i) + j, a.row(j), 0.0);
      a(i, j) = i == j ? std::sqrt(rest) : rest / a(j, j);
    }
  }
  for (std::size_t c = 0; c < b.cols(); ++c) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) b(i, c) -= a(i, j) * b(j, c);
      b(i, c) /= a(i, i);
    }
    for (std::size_t i = n; i-- > 0;) {
      b(i, c) /= a(i, i);
      for (std::size_t j = 0; j < i; ++j) b(j, c) -= a(i, j) * b(i, c);
    }
  }
}

DoubleMatrix transposed(const DoubleMatrix& a) {
  DoubleMatrix result(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) result(j, i) = a(i, j);
  }
  return result;
}

// A' B.
DoubleMatrix transposed_product(const DoubleMatrix& a, const DoubleMatrix& b) {
  DoubleMatrix result(a.cols(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) {
      for (std::size_t c = 0; c < b.cols(); ++c) result(j, c) += a(i, j) * b(i, c);
    }
  }
  return result;
}

// The vectors of all examples in double, each column shifted by its overall mean. The shift changes no prediction; it
// keeps the differences of sums below from cancelling.
struct Table {
  DoubleMatrix values;
  std::vector<double> least_deviation;  // per column: what is below is rounding, not information

  Table(const Matrix& vectors, const std::vector<Example>& examples)
      : values(examples.size(), vectors.cols()), least_deviation(vectors.cols()) {
    constexpr double kRounding = 1e-6;
    const auto n = static_cast<double>(examples.size());
    for (std::size_t j = 0; j < vectors.cols(); ++j) {
      double sum = 0;
      double square_sum = 0;
      for (const Example& example : examples) {
        const double value = vectors(example.row, j);
        sum += value;
        square_sum += value * value;
      }
      least_deviation[j] = kRounding * std::sqrt(square_sum / n);
      for (std::size_t i = 0; i < examples.size(); ++i) values(i, j) = vectors(examples[i].row, j) - sum / n;
    }
  }
};

// Mean and deviation of the training graphs' columns.
struct Scaling {
  std::vector<double> mean;
  std::vector<double> inverse_deviation;  // 0 for constant columns, which then count for nothing

  Scaling(const Table& table, const std::vector<std::size_t>& train)
      : mean(table.values.cols()), inverse_deviation(table.values.cols()) {
    const auto n = static_cast<double>(train.size());
    for (const std::size_t i : train) {
      for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += table.values(i, j) / n;
    }
    std::vector<double> variance(mean.size());
    for (const std::size_t i : train) {
      for (std::size_t j = 0; j < mean.size(); ++j) {
        const double difference = table.values(i, j) - mean[j];
        variance[j] += difference * difference / n;
      }
    }
    for (std::size_t j = 0; j < mean.size(); ++j) {
      const double deviation = std::sqrt(variance[j]);
      if (deviation > table.least_deviation[j]) inverse_deviation[j] = 1 / deviation;
    }
  }

  [[nodiscard]] DoubleMatrix apply(const Table& table, const std::vector<std::size_t>& rows) const {
    DoubleMatrix scaled(rows.size(), mean.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < mean.size(); ++j) {
        scaled(i, j) = (table.values(rows[i], j) - mean[j]) * inverse_deviation[j];
      }
    }
    return scaled;
  }
};

DoubleMatrix take_rows(const DoubleMatrix& from, const std::vector<std::size_t>& rows) {
  DoubleMatrix taken(rows.size(), from.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(from.row(rows[i]), from.cols(), taken.row(i));
  return taken;
}

class CrossValidation {
 public:
  CrossValidation(const Matrix& vectors, std::vector<Example> examples, std::size_t classes)
      : examples_(std::move(examples)), classes_(classes), table_(vectors, examples_) {
    if (use_columns()) column_products_ = gram(transposed(table_.values));
  }

  // Accuracies of the classifier and of the largest training class on one fold.
  [[nodiscard]] std::pair<double, double> test(std::size_t fold) const {
    std::vector<std::size_t> train;
    std::vector<std::size_t> test;
    for (std::size_t i = 0; i < examples_.size(); ++i) (examples_[i].fold == fold ? test : train).push_back(i);

    std::vector<double> share(classes_);  // of each class among the training graphs
    for (const std::size_t i : train) share[examples_[i].class_index] += 1 / static_cast<double>(train.size());
    const Scaling scaling(table_, train);
    const DoubleMatrix weights = fit(scaling, train, test, share);
    const DoubleMatrix scaled = scaling.apply(table_, test);

    const auto largest = static_cast<std::size_t>(std::ranges::max_element(share) - share.begin());
    double right = 0;
    double right_by_size = 0;
    for (std::size_t i = 0; i < test.size(); ++i) {
      std::vector<double> scores = share;
      for (std::size_t j = 0; j < scaled.cols(); ++j) {
        for (std::size_t c = 0; c < classes_; ++c) scores[c] += scaled(i, j) * weights(j, c);
      }
      const std::size_t truth = examples_[test[i]].class_index;
      const auto predicted = static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
      right += predicted == truth ? 1 : 0;
      right_by_size += largest == truth ? 1 : 0;
    }
    const auto tested = static_cast<double>(test.size());
    return {right / tested, right_by_size / tested};
  }

 private:
  // The smaller of two equivalent systems: columns x columns, or graphs x graphs.
  [[nodiscard]] bool use_columns() const { return table_.values.cols() < examples_.size(); }

  // W, columns x classes, for standardised vectors.
  [[nodiscard]] DoubleMatrix fit(const Scaling& scaling, const std::vector<std::size_t>& train,
                                 const std::vector<std::size_t>& test, const std::vector<double>& share) const {
    const auto n = static_cast<double>(train.size());
    const DoubleMatrix x = scaling.apply(table_, train);
    DoubleMatrix y(train.size(), classes_);  // centred indicators, over n
    for (std::size_t i = 0; i < train.size(); ++i) {
      for (std::size_t c = 0; c < classes_; ++c) {
        y(i, c) = ((examples_[train[i]].class_index == c ? 1.0 : 0.0) - share[c]) / n;
      }
    }
    if (use_columns()) {
      // (X'X / n + lambda) W = X'Y / n, with X'X from the products of all graphs less those of the tested ones.
      DoubleMatrix system = gram(transposed(take_rows(table_.values, test)));
      for (std::size_t j = 0; j < system.rows(); ++j) {
        for (std::size_t k = 0; k <= j; ++k) {
          const double product = (column_products_(j, k) - system(j, k)) / n - scaling.mean[j] * scaling.mean[k];
          system(j, k) = product * scaling.inverse_deviation[j] * scaling.inverse_deviation[k];
        }
        system(j, j) += PlainEvaluation::kLambda;
      }
      DoubleMatrix weights = transposed_product(x, y);
      solve_in_place(system, weights);
      return weights;
    }
    // W = X' (X X' / n + lambda)^-1 Y / n.
    DoubleMatrix system = gram(x);
    for (std::size_t i = 0; i < system.rows(); ++i) {
      for (std::size_t k = 0; k <= i; ++k) system(i, k) /= n;
      system(i, i) += PlainEvaluation::kLambda;
    }
    solve_in_place(system, y);
    return transposed_product(x, y);
  }

  std::vector<Example> examples_;
  std::size_t classes_;
  Table table_;
  DoubleMatrix column_products_;
};

}  // namespace

void require_classes(const Targets& targets) {
  if (targets.kind != Targets::Kind::classes) throw InputError("the graphs have no classes to evaluate with");
  std::set<std::int32_t> present(targets.class_of_graph.begin(), targets.class_of_graph.end());
  present.erase(-1);
  if (present.size() < 2) throw InputError("an evaluation needs graphs of at least two classes");
}

PlainEvaluation evaluate_plainly(const Matrix& vectors, const Targets& targets, std::uint64_t seed,
                                 const RunOptions& options) {
  std::vector<Example> examples = deal(targets, seed);
  PlainEvaluation evaluation;
  evaluation.graphs = examples.size();
  const std::size_t folds = std::min(kFolds, examples.size());
  const CrossValidation validation(vectors, std::move(examples), targets.class_names.size());
  for (std::size_t fold = 0; fold < folds; ++fold) {
    if (options.progress && !options.progress({"evaluate", fold, folds})) throw Cancelled();
    const auto [accuracy, majority] = validation.test(fold);
    evaluation.accuracies.push_back(accuracy);
    evaluation.mean += accuracy / static_cast<double>(folds);
    evaluation.majority += majority / static_cast<double>(folds);
  }
  double square_sum = 0;
  for (const double accuracy : evaluation.accuracies) square_sum += std::pow(accuracy - evaluation.mean, 2);
  evaluation.deviation = std::sqrt(square_sum / static_cast<double>(folds));
  return evaluation;
}

}  // namespace gckn::cli
