// SPDX-License-Identifier: GPL-2.0

//! The plan: what a guest is to do, one command per line.
//!
//! Empty lines and what follows a `#` at the start of a word are ignored. A line `set NAME
//! DRIVER[?FEATURE,...]...` names a set of drivers, with what each needs of the CPU; from then on
//! `@NAME` stands for all of them, and `@NAME/PART` for those with that in their names. Those that
//! the CPU cannot run are expected to be absent.
//!
//! | command | passes when |
//! | --- | --- |
//! | `load MODULE [PARAM=VALUE...]` | the module loads |
//! | `load-if-able MODULE` | the same; skipped if it says `ENODEV`, that it has no use for this CPU |
//! | `load-refused MODULE ERRNO [PARAM=VALUE...]` | loading fails with that error |
//! | `unload MODULE` | the module unloads |
//! | `sysctl PATH VALUE` | `/proc/sys/PATH`, if the kernel has it, takes the value |
//! | `drivers DRIVER...` | each is registered and its self-test has passed, and none that the CPU cannot run is |
//! | `absent NAME...` | none is the name of a driver or an algorithm |
//! | `afalg FAMILY [DRIVER...]` | the AF_ALG suites of the cipher or hash pass, by algorithm and by driver name |
//! | `kcapi FAMILY DRIVER...` | so do the programs of libkcapi over algorithms or drivers of the family |
//! | `cycle MODULE COUNT [DRIVER...]` | the module loads, brings the drivers, and unloads without a trace |
//! | `tcrypt mode=MODE [label=LABEL] [PARAM=VALUE...]` | tcrypt runs and prints figures |
//! | `speed [label=LABEL] [PARAM=VALUE...]` | the same of `rfl_test_speed` |
//! | `fail-requests DRIVER...` | whichever allocation fails, requests fail cleanly or are right |
//! | `fail-loads MODULE [DRIVER...]` | whichever allocation fails, the module loads with its drivers or not at all |
//! | `fail-selftest MODULE ERRNO [PARAM=VALUE...]` | loading fails cleanly, also if there is no memory to start a self-test |
//! | `fpu-sections DRIVER...` | a request has an FPU section for each page, not one for all |
//! | `lockdep` | lockdep still looks at locks |
//! | `race MODULE MODULE COUNT` | of two modules loaded at once one wins, or both, and nothing else is left |
//! | `autoload MODULE ALGORITHM` | the kernel loads the module by its alias |
//! | `best ALGORITHM DRIVER` | who asks for the algorithm gets the driver |
//! | `displace MODULE ALGORITHM DRIVER` | a user keeps the driver that it has, a new one gets `DRIVER` of the module |
//! | `registers SECONDS DRIVER...` | a program keeps its vector registers while the drivers work |
//! | `ktls CIPHER MODULE` | TLS records of the kernel arrive as sent, or not at all, by the module's driver |
//! | `luks CIPHER MODULE [OPTION...]` | a volume made with these options of `cryptsetup luksFormat` keeps its data, by the module's driver |
//! | `filesystem CIPHER MODULE [OPTION...]` | so does a file system on one, which several threads write to |
//! | `esp ALGORITHM MODULE` | two hosts talk by IPsec, by the module's driver |
//! | `benchmark CIPHER MODULE` | `cryptsetup benchmark` has figures for it, by the module's driver |
//! | `loading ktls\|luks\|filesystem\|esp\|benchmark ...` | the same, and has the kernel load the module |
//! | `said TEXT` | a line of the kernel's log has the text in it |
//! | `said-times COUNT TEXT` | so many lines have |
//! | `leaks` | kmemleak finds none |
//! | `kernel-test MODULE [PARAM=VALUE...]` | the tests pass that the module runs when it is loaded |
//! | `kmsg-clean [MODULE...]` | the kernel has not complained, and the modules have not warned |

use std::collections::HashMap;
use std::str::FromStr;

use nix::errno::Errno;

use crate::users::{ktls::Cipher, User};

/// A module to load, with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    pub name: String,
    /// `name=value` pairs separated by spaces.
    pub params: String,
}

/// A driver, and what it needs of the CPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Driver {
    pub name: String,
    /// Features as `/proc/cpuinfo` calls them.
    pub needs: Vec<String>,
}

