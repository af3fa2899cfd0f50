//! Control bodies of dynamic tracing: a controller's actions when it comes to a probe.
//!
//! A body is a list of 32-bit words in the shared memory of a controller. Words 0 to 3 are the heads
//! of the lists of probes: at the begin and the end of the program, at an instruction (`jprobe`), at
//! a TRACE instruction (`tracepoint`). Bytes 0 to 3 of such a word, and of the first word of a probe:
//!
//! | byte | field |
//! |---|---|
//! | 0 | a mark, whose meaning isn't published |
//! | 1 | kind: 0 begin, 1 end, 2 jprobe, 3 tracepoint |
//! | 2..3 | word of the next probe of the kind, 0xFFFF after the last |
//!
//! A jprobe has a word with page and offset, a tracepoint one with its index in the upper half. Then
//! come the actions; of a timestamp there are three words: its head (byte 1 the words that follow,
//! byte 3 what it is), the time's upper half and its lower half.
//!
//! Sources: aiebu: specification/aie2ps/isa-spec.yaml, TRACE. That the actions of a probe go on until
//! the next probe begins, and that a timestamp counts cycles, is assumed.

use std::fmt::Write as _;

use aiec_diag::{Diag, Diags, FileId, Reported, Span, codes};

codes! {
    /// Codes of control bodies of probes.
    pub static CODES;
    MALFORMED = "probes::malformed",
        "A control body of probes begins with the heads of four lists; each probe names the word of \
         the next one. A head or probe of another kind, a word outside of the body, a list that \
         comes back to itself or an action other than a timestamp can't be read.";
    SYNTAX = "probes::syntax",
        "The text of a control body has a probe on each line (`begin`, `end`, `jprobe PAGE, OFFSET`, \
         `tracepoint INDEX`) with its actions below it (`timestamp`, or `timestamp CYCLES`). Numbers \
         are decimal or hexadecimal; pages, offsets and indices are below 65536.";
}

/// Marks the end of a list of probes.
const LAST: u16 = 0xFFFF;
/// First bytes of the heads, as the published example has them.
const HEAD_MARKS: [u8; 4] = [0x01, 0x01, 0x00, 0x10];
/// Kinds of probes, in the order of their lists.
const KINDS: usize = 4;
/// Head of a timestamp: two words follow, action 1.
const TIMESTAMP: [u8; 4] = [0, 2, 0, 1];
/// Words of a timestamp.
const TIMESTAMP_WORDS: usize = 3;
/// Bytes of a word.
const WORD_BYTES: usize = 4;

/// Where a probe is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbePoint {
    /// The begin of the program.
    Begin,
    /// Its end.
    End,
    /// An instruction.
    Instruction {
        /// Number of its page.
        page: u16,
        /// Its byte offset in the page.
        offset: u16,
    },
    /// TRACE with this operand.
    Tracepoint(u16),
}

impl ProbePoint {
    /// Number of the list it is in.
    fn kind(self) -> usize {
        match self {
            ProbePoint::Begin => 0,
            ProbePoint::End => 1,
            ProbePoint::Instruction { .. } => 2,
            ProbePoint::Tracepoint(_) => 3,
        }
    }

    /// The word after its first one, if it has one.
    fn operand(self) -> Option<[u8; WORD_BYTES]> {
        let (low, high) = match self {
            ProbePoint::Begin | ProbePoint::End => return None,
            ProbePoint::Instruction { page, offset } => (page, offset),
            ProbePoint::Tracepoint(index) => (0, index),
        };
        let ([a, b], [c, d]) = (low.to_le_bytes(), high.to_le_bytes());
        Some([a, b, c, d])
    }
}

/// A probe and the times that it has recorded: one for each of its actions, 0 if none yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyProbe {
    /// Where it is.
    pub point: ProbePoint,
    /// Cycles of its timestamps.
    pub times: Vec<u64>,
}

/// All probes of a controller, list by list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControlBody {
    /// Its probes.
    pub probes: Vec<BodyProbe>,
}

impl ControlBody {
    /// Records a time with all probes of a point; whether there are any.
    pub fn record(&mut self, point: ProbePoint, time: u64) -> bool {
        let mut any = false;
        for probe in self.probes.iter_mut().filter(|probe| probe.point == point) {
            probe.times.fill(time);
            any = true;
        }
        any
    }

    /// Adds probes after those of the same lists.
    ///
    /// # Errors
    /// [`MALFORMED`]: the probes take more words than links can name.
    pub fn add(&mut self, other: ControlBody) -> Result<(), Diag> {
        self.probes.extend(other.probes);
        self.probes.sort_by_key(|probe| probe.point.kind());
        if self.to_bytes().len() / WORD_BYTES > usize::from(LAST) {
            Err(malformed("the probes take more words than links can name"))
        } else {
            Ok(())
        }
    }

