// SPDX-License-Identifier: GPL-2.0

//! What the commands of a plan do.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::slice;
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::unistd::geteuid;

use crate::cpu::Cpu;
use crate::faults;
use crate::kmod::{self, LoadError, Modules};
use crate::kmsg::Log;
use crate::ktap::{fail, Doing, Report, Stop, Verdict};
use crate::kunit::{self, Case};
use crate::plan::{Command, Module, Step};
use crate::proc_crypto::{self, Algorithm};
use crate::races;
#[cfg(target_arch = "x86_64")]
use crate::registers;
use crate::suites;
use crate::tcrypt;
use crate::trace::{self, Sections};

/// How long, by the guest's clock, self-tests may run.
const SELFTEST_TIME: Duration = Duration::from_secs(60);
/// What it takes the crypto core to give up a self-test that never began: a minute, and nothing
/// else takes as long as half of that.
const UNTESTED_TIME: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(20);

/// What commands act on.
pub struct Guest {
    pub modules: Modules,
    /// Absent where the log may not be read.
    pub log: Option<Log>,
    pub seed: u64,
    pub cpu: Cpu,
}

impl Guest {
    /// Runs one command and reports its result.
    pub fn run(&mut self, report: &mut Report, step: &Step) {
        let name = &step.text;
        match &step.command {
            Command::Load(module) => report.case(name, |_| self.load(module)),
            Command::LoadIfAble(module) => report.case(name, |_| self.load_if_able(module)),
            Command::LoadRefused(module, errno) => {
                report.case(name, |_| self.load_refused(module, *errno));
            }
            Command::Unload(module) => report.case(name, |_| unload(module)),
            Command::Sysctl { path, value } => report.case(name, |_| sysctl(path, value)),
            Command::Drivers(drivers) => report.case(name, |report| {
                absent(&self.cpu.others(drivers))?;
                for found in wait_for(&self.cpu.runnable(drivers))? {
                    report.note(format_args!(
                        "driver={} name={} priority={} selftest={} module={}",
                        found.driver, found.name, found.priority, found.selftest, found.module
                    ));
                }
                Ok(())
            }),
            Command::Absent(names) => report.case(name, |_| absent(names)),
            Command::AfAlg { family, drivers } => {
                suites::run(report, name, family, &self.cpu, drivers, self.seed);
            }
            Command::Kcapi { family, drivers } => {
                suites::kcapi::run(report, name, family, &self.cpu, drivers, self.seed);
            }
            Command::Cycle {
                module,
                count,
                drivers,
            } => report.case(name, |_| {
                self.cycle(module, *count, &self.cpu.runnable(drivers))
            }),
            Command::Speed { label, module } => {
                report.case(name, |report| self.speed(report, label, module));
            }
            Command::FailRequests(drivers) => report.group(name, drivers.len(), |report| {
                for driver in drivers {
                    report.case(&driver.name, |report| {
                        self.cpu.has(driver)?;
                        let failures = faults::requests(&driver.name)?;
                        report.note(format_args!("allocations that failed: {failures}"));
                        Ok(())
                    });
                }
            }),
            Command::FailLoads(module, drivers) => report.case(name, |report| {
                let failures = self.fail_loads(module, &self.cpu.runnable(drivers))?;
                report.note(format_args!("allocations that failed: {failures}"));
                Ok(())
            }),
            Command::FailSelftest(module, errno) => {
                report.case(name, |report| self.fail_selftest(report, module, *errno));
            }
            Command::FpuSections(drivers) => report.group(name, drivers.len(), |report| {
                for driver in drivers {
                    report.case(&driver.name, |_| {
                        self.cpu.has(driver)?;
                        fpu_sections(&driver.name)
                    });
                }
            }),
            Command::Race { modules, count } => {
                report.case(name, |report| self.race(report, modules, *count));
            }
            Command::Autoload { module, algorithm } => report.case(name, |_| {
                needs_root()?;
                races::autoload(module, algorithm)?;
                unload(module)
            }),
            Command::Best { algorithm, driver } => report.case(name, |_| {
                wait_for(slice::from_ref(driver))?;
                races::best(algorithm, driver)
            }),
            Command::Displace {
                module,
                algorithm,
                driver,
            } => report.case(name, |_| {
                needs_root()?;
                let load = || {
                    self.load(&plain(module))?;
                    wait_for(slice::from_ref(driver)).map(drop)
                };
                races::displace(algorithm, driver, load, || unload(module))
            }),
            Command::Registers { seconds, drivers } => {
                let drivers = self.cpu.runnable(drivers);
                report.case(name, |report| registers(report, *seconds, &drivers));
            }
            Command::Use {
                user,
                module,
                loading,
            } => report.case(name, |report| {
                needs_root()?;
                let test = || user.run(module, self.seed);
                let driver = if *loading {
                    let driver = races::loading(module, test)?;
                    unload(module)?;
                    driver
                } else {
                    test()?
                };
                report.note(format_args!("in use: {driver}"));
                Ok(())
            }),
            Command::Said(text) => report.case(name, |_| match self.times(text)? {
                0 => fail!("no such line"),
                _ => Ok(()),
            }),
            Command::SaidTimes(count, text) => report.case(name, |_| match self.times(text)? {
                found if found == *count => Ok(()),
                found => fail!("{found} such lines"),
            }),
            Command::Lockdep => report.case(name, |_| lockdep()),
            Command::Leaks => report.case(name, |_| faults::leaks()),
            Command::KernelTest(module) => self.kernel_test(report, name, module),
            Command::KmsgClean(modules) => {
                report.case(name, |report| self.kmsg_clean(report, modules));
            }
        }
        // So that the kernel's ring buffer does not run over. A log that cannot be read is
        // noticed by the commands that look at it.
        if let Some(log) = &mut self.log {
            let _ = log.records();
        }
    }

