# SPDX-License-Identifier: BSD-3-Clause
"""The staged search of one cell. plan.RULE says in words what happens here; change both together."""

import plan
from cv import Network


def around(values, value, reach=1):
    """`value` and its neighbours in a list."""
    at = values.index(value)
    return values[max(0, at - reach):at + reach + 1]


def c_around(best):
    """The best coarse value of C and the fine ones within a factor of it, ascending."""
    near = 1.001 * plan.FINAL_FACTOR
    return sorted({f"{best:g}", *(c for c in plan.FINE_C if best / near <= float(c) <= best * near)}, key=float)


class Search:
    def __init__(self, cell, set_plan, say):
        self.cell, self.plan, self.say = cell, set_plan, say
        self.c = plan.C_LISTS[set_plan.num_c]
        self.scores = {}  # of every network tried, at its best C
        self.best_c = {}  # the first of equals
        self.pairs = []  # of poolings that the climb tries

    def attempt(self, lengths, filters, sigmas, poolings, global_poolings, one_length):
        """Scores the product, without lengths and filters that make too many columns."""
        for q in filters:  # a call for each, since the lengths that fit depend on it
            fitting = [k for k in lengths if Network(self.cell.arch, k, q, 1, "", "", one_length).columns()
                       <= self.plan.max_columns]
            if not fitting:
                continue
            networks, _ = self.cell.cv(self.plan.search_stage(), "paper", fitting, [q], sigmas, poolings, global_poolings,
                                       plan.passed_c(self.plan.num_c), own_folds=not self.plan.repeated,
                                       one_length=one_length, repeats=self.plan.search_repeats)
            for network, answer in networks:
                self.scores[network] = answer["score"]
                self.best_c[network] = float(self.c[answer["score_by_C"].index(max(answer["score_by_C"]))])

    def ranking(self):
        """All that were tried: the best first, of equals the one with fewer columns."""
        return sorted(self.scores, key=lambda n: (-round(self.scores[n], 9), n.columns(), n.length, n.sigma))

    def coarse(self):
        for one_length in (False, True) if self.plan.one_length else (False,):
            self.attempt(self.plan.coarse_lengths, self.plan.first_filters(self.cell.arch), self.plan.coarse_sigmas, plan.POOLINGS,
                         plan.POOLINGS, one_length)
        by_pair = {}
        for network, score in self.scores.items():
            pair = (network.pooling, network.global_pooling)
            by_pair[pair] = max(score, by_pair.get(pair, 0))
        limit = max(by_pair.values()) - plan.POOLING_MARGIN
        self.pairs = [pair for pair, score in by_pair.items() if score >= limit]

    def climb(self):
        """One parameter after the other around the best, until a round brings nothing."""
        for _ in range(self.plan.rounds):
            before = self.ranking()[0]
            for axis in ("length", "sigma", "pooling", "filters"):
                best = self.ranking()[0]
                lengths, sigmas, pairs = [best.length], [best.sigma], [(best.pooling, best.global_pooling)]
                if axis == "length":
                    lengths = around(list(self.plan.lengths), best.length, 2)
                elif axis == "sigma":
                    sigmas = around(plan.SIGMAS, best.sigma, 2)
                elif axis == "pooling":
                    pairs = self.pairs
                else:
                    self.climb_filters()
                    continue
                for pooling in plan.POOLINGS:
                    global_poolings = [of_nodes for of_paths, of_nodes in pairs if of_paths == pooling]
                    if global_poolings:
                        self.attempt(lengths, [best.filters], sigmas, [pooling], global_poolings, best.one_length)
            if self.ranking()[0] == before:
                return

    def climb_filters(self):
        """Around the best, and on upwards while the last step was the best."""
        while True:
            best = self.ranking()[0]
            self.attempt([best.length], around(list(self.plan.filters), best.filters), [best.sigma], [best.pooling],
                         [best.global_pooling], best.one_length)
            if self.ranking()[0].filters <= best.filters:
                return

    def final(self):
        """The finalists with more values of C; for Table 2 ten times ten folds with the best of them."""
        results, lists = {}, {}
        for network in self.ranking()[:self.plan.finalists()]:
            lists[network] = c_around(self.best_c[network])
            results[network] = self.one("paper", network, lists[network])
        best = max(results, key=lambda n: round(results[n]["mean"], 9))  # the first of equals
        if not self.plan.repeated:
            return best, results[best]
        # paper-repeated chooses C on ten folds, which is less than the search's repeats have to say.
        values = lists[best] if self.plan.search_repeats == 1 else [f"{results[best]['C']:g}"]
        return best, self.one("paper-repeated", best, values)

    def one(self, protocol, network, values):
        # A journal is of one list of C.
        repeats = self.plan.final_repeats() if protocol == "paper" else 1
        stage = f"{'final' if protocol == 'paper' else 'repeated'}{repeats if repeats > 1 else ''}-C{values[0]}-{values[-1]}"
        return self.cell.cv(stage, protocol, [network.length], [network.filters], [network.sigma], [network.pooling],
                            [network.global_pooling], values, own_folds=not self.plan.repeated,
                            one_length=network.one_length, repeats=repeats)[1]

    def nested(self):
        """A small grid that does not depend on what the search found."""
        sigmas, poolings, global_poolings = self.plan.nested_grid()
        fewer = self.cell.arch == "three-layer" and self.plan.coarse_filters_three_layer
        filters = plan.NESTED_FILTERS // 2 if fewer else plan.NESTED_FILTERS
        return self.cell.cv("nested", "nested", self.plan.nested_lengths, [filters], sigmas, poolings, global_poolings,
                            plan.C_LISTS[min(self.plan.num_c, 13)],
                            own_folds=not self.plan.repeated)[1]

    def run(self):
        self.coarse()
        self.say(f"coarse: {100 * self.scores[self.ranking()[0]]:.1f} {self.ranking()[0].text()}")
        self.climb()
        self.say(f"climb:  {100 * self.scores[self.ranking()[0]]:.1f} {self.ranking()[0].text()}")
        network, figure = self.final()
        return network, figure
