// SPDX-License-Identifier: GPL-2.0

//! Measuring several implementations against each other.
//!
//! All that do a case at a length are measured in rounds. In a round each has its turn for one short
//! sample, in an order that differs from round to round, so that whatever the machine does to one it
//! does to all. A turn begins with some messages that are not timed, which bring code and data into
//! the caches and the core to the clock it has with such code; then the clock is measured, then the
//! sample.

use std::hint::black_box;

use rand::{rngs::StdRng, seq::SliceRandom, RngExt, SeedableRng};

use crate::{
    clock,
    implementation::{Prepared, Tag},
    record::Spread,
};

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Samples of each.
    pub rounds: usize,
    /// How many ticks of the time-stamp counter a sample lasts; one message at least.
    pub ticks: u64,
}

/// Buffers for messages, page aligned and as long as the longest.
pub struct Buffers {
    src: Vec<Page>,
    dst: Vec<Page>,
}

#[derive(Clone)]
#[repr(C, align(4096))]
struct Page([u8; 4096]);

fn bytes(pages: &mut [Page]) -> &mut [u8] {
    let len = size_of_val(pages);
    // SAFETY: A page is nothing but bytes.
    unsafe { std::slice::from_raw_parts_mut(pages.as_mut_ptr().cast(), len) }
}

impl Buffers {
    /// Allocates for messages of so many bytes, and fills them at random.
    pub fn new(longest: usize) -> Self {
        let pages = longest.div_ceil(size_of::<Page>());
        let mut buffers = Self {
            src: vec![Page([0; 4096]); pages],
            dst: vec![Page([0; 4096]); pages],
        };
        StdRng::seed_from_u64(0).fill(bytes(&mut buffers.src));
        buffers
    }

    /// As [`Self::message`], with a source that can be changed.
    pub fn message_mut(&mut self, len: usize) -> (&mut [u8], &mut [u8]) {
        (
            &mut bytes(&mut self.src)[..len],
            &mut bytes(&mut self.dst)[..len],
        )
    }

    /// Returns source and destination of a message of `len` bytes.
    pub fn message(&mut self, len: usize) -> (&[u8], &mut [u8]) {
        (
            &bytes(&mut self.src)[..len],
            &mut bytes(&mut self.dst)[..len],
        )
    }
}

/// What one message cost, over all samples.
pub struct Cost {
    /// In cycles of the core.
    pub cycles: Spread,
    /// In ticks of the time-stamp counter.
    pub ticks: Spread,
}

/// One implementation at one length.
struct Turn {
    /// Which of the subjects.
    subject: usize,
    len: usize,
    /// Messages in a sample.
    messages: u64,
    /// Ticks for a message, by round.
    ticks: Vec<f64>,
    /// Ticks in a cycle, by round.
    clock: Vec<f64>,
}

impl Turn {
    fn run(&self, subjects: &mut Subjects<'_>, buffers: &mut Buffers, messages: u64) {
        let subject = &mut *subjects[self.subject];
        let (src, dst) = buffers.message(self.len);
        let mut tag = Tag::default();
        for _ in 0..messages {
            subject.process(black_box(src), black_box(&mut *dst), black_box(&mut tag));
        }
    }

    /// Finds how many messages fill a sample.
    fn size(&mut self, subjects: &mut Subjects<'_>, buffers: &mut Buffers, wanted: u64) {
        self.run(subjects, buffers, 1);
        loop {
            let before = clock::ticks();
            self.run(subjects, buffers, self.messages);
            let passed = clock::ticks() - before;
            if passed >= wanted {
                return;
            }
            let missing = wanted.div_ceil(passed.max(1));
            self.messages *= missing.clamp(2, 100);
        }
    }

    fn sample(&mut self, subjects: &mut Subjects<'_>, buffers: &mut Buffers) {
        self.run(subjects, buffers, (self.messages / 8).max(1));
        self.clock.push(clock::ticks_per_cycle());
        let before = clock::ticks();
        self.run(subjects, buffers, self.messages);
        let passed = clock::ticks() - before;
        self.ticks.push(passed as f64 / self.messages as f64);
    }

    /// Returns what a message cost.
    ///
    /// The clock of a sample is the median of three that were measured around it, because each of
    /// them may have been interrupted.
    fn cost(self) -> Cost {
        let clock = |round: usize| {
            let around = round.saturating_sub(1)..(round + 2).min(self.clock.len());
            Spread::of(self.clock[around].to_vec()).median
        };
        let cycles = (0..)
            .zip(&self.ticks)
            .map(|(round, ticks)| ticks / clock(round));
        Cost {
            cycles: Spread::of(cycles.collect()),
            ticks: Spread::of(self.ticks),
        }
    }
}

/// Whose code is measured.
type Subjects<'a> = Vec<&'a mut dyn Prepared>;

/// Measures implementations in turns, with messages of one length.
pub fn implementations(
    subjects: Subjects<'_>,
    len: usize,
    buffers: &mut Buffers,
    effort: Effort,
) -> Vec<Cost> {
    let turns = (0..subjects.len()).map(|subject| (subject, len)).collect();
    interleaved(subjects, turns, buffers, effort)
}

/// Measures messages of several lengths in turns.
pub fn lengths(
    subject: &mut dyn Prepared,
    lengths: &[usize],
    buffers: &mut Buffers,
    effort: Effort,
) -> Vec<Cost> {
    let turns = lengths.iter().map(|len| (0, *len)).collect();
    interleaved(vec![subject], turns, buffers, effort)
}

/// Measures in turns, each of which is a subject and the length of its messages.
fn interleaved(
    mut subjects: Subjects<'_>,
    turns: Vec<(usize, usize)>,
    buffers: &mut Buffers,
    effort: Effort,
) -> Vec<Cost> {
    let new = |(subject, len)| Turn {
        subject,
        len,
        messages: 1,
        ticks: vec![],
        clock: vec![],
    };
    let mut turns: Vec<Turn> = turns.into_iter().map(new).collect();
    for turn in &mut turns {
        turn.size(&mut subjects, buffers, effort.ticks);
    }
    let mut order: Vec<usize> = (0..turns.len()).collect();
    let mut rng = StdRng::seed_from_u64(0);
    for _ in 0..effort.rounds {
        order.shuffle(&mut rng);
        for &turn in &order {
            turns[turn].sample(&mut subjects, buffers);
        }
    }
    turns.into_iter().map(Turn::cost).collect()
}
