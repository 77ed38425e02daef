// SPDX-License-Identifier: BSD-3-Clause
#include "learn/kernel_solver.h"

#include <algorithm>
#include <numeric>

#include "learn/hinge_newton.h"
#include "learn/kernel_machine.h"
#include "learn/kernel_side_by_side.h"
#include "linalg/vector_ops.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::size_t kSideBySide = 128;  // problems that advance side by side

// How far from its Newton point a machine may begin a new C: what the objective feels of it grows with C.
double first_accuracy(double c) {
  return std::max(kKernelResidual, 1e-3 * std::min(1.0, 30.0 / c));
}

// For the next step, when one with the present accuracy has been taken.
double next_accuracy(const KernelMachine& machine, const KernelMachine::Move& move) {
  double accuracy = machine.accuracy / 5;
  if (move.outcome == KernelMachine::Outcome::uphill || move.step < 0.5) {
    accuracy = machine.accuracy / 30;  // the point was no good
  } else if (move.switched * 200 <= machine.num_active()) {
    accuracy = 0;  // this may be the last step
  }
  return std::max(kKernelResidual, accuracy);
}

// All machines for one C. Returns false where conjugate gradients need too many products.
bool solve_together(double c, std::span<KernelMachine> machines, SideBySide& steps) {
  std::vector<std::size_t> open(machines.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  for (KernelMachine& machine : machines) {
    machine.converged = false;
    machine.accuracy = machine.problem->loss == KernelLoss::squared_error ? kKernelResidual : first_accuracy(c);
  }
  for (int step = 0; step < kMostHingeSteps && !open.empty(); ++step) {
    if (!steps.solve(c, open)) return false;
    parallel_for(open.size(), [&](std::size_t j) {
      KernelMachine& machine = machines[open[j]];
      const KernelMachine::Move move = machine.move_to(c, steps.point(j), steps.outputs(j));
      // An accurate step that cannot go down any further has arrived, up to the residual.
      machine.converged = machine.accuracy <= kKernelResidual && move.outcome != KernelMachine::Outcome::further;
      machine.accuracy = next_accuracy(machine, move);
    });
    std::erase_if(open, [&](std::size_t machine) { return machines[machine].converged; });
  }
  return true;
}

// One machine for one C, with factors of its own system.
void solve_alone(const DoubleMatrix& kernel, double c, KernelMachine& machine, const RunOptions& options) {
  machine.converged = false;
  DualSystem system;
  const std::vector<std::uint32_t>& train = machine.problem->train;
  for (int step = 0; step < kMostHingeSteps; ++step) {
    report_progress(options, "linear models", 0, 0);
    std::vector<std::uint32_t> members;
    for (std::uint32_t i = 0; i < train.size(); ++i) {
      if (machine.active[i] != 0) members.push_back(i);
    }
    const std::vector<double> of_members = system.solve(c, {&kernel, train}, machine.points(), members, options);
    if (of_members.empty() && !members.empty()) return;
    std::vector<double> point(train.size(), 0.0);
    std::vector<double> outputs(kernel.rows(), 0.0);
    for (std::size_t k = 0; k < members.size(); ++k) {
      point[members[k]] = of_members[k];
      add_scaled(outputs.data(), kernel.row(train[members[k]]), of_members[k], outputs.size());
    }
    const KernelMachine::Outcome outcome = machine.move_to(c, point, outputs).outcome;
    machine.converged = outcome == KernelMachine::Outcome::converged;
    if (machine.converged) return;
    if (outcome == KernelMachine::Outcome::uphill && !system.forget()) return;
  }
}

}  // namespace

void solve_kernel_machines(const DoubleMatrix& kernel, const std::vector<KernelProblem>& problems,
                           std::span<const double> grid, const RunOptions& options, const KernelConsumer& consume) {
  for (std::size_t begin = 0; begin < problems.size(); begin += kSideBySide) {
    const std::size_t end = std::min(problems.size(), begin + kSideBySide);
    std::vector<KernelMachine> machines;
    for (std::size_t p = begin; p < end; ++p) machines.emplace_back(problems[p], kernel.rows());
    const auto hand_over = [&](std::size_t j, std::size_t c) {
      consume(begin + j, c, {machines[j].all_f, machines[j].a, machines[j].converged});
    };
    std::size_t together = 0;
    {
      SideBySide steps(kernel, machines, options);
      for (; together < grid.size() && solve_together(grid[together], machines, steps); ++together) {
        for (std::size_t j = 0; j < machines.size(); ++j) hand_over(j, together);
      }
    }
    for (std::size_t c = together; c < grid.size(); ++c) {
      parallel_for(machines.size(), [&](std::size_t j) {
        solve_alone(kernel, grid[c], machines[j], options);
        hand_over(j, c);
      });
    }
  }
}

}  // namespace gckn