    fn load(&self, module: &Module) -> Verdict {
        needs_root()?;
        self.modules.load(module).doing(&module.name)
    }

    fn load_if_able(&self, module: &Module) -> Verdict {
        needs_root()?;
        match self.modules.load(module) {
            Err(LoadError::Kernel(Errno::ENODEV)) => Err(Stop::Skip(format!(
                "{} has no use for this CPU",
                module.name
            ))),
            result => result.doing(&module.name),
        }
    }

    fn load_refused(&self, module: &Module, expected: Errno) -> Verdict {
        needs_root()?;
        match self.modules.load(module) {
            Err(LoadError::Kernel(errno)) if errno == expected => Ok(()),
            Err(err) => fail!("{err}, expected {expected:?}"),
            Ok(()) => fail!("it was loaded, expected {expected:?}"),
        }
    }

    fn cycle(&self, name: &str, count: u32, drivers: &[String]) -> Verdict {
        needs_root()?;
        let before = Loaded::read(drivers)?;
        for round in 1..=count {
            let result = self.load(&plain(name)).and_then(|()| {
                wait_for(drivers)?;
                unload(name)?;
                before.compare(&Loaded::read(drivers)?)
            });
            if let Err(Stop::Fail(reason)) = result {
                fail!("round {round} of {count}: {reason}");
            }
        }
        Ok(())
    }

    /// Loads the module with its first allocation failing, then with its second, and so on, until
    /// it makes fewer.
    fn fail_loads(&self, module: &str, drivers: &[String]) -> Verdict<u32> {
        needs_root()?;
        let image = self.modules.read(&plain(module)).doing(module)?;
        let before = Loaded::read(drivers)?;
        faults::each_allocation(|n| {
            let (result, failed) = faults::failing(n, || image.load())?;
            match result {
                // The kernel can do without some of what it allocates for a module.
                Ok(()) => {
                    wait_for(drivers)?;
                    unload(module)?;
                }
                Err(Errno::ENOMEM) if failed => {}
                Err(errno) => fail!("allocation {n} (failed: {failed}): {errno}"),
            }
            match before.compare(&Loaded::read(drivers)?) {
                Err(Stop::Fail(reason)) => fail!("allocation {n}: {reason}"),
                result => result.map(|()| failed),
            }
        })
    }

