#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The environment of every build and test: a Debian root of our own in the
# cache, entered with bubblewrap. It makes results independent of the host's
# distribution and installs nothing on the host but the tools that make it.

set -euo pipefail
shopt -s inherit_errexit

readonly DEFAULT_SUITE=trixie
# The bits of this file that shape the root; raise it when they change.
readonly ROOT_FORMAT=3
# gcc-14 built the kernels of the default suite, and stands for what built another's.
readonly PACKAGES=(
	bc bindgen binutils bison bochs bochs-sdl bochsbios bubblewrap
	ca-certificates cargo clang cpio cryptsetup-bin debhelper dh-dkms dpkg-dev
	e2fsprogs file flex gcc gcc-14 gcc-14-aarch64-linux-gnu git iproute2
	isolinux kcapi-tools kmod libbotan-3-dev libc6-dev libc6-dev-arm64-cross
	libclang-dev libelf-dev libgcrypt20-dev libisal-dev libncurses-dev
	libssl-dev make mmdebstrap nettle-dev openssl pahole patch perl pkgconf
	procps python3 python3-sphinx qemu-system-arm qemu-system-x86 qemu-user
	rsync rust-clippy rust-src rustc rustfmt shellcheck syslinux-common
	valgrind vgabios xorriso xz-utils zstd
)
# A build that was interrupted can leave what the next one does not link.
readonly CARGO_INCREMENTAL=0
# Handed to the command inside, besides everything named RFL_*.
readonly PASS_ENV=(
	CI GROUND KERNEL QUICK V W KCONFIG_CONFIG KDIR PROPTEST_CASES RUST_BACKTRACE
	TERM COLORTERM NO_COLOR http_proxy https_proxy no_proxy
	HTTP_PROXY HTTPS_PROXY NO_PROXY
)

usage() {
	cat <<USAGE
Usage: scripts/env.sh run [--] COMMAND [ARG...]   run COMMAND in the environment
       scripts/env.sh prepare                     only make the environment
       scripts/env.sh renew                       make it anew
       scripts/env.sh path                        print where its root is

The environment is a Debian $DEFAULT_SUITE root below the cache, made at first use.

  KERNEL         the kernel to work on: a suite of Debian's, for its newest kernel,
                 or a kernel release. A suite other than $DEFAULT_SUITE has an
                 environment of its own, with the compilers that built its kernel
  RFL_CACHE      the cache (default: \${XDG_CACHE_HOME:-\$HOME/.cache}/rfl-crypto)
  RFL_ENV=host   use this host as it is; it must be of the suite, with the packages
                 that the root would hold. RFL_ENV=root never does so; by default
                 that is the way out where namespaces cannot be made
  DEBIAN_MIRROR  base URI of a Debian mirror (default: from the host's APT sources)

Inside, RFL_SRC and RFL_CACHE say where checkout and cache are.
USAGE
}

say() { printf 'env: [%4d s] %s\n' "$SECONDS" "$*" >&2; }
die() {
	printf 'env: error: %s\n' "$1" >&2
	shift
	[ $# -eq 0 ] || printf 'env:   %s\n' "$@" >&2
	exit 1
}

src=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${RFL_CACHE:-${XDG_CACHE_HOME:-${HOME:?HOME is not set, so set RFL_CACHE}/.cache}/rfl-crypto}
mkdir -p "$cache" || die "cannot create the cache $cache" "choose another place with RFL_CACHE=..."
cache=$(cd -P "$cache" && pwd)

# Print the suite that has a kernel.
suite_of() {
	case $1 in
	[0-9]*+deb14-*) echo forky ;;
	'' | [0-9]*) echo $DEFAULT_SUITE ;;
	*[!a-z0-9-]*) die "KERNEL is '$1'; it can be a suite such as forky, or a kernel release" ;;
	*) echo "$1" ;;
	esac
}