/// One line of the plan.
#[derive(Debug, PartialEq)]
pub enum Command {
    Load(Module),
    LoadIfAble(Module),
    LoadRefused(Module, Errno),
    Unload(String),
    Sysctl {
        path: String,
        value: String,
    },
    Drivers(Vec<Driver>),
    Absent(Vec<String>),
    AfAlg {
        family: String,
        drivers: Vec<Driver>,
    },
    Kcapi {
        family: String,
        drivers: Vec<Driver>,
    },
    Cycle {
        module: String,
        count: u32,
        drivers: Vec<Driver>,
    },
    /// Load a module that prints figures.
    Speed {
        label: String,
        module: Module,
    },
    FailRequests(Vec<Driver>),
    FailLoads(String, Vec<Driver>),
    FailSelftest(Module, Errno),
    FpuSections(Vec<Driver>),
    Lockdep,
    Race {
        modules: [String; 2],
        count: u32,
    },
    Autoload {
        module: String,
        algorithm: String,
    },
    Best {
        algorithm: String,
        driver: String,
    },
    Displace {
        module: String,
        algorithm: String,
        driver: String,
    },
    Registers {
        seconds: u64,
        drivers: Vec<Driver>,
    },
    Use {
        user: User,
        module: String,
        /// Whether the user has the kernel load it.
        loading: bool,
    },
    Said(String),
    SaidTimes(usize, String),
    Leaks,
    KernelTest(Module),
    KmsgClean(Vec<String>),
}

/// A command and the text it was written as, which names its result.
#[derive(Debug, PartialEq)]
pub struct Step {
    pub text: String,
    pub command: Command,
}

/// Parses a plan. The error names the line.
pub fn parse(plan: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let mut sets = Sets::new();
    for (number, line) in (1..).zip(plan.lines()) {
        let words: Vec<_> = line
            .split_whitespace()
            .take_while(|word| !word.starts_with('#'))
            .collect();
        if words.is_empty() {
            continue;
        }
        let text = words.join(" ");
        let failed = |err| format!("line {number}: {text}: {err}");
        if let ["set", name, ref members @ ..] = *words {
            let members = drivers(members, &sets).map_err(failed)?;
            sets.insert(name.into(), members);
            continue;
        }
        let command = command(&words, &sets).map_err(failed)?;
        steps.push(Step { text, command });
    }
    Ok(steps)
}

/// Sets of drivers by name.
type Sets = HashMap<String, Vec<Driver>>;

fn command(words: &[&str], sets: &Sets) -> Result<Command, String> {
    Ok(match *words {
        ["load", name, ref params @ ..] => Command::Load(module(name, params)?),
        ["load-if-able", name] => Command::LoadIfAble(module(name, &[])?),
        ["load-refused", name, errno, ref params @ ..] => {
            Command::LoadRefused(module(name, params)?, parse_errno(errno)?)
        }
        ["unload", name] => Command::Unload(file_name(name)),
        ["sysctl", path, value] => Command::Sysctl {
            path: path.into(),
            value: value.into(),
        },
        ["drivers", ref names @ ..] if !names.is_empty() => Command::Drivers(drivers(names, sets)?),
        ["absent", ref names @ ..] if !names.is_empty() => Command::Absent(
            drivers(names, sets)?
                .into_iter()
                .map(|driver| driver.name)
                .collect(),
        ),
        ["afalg", family, ref names @ ..] => Command::AfAlg {
            family: family.into(),
            drivers: drivers(names, sets)?,
        },
        ["kcapi", family, ref names @ ..] if !names.is_empty() => Command::Kcapi {
            family: family.into(),
            drivers: drivers(names, sets)?,
        },
        ["cycle", module, count, ref names @ ..] => Command::Cycle {
            module: file_name(module),
            count: number(count)?,
            drivers: drivers(names, sets)?,
        },
        ["tcrypt", ref params @ ..] => {
            if !params.iter().any(|param| param.starts_with("mode=")) {
                return Err("mode= is missing".into());
            }
            speed("tcrypt", params)?
        }
        ["speed", ref params @ ..] => speed("rfl_test_speed", params)?,
        ["fail-requests", ref names @ ..] if !names.is_empty() => {
            Command::FailRequests(drivers(names, sets)?)
        }
        ["fail-loads", module, ref names @ ..] => {
            Command::FailLoads(file_name(module), drivers(names, sets)?)
        }
        ["fail-selftest", name, errno, ref params @ ..] => {
            Command::FailSelftest(module(name, params)?, parse_errno(errno)?)
        }
        ["fpu-sections", ref names @ ..] if !names.is_empty() => {
            Command::FpuSections(drivers(names, sets)?)
        }
        ["lockdep"] => Command::Lockdep,
        ["race", first, second, count] => Command::Race {
            modules: [first, second].map(file_name),
            count: number(count)?,
        },
        ["autoload", module, algorithm] => Command::Autoload {
            module: file_name(module),
            algorithm: algorithm.into(),
        },
        ["best", algorithm, driver] => Command::Best {
            algorithm: algorithm.into(),
            driver: driver.into(),
        },
        ["displace", module, algorithm, driver] => Command::Displace {
            module: file_name(module),
            algorithm: algorithm.into(),
            driver: driver.into(),
        },
        ["registers", seconds, ref names @ ..] if !names.is_empty() => Command::Registers {
            seconds: number(seconds)?,
            drivers: drivers(names, sets)?,
        },
        ["loading", ref words @ ..] => using(words, true)?,
        ["said", ref text @ ..] if !text.is_empty() => Command::Said(text.join(" ")),
        ["said-times", count, ref text @ ..] if !text.is_empty() => {
            Command::SaidTimes(number(count)?, text.join(" "))
        }
        ["leaks"] => Command::Leaks,
        ["kernel-test", name, ref params @ ..] => Command::KernelTest(module(name, params)?),
        ["kmsg-clean", ref modules @ ..] => {
            Command::KmsgClean(modules.iter().map(|name| file_name(name)).collect())
        }
        _ => using(words, false)?,
    })
}

