// SPDX-License-Identifier: BSD-3-Clause
#include "learn/kernel_hinge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "learn/hinge_newton.h"
#include "linalg/cholesky.h"
#include "linalg/vector_ops.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr int kMostKernelProducts = 80;   // of conjugate gradients for one Newton step
constexpr int kTrialProducts = 24;        // after so many they show whether it is worth going on
constexpr double kKernelResidual = 1e-7;  // of the system, relative to |y_A|: an error of f, too
constexpr std::size_t kSideBySide = 128;  // problems that advance side by side
constexpr const char* kLinearModels = "linear models";

// One problem on its way along the grid. Vectors are by training row unless they say otherwise.
struct KernelMachine {
  const KernelHingeProblem* problem;
  std::vector<double> v;
  std::vector<char> active;
  std::vector<double> a;
  std::vector<double> f;      // at the training rows
  std::vector<double> all_f;  // by row of the kernel
  bool converged = false;     // for the present C

  KernelMachine(const KernelHingeProblem& of, std::size_t rows)
      : problem(&of),
        v(of.weights.empty() ? std::vector<double>(of.train.size(), 1.0) : of.weights),
        active(of.train.size(), 1),
        a(of.train.size(), 0.0),
        f(of.train.size(), 0.0),
        all_f(rows, 0.0) {}

  [[nodiscard]] HingePoints points() const { return {problem->labels, v, f}; }

  enum class Outcome { further, converged, uphill };

  // To the lowest point between a and a Newton point, given with its outputs at all rows.
  Outcome move_to(double c, const std::vector<double>& point, std::span<const double> outputs) {
    const std::size_t n = a.size();
    std::vector<double> d(n);
    std::vector<double> df(n);
    for (std::size_t i = 0; i < n; ++i) {
      d[i] = point[i] - a[i];
      df[i] = outputs[problem->train[i]] - f[i];
    }
    const double d_d = dot(d.data(), df.data(), n);
    const double d_w = dot(d.data(), f.data(), n);
    const auto [step, derivative] = line_search(c, points(), df, d_d, d_w);
    add_scaled(a.data(), d.data(), step, n);
    for (std::size_t i = 0; i < all_f.size(); ++i) all_f[i] += step * (outputs[i] - all_f[i]);
    for (std::size_t i = 0; i < n; ++i) f[i] = all_f[problem->train[i]];
    const bool switched = update_active(c, points(), active);
    const double promised = -0.5 * derivative;
    const double enough = kHingeDecrement * (0.5 * dot(a.data(), f.data(), n) + hinge_loss(c, points()));
    if (!(promised >= -enough)) return Outcome::uphill;
    return !switched || promised <= enough ? Outcome::converged : Outcome::further;
  }
};

// Newton points of several machines by conjugate gradients on their systems, side by side: column j of every matrix is
// of machine j, and rows are those of the kernel.
class SideBySide {
 public:
  SideBySide(const DoubleMatrix& kernel, const RunOptions& options) : kernel_(kernel), options_(options) {}