    /// Loads a module that registers something before it fails with `expected`, until one of its
    /// self-tests was not started for want of memory. The crypto core does not say that to
    /// anybody, but it takes its time to find out when the registration is undone.
    fn fail_selftest(&self, report: &mut Report, module: &Module, expected: Errno) -> Verdict {
        needs_root()?;
        let image = self.modules.read(module).doing(&module.name)?;
        let before = Loaded::read(&[])?;
        let mut waited = None;
        faults::each_allocation(|n| {
            let start = Instant::now();
            let (result, failed) = faults::failing(n, || image.load())?;
            match result {
                Err(errno) if errno == expected || (failed && errno == Errno::ENOMEM) => {}
                result => fail!("allocation {n} (failed: {failed}): {result:?}"),
            }
            before.compare(&Loaded::read(&[])?)?;
            let took = start.elapsed();
            waited = (took > UNTESTED_TIME).then_some((n, took));
            Ok(failed && waited.is_none())
        })?;
        match waited {
            Some((n, took)) => {
                report.note(format_args!("allocation {n}: undone in {took:?}"));
                Ok(())
            }
            None => fail!("each self-test was started"),
        }
    }

    /// Loads two modules at once, again and again.
    fn race(&self, report: &mut Report, names: &[String; 2], count: u32) -> Verdict {
        needs_root()?;
        let both = names.each_ref().map(|name| plain(name));
        let before = Loaded::read(&[])?;
        let mut losers = 0;
        for round in 1..=count {
            let result = races::load_both(&self.modules, both.each_ref()).and_then(|loaded| {
                losers += both.len() - loaded.len();
                settled()?;
                loaded.iter().try_for_each(|name| unload(name))?;
                before.compare(&Loaded::read(&[])?)
            });
            if let Err(Stop::Fail(reason)) = result {
                fail!("round {round} of {count}: {reason}");
            }
        }
        report.note(format_args!("refused: {losers} of {}", 2 * count));
        Ok(())
    }

    /// Number of lines that have the text in them.
    fn times(&mut self, text: &str) -> Verdict<usize> {
        needs_root()?;
        let records = opened(&mut self.log)?.records().doing("/dev/kmsg")?;
        let found = records.iter().filter(|record| record.text.contains(text));
        Ok(found.count())
    }

    fn speed(&mut self, report: &mut Report, label: &str, module: &Module) -> Verdict {
        needs_root()?;
        let log = opened(&mut self.log)?;
        let start = log.records().doing("/dev/kmsg")?.len();
        let lost = log.lost();
        // Having done its work, its init function fails so that it need not be unloaded.
        let loaded = self.modules.load(module);
        let records = &log.records().doing("/dev/kmsg")?[start..];
        let lines = records.iter().map(|record| record.text.as_str());
        let output = tcrypt::parse(&module.name, lines);
        if let Some(khz) = output.counter {
            report.note(format_args!("counter khz={khz}"));
        }
        for speed in &output.speeds {
            report.note(format_args!("speed label={label} {speed}"));
        }
        for algorithm in &output.missing {
            report.note(format_args!("not measured: the kernel has no {algorithm}"));
        }
        if log.lost() > lost {
            fail!("{} lines of the kernel log were lost", log.lost() - lost);
        }
        if !output.errors.is_empty() {
            fail!("{}", output.errors.join("\n"));
        }
        match loaded {
            Err(LoadError::Kernel(Errno::EAGAIN)) => {}
            Err(err) => fail!("{}: {err}", module.name),
            Ok(()) => unload(&module.name)?,
        }
        match (&output.missing[..], output.speeds.len()) {
            ([], 0) if output.counter.is_none() => fail!("{} printed no figures", module.name),
            (missing @ [_, ..], 0) => Err(Stop::Skip(format!(
                "the kernel has no {}",
                missing.join(", ")
            )))?,
            _ => {}
        }
        Ok(())
    }