fn using(words: &[&str], loading: bool) -> Result<Command, String> {
    let (user, module) = match *words {
        ["ktls", cipher, module] => {
            let cipher = Cipher::by_name(cipher).ok_or("there is no such cipher")?;
            (User::Ktls(cipher), module)
        }
        ["luks", cipher, module, ref options @ ..] => {
            let options = options.iter().copied().map(String::from).collect();
            let cipher = cipher.into();
            (User::Luks { cipher, options }, module)
        }
        ["filesystem", cipher, module, ref options @ ..] => {
            let options = options.iter().copied().map(String::from).collect();
            let cipher = cipher.into();
            (User::Filesystem { cipher, options }, module)
        }
        ["esp", algorithm, module] => {
            let algorithm = algorithm.into();
            (User::Esp { algorithm }, module)
        }
        ["benchmark", cipher, module] => {
            let cipher = cipher.into();
            (User::Benchmark { cipher }, module)
        }
        _ => return Err("no such command, or not its operands".into()),
    };
    Ok(Command::Use {
        user,
        module: file_name(module),
        loading,
    })
}

fn speed(name: &str, params: &[&str]) -> Result<Command, String> {
    let (labels, params): (Vec<&str>, Vec<&str>) =
        params.iter().partition(|param| param.starts_with("label="));
    let label = match labels[..] {
        [] => "",
        [label] => &label["label=".len()..],
        _ => return Err("more than one label=".into()),
    };
    Ok(Command::Speed {
        label: label.into(),
        module: module(name, &params)?,
    })
}

fn module(name: &str, params: &[&str]) -> Result<Module, String> {
    Ok(Module {
        name: file_name(name),
        params: pairs(params)?,
    })
}

/// Name by which the kernel knows a module, and the stem of its file.
fn file_name(module: &str) -> String {
    module.replace('-', "_")
}

fn pairs(params: &[&str]) -> Result<String, String> {
    match params.iter().find(|param| !param.contains('=')) {
        Some(param) => Err(format!("`{param}` is not PARAM=VALUE")),
        None => Ok(params.join(" ")),
    }
}

fn number<T: FromStr>(word: &str) -> Result<T, String> {
    word.parse()
        .map_err(|_| format!("`{word}` is not a number"))
}

fn parse_errno(word: &str) -> Result<Errno, String> {
    (1..=133)
        .map(Errno::from_raw)
        .find(|errno| format!("{errno:?}") == word)
        .ok_or_else(|| format!("`{word}` is not an error name"))
}

