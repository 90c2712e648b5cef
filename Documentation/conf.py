# SPDX-License-Identifier: GPL-2.0
"""Sphinx: sphinx-build -W -n -b html Documentation <output>"""

project = "rfl-crypto"