    /// The words as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut words: Vec<[u8; WORD_BYTES]> = Vec::new();
        for (kind, mark) in HEAD_MARKS.into_iter().enumerate() {
            words.push([mark, kind as u8, 0xFF, 0xFF]);
        }
        // The word that names the next probe of each kind.
        let mut link: Vec<usize> = (0..KINDS).collect();
        for probe in &self.probes {
            let kind = probe.point.kind();
            let [low, high] = (words.len() as u16).to_le_bytes();
            words[link[kind]][2..].copy_from_slice(&[low, high]);
            link[kind] = words.len();
            words.push([0, kind as u8, 0xFF, 0xFF]);
            words.extend(probe.point.operand());
            for time in &probe.times {
                let halves = [(time >> 32) as u32, *time as u32];
                words.push(TIMESTAMP);
                words.extend(halves.map(u32::to_le_bytes));
            }
        }
        words.concat()
    }

    /// Reads the words.
    ///
    /// # Errors
    /// [`MALFORMED`].
    pub fn read(bytes: &[u8]) -> Result<ControlBody, Diag> {
        let (words, rest) = bytes.as_chunks::<WORD_BYTES>();
        let fits = (KINDS..=usize::from(LAST)).contains(&words.len());
        if !rest.is_empty() || !fits {
            let message = format!("{} bytes aren't a control body of probes", bytes.len());
            return Err(malformed(message));
        }
        let mut starts: Vec<(usize, usize)> = Vec::new();
        for (kind, head) in words.iter().take(KINDS).enumerate() {
            let mut word = (kind, *head);
            loop {
                let (at, [_, found, low, high]) = word;
                if usize::from(found) != kind {
                    return Err(malformed(format!(
                        "word {at} is of kind {found}, not {kind}"
                    )));
                }
                let next = usize::from(u16::from_le_bytes([low, high]));
                if next == usize::from(LAST) {
                    break;
                }
                let Some(bytes) = words.get(next).filter(|_| next >= KINDS) else {
                    return Err(malformed(format!(
                        "word {at} names word {next}, outside the probes"
                    )));
                };
                if starts.len() >= words.len() {
                    return Err(malformed("a list of probes comes back to itself"));
                }
                starts.push((next, kind));
                word = (next, *bytes);
            }
        }
        let mut ends: Vec<usize> = starts.iter().map(|(at, _)| *at).collect();
        ends.push(words.len());
        ends.sort_unstable();
        let probes = starts.into_iter().map(|(at, kind)| {
            let end = ends.partition_point(|end| *end <= at);
            read_probe(words, (at, ends[end]), kind)
        });
        let probes = probes.collect::<Result<_, _>>()?;
        Ok(ControlBody { probes })
    }

    /// The text of the probes, which [`ControlBody::parse`] reads.
    pub fn print(&self) -> String {
        let mut out = String::new();
        for probe in &self.probes {
            // Writing to a string doesn't fail.
            let _ = match probe.point {
                ProbePoint::Begin => writeln!(out, "begin"),
                ProbePoint::End => writeln!(out, "end"),
                ProbePoint::Instruction { page, offset } => {
                    writeln!(out, "jprobe {page}, {offset:#x}")
                }
                ProbePoint::Tracepoint(index) => writeln!(out, "tracepoint {index}"),
            };
            for time in &probe.times {
                let _ = match time {
                    0 => writeln!(out, "  timestamp"),
                    time => writeln!(out, "  timestamp {time}"),
                };
            }
        }
        out
    }

    /// Reads the text; all findings go to `diags`.
    ///
    /// # Errors
    /// [`SYNTAX`], [`MALFORMED`] where the words would be too many for their links.
    pub fn parse(text: &str, file: FileId, diags: &mut Diags) -> Result<ControlBody, Reported> {
        let mut body = ControlBody::default();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let code = line.split('#').next().unwrap_or_default().trim_end();
            let start = at + code.len() - code.trim_start().len();
            let span = Span::new(file, start, at + code.len());
            at += line.len();
            if !code.trim().is_empty() && read_line(code.trim(), &mut body).is_none() {
                let diag = Diag::error(&SYNTAX, "this is neither a probe nor an action of one")
                    .label(span, "here")
                    .help("write for example `jprobe 0, 0x18`, and `timestamp` below it");
                diags.push(diag);
            }
        }
        if let Err(diag) = body.add(ControlBody::default()) {
            diags.push(diag);
        }
        diags.check().map(|()| body)
    }
}

fn malformed(message: impl Into<String>) -> Diag {
    Diag::error(&MALFORMED, message)
}

