# SPDX-License-Identifier: GPL-2.0
#
# Front door. kbuild itself reads Kbuild; "make help" lists the targets.

.DEFAULT_GOAL := modules

# Everything that is made goes below RFL_CACHE, nothing into the checkout.
export RFL_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/rfl-crypto

in-root := scripts/env.sh run --

# A kernel of the distribution's by its name, or by its suite's: in the environment
# with its compilers, where its build directory is made, and has a name.
ifneq ($(and $(KERNEL),$(if $(KDIR),,by name)),)

PHONY += modules defconfig allmodconfig oldconfig menuconfig clean
modules defconfig allmodconfig oldconfig menuconfig clean:
	@$(in-root) sh -c 'name=$$(scripts/prepare-kernel) && \
		make --no-print-directory KDIR=$$RFL_CACHE/kernel/$$name/build $@'

else

KDIR ?= /lib/modules/$(shell uname -r)/build

release := $(shell cat $(KDIR)/include/config/kernel.release 2>/dev/null)
MO ?= $(RFL_CACHE)/build/$(release)
override MO := $(abspath $(MO))

# The compiler that made the kernel, if it has a name of its own here.
kernel-cc := $(shell sed -n 's/^CONFIG_CC_VERSION_TEXT="\?\([^ ]*\).*/\1/p' \
	$(KDIR)/include/config/auto.conf 2>/dev/null)
kbuild = $(MAKE) -C $(KDIR) M=$(CURDIR) MO=$(MO) RFL_CONFIG=$(MO)/config \
	$(if $(filter command environment,$(origin CC)),,$(if $(shell command -v $(kernel-cc) 2>/dev/null),CC=$(kernel-cc)))

# --- configuration -----------------------------------------------------------

# Kconfig asks the assembler what it knows, by way of the compiler of the build.
config-cc = $(or $(if $(filter command environment,$(origin CC)),$(CC)),$(shell \
	command -v $(kernel-cc) 2>/dev/null),$(if $(LLVM),clang,$(CROSS_COMPILE)gcc))

kconfig = mkdir -p $(MO)/config && \
	CC="$(config-cc)" \
	RFL_KERNEL_CONFIG=$(KDIR)/include/config/auto.conf \
	KCONFIG_CONFIG=$(MO)/.config \
	KCONFIG_AUTOCONFIG=$(MO)/config/auto.conf \
	KCONFIG_AUTOHEADER=$(MO)/config/autoconf.h \
	KCONFIG_RUSTCCFG=$(MO)/config/rustc_cfg \
	$(KDIR)/scripts/kconfig/$(1) scripts/kconfig/Kconfig

kconfig-files := Kconfig scripts/kconfig/Kconfig

# Each is an option of the kernel's conf.
simple-configs := allmodconfig allnoconfig olddefconfig oldconfig
PHONY += defconfig savedefconfig $(simple-configs)
defconfig: usable-kdir
	$(call kconfig,conf --alldefconfig)

$(simple-configs): usable-kdir
	$(call kconfig,conf --$@)

savedefconfig: $(MO)/.config
	$(call kconfig,conf --savedefconfig=$(MO)/defconfig)

# Headers packages rarely hold what these are made of; a kernel tree does.
PHONY += menuconfig nconfig
menuconfig nconfig: usable-kdir
	@test -e $(KDIR)/scripts/kconfig/$(if $(filter m%,$@),mconf.c,nconf.c) || { \
		echo "$(KDIR) cannot make $@, take \"make oldconfig\"" >&2; exit 1; }
	$(MAKE) -C $(KDIR) build_$@
	$(call kconfig,$(if $(filter m%,$@),mconf,nconf))

$(MO)/.config: | usable-kdir
	@echo "No configuration yet, taking the defaults (make defconfig)."
	$(call kconfig,conf --alldefconfig)

$(MO)/config/auto.conf: $(MO)/.config $(kconfig-files) | usable-kdir
	$(call kconfig,conf --syncconfig)
	@touch $@

# --- modules -----------------------------------------------------------------

