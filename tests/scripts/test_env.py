# SPDX-License-Identifier: GPL-2.0
"""The environment script, as far as it can be tried inside of the environment."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import support

ENV = support.SCRIPTS / "env.sh"

ONE_LINE = """\
deb [arch=amd64 signed-by=/usr/share/keyrings/vendor.gpg] https://vendor.example/deb stable main
deb [ trusted=yes ] http://a.example/debian/ bookworm main contrib # comment
# deb http://commented.example/debian bookworm main
deb-src http://source.example/debian bookworm main
deb http://flat.example/foo ./
deb cdrom:[Debian GNU/Linux 12]/ bookworm main
deb http://other.example/debian bookworm contrib
"""
DEB822 = """\
Types: deb deb-src
URIs: http://b.example/debian
  https://c.example/pub/debian/
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Enabled: no
Types: deb
URIs: http://disabled.example/debian
Suites: bookworm
Components: main
"""


class Env(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="with space ")
        self.addCleanup(scratch.cleanup)
        self.cache = Path(scratch.name) / "cache"

    def bash(self, *command, **env):
        return subprocess.run(
            command, text=True, capture_output=True, check=False,
            env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "RFL_CACHE": str(self.cache), **env})

    @unittest.skipUnless(shutil.which("shellcheck"), "shellcheck is not installed")
    def test_shellcheck(self):
        result = self.bash("shellcheck", str(ENV))
        self.assertEqual(result.stdout, "")

    def test_candidates_of_both_formats(self):
        etc = self.cache / "etc"
        etc.mkdir(parents=True)
        (etc / "one.list").write_text(ONE_LINE)
        (etc / "two.sources").write_text(DEB822)
        config = etc / "apt.conf"
        config.write_text(f'Dir::Etc::sourcelist "/dev/null";\nDir::Etc::sourceparts "{etc}";\n')
        result = self.bash("bash", "-c", '. "$1"; mirror_candidates', "bash", str(ENV), APT_CONFIG=str(config))
        self.assertEqual(sorted(result.stdout.split()),
                         ["http://a.example/debian", "http://b.example/debian",
                          "https://c.example/pub/debian", "https://vendor.example/deb"])

    def test_mirror_by_name(self):
        for _ in range(2):
            result = self.bash("bash", "-c", '. "$1"; write_sources', "bash", str(ENV),
                               DEBIAN_MIRROR="http://m.example/debian/")
            self.assertEqual(result.returncode, 0, result.stderr)
            lines = (self.cache / "apt/sources.list").read_text().splitlines()
            self.assertIn("deb http://m.example/debian trixie-backports main", lines)
        self.assertEqual(result.stderr, "")  # nothing to do any more

    def test_usage(self):
        for arguments in ([], ["run"], ["run", "--"], ["no-such-command"]):
            result = self.bash(str(ENV), *arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn("Usage:", result.stderr)

    def test_bad_choice(self):
        result = self.bash(str(ENV), "path", RFL_ENV="none")
        self.assertEqual(result.returncode, 1)
        self.assertIn("RFL_ENV is 'none'", result.stderr)

    def test_path(self):
        result = self.bash(str(ENV), "path")
        self.assertEqual(result.stdout, f"{self.cache}/root-trixie\n")

    def test_status_and_arguments_on_the_host(self):
        """Inside of the environment, RFL_ENV=host runs commands as they are."""
        result = self.bash(str(ENV), "run", "--", "sh", "-c", 'printf "%s|" "$@"; exit 7', "sh", "a b", "",
                           RFL_ENV="host", DEBIAN_MIRROR="http://m.example/debian")
        self.assertEqual((result.returncode, result.stdout), (7, "a b||"), result.stderr)


if __name__ == "__main__":
    unittest.main()
