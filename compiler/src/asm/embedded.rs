//! Sections that a disassembled text keeps as comments, see [`aiec_cert::dis::embed`].

use aiec_cert::debug::{self, DebugInfo};
use aiec_cert::dis::embed;
use aiec_cert::image::Image;
use aiec_cert::isa::RawOp;
use aiec_diag::Diag;

use super::codes;
use crate::session::Session;

/// Sections that disassembly kept in comments.
pub struct EmbeddedSections {
    /// Names and source lines.
    pub debug: Option<DebugInfo>,
    /// The vendor's debug record.
    pub dump: Option<Vec<u8>>,
}

impl EmbeddedSections {
    /// Out of the texts (name and contents) that were assembled to an image.
    pub fn of(texts: &[(String, Vec<u8>)], image: &Image, session: &mut Session) -> Self {
        let section = |name| {
            let mut texts = texts.iter();
            texts.find_map(|(_, text)| embed::section(text, name))
        };
        let debug = section(debug::SECTION).and_then(|bytes| DebugInfo::parse(&bytes).ok());
        let debug = debug.map(|debug| checked(debug, image, session));
        let dump = section(embed::DUMP);
        Self { debug, dump }
    }
}

/// Without the places, if they don't fit the code any more.
fn checked(mut debug: DebugInfo, image: &Image, session: &mut Session) -> DebugInfo {
    if fits(&debug, image) {
        return debug;
    }
    debug.pages.clear();
    let message = "the source lines that the text keeps do not fit its code: left out";
    let help = "delete the lines that begin with `;@` to leave out the names too";
    session.push(Diag::warning(&codes::STALE_RECORD, message).help(help));
    debug
}

/// True if every job and every instruction of the section is where it says.
fn fits(debug: &DebugInfo, image: &Image) -> bool {
    debug.pages.iter().all(|marks| {
        let uc = image.ucs.iter().find(|uc| uc.uc == marks.uc);
        let Some(page) = uc.and_then(|uc| uc.pages.get(usize::from(marks.page))) else {
            return false;
        };
        let decodes = |at: u16| RawOp::decode(&page.text, usize::from(at));
        let jobs = page.jobs.iter().map(|job| (job.at, job.id));
        // pages that are given by their bytes have no marks of their own
        let same = page.jobs.is_empty() || jobs.eq(marks.jobs.iter().map(|job| (job.at, job.id)));
        same && marks.lines.iter().all(|line| decodes(line.at).is_ok())
    })
}