PHONY += modules
modules: $(MO)/config/auto.conf
	$(kbuild) modules
	@echo "The modules are in $(MO:$(RFL_CACHE)/%=$(or $(RFL_HOST_CACHE),$(RFL_CACHE))/%)"

# Where they are installed: below INSTALL_MOD_PATH, if that is given. kbuild leaves
# out depmod where the build directory has no System.map, as headers packages do
# not; and there is no key of the kernel's to sign with.
depmod = depmod $(if $(INSTALL_MOD_PATH),-b $(INSTALL_MOD_PATH)) $(release)
installed = $(patsubst %.o,$(INSTALL_MOD_PATH)/lib/modules/$(release)/updates/%.ko*,$(filter %.o,\
	$(shell sed -n 's/^obj-.*+= *//p' Kbuild)))

# Where distributions keep theirs; a file of that name in /etc/modprobe.d goes first.
modprobe.d = $(INSTALL_MOD_PATH)/lib/modprobe.d

PHONY += install modules_install uninstall
install: modules_install
	install -D -m 644 -t $(modprobe.d) modprobe.d/rfl-crypto.conf

modules_install: modules
	$(kbuild) CONFIG_MODULE_SIG_ALL= modules_install
	$(depmod)

uninstall: usable-kdir
	rm -f $(installed) $(modprobe.d)/rfl-crypto.conf
	$(depmod)

PHONY += usable-kdir
usable-kdir:
	@if ! test -e $(KDIR)/Makefile; then \
		echo "$(KDIR): no kernel build directory; name one with KDIR=..." >&2; exit 1; \
	elif ! test -e $(KDIR)/rust/libkernel.rmeta; then \
		echo "$(KDIR): no Rust metadata (rust/libkernel.rmeta)." >&2; \
		echo "Distribution headers rarely ship it. For a kernel of Debian's that is installed," >&2; \
		echo "\"scripts/rust-metadata install --kernel $(release)\" adds it as root; \"make kernel\"" >&2; \
		echo "makes a build directory that has it, and prints its name for KDIR=..." >&2; \
		exit 1; \
	fi

PHONY += clean
clean:
	rm -rf $(MO)

endif

# --- on a stock kernel in a virtual machine ----------------------------------

PHONY += run check bench kernel
run:
	@$(in-root) scripts/guest.py run

check:
	@$(in-root) scripts/check

bench:
	@$(in-root) scripts/bench

kernel:
	@$(in-root) scripts/prepare-kernel

PHONY += help
help:
	@echo  'On a stock Debian kernel, in a virtual machine:'
	@echo  '  run          - build the modules, boot, load them, show self-tests and speed'
	@echo  '  check        - all tests; GROUND=host, qemu, uml, bochs or arm64 for some,'
	@echo  '                 GROUND=package for the Debian package, which is not among them'
	@echo  '  bench        - measure speed beside other implementations; QUICK=1 in short'
	@echo  '  kernel       - only make the kernel build directory with Rust metadata'
	@echo  ''
	@echo  'KERNEL=<suite or release>, forky for example, takes another kernel of Debian'\''s'
	@echo  'than the newest of its stable release; "modules" knows it too.'
	@echo  ''
	@echo  'For a kernel of your own (KDIR=<build directory>, default: the running one):'
	@echo  '  modules      - build the modules (default target)'
	@echo  '  defconfig    - configure with the default answers'
	@echo  '  allmodconfig - configure everything as modules, samples and tests too'
	@echo  '  allnoconfig  - configure nothing, to choose from there'
	@echo  '  oldconfig    - ask for what the configuration does not answer'
	@echo  '  olddefconfig - take the default answers for that'
	@echo  '  menuconfig, nconfig - change the configuration in a menu'
	@echo  '  savedefconfig - write what differs from the default answers to "defconfig"'
	@echo  '  install      - install the modules, below INSTALL_MOD_PATH if that is given,'
	@echo  '                 and a file for modprobe.d that explains their parameters'
	@echo  '  modules_install - only the modules'
	@echo  '  uninstall    - remove them'
	@echo  '  clean        - remove what "modules" made'
	@echo  ''
	@echo  'MO=<directory> puts the modules there instead of below'
	@echo  '$(RFL_CACHE)'

.PHONY: $(PHONY)
