#!/usr/bin/env python3
"""The tables of ../papers/*.md and of the project's README: what five papers report, beside what is stored here.

    docs/benchmarks/papers.py [--check] [--pages FOLDER] [--readme PAGE]
                              [--gpu FOLDER] [--second-gpu FOLDER] [--cpu FOLDER] [--counts FOLDER]

renews each table that stands on a page between lines <!-- NAME --> and <!-- /NAME -->, or with --check only says which
are not what the stored files give, and fails. What no stored file has is `not measured`.
"""

import argparse
import pathlib
import sys

import papers_assembly
import papers_beat
import papers_products
import papers_solver
from pages import filled, names_of
from stored import Stored

HERE = pathlib.Path(__file__).resolve().parent
TABLES = papers_products.TABLES | papers_assembly.TABLES | papers_solver.TABLES | papers_beat.TABLES


def renew(pages, stored, check=False):
    """Names of the tables that were not what the stored files give. Every table has to be on a page."""
    changed, missing = [], set(TABLES)
    for page in pages:
        text = before = page.read_text()
        for name in names_of(text):
            if name not in TABLES:
                sys.exit(f"{page}: there is no table '{name}'")
            missing.discard(name)
            old, text = text, filled(text, name, TABLES[name](stored), page)
            if text != old:
                changed.append(name)
        if text != before and not check:
            page.write_text(text)
    if missing:
        sys.exit(f"no page has the table '{sorted(missing)[0]}'")
    return changed


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--pages", type=pathlib.Path, default=HERE.parent / "papers")
    parser.add_argument("--readme", type=pathlib.Path, default=HERE.parents[1] / "README.md")
    parser.add_argument("--gpu", type=pathlib.Path, default=HERE / "nvidia-h200")
    parser.add_argument("--second-gpu", type=pathlib.Path, default=HERE / "nvidia-h100")
    parser.add_argument("--cpu", type=pathlib.Path, default=HERE / "amd-epyc-2-cores")
    parser.add_argument("--counts", type=pathlib.Path, default=HERE / "intel-xeon-2-cores")
    options = parser.parse_args(arguments)
    stored = Stored(options.gpu, options.second_gpu, options.cpu, options.counts)
    changed = renew([*sorted(options.pages.glob("*.md")), options.readme], stored, options.check)
    if changed and options.check:
        sys.exit(f"not what is stored: {', '.join(changed)}; docs/benchmarks/papers.py renews them")
    print(f"renewed {', '.join(changed) or 'nothing'}", file=sys.stderr)


if __name__ == "__main__":
    main()