# Whatever depends on the suite is in a cache of its own; what cargo fetches does not.
# Within an environment, both are settled.
SUITE=${RFL_SUITE:-$(suite_of "${KERNEL:-}")}
cargo=$cache/cargo
if [ -z "${RFL_SUITE:-}" ] && [ "$SUITE" != $DEFAULT_SUITE ]; then
	cache=$cache/$SUITE
	mkdir -p "$cache"
fi
readonly src cache cargo SUITE
readonly root=$cache/root-$SUITE
readonly stamp=$root/.rfl-stamp
readonly sources=$cache/apt/sources.list
readonly aptconf=$cache/apt/apt.conf

is_root() { [ "$(id -u)" -eq 0 ]; }

# --- long steps -----------------------------------------------------------

child=
stop_child() {
	[ -n "$child" ] || return 0
	kill -TERM -- "-$child" 2>/dev/null || true
	wait "$child" 2>/dev/null || true
	child=
}
trap stop_child EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# logged TITLE LOG COMMAND...: run a long command with its output in LOG, and
# tell every few seconds what it does; on failure, show how it ended.
logged() {
	local title=$1 log=$2 rc=0 tick=0
	shift 2
	say "$title"
	mkdir -p "$(dirname "$log")"
	# Its own process group, so that an interrupt stops all of it.
	set -m
	"$@" >"$log" 2>&1 </dev/null &
	child=$!
	set +m
	while kill -0 "$child" 2>/dev/null; do
		sleep 1
		tick=$((tick + 1))
		[ $((tick % 8)) -ne 0 ] || say "  ... $(progress "$log" | tr -d '\n')"
	done
	wait "$child" || rc=$?
	child=
	[ $rc -eq 0 ] || {
		tail -n 20 "$log" | sed 's/^/  | /' >&2
		die "failed (status $rc): $title" "full output: $log"
	}
}

progress() {
	awk '
		/^(Get|Hit):/ { got++ }
		/^Unpacking / { unpacked++ }
		/^Setting up / { done++ }
		{ last = $0 }
		END {
			if (unpacked) printf "%d packages fetched, %d unpacked, %d set up", got, unpacked, done
			else if (got) printf "%d items fetched", got
			else print substr(last, 1, 60)
		}' "$1"
	# An ordinary user's root is copied when it is complete.
	is_root || [ ! -d "$root.new" ] || echo ", $(du -sm "$root.new" | cut -f1) MB in place"
}

# lock MODE FILE WHAT: take a lock on FILE, shared (-s) or exclusive (-x),
# which lives as long as file descriptor 9 does.
lock() {
	exec 9>>"$2"
	flock -n "$1" 9 && return
	say "waiting: $3 (lock: $2)"
	flock "$1" 9
}

# --- host tools and mirror ------------------------------------------------

install_packages() {
	export DEBIAN_FRONTEND=noninteractive
	apt-get install -y --no-install-recommends "$@" ||
		{ apt-get update && apt-get install -y --no-install-recommends "$@"; }
}

# need TOOL PACKAGE: TOOL is there, or is installed, or we say how to get it.
need() {
	! command -v "$1" >/dev/null || return 0
	if is_root && command -v apt-get >/dev/null; then
		logged "installing the host's package $2 for $1" "$cache/logs/host-install.log" \
			install_packages "$2"
	else
		die "$1 is missing on this host" "install it: sudo apt-get install $2"
	fi
}

keyring() {
	local f
	for f in /usr/share/keyrings/debian-archive-keyring.{gpg,pgp}; do
		[ ! -e "$f" ] || { echo "$f"; return; }
	done
	need /usr/share/keyrings/debian-archive-keyring.gpg debian-archive-keyring
	echo /usr/share/keyrings/debian-archive-keyring.gpg
}

sources_for() {
	local uri=${1%/}
	printf 'deb %s %s main\n' "$uri" "$SUITE"
	# The default suite's kernel is from its backports.
	[ "$SUITE" != $DEFAULT_SUITE ] ||
		printf 'deb %s %s main\n' "$uri" "$SUITE-updates" "$uri" "$SUITE-backports"
}