  // Whether all of them converged. Fills in points() and outputs().
  bool solve(double c, const std::vector<KernelMachine*>& machines) {
    const std::size_t n = kernel_.rows();
    const std::size_t m = machines.size();
    DoubleMatrix residual(n, m);
    DoubleMatrix ridge(n, m);  // V^-1 / (2 C) in A; 0 outside it
    x_ = DoubleMatrix(n, m);
    std::vector<double> enough(m, 0.0);
    for (std::size_t j = 0; j < m; ++j) {
      const KernelMachine& machine = *machines[j];
      for (std::size_t i = 0; i < machine.a.size(); ++i) {
        if (machine.active[i] == 0) continue;
        const std::size_t row = machine.problem->train[i];
        x_(row, j) = machine.a[i];
        ridge(row, j) = 0.5 / (c * machine.v[i]);
        enough[j] += kKernelResidual * kKernelResidual;
      }
    }
    kx_ = product(x_);
    for (std::size_t j = 0; j < m; ++j) {
      const KernelMachine& machine = *machines[j];
      for (std::size_t i = 0; i < machine.a.size(); ++i) {
        const std::size_t row = machine.problem->train[i];
        if (machine.active[i] == 0) continue;
        residual(row, j) = machine.problem->labels[i] - kx_(row, j) - ridge(row, j) * x_(row, j);
      }
    }
    DoubleMatrix direction = residual;
    std::vector<double> square = column_products(residual, residual);
    const std::vector<double> at_first = square;
    for (int products = 0; products < kMostKernelProducts; ++products) {
      if (is_small(square, enough)) return true;
      if (products == kTrialProducts && !has_shrunk(square, at_first, enough)) return false;
      const DoubleMatrix k_direction = product(direction);
      // The system's product is that of the kernel within A, and the ridge.
      std::vector<double> curvature(m, 0.0);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < m; ++j) {
          curvature[j] += direction(i, j) * (k_direction(i, j) + ridge(i, j) * direction(i, j));
        }
      }
      std::vector<double> step(m, 0.0);
      for (std::size_t j = 0; j < m; ++j) {
        if (square[j] > enough[j] && curvature[j] > 0) step[j] = square[j] / curvature[j];
      }
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < m; ++j) {
          x_(i, j) += step[j] * direction(i, j);
          kx_(i, j) += step[j] * k_direction(i, j);
          if (ridge(i, j) > 0) {
            residual(i, j) -= step[j] * (k_direction(i, j) + ridge(i, j) * direction(i, j));
          }
        }
      }
      const std::vector<double> next = column_products(residual, residual);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < m; ++j) {
          direction(i, j) = residual(i, j) + (square[j] > 0 ? next[j] / square[j] : 0.0) * direction(i, j);
        }
      }
      square = next;
    }
    return is_small(square, enough);
  }

  // Of machine j: the point by training row, and its outputs at all rows of the kernel.
  [[nodiscard]] std::vector<double> point(std::size_t j, const KernelMachine& machine) const {
    std::vector<double> values;
    for (const std::uint32_t row : machine.problem->train) values.push_back(x_(row, j));
    return values;
  }
  [[nodiscard]] std::vector<double> outputs(std::size_t j) const {
    std::vector<double> values(kx_.rows());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = kx_(i, j);
    return values;
  }

 private:
  [[nodiscard]] DoubleMatrix product(const DoubleMatrix& columns) const {
    report_progress(options_, kLinearModels, 0, 0);
    auto result = DoubleMatrix::uninitialised(kernel_.rows(), columns.cols());
    multiply(kernel_.data(), kernel_.rows(),
             PackedMatrix<double>(columns.data(), columns.rows(), columns.cols(), columns.cols()), result.data());
    return result;
  }

  static std::vector<double> column_products(const DoubleMatrix& a, const DoubleMatrix& b) {
    std::vector<double> sums(a.cols(), 0.0);
    for (std::size_t i = 0; i < a.rows(); ++i) {
      for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += a(i, j) * b(i, j);
    }
    return sums;
  }

  // Tenfold, or as far as it has to.
  static bool has_shrunk(const std::vector<double>& square, const std::vector<double>& at_first,
                         const std::vector<double>& enough) {
    for (std::size_t j = 0; j < square.size(); ++j) {
      if (square[j] > enough[j] && square[j] > 0.01 * at_first[j]) return false;
    }
    return true;
  }

  static bool is_small(const std::vector<double>& square, const std::vector<double>& enough) {
    return std::ranges::equal(square, enough, [](double value, double most) { return value <= most; });
  }

  const DoubleMatrix& kernel_;
  const RunOptions& options_;
  DoubleMatrix x_;
  DoubleMatrix kx_;
};

// All machines for one C. Returns false where conjugate gradients need too many products.
bool solve_together(const DoubleMatrix& kernel, double c, std::span<KernelMachine> machines,
                    const RunOptions& options) {
  std::vector<KernelMachine*> open;
  for (KernelMachine& machine : machines) {
    machine.converged = false;
    open.push_back(&machine);
  }
  SideBySide steps(kernel, options);
  for (int step = 0; step < kMostHingeSteps && !open.empty(); ++step) {
    if (!steps.solve(c, open)) return false;
    std::vector<KernelMachine*> further;
    for (std::size_t j = 0; j < open.size(); ++j) {
      const KernelMachine::Outcome outcome = open[j]->move_to(c, steps.point(j, *open[j]), steps.outputs(j));
      // A step that cannot go down any further has arrived, up to the residual.
      open[j]->converged = outcome != KernelMachine::Outcome::further;
      if (!open[j]->converged) further.push_back(open[j]);
    }
    open = std::move(further);
  }
  return true;
}

