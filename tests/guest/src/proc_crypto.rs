// SPDX-License-Identifier: GPL-2.0

//! `/proc/crypto`: what is registered with the kernel's crypto API.

use std::fs;
use std::io;

/// A registered algorithm.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Algorithm {
    pub name: String,
    pub driver: String,
    pub module: String,
    pub priority: i64,
    /// `passed`, or `unknown` while the self-test has not ended or has failed.
    pub selftest: String,
    /// Number of references, that of the registration itself included.
    pub users: u32,
    kind: String,
}

/// Reads the algorithms that are registered now.
pub fn read() -> io::Result<Vec<Algorithm>> {
    Ok(parse(&fs::read_to_string("/proc/crypto")?))
}

/// Parses the text of `/proc/crypto`.
///
/// Larvals, which stand for an algorithm that is being tested or looked for, are left out.
pub fn parse(text: &str) -> Vec<Algorithm> {
    text.split("\n\n")
        .filter(|stanza| !stanza.trim().is_empty())
        .map(stanza)
        .filter(|algorithm| algorithm.kind != "larval")
        .collect()
}

fn stanza(text: &str) -> Algorithm {
    let mut algorithm = Algorithm::default();
    for (key, value) in text.lines().filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        match key.trim() {
            "name" => algorithm.name = value.into(),
            "driver" => algorithm.driver = value.into(),
            "module" => algorithm.module = value.into(),
            "priority" => algorithm.priority = value.parse().unwrap_or(-1),
            "refcnt" => algorithm.users = value.parse().unwrap_or_default(),
            "selftest" => algorithm.selftest = value.into(),
            "type" => algorithm.kind = value.into(),
            _ => {}
        }
    }
    algorithm
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stanza as the kernel prints it for a skcipher, or for a larval, which has its names.
    fn ctr(kind: &str) -> String {
        format!(
            "\
name         : ctr(camellia)
driver       : ctr-camellia-aesni-avx2
module       : camellia_aesni_avx2
priority     : 500
refcnt       : 2
selftest     : unknown
internal     : no
type         : {kind}
async        : no
blocksize    : 1
min keysize  : 16
max keysize  : 32
ivsize       : 16
chunksize    : 16
walksize     : 16
statesize    : 0

"
        )
    }

    const CIPHER: &str = "\
name         : camellia
driver       : camellia-generic
module       : camellia_generic
priority     : 100
refcnt       : 1
selftest     : passed
internal     : no
type         : cipher
blocksize    : 16
min keysize  : 16
max keysize  : 32

";

    #[test]
    fn sample() {
        let algorithms = parse(&[&ctr("larval"), &ctr("skcipher"), CIPHER].concat());
        assert_eq!(algorithms.len(), 2);
        assert_eq!(algorithms[0].name, "ctr(camellia)");
        assert_eq!(algorithms[0].driver, "ctr-camellia-aesni-avx2");
        assert_eq!(algorithms[0].module, "camellia_aesni_avx2");
        assert_eq!(algorithms[0].priority, 500);
        assert_eq!(algorithms[0].users, 2);
        assert_eq!(algorithms[0].selftest, "unknown");
        assert_eq!(algorithms[1].driver, "camellia-generic");
        assert_eq!(algorithms[1].selftest, "passed");
    }

    #[test]
    fn empty() {
        assert_eq!(parse(""), []);
        assert_eq!(parse("\n"), []);
    }
}