# private_apt TOOL ARG...: APT with the host's settings, but state and cache of its own.
private_apt() {
	local tool=$1
	shift
	"$tool" -o Dir::State="$cache/apt/probe" -o Dir::Cache="$cache/apt/probe" \
		-o APT::Sandbox::User=root "$@"
}

# The same with a list of sources for all there is.
listed_apt() {
	local tool=$1 list=$2
	shift 2
	private_apt "$tool" -o Dir::Etc::sourcelist="$list" -o Dir::Etc::sourceparts=- \
		-o Acquire::Languages=none "$@"
}

# Leave with apt's private state empty.
reset_apt() {
	rm -rf "$cache/apt/probe"
	mkdir -p "$cache/apt/probe/lists/partial"
}

# Print the base URIs in the host's APT sources that have a component main.
# apt itself reads them, in both formats.
mirror_candidates() {
	reset_apt
	private_apt apt-get update --print-uris |
		sed -nE "s,^'(https?://.*)/dists/[^/]+/main/binary-amd64/Packages.*,\1,p" |
		awk '!seen[$0]++'
}

# Print the base URI of a Debian mirror. What is one is not told by names: it
# is the first that has our suite, signed by Debian's own keys.
find_mirror() {
	local key uri uris list=$cache/apt/probe/candidate.list
	command -v apt-get >/dev/null ||
		die "no mirror: this host has no apt-get" "name one: DEBIAN_MIRROR=<base URI of a Debian mirror>"
	key=$(keyring)
	uris=$(mirror_candidates)
	for uri in $uris; do
		echo "deb [signed-by=$key] $uri $SUITE main" >"$list"
		if listed_apt apt-get "$list" -q --error-on=any update \
			>"$cache/apt/probe/log" 2>&1; then
			rm -rf "$cache/apt/probe"
			echo "$uri"
			return
		fi
		say "not a usable mirror of $SUITE: $uri"
		sed -n 's/^[EW]: /env:          /p' "$cache/apt/probe/log" | head -n 3 >&2
	done
	die "found no Debian mirror with $SUITE in this host's APT sources" \
		"name one: DEBIAN_MIRROR=<base URI of a Debian mirror>"
}

# The sources and settings that apt inside the environment goes by.
write_sources() {
	local mirror=${DEBIAN_MIRROR:-}
	[ -s "$sources" ] && [ -z "$mirror" ] && return
	[ -z "$mirror" ] || [ "$(sources_for "$mirror")" != "$(cat "$sources" 2>/dev/null)" ] || return 0
	mkdir -p "$cache/apt"
	[ -n "$mirror" ] || {
		say "looking for a Debian mirror in the host's APT sources"
		mirror=$(find_mirror)
	}
	say "mirror: $mirror"
	# A proxy's address may hold a password.
	(
		umask 077
		echo 'Acquire::Retries "3";'
		! command -v apt-config >/dev/null ||
			apt-config dump | grep -E '^Acquire::(https?::([^ ]*::)?Proxy|ForceIPv[46]|Check-Valid-Until) ' || true
	) >"$aptconf"
	sources_for "$mirror" >"$sources.new"
	mv "$sources.new" "$sources"
}

# Print the package of the C compiler that the suite's newest kernel was built by: its
# headers depend on it. Looked up when a root is made, and kept.
kernel_compiler() {
	local list=$cache/apt/probe/suite.list headers cc
	[ "$SUITE" != $DEFAULT_SUITE ] || { echo gcc-14; return; }
	[ ! -s "$cache/apt/compiler" ] || { cat "$cache/apt/compiler"; return; }
	say "looking for the compiler that the kernel of $SUITE was built by"
	reset_apt
	sed "s,^deb ,deb [signed-by=$(keyring)] ," "$sources" >"$list"
	listed_apt apt-get "$list" -q --error-on=any update >"$cache/apt/probe/log" 2>&1 ||
		die "cannot read the package lists of $SUITE" "$(tail -n 1 "$cache/apt/probe/log")"
	headers=$(depends_on linux-headers-amd64 'linux-headers-[0-9][^ ,]*')
	cc=$(depends_on "${headers:-none}" 'gcc-[0-9]+')
	[ -n "$cc" ] || die "cannot tell by which compiler the kernel of $SUITE was built" \
		"linux-headers-amd64 depends on '$headers', and that on no gcc-<version>"
	rm -rf "$cache/apt/probe"
	echo "$cc" | tee "$cache/apt/compiler"
}