// (K_SS + I / (2 C))^-1 of a set S of rows that holds the active ones of all machines. A machine with A in S and L the
// rest of S has its Newton point from a system of the size of L, which is smaller where most of S is active:
//   (K_SS + I / (2 C)) a = y_A + z_L  with a_L = 0:  N_LL z_L = -N_LA y_A,  a = N (y_A + z_L),  f_L = z_L.
struct SharedInverse {
  std::vector<std::uint32_t> rows;   // S, ascending
  std::vector<std::uint32_t> place;  // by row of the kernel: its place in S, or kNotInBase
  DoubleMatrix inverse;              // N
};
constexpr std::uint32_t kNotInBase = ~std::uint32_t{0};

double cube(std::size_t size) {
  return std::pow(static_cast<double>(size), 3);
}

std::size_t num_active(const KernelMachine& machine) {
  return static_cast<std::size_t>(std::ranges::count(machine.active, 1));
}

// Whether a machine's systems are smaller with the inverse than without.
bool gains(const KernelMachine& machine, std::size_t size) {
  constexpr double kWorthIt = 0.9;
  const std::size_t active = num_active(machine);
  return machine.problem->weights.empty() &&
         static_cast<double>(size - active) < kWorthIt * static_cast<double>(active);
}

// Empty if it costs more than it saves.
SharedInverse share_inverse(const DoubleMatrix& kernel, double c, std::span<const KernelMachine> machines,
                            const RunOptions& options) {
  SharedInverse shared;
  std::vector<char> is_in(kernel.rows(), 0);
  for (const KernelMachine& machine : machines) {
    for (std::size_t i = 0; i < machine.active.size(); ++i) {
      if (machine.active[i] != 0) is_in[machine.problem->train[i]] = 1;
    }
  }
  shared.place.assign(kernel.rows(), kNotInBase);
  for (std::uint32_t row = 0; row < kernel.rows(); ++row) {
    if (is_in[row] == 0) continue;
    shared.place[row] = static_cast<std::uint32_t>(shared.rows.size());
    shared.rows.push_back(row);
  }
  const std::size_t size = shared.rows.size();
  double saved = -3 * cube(size);
  for (const KernelMachine& machine : machines) {
    if (gains(machine, size)) saved += cube(num_active(machine)) - cube(size - num_active(machine));
  }
  if (saved <= 0) return {};
  auto system = DoubleMatrix::uninitialised(size, size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i; j < size; ++j) system(i, j) = kernel(shared.rows[i], shared.rows[j]);
    system(i, i) += 0.5 / c;
  }
  if (!factor_positive_definite(system, options, Workers::all)) return {};
  shared.inverse = inverse_of_factored(system, options);
  return shared;
}

// Newton points of one machine for one C, by an inverse that is shared.
class WithSharedInverse {
 public:
  WithSharedInverse(const DoubleMatrix& kernel, double c, const SharedInverse& shared)
      : kernel_(kernel),
        c_(c),
        shared_(shared),
        no_ridge_(shared.rows.size(), std::numeric_limits<double>::infinity()) {}

  // Whether there is one; and then the outputs at all rows. The point is by training row.
  bool solve(const KernelMachine& machine, const RunOptions& options, std::vector<double>& point,
             std::vector<double>& outputs) {
    const std::vector<std::uint32_t>& train = machine.problem->train;
    const std::size_t size = shared_.rows.size();
    std::vector<double> right(size, 0.0);  // y_A, then y_A + z_L
    std::vector<char> is_active(size, 0);
    for (std::size_t i = 0; i < train.size(); ++i) {
      if (machine.active[i] == 0) continue;
      const std::uint32_t place = shared_.place[train[i]];
      if (place == kNotInBase) return false;
      is_active[place] = 1;
      right[place] = machine.problem->labels[i];
    }
    std::vector<std::uint32_t> rest;
    std::vector<double> pulled(size, 0.0);
    for (std::uint32_t s = 0; s < size; ++s) {
      if (is_active[s] != 0) continue;
      rest.push_back(s);
      pulled[s] = -dot(shared_.inverse.row(s), right.data(), size);
    }
    const std::vector<double> z =
        rest_system_.solve(c_, {&shared_.inverse, {}}, {pulled, no_ridge_, {}}, rest, options);
    if (z.empty() && !rest.empty()) return false;
    for (std::size_t k = 0; k < rest.size(); ++k) right[rest[k]] = z[k];
    std::vector<double> of_place(size, 0.0);
    for (std::size_t s = 0; s < size; ++s) {
      if (is_active[s] != 0) of_place[s] = dot(shared_.inverse.row(s), right.data(), size);
    }
    for (std::uint32_t row = 0; row < kernel_.rows(); ++row) {
      const std::uint32_t place = shared_.place[row];
      if (place != kNotInBase) {
        outputs[row] = right[place] - of_place[place] * 0.5 / c_;
      } else {
        for (std::size_t s = 0; s < size; ++s) outputs[row] += kernel_(row, shared_.rows[s]) * of_place[s];
      }
    }
    for (std::size_t i = 0; i < train.size(); ++i) {
      const std::uint32_t place = shared_.place[train[i]];
      if (place != kNotInBase) point[i] = of_place[place];
    }
    return true;
  }