    /// Loads a module of tests. A result of its own, the last one, says whether it did its work.
    fn kernel_test(&mut self, report: &mut Report, name: &str, module: &Module) {
        let (cases, verdict) = match self.run_kernel_test(module) {
            Ok(cases) if cases.is_empty() => (
                cases,
                Err(Stop::Fail("no results in the kernel log".into())),
            ),
            Ok(cases) => (cases, Ok(())),
            Err(stop) => (Vec::new(), Err(stop)),
        };
        report.group(name, cases.len() + 1, |report| {
            for Case { name, verdict } in cases {
                report.case(&name, |_| verdict);
            }
            report.case("ran", |_| verdict);
        });
    }

    fn run_kernel_test(&mut self, module: &Module) -> Verdict<Vec<Case>> {
        needs_root()?;
        let log = opened(&mut self.log)?;
        let start = log.records().doing("/dev/kmsg")?.len();
        let lost = log.lost();
        // Without KUnit, the module does not stay if a test failed.
        let loaded = self.modules.load(module);
        let records = &log.records().doing("/dev/kmsg")?[start..];
        let cases = kunit::parse(records.iter().map(|record| record.text.as_str()));
        if log.lost() > lost {
            fail!("{} lines of the kernel log were lost", log.lost() - lost);
        }
        match loaded {
            Ok(()) => unload(&module.name)?,
            Err(LoadError::Kernel(Errno::EINVAL)) if !cases.is_empty() => {}
            Err(err) => fail!("{err}"),
        }
        Ok(cases)
    }

    fn kmsg_clean(&mut self, report: &mut Report, modules: &[String]) -> Verdict {
        needs_root()?;
        let log = opened(&mut self.log)?;
        let mut faults = 0;
        for record in log.records().doing("/dev/kmsg")? {
            if record.is_fault(modules) {
                faults += 1;
                report.note(format_args!("kmsg: {}", record.text));
            }
        }
        if log.lost() > 0 {
            fail!("{} lines of the kernel log were lost", log.lost());
        }
        if faults > 0 {
            fail!("{faults} lines");
        }
        Ok(())
    }
}

/// What a module that was unloaded must leave as it was.
#[derive(PartialEq)]
struct Loaded {
    modules: BTreeSet<String>,
    /// Not a set: a driver must not be registered twice.
    drivers: Vec<String>,
}

impl Loaded {
    /// Template instances over other drivers than `ours` are left out: they come with whoever
    /// asks for one, and go when a better driver for what they are made of is registered.
    fn read(ours: &[String]) -> Verdict<Self> {
        let algorithms = proc_crypto::read().doing("/proc/crypto")?;
        let mut drivers: Vec<_> = algorithms.into_iter().map(|found| found.driver).collect();
        drivers.retain(|driver| {
            !driver.contains('(') || ours.iter().any(|name| driver.contains(name.as_str()))
        });
        drivers.sort();
        Ok(Self {
            modules: kmod::loaded().doing("/proc/modules")?,
            drivers,
        })
    }

    fn compare(&self, now: &Self) -> Verdict {
        if self != now {
            let changed: Vec<_> = self.modules.symmetric_difference(&now.modules).collect();
            let (before, after) = (self.drivers.join(" "), now.drivers.join(" "));
            fail!("modules changed: {changed:?}\ndrivers before: {before}\ndrivers after: {after}");
        }
        Ok(())
    }
}

/// A module without parameters.
fn plain(name: &str) -> Module {
    Module {
        name: name.into(),
        params: String::new(),
    }
}

fn opened(log: &mut Option<Log>) -> Verdict<&mut Log> {
    log.as_mut()
        .ok_or_else(|| Stop::Fail("/dev/kmsg is not open".into()))
}

/// By hand, as an ordinary user, only some commands can run.
fn needs_root() -> Verdict {
    if geteuid().is_root() {
        Ok(())
    } else {
        Err(Stop::Skip("only root can do this".into()))
    }
}