fn read_probe(
    words: &[[u8; WORD_BYTES]],
    (start, end): (usize, usize),
    kind: usize,
) -> Result<BodyProbe, Diag> {
    let cut = || malformed(format!("the probe at word {start} ends early"));
    let mut at = start + 1;
    let half = |at: usize, part: usize| {
        let bytes = words.get(at).filter(|_| at < end).ok_or_else(cut)?;
        Ok::<u16, Diag>(u16::from_le_bytes([bytes[2 * part], bytes[2 * part + 1]]))
    };
    let point = match kind {
        0 => ProbePoint::Begin,
        1 => ProbePoint::End,
        2 => ProbePoint::Instruction {
            page: half(at, 0)?,
            offset: half(at, 1)?,
        },
        _ => ProbePoint::Tracepoint(half(at, 1)?),
    };
    at += usize::from(point.operand().is_some());
    let mut times = Vec::new();
    while at < end {
        let action = words[at];
        if action != TIMESTAMP {
            let message = format!(
                "word {at} is {:#010x}, no timestamp",
                u32::from_le_bytes(action)
            );
            return Err(malformed(message));
        }
        if at + TIMESTAMP_WORDS > end {
            return Err(cut());
        }
        let part = |n: usize| u64::from(u32::from_le_bytes(words[at + n]));
        times.push(part(1) << 32 | part(2));
        at += TIMESTAMP_WORDS;
    }
    Ok(BodyProbe { point, times })
}

fn read_line(line: &str, body: &mut ControlBody) -> Option<()> {
    let (word, operands) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let numbers: Vec<u64> = match operands.trim() {
        "" => Vec::new(),
        list => list
            .split(',')
            .map(|n| number(n.trim()))
            .collect::<Option<_>>()?,
    };
    let half = |n: u64| u16::try_from(n).ok();
    let point = match (word, numbers.as_slice()) {
        ("timestamp", times @ ([] | [_])) => {
            let time = times.first().copied().unwrap_or(0);
            body.probes.last_mut()?.times.push(time);
            return Some(());
        }
        ("begin", []) => ProbePoint::Begin,
        ("end", []) => ProbePoint::End,
        ("jprobe", [page, offset]) => ProbePoint::Instruction {
            page: half(*page)?,
            offset: half(*offset)?,
        },
        ("tracepoint", [index]) => ProbePoint::Tracepoint(half(*index)?),
        _ => return None,
    };
    body.probes.push(BodyProbe {
        point,
        times: Vec::new(),
    });
    // The lists are in a fixed order, which reading gives back.
    body.probes.sort_by_key(|probe| probe.point.kind());
    Some(())
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published example: no probe at the begin, one at the end, two at instructions, a tracepoint.
    #[rustfmt::skip]
    const EXAMPLE: [u8; 84] = [
        0x01, 0x00, 0xff, 0xff,
        0x01, 0x01, 0x04, 0x00,
        0x00, 0x02, 0x08, 0x00,
        0x10, 0x03, 0x12, 0x00,
        0x00, 0x01, 0xff, 0xff,
        0x00, 0x02, 0x00, 0x01, 0, 0, 0, 0, 0, 0, 0, 0,
        0x00, 0x02, 0x0d, 0x00, 0x01, 0x00, 0x20, 0x00,
        0x00, 0x02, 0x00, 0x01, 0, 0, 0, 0, 0, 0, 0, 0,
        0x00, 0x02, 0xff, 0xff, 0x02, 0x00, 0x30, 0x00,
        0x00, 0x02, 0x00, 0x01, 1, 0, 0, 0, 2, 0, 0, 0,
        0x00, 0x03, 0xff, 0xff, 0x00, 0x00, 0x07, 0x00,
        0x00, 0x02, 0x00, 0x01,
    ];

    #[test]
    fn the_published_layout_reads_and_writes() {
        let mut bytes = EXAMPLE.to_vec();
        bytes.extend([0; 8]);
        let body = ControlBody::read(&bytes).expect("the example");
        let text = "end\n  timestamp\njprobe 1, 0x20\n  timestamp\njprobe 2, 0x30\n  timestamp 4294967298\ntracepoint 7\n  timestamp\n";
        assert_eq!(body.print(), text);
        assert_eq!(body.to_bytes(), bytes);
    }

    #[test]
    fn damaged_bodies_are_refused() {
        let mut bytes = EXAMPLE.to_vec();
        bytes.extend([0; 8]);
        for at in 0..bytes.len() {
            for value in [0, 1, 4, 0x7f, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                // read or refused, never more
                if let Ok(body) = ControlBody::read(&damaged) {
                    let again = ControlBody::read(&body.to_bytes()).expect("what was written");
                    assert_eq!(again, body, "byte {at} is {value}");
                }
            }
            // Without its last action the body is another one.
            let refused = ControlBody::read(&bytes[..at]).is_err();
            assert_eq!(refused, at != bytes.len() - 12, "{at} bytes");
        }
        // a list that comes back to itself
        bytes[18..20].copy_from_slice(&[4, 0]);
        assert!(ControlBody::read(&bytes).is_err());
    }
}
