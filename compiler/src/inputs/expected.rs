//! Comparison of a run's outputs with what is expected of them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use aiec_diag::{Diag, Reported};
use aiec_sim::SimResult;

use crate::codes;
use crate::inputs::arguments::{KnownArguments, element_of};
use crate::inputs::element::{Difference, ElementType, Tolerance, compare, index_in};
use crate::io::Io;
use crate::session::Session;

/// The bytes that are expected of arguments, by number.
pub type Expected = BTreeMap<u32, Vec<u8>>;

/// Reads files with expected contents; those of `.npy` files must have the argument's type.
pub fn read<'p>(
    files: impl IntoIterator<Item = (u32, &'p PathBuf)>,
    known: &KnownArguments,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<Expected, Reported> {
    let mut expected = Expected::new();
    for (index, path) in files {
        // All files are tried, so that one run reports what is wrong with each.
        let bytes = session.read_data(path, io);
        let bytes = bytes.and_then(|bytes| known.contents(index, path, bytes, session));
        let Ok(bytes) = bytes else {
            continue;
        };
        if bytes.is_empty() {
            let message = format!("{} is empty: nothing would be compared", path.display());
            let diag = Diag::error(&codes::ARGUMENT_SIZE, message);
            session.push(diag.help(format!("give what is expected of argument {index}")));
            continue;
        }
        let declared = known.get(index).map(|argument| argument.bytes);
        if let Some(size) = declared.filter(|size| *size > bytes.len() as u64) {
            let (path, given) = (path.display(), bytes.len());
            let message = format!("{path} has {given} bytes of the {size} of argument {index}");
            session.push(
                Diag::warning(&codes::ARGUMENT_SIZE, message).help(
                    "the rest of the argument isn't compared: give all that is expected of it",
                ),
            );
        }
        expected.insert(index, bytes);
    }
    session.diags.check()?;
    Ok(expected)
}

/// Reports the outputs that are not as expected; how many.
pub fn report(
    result: &SimResult,
    expected: &Expected,
    known: &KnownArguments,
    tolerance: Tolerance,
    session: &mut Session,
) -> usize {
    let mut wrong = 0;
    for (index, expected) in expected {
        let actual = result.output(*index).unwrap_or_default();
        let declared = known.get(*index);
        let (shape, element) = match declared.and_then(element_of) {
            Some((ty, element)) => (&ty.shape[..], element),
            None => (&[][..], ElementType::BYTE),
        };
        // Half an element is compared by bytes.
        let whole = expected.len().is_multiple_of(element.bytes);
        let (shape, element) = if whole {
            (shape, element)
        } else {
            (&[][..], ElementType::BYTE)
        };
        if let Some(difference) = compare(element, actual, expected, tolerance) {
            wrong += 1;
            let name = declared.map(|argument| format!(" '{}'", argument.name));
            let who = format!("argument {index}{}", name.unwrap_or_default());
            session.push(finding(&who, shape, &difference));
        }
    }
    wrong
}

fn finding(who: &str, shape: &[u64], difference: &Difference) -> Diag {
    let Difference { count, of, first } = difference;
    let elements = if *of == 1 { "element" } else { "elements" };
    let message = format!("{who}: {count} of {of} {elements} are not as expected");
    let mut diag = Diag::error(&codes::OUTPUT_DIFFERS, message);
    for (flat, element, expected) in first {
        let element = match element {
            Some(element) => element.to_string(),
            None => "nothing".to_string(),
        };
        let index = index_in(shape, *flat);
        diag = diag.remark(format!("{index} is {element}, expected {expected}"));
    }
    let more = count.saturating_sub(first.len());
    if more > 0 {
        diag = diag.remark(format!("{more} more"));
    }
    diag.help("`--rtol R` and `--atol A` of `aiec sim` allow small differences")
}