fn unload(name: &str) -> Verdict {
    needs_root()?;
    kmod::unload(name).doing(format_args!("unloading {name}"))?;
    if kmod::loaded().doing("/proc/modules")?.contains(name) {
        fail!("{name} is still in /proc/modules");
    }
    Ok(())
}

fn sysctl(path: &str, value: &str) -> Verdict {
    needs_root()?;
    let file = Path::new("/proc/sys").join(path);
    if !file.exists() {
        return Err(Stop::Skip(format!("this kernel has no {path}")));
    }
    fs::write(&file, value).doing(path)?;
    let now = fs::read_to_string(&file).doing(path)?;
    if now.trim() != value {
        fail!("{path} is {}", now.trim());
    }
    Ok(())
}

/// The longest time for which a request keeps others from its CPU does not grow with its length.
fn fpu_sections(driver: &str) -> Verdict {
    needs_root()?;
    for pages in [1, 32] {
        let found = trace::request(driver, pages)?;
        let expected = Sections {
            steps: pages,
            with_section: pages,
        };
        if found != expected {
            fail!("{pages} pages: {found:?}, expected {expected:?}");
        }
    }
    Ok(())
}

/// Having found something, lockdep gives up, and what comes later is not looked at.
fn lockdep() -> Verdict {
    const STATS: &str = "/proc/lockdep_stats";
    let stats = fs::read_to_string(STATS).doing(STATS)?;
    let on = stats.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == "debug_locks").then_some(value.trim())
    });
    if on != Some("1") {
        fail!("debug_locks: {on:?}");
    }
    Ok(())
}

/// Waits until all `drivers` are registered and have passed their self-tests.
fn wait_for(drivers: &[String]) -> Verdict<Vec<Algorithm>> {
    let deadline = Instant::now() + SELFTEST_TIME;
    loop {
        let algorithms = proc_crypto::read().doing("/proc/crypto")?;
        let (found, missing): (Vec<_>, Vec<_>) = drivers
            .iter()
            .map(|driver| {
                let found = algorithms.iter().find(|found| found.driver == *driver);
                found.ok_or(driver)
            })
            .partition(Result::is_ok);
        let found: Vec<_> = found.into_iter().flatten().cloned().collect();
        let untested = found.iter().filter(|found| found.selftest != "passed");
        let untested: Vec<_> = untested.map(|found| found.driver.as_str()).collect();
        let missing: Vec<_> = missing.into_iter().filter_map(Result::err).collect();
        if missing.is_empty() && untested.is_empty() {
            return Ok(found);
        }
        if Instant::now() > deadline {
            fail!("missing: {missing:?}, self-test not passed: {untested:?}");
        }
        thread::sleep(POLL);
    }
}

/// Waits until there is no driver whose self-test has not passed.
fn settled() -> Verdict {
    let algorithms = proc_crypto::read().doing("/proc/crypto")?;
    let drivers: Vec<_> = algorithms.into_iter().map(|found| found.driver).collect();
    wait_for(&drivers).map(drop)
}

#[cfg(target_arch = "x86_64")]
fn registers(report: &mut Report, seconds: u64, drivers: &[String]) -> Verdict {
    let width = registers::run(drivers, Duration::from_secs(seconds))?;
    report.note(format_args!("registers of {width:?}"));
    Ok(())
}

#[cfg(not(target_arch = "x86_64"))]
fn registers(_: &mut Report, _: u64, _: &[String]) -> Verdict {
    Err(Stop::Skip("written for x86".into()))
}

fn absent(names: &[String]) -> Verdict {
    let algorithms = proc_crypto::read().doing("/proc/crypto")?;
    let there: Vec<_> = names
        .iter()
        .filter(|name| {
            algorithms
                .iter()
                .any(|found| found.driver == **name || found.name == **name)
        })
        .collect();
    if !there.is_empty() {
        fail!("registered: {there:?}");
    }
    Ok(())
}