  bool forget() { return rest_system_.forget(); }

 private:
  const DoubleMatrix& kernel_;
  const double c_;
  const SharedInverse& shared_;
  const std::vector<double> no_ridge_;
  DualSystem rest_system_;
};

// One machine for one C, with factors: of its own system, or of a smaller one while a shared inverse allows.
void solve_alone(const DoubleMatrix& kernel, double c, const SharedInverse& shared, KernelMachine& machine,
                 const RunOptions& options) {
  machine.converged = false;
  DualSystem system;
  WithSharedInverse with_shared(kernel, c, shared);
  bool is_shared = !shared.rows.empty() && gains(machine, shared.rows.size());
  const std::vector<std::uint32_t>& train = machine.problem->train;
  for (int step = 0; step < kMostHingeSteps; ++step) {
    report_progress(options, kLinearModels, 0, 0);
    std::vector<double> point(train.size(), 0.0);
    std::vector<double> outputs(kernel.rows(), 0.0);
    is_shared = is_shared && with_shared.solve(machine, options, point, outputs);
    if (!is_shared) {
      std::vector<std::uint32_t> members;
      for (std::uint32_t i = 0; i < train.size(); ++i) {
        if (machine.active[i] != 0) members.push_back(i);
      }
      const std::vector<double> of_members = system.solve(c, {&kernel, train}, machine.points(), members, options);
      if (of_members.empty() && !members.empty()) return;
      for (std::size_t k = 0; k < members.size(); ++k) {
        point[members[k]] = of_members[k];
        add_scaled(outputs.data(), kernel.row(train[members[k]]), of_members[k], outputs.size());
      }
    }
    const KernelMachine::Outcome outcome = machine.move_to(c, point, outputs);
    machine.converged = outcome == KernelMachine::Outcome::converged;
    if (machine.converged) return;
    if (outcome == KernelMachine::Outcome::uphill && !(is_shared ? with_shared.forget() : system.forget())) {
      if (!std::exchange(is_shared, false)) return;
    }
  }
}

}  // namespace

void solve_kernel_hinge(const DoubleMatrix& kernel, const std::vector<KernelHingeProblem>& problems,
                        std::span<const double> grid, const RunOptions& options, const KernelHingeConsumer& consume) {
  for (std::size_t begin = 0; begin < problems.size(); begin += kSideBySide) {
    const std::size_t end = std::min(problems.size(), begin + kSideBySide);
    std::vector<KernelMachine> machines;
    for (std::size_t p = begin; p < end; ++p) machines.emplace_back(problems[p], kernel.rows());
    const auto hand_over = [&](std::size_t j, std::size_t c) {
      consume(begin + j, c, machines[j].all_f, machines[j].converged);
    };
    std::size_t together = 0;
    for (; together < grid.size() && solve_together(kernel, grid[together], machines, options); ++together) {
      for (std::size_t j = 0; j < machines.size(); ++j) hand_over(j, together);
    }
    for (std::size_t c = together; c < grid.size(); ++c) {
      const SharedInverse shared = share_inverse(kernel, grid[c], machines, options);
      parallel_for(machines.size(), [&](std::size_t j) {
        solve_alone(kernel, grid[c], shared, machines[j], options);
        hand_over(j, c);
      });
    }
  }
}

}  // namespace gckn