fn drivers(words: &[&str], sets: &Sets) -> Result<Vec<Driver>, String> {
    let mut drivers = Vec::new();
    for word in words {
        if let Some(set) = word.strip_prefix('@') {
            let (set, part) = set.split_once('/').unwrap_or((set, ""));
            let members = sets.get(set).ok_or(format!("there is no set @{set}"))?;
            let members = members.iter().filter(|driver| driver.name.contains(part));
            drivers.extend(members.cloned());
        } else {
            let (name, needs) = word.split_once('?').unwrap_or((word, ""));
            let needs = needs.split(',').filter(|need| !need.is_empty());
            drivers.push(Driver {
                name: name.into(),
                needs: needs.map(String::from).collect(),
            });
        }
    }
    Ok(drivers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Command {
        let mut steps = parse(line).unwrap();
        assert_eq!(steps.len(), 1);
        steps.remove(0).command
    }

    #[test]
    fn comments_and_blanks() {
        let steps = parse("# nothing\n\n  unload  a-b # why\n").unwrap();
        assert_eq!(steps.len(), 1);
        assert_eq!(steps[0].text, "unload a-b");
        assert_eq!(steps[0].command, Command::Unload("a_b".into()));
    }

    #[test]
    fn load() {
        let module = |params: &str| Module {
            name: "aria_rust".into(),
            params: params.into(),
        };
        assert_eq!(one("load aria-rust"), Command::Load(module("")));
        assert_eq!(
            one("load aria_rust a=1 b=2"),
            Command::Load(module("a=1 b=2"))
        );
        assert_eq!(
            one("load-if-able aria_rust"),
            Command::LoadIfAble(module(""))
        );
        assert_eq!(
            one("load-refused aria_rust ENODEV x=y"),
            Command::LoadRefused(module("x=y"), Errno::ENODEV)
        );
        assert_eq!(
            one("load-refused aria_rust ENOKEY"),
            Command::LoadRefused(module(""), Errno::ENOKEY)
        );
    }

    fn driver(name: &str, needs: &[&str]) -> Driver {
        Driver {
            name: name.into(),
            needs: needs.iter().copied().map(String::from).collect(),
        }
    }

    #[test]
    fn lists() {
        assert_eq!(
            one("afalg aria ecb-aria-avx2?aes,avx2"),
            Command::AfAlg {
                family: "aria".into(),
                drivers: vec![driver("ecb-aria-avx2", &["aes", "avx2"])]
            }
        );
        assert_eq!(
            one("cycle aria_rust 20 a b"),
            Command::Cycle {
                module: "aria_rust".into(),
                count: 20,
                drivers: vec![driver("a", &[]), driver("b", &[])]
            }
        );
        let plan = "set x a?b,c d\nset y @x/d e\nabsent @x f\ndrivers @y\n";
        let steps = parse(plan).unwrap();
        assert_eq!(steps.len(), 2);
        assert_eq!(steps[0].text, "absent @x f");
        let absent = ["a", "d", "f"].map(String::from).into();
        assert_eq!(steps[0].command, Command::Absent(absent));
        let members = vec![driver("d", &[]), driver("e", &[])];
        assert_eq!(steps[1].command, Command::Drivers(members));
        assert_eq!(
            one("absent a?b c"),
            Command::Absent(vec!["a".into(), "c".into()])
        );
        assert_eq!(one("kmsg-clean"), Command::KmsgClean(vec![]));
    }

    #[test]
    fn speed_label() {
        let speed = |label: &str, name: &str, params: &str| Command::Speed {
            label: label.into(),
            module: Module {
                name: name.into(),
                params: params.into(),
            },
        };
        assert_eq!(
            one("tcrypt mode=610 sec=1 label=avx2"),
            speed("avx2", "tcrypt", "mode=610 sec=1")
        );
        assert_eq!(one("tcrypt mode=610"), speed("", "tcrypt", "mode=610"));
        assert_eq!(
            one("speed type=aead label=a"),
            speed("a", "rfl_test_speed", "type=aead")
        );
    }

    #[test]
    fn users() {
        let luks = |options: &[&str], loading| Command::Use {
            user: User::Luks {
                cipher: "aria-xts-plain64".into(),
                options: options.iter().copied().map(String::from).collect(),
            },
            module: "aria_rust".into(),
            loading,
        };
        assert_eq!(one("luks aria-xts-plain64 aria-rust"), luks(&[], false));
        assert_eq!(
            one("loading luks aria-xts-plain64 aria-rust --hash sha512"),
            luks(&["--hash", "sha512"], true)
        );
    }

    #[test]
    fn errors_name_the_line() {
        for line in [
            "launch x",
            "load",
            "load x y",
            "load-refused x EFOO",
            "unload x y",
            "drivers",
            "absent",
            "afalg",
            "cycle x many",
            "tcrypt sec=1",
            "tcrypt mode=1 label=a label=b",
            "sysctl a",
            "fail-loads",
            "fail-selftest a",
            "fpu-sections",
            "race a b",
            "autoload a",
            "best a",
            "displace a b",
            "registers 3",
            "ktls aria-gcm-192 aria_rust",
            "luks aria-xts-plain64",
            "filesystem aria-xts-plain64",
            "esp cbc(aria)",
            "benchmark aria-xts",
            "kcapi aria",
            "loading leaks",
            "said",
            "said-times a",
            "said-times a b",
            "drivers @unknown",
        ] {
            let err = parse(&format!("\n{line}\n")).unwrap_err();
            assert!(err.starts_with("line 2: "), "{err}");
        }
    }
}