# depends_on PACKAGE PATTERN: print what of its dependencies fits.
depends_on() {
	{ listed_apt apt-cache "$list" --no-all-versions show "$1" || true; } 2>/dev/null |
		sed -n 's/^Depends: //p' | grep -oE "$2" | head -n 1 || true
}

# Print the packages of the environment.
packages() {
	local cc
	cc=$(kernel_compiler)
	printf '%s\n' "${PACKAGES[@]/#gcc-14/$cc}"
}

# --- the root -------------------------------------------------------------

want_stamp() { printf '%s\n' "$ROOT_FORMAT" "$SUITE" "${PACKAGES[@]}" | sha256sum | cut -d' ' -f1; }
fresh() { [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$(want_stamp)" ]; }

namespaces_work() { bwrap --ro-bind / / true 2>/dev/null; }

die_without_namespaces() {
	local hints=()
	[ "$(cat /proc/sys/kernel/unprivileged_userns_clone 2>/dev/null)" != 0 ] ||
		hints+=("enable user namespaces: sudo sysctl kernel.unprivileged_userns_clone=1")
	[ "$(cat /proc/sys/kernel/apparmor_restrict_unprivileged_userns 2>/dev/null)" != 1 ] ||
		hints+=("let bwrap make user namespaces: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0")
	[ "$(cat /proc/sys/user/max_user_namespaces 2>/dev/null)" != 0 ] ||
		hints+=("allow user namespaces: sudo sysctl user.max_user_namespaces=15000")
	[ ${#hints[@]} -gt 0 ] ||
		hints=("in a container: start it with --privileged, or with --cap-add SYS_ADMIN"
			"and --security-opt seccomp=unconfined --security-opt apparmor=unconfined")
	die "bubblewrap cannot make namespaces here: $(bwrap --ro-bind / / true 2>&1 || true)" \
		"${hints[@]}" \
		"or use a Debian $SUITE host or container, where it can be done without: RFL_ENV=host"
}

# Documentation is of no use in the root and a good part of unpacking it.
readonly DPKG_OPTS=(
	path-exclude=/usr/share/man/* path-exclude=/usr/share/info/*
	path-exclude=/usr/share/locale/* path-exclude=/usr/share/doc/*
	force-unsafe-io
)

with_mmdebstrap() {
	local new=$1 include
	include=$(packages | paste -s -d ,)
	local args=(--verbose --variant=apt --architectures=amd64 --keyring="$(keyring)"
		--aptopt="$aptconf" "${DPKG_OPTS[@]/#/--dpkgopt=}" --include="$include")
	if is_root; then
		mmdebstrap --mode=root "${args[@]}" "$SUITE" "$new" "$sources"
	else
		# Files of a root made in a user namespace belong to subordinate
		# users; through an archive they become the user's own. The
		# place it works in must be open to those users.
		mkdir -p "$new"
		TMPDIR=${TMPDIR:-/var/tmp} mmdebstrap --mode=unshare --format=tar "${args[@]}" "$SUITE" - "$sources" |
			tar -x -p --no-same-owner --exclude='./dev/*' -C "$new"
	fi
}

with_debootstrap() {
	local new=$1 mirror packages
	mapfile -t packages < <(packages)
	mirror=$(awk '{ print $2; exit }' "$sources")
	# The mounts it makes stay in a namespace of their own.
	unshare --mount debootstrap --arch=amd64 --variant=minbase --keyring="$(keyring)" \
		"$SUITE" "$new" "$mirror"
	cp "$sources" "$new/etc/apt/sources.list"
	cp "$aptconf" "$new/etc/apt/apt.conf.d/99rfl"
	printf '%s\n' "${DPKG_OPTS[@]}" >"$new/etc/dpkg/dpkg.cfg.d/99rfl"
	cp /etc/resolv.conf "$new/etc/resolv.conf"
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --mount sh -ec '
		new=$1; shift
		export PATH=/usr/sbin:/usr/bin:/sbin:/bin
		mount -t proc proc "$new/proc"
		chroot "$new" apt-get update
		DEBIAN_FRONTEND=noninteractive chroot "$new" \
			apt-get install -y --no-install-recommends "$@"
		chroot "$new" apt-get clean' sh "$new" "${packages[@]}"
	rm -rf "$new"/var/lib/apt/lists/*
}

build_root() {
	local new=$root.new how=with_mmdebstrap
	[ "$(dpkg --print-architecture 2>/dev/null || echo amd64)" = amd64 ] ||
		die "this host is $(dpkg --print-architecture); only amd64 hosts are supported"
	if ! command -v mmdebstrap >/dev/null && command -v debootstrap >/dev/null && is_root; then
		how=with_debootstrap
	else
		need mmdebstrap mmdebstrap
	fi
	is_root || {
		need newuidmap uidmap
		grep -qsE "^($(id -un)|$(id -u)):" /etc/subuid ||
			die "user $(id -un) has no subordinate user ids, which mmdebstrap needs" \
				"add some: sudo usermod --add-subuids 200000-265535 --add-subgids 200000-265535 $(id -un)"
	}
	rm -rf "$new" "$sources" "$cache/apt/compiler"
	write_sources
	kernel_compiler >/dev/null
	logged "making the Debian $SUITE root, ${#PACKAGES[@]} packages and what they need (about a minute)" \
		"$cache/logs/root-$SUITE.log" $how "$new"
	# Places to bind things to; the root itself is read-only in use.
	mkdir -p "$new/src" "$new/cache"
	touch "$new/etc/resolv.conf" "$new/etc/hosts"
	want_stamp >"$new/.rfl-stamp"
	rm -rf "$root.old"
	[ ! -e "$root" ] || mv "$root" "$root.old"
	mv "$new" "$root"
	rm -rf "$root.old"
	say "root ready: $root ($(du -sm "$root" | cut -f1) MB)"
}

# Leave with another root.
renew_root() {
	lock -x "$cache/.root-$SUITE.lock" "another run uses the root, or is making it"
	build_root
}

# Leave with a fresh root and a shared lock on it.
ensure_root() {
	local file=$cache/.root-$SUITE.lock
	while :; do
		lock -s "$file" "another run is making the root"
		! fresh || return 0
		lock -x "$file" "another run uses the root, or is making it"
		fresh || build_root
	done
}

# --- running --------------------------------------------------------------

# Print where host path $1 is inside, if it is there.
inside() {
	case $1/ in
	"$src"/*) echo "/src${1#"$src"}" ;;
	"$cache"/*) echo "/cache${1#"$cache"}" ;;
	*) echo /src ;;
	esac
}

run_in_root() {
	local args=() name ca=${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}
	ensure_root
	write_sources
	mkdir -p "$cache/home"
	mkdir -p "$cargo" "$cache/cargo"
	args=(--ro-bind "$root" / --bind "$src" /src --bind "$cache" /cache
		--bind "$cargo" /cache/cargo
		--dev /dev --dev-bind-try /dev/kvm /dev/kvm
		--perms 1777 --tmpfs /tmp --perms 1777 --tmpfs /var/tmp --tmpfs /run
		--ro-bind-try /etc/resolv.conf /etc/resolv.conf
		--ro-bind-try /etc/hosts /etc/hosts
		--die-with-parent --chdir "$(inside "$PWD")" --clearenv)
	# The certificates that the host trusts, for networks that need it.
	[ ! -r "$ca" ] || args+=(--ro-bind "$ca" /etc/ssl/certs/ca-certificates.crt)
	# A process namespace ends with the command, whatever that started.
	# Some containers do not allow the /proc that it needs.
	if bwrap --ro-bind "$root" / --unshare-pid --proc /proc true 2>/dev/null; then
		args+=(--unshare-pid --proc /proc)
	else
		args+=(--ro-bind /proc /proc)
	fi
	for name in "${PASS_ENV[@]}" "${!RFL_@}" "${!CARGO_NET_@}" "${!CARGO_HTTP_@}" \
		"${!CARGO_REGISTRIES_@}" "${!CARGO_SOURCE_@}"; do
		[ -z "${!name+set}" ] || args+=(--setenv "$name" "${!name}")
	done
	args+=(--setenv PATH /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
		--setenv HOME /cache/home --setenv LANG C.UTF-8
		--setenv RFL_ENV host --setenv RFL_SUITE "$SUITE" --setenv RFL_SRC /src --setenv RFL_CACHE /cache
		--setenv RFL_HOST_SRC "$src" --setenv RFL_HOST_CACHE "$cache"
		--setenv CARGO_HOME /cache/cargo --setenv CARGO_TARGET_DIR /cache/target
		--setenv CARGO_INCREMENTAL "$CARGO_INCREMENTAL"
		--setenv PYTHONDONTWRITEBYTECODE 1)
	exec bwrap "${args[@]}" -- "$@"
}

host_suite() {
	# shellcheck source=/dev/null
	(. /etc/os-release && echo "${VERSION_CODENAME:-unknown}")
}

check_host() {
	local missing packages
	[ "$(host_suite)" = "$SUITE" ] ||
		die "RFL_ENV=host needs a Debian $SUITE host, and this is: $(host_suite)" \
			"without RFL_ENV=host, commands run in a root of their own"
	packages=$(packages | sort)
	# shellcheck disable=SC2086 # a list
	missing=$(comm -23 <(echo "$packages") \
		<(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $packages 2>/dev/null |
			sed -n 's/^installed //p' | sort) | tr '\n' ' ')
	[ -n "$missing" ] || return 0
	is_root || die "packages are missing on this host: $missing" \
		"install them: sudo apt-get install --no-install-recommends $missing"
	# shellcheck disable=SC2086 # a list
	logged "installing on this host: $missing" "$cache/logs/host-install.log" \
		install_packages $missing
}

run_on_host() {
	write_sources
	check_host
	# Users of Debian do not have depmod and modinfo in their PATH.
	export PATH=$PATH:/usr/sbin:/sbin
	export RFL_ENV=host RFL_SUITE=$SUITE RFL_SRC=$src RFL_CACHE=$cache
	export CARGO_HOME=$cargo CARGO_TARGET_DIR=$cache/target PYTHONDONTWRITEBYTECODE=1
	export CARGO_INCREMENTAL
	exec "$@"
}

# Whether to use this host as it is: as told, or when there is no other way.
use_host() {
	case ${RFL_ENV:-} in
	host) return 0 ;;
	root | '') ;;
	*) die "RFL_ENV is '$RFL_ENV'; it can be 'root' or 'host'" ;;
	esac
	need bwrap bubblewrap
	! namespaces_work || return 1
	[ "${RFL_ENV:-$(host_suite)}" = "$SUITE" ] || die_without_namespaces
	say "bubblewrap cannot make namespaces here, so this Debian $SUITE is used as it is"
}

# Sourced, this file is a library; its tests use it so.
[ "${BASH_SOURCE[0]}" = "$0" ] || return 0

case ${1:-} in
run)
	shift
	[ "${1:-}" != -- ] || shift
	[ $# -gt 0 ] || { usage >&2; exit 2; }
	if use_host; then run_on_host "$@"; else run_in_root "$@"; fi
	;;
prepare)
	if use_host; then
		write_sources
		check_host
	else
		ensure_root
		write_sources
	fi
	;;
renew)
	! use_host || die "this host is the environment, so there is no root to renew"
	renew_root
	;;
path) if use_host; then echo /; else echo "$root"; fi ;;
-h | --help | help) usage ;;
*)
	usage >&2
	exit 2
	;;
esac
