# SPDX-License-Identifier: BSD-3-Clause
"""The staged search of one cell. plan.RULE says in words what happens here; change both together."""

import plan
from cv import Network


def around(values, value, reach=1):
    """`value` and its neighbours in a list."""
    at = values.index(value)
    return values[max(0, at - reach):at + reach + 1]


class Search:
    def __init__(self, cell, set_plan, say):
        self.cell, self.plan, self.say = cell, set_plan, say
        self.c = None if set_plan.fine_c else plan.COARSE_C
        self.scores = {}  # of every network tried, best C

    def feasible(self, length, filters):
        return Network(self.cell.arch, length, filters, 1, "sum", "sum").columns() <= self.plan.max_columns

    def attempt(self, lengths, filters, sigmas, poolings, global_poolings):
        """Scores the product, without lengths and filters that make too many columns."""
        filters = [q for q in filters if self.feasible(min(lengths), q)]
        for q in filters:  # a call for each, since the lengths that fit depend on it
            fitting = [k for k in lengths if self.feasible(k, q)]
            networks, _ = self.cell.cv(self.plan.search_stage(), "paper", fitting, [q], sigmas, poolings, global_poolings, self.c,
                                       own_folds=not self.plan.repeated)
            self.scores.update((network, answer["score"]) for network, answer in networks)

    def ranking(self):
        """All that were tried: the best first, of equals the one with fewer columns."""
        return sorted(self.scores, key=lambda n: (-round(self.scores[n], 9), n.columns(), n.length, n.sigma))

    def coarse(self):
        self.attempt(self.plan.coarse_lengths, self.plan.coarse_filters, self.plan.coarse_sigmas, plan.POOLINGS,
                     plan.POOLINGS)

    def climb(self):
        """One parameter after the other around the best, until a round brings nothing."""
        for _ in range(plan.ROUNDS):
            before = self.ranking()[0]
            for axis in ("length", "sigma", "pooling", "filters"):
                best = self.ranking()[0]
                lengths, filters, sigmas = [best.length], [best.filters], [best.sigma]
                poolings, global_poolings = [best.pooling], [best.global_pooling]
                if axis == "length":
                    lengths = around(list(self.plan.lengths), best.length, 2)
                elif axis == "sigma":
                    sigmas = plan.SIGMAS
                elif axis == "pooling":
                    poolings = global_poolings = plan.POOLINGS
                else:
                    filters = around(plan.FILTERS, best.filters)
                self.attempt(lengths, filters, sigmas, poolings, global_poolings)
            if self.ranking()[0] == before:
                return

    def final(self):
        """The finalists with all values of C; for Table 2 ten times ten folds with the best of them."""
        results = {}
        for network in self.ranking()[:plan.FINALISTS]:
            results[network] = self.one("final", "paper", network)[1]
        best = max(results, key=lambda n: round(results[n]["mean"], 9))  # the first of equals
        if not self.plan.repeated:
            return best, results[best]
        return best, self.one("repeated", "paper-repeated", best)[1]

    def one(self, stage, protocol, network):
        return self.cell.cv(stage, protocol, [network.length], [network.filters], [network.sigma], [network.pooling],
                            [network.global_pooling], own_folds=not self.plan.repeated)

    def nested(self):
        """A small grid that no result has shaped."""
        return self.cell.cv("nested", "nested", self.plan.nested_lengths, [plan.NESTED_FILTERS], plan.NESTED_SIGMAS,
                            plan.NESTED_POOLINGS, plan.NESTED_GLOBAL_POOLINGS, plan.COARSE_C,
                            own_folds=not self.plan.repeated)[1]

    def run(self):
        self.coarse()
        self.say(f"coarse: {100 * self.scores[self.ranking()[0]]:.1f} {self.ranking()[0].text()}")
        self.climb()
        self.say(f"climb:  {100 * self.scores[self.ranking()[0]]:.1f} {self.ranking()[0].text()}")
        network, figure = self.final()
        return network, figure
