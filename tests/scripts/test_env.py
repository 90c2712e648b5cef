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

    def test_another_suite_has_its_own_sources(self):
        for suite, kernel in (("forky", "7.2.12+deb14-amd64"), ("sid", "sid")):
            self.bash("bash", "-c", '. "$1"; write_sources', "bash", str(ENV), KERNEL=kernel,
                      DEBIAN_MIRROR="http://m.example/debian/")
            self.assertEqual((self.cache / suite / "apt/sources.list").read_text(),
                             f"deb http://m.example/debian {suite} main\n")

    def packages(self, script, **env):
        result = self.bash("bash", "-c", f'. "$1"; {script}; packages', "bash", str(ENV), **env)
        return set(result.stdout.split()), result

    def test_compiler_of_the_kernel(self):
        """Of another suite, the headers say which it is, and it is looked up once."""
        archive = r'''
            mkdir -p "$cache/apt"; echo "deb http://m.example forky main" >"$sources"
            keyring() { echo /key; }
            listed_apt() {
                case "$1 ${*: -1}" in
                "apt-get update") ;;
                "apt-cache linux-headers-amd64")
                    echo "Depends: linux-base-amd64 (= 7.2), linux-headers-7.2.12+deb14-amd64 (= 7.2)" ;;
                "apt-cache linux-headers-7.2.12+deb14-amd64") echo "Depends: gcc-16-for-host, linux-base" ;;
                *) return 1 ;;
                esac
            }'''
        nowhere = "listed_apt() { return 1; }"
        for script in (archive, nowhere):
            names, result = self.packages(script, KERNEL="forky")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertLessEqual({"gcc", "gcc-16", "gcc-16-aarch64-linux-gnu", "rustc"}, names)
            self.assertNotIn("gcc-14", names)
        names, _ = self.packages(nowhere)
        self.assertIn("gcc-14", names)
        _, result = self.packages(archive.replace("gcc-16-for-host", "clang"), KERNEL="sid")
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot tell by which compiler the kernel of sid was built", result.stderr)

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
        for kernel, expected in (("", "root-trixie"), ("trixie", "root-trixie"),
                                 ("7.2.12+deb13-amd64", "root-trixie"),
                                 ("7.2.12+deb14-amd64", "forky/root-forky"),
                                 ("forky", "forky/root-forky"), ("sid", "sid/root-sid")):
            result = self.bash(str(ENV), "path", KERNEL=kernel)
            self.assertEqual(result.stdout, f"{self.cache}/{expected}\n", result.stderr)

    def test_within_an_environment(self):
        """There, the cache is that of its suite already."""
        result = self.bash("bash", "-c", '. "$1"; echo "$SUITE $cache"', "bash", str(ENV),
                           KERNEL="forky", RFL_SUITE="forky")
        self.assertEqual(result.stdout, f"forky {self.cache}\n")

    def test_no_such_kernel(self):
        result = self.bash(str(ENV), "path", KERNEL="../trixie")
        self.assertEqual(result.returncode, 1)
        self.assertIn("KERNEL is '../trixie'", result.stderr)

    def test_status_and_arguments_on_the_host(self):
        """Inside of the environment, RFL_ENV=host runs commands as they are."""
        result = self.bash(str(ENV), "run", "--", "sh", "-c", 'printf "%s|" "$@"; exit 7', "sh", "a b", "",
                           RFL_ENV="host", DEBIAN_MIRROR="http://m.example/debian")
        self.assertEqual((result.returncode, result.stdout), (7, "a b||"), result.stderr)


if __name__ == "__main__":
    unittest.main()
