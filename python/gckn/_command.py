# SPDX-License-Identifier: BSD-3-Clause
"""The command gckn that the package carries."""

from __future__ import annotations

import os
import sys


def main() -> None:
    command = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "gckn")
    if not os.path.exists(command):
        sys.exit("gckn: this package was built without the command")
    os.execv(command, [command, *sys.argv[1:]])


if __name__ == "__main__":
    main()
