# SPDX-License-Identifier: BSD-3-Clause
"""page_test.py [TEST...] WRITE_PAGE: the page of explanations as a reader uses it, in headless Chromium.

WRITE_PAGE makes pages of 5,000 graphs, one with markup and scripts in every text. What the page must show is computed here
from its JSON island, independently of its scripts. After every test the console must be empty, nothing may have been asked
for but the page itself, and none of the scripts may have run. Exit code 77: there is no Chromium."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import webdriver

BATCH = 60  # entries that a list shows at first
COUNT = "document.querySelector('#count')?.textContent"
TITLE = "document.querySelector('dialog[open] #open-title')?.textContent"


def island(path):
    text = path.read_text(encoding="utf-8")
    start = text.index('<script id="data" type="application/json">')
    return json.loads(text[text.index(">", start) + 1 : text.index("</script", start)])


def descending(items, value):
    """Largest first, unknown last, otherwise in their order."""
    return sorted(items, key=lambda item: (item.get(value) is None, -(item.get(value) or 0)))


class PageCase(unittest.TestCase):
    """A page of one kind, opened once; every test begins with its first view."""

    kind = None

    @classmethod
    def setUpClass(cls):
        cls.path = FOLDER / f"{cls.kind}.html"
        subprocess.run([WRITE_PAGE, cls.kind, cls.path], check=True)
        cls.data = island(cls.path)
        for index, graph in enumerate(cls.data["graphs"]):
            graph["index"] = index
        cls.browser = webdriver.Browser()
        cls.addClassCleanup(cls.browser.close)
        cls.load()

    @classmethod
    def load(cls, hash=""):
        cls.browser.open("about:blank")  # otherwise only the hash would change
        cls.browser.open(cls.path.as_uri() + hash)
        try:
            cls.browser.wait(COUNT, "the page has started")
        except AssertionError as error:
            raise AssertionError(f"{error}; console: {cls.browser.console_errors()}") from None

    def setUp(self):
        self.go("")

    def tearDown(self):
        self.assertEqual(self.browser.console_errors(), [])
        asked = {address.partition("#")[0] for address in self.browser.requests()}
        self.assertLessEqual(asked, {self.path.as_uri(), "about:blank"})
        self.assertIsNone(self.browser.script("return window.hacked ?? null"))

    def go(self, hash):
        self.browser.script("location.hash = arguments[0]", hash)
        tab = (hash.partition("?")[0][1:] or "motifs") if self.data["motifs"] else ""
        if tab:
            self.wait_for(f"document.querySelector('#tabs [aria-current]').getAttribute('href').startsWith('#{tab}')", True)

    def wait_for(self, expression, expected):
        """The expression has that value, or will have it soon."""
        try:
            self.browser.wait(f"JSON.stringify(({expression}) ?? null) === JSON.stringify({json.dumps(expected)})", expression)
        except AssertionError:
            self.assertEqual(self.browser.script(f"return {expression}"), expected, expression)
            raise

    def choose(self, selector, value):
        """As a reader chooses an option."""
        self.browser.click(f"{selector} option[value='{value}']")

    def names(self):
        """Of the graphs in the list."""
        return self.browser.script("return [...document.querySelectorAll('td.name a')].map((link) => link.textContent)")

    def names_of(self, graphs):
        return [graph["id"] or f"Graph {graph['number']:,}" for graph in graphs]

    def count_is(self, found, noun="graphs"):
        items = len(self.data[noun])
        self.wait_for(COUNT, f"{items:,} {noun}" if found == items else f"{found:,} of {items:,} {noun}")


class Hostile(PageCase):
    kind = "hostile"

    def test_starts_quickly(self):
        before = self.browser.work()
        self.load()
        self.assertLess(self.browser.work() - before, 4, "seconds for reading 30 MB and drawing the first list")

    def test_head(self):
        text = "document.querySelector('{}').innerText"
        self.wait_for(text.format("#title"), self.data["title"])
        head = self.browser.script("return document.querySelector('.masthead').textContent")
        for part in ("data", "model", "method", "target"):
            self.assertIn(self.data[part], head)
        for figure in self.data["figures"]:
            self.assertIn(figure["name"] + figure["value"] + figure["meaning"], head)
        self.assertIn(self.data["remarks"][1], head)
        self.wait_for("[...document.querySelectorAll('#tabs .count')].map((c) => c.textContent)", ["43", "5,000", "96"])
        self.wait_for("document.querySelectorAll('.legend li').length", 4)

    def test_texts_and_pictures_of_others_are_harmless(self):
        self.go("#graphs")
        self.count_is(5000)
        self.assertEqual(self.names(), self.names_of(self.data["graphs"][:BATCH]))
        self.assertIn("</script><script>", self.names()[0])
        images = "document.querySelectorAll('td.thumbnail')[{}]"
        for row in (10, 11):
            self.browser.script(f"{images.format(row)}.scrollIntoView()")
        self.wait_for(f"{images.format(10)}.querySelector('img').naturalWidth > 0", True)
        self.wait_for(f"{images.format(11)}.textContent", "This picture cannot be shown")
        for graph in (0, 1, 5, 7, 10):
            self.go(f"#graphs?graph={graph}")
            self.wait_for(TITLE, self.data["graphs"][graph]["id"])
        self.go("#graphs?graph=7")
        self.wait_for("document.querySelector('#open-body .problem').textContent.includes('</script><script>')", True)
        self.go("#motifs?motif=1")
        self.wait_for(TITLE, self.data["motifs"][1]["name"])
        self.go("#anchors")
        self.wait_for("document.querySelector('td.path').textContent", self.data["anchors"][0]["path"])
        # In the document there are the scripts of the page and no others; the island is gone.
        self.wait_for("document.querySelectorAll('script').length", self.path.read_bytes().count(b"<script>"))
        self.wait_for("document.querySelectorAll('main svg, main b, main script, [onerror], [onload]').length", 0)

    def test_policy_stops_other_scripts(self):
        self.browser.script("const s = document.createElement('script'); s.text = 'window.hacked = 9'; document.body.append(s)")
        messages = self.browser.console_errors()
        self.assertTrue(any("Content Security Policy" in message for message in messages), messages)

    def test_motifs_sort(self):
        names = "[...document.querySelectorAll('.card h3')].map((name) => name.textContent)"
        self.go("#motifs")
        # First what tells the classes apart; behind it what was not searched for.
        by_enrichment = descending(self.data["motifs"], "enrichment")
        self.assertNotIn("enrichment", by_enrichment[-1])
        self.wait_for(names, [motif["name"] for motif in by_enrichment])
        self.wait_for("document.querySelector('#sort').value", "enrichment")
        figures = "[...document.querySelectorAll('.card')].map((card) => card.querySelector('.pair').textContent)"
        shown = self.browser.script(f"return {figures}")
        for text, motif in zip(shown, by_enrichment, strict=True):
            value = f"{motif['enrichment']:+.1f}".replace("-", "−") if "enrichment" in motif else ""
            self.assertEqual(text.partition("Enrichment")[2], value)
        for motif in self.data["motifs"]:
            motif["count"] = len(motif["graphs"])
        self.choose("#sort", "graphs")
        self.wait_for(names, [motif["name"] for motif in descending(self.data["motifs"], "count")])
        self.choose("#sort", "contribution")
        expected = [motif["name"] for motif in descending(self.data["motifs"], "contribution")]
        self.wait_for(names, expected)
        self.browser.click("#direction")
        self.wait_for(names, expected[::-1])
        self.choose("#sort", "size")
        self.wait_for(names, [motif["name"] for motif in descending(self.data["motifs"], "nodes")])

    def test_motif_says_how_it_tells_the_classes_apart(self):
        rows = "[...document.querySelectorAll('#open-body .numbers dt')].map((name) => name.firstChild.textContent)"
        self.go("#motifs?motif=0")
        self.wait_for(f"{rows}.includes('Enrichment')", True)
        # Its number stays in one line, as that of the graphs, which has no text beside it.
        height = "document.querySelectorAll('#open-body .numbers dd')[{0}.indexOf('{1}')].offsetHeight"
        self.wait_for(f"{height.format(rows, 'Enrichment')} === {height.format(rows, 'Graphs')}", True)
        self.go(f"#motifs?motif={len(self.data['motifs']) - 1}")
        self.wait_for(TITLE, self.data["motifs"][-1]["name"])
        self.wait_for(f"{rows}.includes('Enrichment')", False)

    def test_motifs_filter(self):
        self.choose("select[data-key='class']", "1")
        self.count_is(sum(motif["explained_class"] == 1 for motif in self.data["motifs"]), "motifs")
        self.browser.type("#search", "nitro")
        found = [m for m in self.data["motifs"] if m["explained_class"] == 1 and "nitro" in m["name"].lower()]
        self.count_is(len(found), "motifs")

    def test_graphs_sort_by_the_head_of_a_column(self):
        self.go("#graphs")
        expected = descending(self.data["graphs"], "score")
        self.browser.click("button[data-sort='score']")
        self.wait_for("document.querySelector('th[aria-sort=descending]')?.textContent", "Score")
        self.assertEqual(self.names(), self.names_of(expected[:BATCH]))
        self.browser.click("button[data-sort='score']")
        self.wait_for("document.querySelector('th[aria-sort=ascending]')?.textContent", "Score")
        known = [graph for graph in expected if graph.get("score") is not None]
        self.assertEqual(len(known), 4994)  # the others are not finite, or failed
        self.assertEqual(self.names(), self.names_of(known[: -BATCH - 1 : -1]))

    def test_graphs_sort_by_choice(self):
        self.go("#graphs")
        self.choose("#sort", "probability")
        self.wait_for("document.querySelector('#sort').value", "probability")
        self.assertEqual(self.names(), self.names_of(descending(self.data["graphs"], "probability")[:BATCH]))
        self.choose("#sort", "outcome")
        self.wait_for("document.querySelector('td .outcome').textContent", "wrong")
        wrong = [graph for graph in self.data["graphs"] if graph["predicted"] != graph["truth"]]
        self.assertEqual(self.names(), self.names_of(wrong[:BATCH]))

    def test_graphs_search(self):
        self.go("#graphs")
        self.browser.press("/")
        self.wait_for("document.activeElement.id", "search")
        self.browser.type("#search", "MOL-0012")
        self.count_is(sum("mol-0012" in graph["id"] for graph in self.data["graphs"]))
        self.browser.script("document.querySelector('#search').value = ''")
        # Of SMILES the case matters, and words may be in different places.
        self.browser.type("#search", "c1ccc2 mol-00")
        both = [g for g in self.data["graphs"] if "c1ccc2" in g["smiles"] and "mol-00" in g["id"]]
        self.count_is(len(both))
        self.browser.type("#search", " C1CCC2")
        self.count_is(0)
        self.wait_for("document.querySelector('.nothing p').textContent", "No graph matches “c1ccc2 mol-00 C1CCC2”.")
        self.browser.click(".nothing button")
        self.count_is(5000)

    def test_search_is_quick(self):
        self.go("#graphs?sort=id")
        self.count_is(5000)
        texts = ["m", "mo", "mol", "mol-", "mol-0", "mol-00", "mol-001", "nitro", "c1ccc", "zzzz", ""]
        before = self.browser.work()
        self.browser.script(
            """
              const search = document.querySelector("#search");
              for (const text of arguments[0]) {
                search.value = text;
                search.dispatchEvent(new InputEvent("input", { bubbles: true }));
                document.body.offsetHeight; // draws the list
              }
            """,
            texts,
        )
        self.assertLess((self.browser.work() - before) / len(texts), 0.25, "seconds from a key to the list")
        self.count_is(5000)

    def test_graphs_filter(self):
        graphs = self.data["graphs"]
        self.go("#graphs")
        self.choose("select[data-key='predicted']", "1")
        self.count_is(sum(graph["predicted"] == 1 for graph in graphs))
        self.choose("select[data-key='outcome']", "wrong")
        wrong = [graph for graph in graphs if graph["predicted"] == 1 and graph["truth"] == 0]
        self.count_is(len(wrong))
        self.assertEqual(self.names(), self.names_of(wrong[:BATCH]))
        self.choose("select[data-key='truth']", "1")
        self.count_is(0)
        self.wait_for("document.querySelector('.nothing p').textContent", "No graph passes these filters.")
        self.choose("select[data-key='predicted']", "")
        self.count_is(sum(graph["predicted"] == 0 and graph["truth"] == 1 for graph in graphs))
        self.choose("select[data-key='truth']", "")
        self.choose("select[data-key='outcome']", "failed")
        self.count_is(sum("error" in graph for graph in graphs))

    def test_list_grows(self):
        self.go("#graphs")
        rows = "document.querySelectorAll('tbody tr').length"
        self.wait_for(rows, BATCH)
        for batches in (2, 3):
            self.browser.script("document.querySelector('.more').scrollIntoView({ block: 'end' })")
            self.wait_for(f"{rows} >= {batches * BATCH}", True)
        names = self.names()
        self.assertEqual(names, self.names_of(self.data["graphs"][: len(names)]))
        self.browser.script("scrollTo(0, 4000)")
        self.browser.click("#tabs a")  # another list begins at its beginning
        self.wait_for("document.querySelector('#tabs [aria-current]').textContent", "Motifs43")
        self.wait_for("document.querySelector('#search').getBoundingClientRect().top > 0", True)

    def test_motif_and_its_graphs(self):
        self.go("#motifs?q=nitro+group")
        index = self.browser.script("return document.querySelector('.card [data-open]').dataset.open.slice('motif-'.length)")
        motif = self.data["motifs"][int(index)]
        self.browser.click(".card .cover")
        self.wait_for(TITLE, motif["name"])
        self.wait_for("document.querySelector('.found-head h3').textContent", f"Found in {len(motif['graphs'])} graphs")
        graphs = self.names_of(self.data["graphs"][graph] for graph in motif["graphs"])
        self.wait_for(
            "[...document.querySelectorAll('.thumbnails .cover')].map((a) => a.textContent).slice(0, 5)", graphs[:5]
        )
        self.assertTrue(self.browser.address().endswith(f"#motifs?q=nitro+group&motif={index}"))
        self.browser.script("document.querySelector('.thumbnails').scrollIntoView()")
        self.browser.click(".thumbnails li:nth-child(2) .cover")
        self.wait_for(TITLE, graphs[1])
        self.browser.press("ArrowRight")
        self.wait_for(TITLE, graphs[2])
        self.browser.press("ArrowLeft")
        self.browser.press("ArrowLeft")
        self.wait_for(TITLE, graphs[0])
        self.browser.press("ArrowLeft")  # there is none before
        self.wait_for(TITLE, graphs[0])
        self.wait_for("document.querySelector('#previous').disabled", True)
        self.browser.back()
        self.wait_for(TITLE, motif["name"])
        self.browser.back()
        self.wait_for(TITLE, None)
        self.wait_for("document.querySelector('#search').value", "nitro group")

    def test_keyboard(self):
        self.go("#motifs?sort=name")
        self.browser.script("document.querySelector('#direction').focus()")
        self.browser.press("Tab")
        names = self.browser.script("return [...document.querySelectorAll('.card h3')].map((name) => name.textContent)")
        self.wait_for("document.activeElement.textContent", names[0])
        outline = "getComputedStyle(document.activeElement.closest('.card') ?? document.activeElement).outlineStyle"
        self.wait_for(outline, "solid")
        self.browser.press("Enter")
        self.wait_for(TITLE, names[0])
        self.browser.press("ArrowRight")
        self.wait_for(TITLE, names[1])
        self.wait_for("document.querySelector('#position').textContent", "2 of 43")
        self.browser.press("Tab")
        self.wait_for("document.querySelector('dialog').contains(document.activeElement)", True)
        self.wait_for(outline, "solid")
        self.browser.press("Escape")
        self.wait_for(TITLE, None)
        self.wait_for("location.hash", "#motifs?sort=name")
        self.wait_for("document.activeElement.textContent", names[1])  # where the reader was

    def test_escape_closes_all_and_leaves_no_steps_behind(self):
        self.go("#motifs?motif=3")
        self.go("#graphs?sort=id")
        self.browser.click("td.name a")
        self.wait_for("document.querySelector('dialog').open", True)
        self.browser.click("#open-body .cover")
        self.wait_for("document.querySelector('#open-kind').textContent", "Motif")
        self.browser.press("Escape")
        self.wait_for("document.querySelector('dialog').open", False)
        self.wait_for("location.hash", "#graphs?sort=id")
        self.browser.back()
        self.wait_for(TITLE, self.data["motifs"][3]["name"])

    def test_state_can_be_linked_to(self):
        wrong = [graph for graph in self.data["graphs"] if graph["predicted"] != graph["truth"]]
        order = descending(wrong, "score")
        self.load(f"#graphs?outcome=wrong&sort=score&graph={order[1]['index']}")
        self.wait_for(TITLE, order[1]["id"])
        self.wait_for("document.querySelector('#position').textContent", f"2 of {len(wrong)}")
        self.browser.press("ArrowRight")
        self.wait_for(TITLE, order[2]["id"])
        self.browser.click("#close")
        self.wait_for(TITLE, None)
        self.count_is(len(wrong))
        self.wait_for("location.hash", "#graphs?sort=score&outcome=wrong")
        for nonsense in ("#nothing?q=", "#graphs?sort=x&outcome=y&predicted=7&graph=99999&motif=-1&in=x", "#%%%?&&=", "#?"):
            self.go("#anchors")
            self.browser.script("location.hash = arguments[0]", nonsense)
            self.wait_for("!document.querySelector('#tabs [aria-current]').textContent.startsWith('Anchors')", True)
            self.count_is(5000 if "graphs" in nonsense else 43, "graphs" if "graphs" in nonsense else "motifs")
            self.wait_for(TITLE, None)

    def test_graphs_of_a_motif_as_list(self):
        self.go("#motifs?motif=5")
        self.browser.click(".found-head .button")
        self.count_is(len(self.data["motifs"][5]["graphs"]))
        self.wait_for("document.querySelector('dialog').open", False)
        self.browser.click(".chip")
        self.count_is(5000)

    def test_smiles_can_be_copied(self):
        # Once by the clipboard, once as where there is none.
        for hinder in ("", "navigator.clipboard.writeText = () => Promise.reject(new Error('no'))"):
            self.go("#graphs?graph=20" if hinder else "#graphs?graph=21")
            graph = self.data["graphs"][20 if hinder else 21]
            self.wait_for("document.querySelector('.smiles code')?.textContent", graph["smiles"])
            self.browser.script(
                "window.copied = null; document.addEventListener('copy', () => {"
                "window.copied = document.activeElement.value; }, { once: true });" + hinder
            )
            self.browser.click(".smiles button")
            self.wait_for("document.querySelector('.copied').textContent", "Copied")
            if hinder:
                self.wait_for("window.copied", graph["smiles"])

    def test_light_and_dark(self):
        ground = "getComputedStyle(document.body).backgroundColor"
        self.browser.script("localStorage.clear()")
        for system, other in (("light", "dark"), ("dark", "light")):
            self.browser.devtools(
                "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": system}]
            )
            self.load()
            self.wait_for("document.querySelector('#theme').textContent.toLowerCase()", other)
            before = self.browser.script(f"return {ground}")
            self.browser.click("#theme")
            self.wait_for(f"{ground} !== '{before}'", True)
            self.wait_for("getComputedStyle(document.querySelector('.picture')).backgroundColor", "rgb(255, 255, 255)")
            after = self.browser.script(f"return {ground}")
            self.load()
            self.wait_for(ground, after)
            self.browser.script("localStorage.clear()")
        self.browser.devtools("Emulation.setEmulatedMedia", features=[])
        self.load()

    def test_phone(self):
        self.browser.resize(360, 740)
        self.addCleanup(self.browser.resize, 1280, 900)
        wide = "[...document.querySelectorAll('html, #open-body, dialog[open]')].filter((e) => e.scrollWidth > e.clientWidth)"
        for hash in ("#motifs", "#graphs", "#anchors", "#motifs?motif=1", "#graphs?graph=1", "#graphs?graph=4",
                     "#graphs?graph=5", "#graphs?graph=7", "#graphs?q=" + 50 * "W", "#graphs?in=1"):  # fmt: skip
            self.go(hash)
            self.wait_for("location.hash", hash)
            self.wait_for(f"{wide}.map((e) => e.id || e.tagName)", [])
        self.go("#graphs")
        self.browser.click("tbody tr:nth-child(2) td.name a")
        self.wait_for(TITLE, self.data["graphs"][1]["id"])
        self.browser.click("#close")
        self.wait_for(TITLE, None)


class Numbers(PageCase):
    kind = "numbers"

    def test_motifs_go_by_their_graphs(self):
        names = "[...document.querySelectorAll('.card h3')].map((name) => name.textContent)"
        motifs = sorted(self.data["motifs"], key=lambda motif: -len(motif["graphs"]))
        self.wait_for(names, [motif["name"] for motif in motifs])
        self.wait_for("[...document.querySelectorAll('#sort option')].some(({ value }) => value === 'enrichment')", False)

    def test_numbers(self):
        self.wait_for("document.querySelector('.legend').textContent.includes('raises the number')", True)
        self.go("#graphs?sort=error")
        self.wait_for("document.querySelector('th[aria-sort]')?.textContent", "Error")
        graphs = self.data["graphs"]
        known = [graph for graph in graphs if "score" in graph]
        expected = sorted(known, key=lambda graph: -abs(graph["score"] - graph["true_number"]))
        self.assertEqual(self.names(), self.names_of(expected[:BATCH]))
        self.wait_for("document.querySelectorAll('select[data-key=predicted]').length", 0)
        self.browser.click("tbody tr:nth-child(3) td.name a")
        self.wait_for(TITLE, expected[2]["id"])


class Masks(PageCase):
    kind = "masks"

    def test_legend(self):
        self.wait_for("document.querySelector('.legend').textContent.includes('on paths that the prediction needs')", True)
        self.wait_for("document.querySelector('.legend').textContent.includes('against')", False)

    def test_a_class_that_the_model_does_not_know(self):
        self.go("#graphs")
        row = "document.querySelector('tbody tr')"
        self.wait_for(f"{row}.querySelector('td[data-label=True]').textContent", "unclear")
        self.wait_for(f"{row}.querySelector('td[data-label=Outcome]').textContent", "wrong")
        self.browser.click("tbody tr td.name a")
        self.wait_for("document.querySelector('.numbers').textContent.includes('unclear')", True)
        self.browser.click("#close")


class Bare(PageCase):
    kind = "bare"

    def test_has_no_room_for_pictures(self):
        for hash in ("", "#graphs", "#motifs?motif=0", "#graphs?graph=0"):
            self.go(hash)
            self.wait_for("document.querySelectorAll('.picture, .legend').length", 0)


class Anchors(PageCase):
    kind = "anchors"

    def test_anchors(self):
        self.wait_for("[...document.querySelectorAll('#tabs a')].length", 1)
        self.count_is(96, "anchors")
        self.choose("#sort", "weight")
        paths = [anchor["path"] for anchor in descending(self.data["anchors"], "weight")]
        self.wait_for("[...document.querySelectorAll('td.path')].map((cell) => cell.textContent)", paths[:BATCH])
        self.browser.type("#search", "N+ =")
        self.count_is(sum("N+" in path and "=" in path for path in paths), "anchors")


class Empty(PageCase):
    kind = "empty"

    def test_says_so(self):
        self.wait_for(COUNT, "0 graphs")
        self.wait_for("document.querySelector('.nothing').textContent", "There are no graphs.")
        self.browser.press("/")
        self.wait_for("document.querySelector('h1').textContent", "Explanations")


del PageCase  # is not a test of its own

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: page_test.py [TEST...] WRITE_PAGE")
    if not webdriver.installed():
        print("SKIPPED: there is no chromium with chromedriver (packages chromium and chromium-driver)")
        sys.exit(77)
    WRITE_PAGE = sys.argv.pop()
    with tempfile.TemporaryDirectory(prefix="gckn-page-") as folder:
        FOLDER = pathlib.Path(folder)
        unittest.main(verbosity=2, exit=False).result.wasSuccessful() or sys.exit(1)
