//! Words of memories in files: raw little-endian words of 16 bits, or .npy.

use std::path::{Path, PathBuf};

use aiec_diag::{Diag, Reported};
use aiec_drra::MemoryKind;
use aiec_drra::fabric::BLOCK_WORDS;
use aiec_drra::sim::Fabric;

use super::places::MemoryPlace;
use crate::codes;
use crate::inputs::npy::Array;
use crate::io::Io;
use crate::io::output::Outputs;
use crate::session::Session;

/// The type of words in .npy files.
const NPY_WORD: &str = "<i2";

fn is_npy(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "npy")
}

/// The words of a file.
pub fn read(path: &Path, session: &mut Session, io: &mut Io<'_>) -> Result<Vec<i16>, Reported> {
    let bytes = session.read_data(path, io)?;
    let unusable = |why: String| {
        let message = format!("{} is not usable: {why}", path.display());
        Diag::error(&codes::ARGUMENT_FILE, message)
            .help("give words of 16 bits, little-endian, or a .npy file of int16")
    };
    let bytes = if !is_npy(path) {
        bytes
    } else {
        let array = Array::parse(&bytes).map_err(|error| unusable(error.to_string()));
        let array = array.map_err(|diag| session.fail(diag))?;
        if array.descr != NPY_WORD {
            let diag = unusable(format!("its elements are '{}', not int16", array.descr));
            return Err(session.fail(diag));
        }
        array.data
    };
    if !bytes.len().is_multiple_of(2) {
        let diag = unusable(format!(
            "{} bytes aren't a whole number of words",
            bytes.len()
        ));
        return Err(session.fail(diag));
    }
    Ok(bytes
        .chunks_exact(2)
        .map(|b| i16::from_le_bytes([b[0], b[1]]))
        .collect())
}

/// Puts words into a memory.
pub fn put(fabric: &mut Fabric, place: &MemoryPlace, words: &[i16]) {
    let set = |memory: &mut dyn Iterator<Item = &mut i16>| {
        for (to, word) in memory.skip(place.first).zip(words) {
            *to = *word;
        }
    };
    match place.memory {
        MemoryKind::RegisterFile => {
            set(&mut fabric.register_file_mut(place.cell).into_iter().flatten())
        }
        MemoryKind::Sram => set(&mut fabric.sram_mut(place.cell).into_iter().flatten().flatten()),
    }
}

/// The words of a memory.
pub fn get(fabric: &Fabric, place: &MemoryPlace) -> Vec<i16> {
    let take = |words: &mut dyn Iterator<Item = &i16>| {
        words.skip(place.first).take(place.words).copied().collect()
    };
    match place.memory {
        MemoryKind::RegisterFile => {
            take(&mut fabric.register_file(place.cell).into_iter().flatten())
        }
        MemoryKind::Sram => take(&mut fabric.sram(place.cell).into_iter().flatten().flatten()),
    }
}

fn wrong_size(message: String, session: &mut Session) -> Reported {
    let diag = Diag::error(&codes::ARGUMENT_SIZE, message);
    let diag = diag.help("give a file of that size, or another range");
    session.fail(diag)
}

/// Loads a file into a memory.
pub fn load(
    fabric: &mut Fabric,
    text: &str,
    place: &MemoryPlace,
    path: &Path,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<(), Reported> {
    let words = read(path, session, io)?;
    if !place.takes(words.len()) {
        let message = format!(
            "{} has {} words, {text} takes {}{}",
            path.display(),
            words.len(),
            if place.is_sized { "" } else { "at most " },
            place.words
        );
        return Err(wrong_size(message, session));
    }
    put(fabric, place, &words);
    Ok(())
}

/// Adds the words of a memory to the outputs.
pub fn write(fabric: &Fabric, place: &MemoryPlace, path: &PathBuf, outputs: &mut Outputs) {
    let words = get(fabric, place);
    let data: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let shape = match place.memory {
        MemoryKind::RegisterFile => vec![words.len()],
        MemoryKind::Sram => vec![words.len() / BLOCK_WORDS, BLOCK_WORDS],
    };
    if !is_npy(path) {
        outputs.add(path, data)
    } else {
        let array = Array {
            descr: NPY_WORD.to_owned(),
            shape,
            data,
        };
        outputs.add(path, array.to_bytes());
    }
}

/// The words that a file says are expected of a memory.
pub fn expected(
    text: &str,
    place: &MemoryPlace,
    path: &Path,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<Vec<i16>, Reported> {
    let expected = read(path, session, io)?;
    if !place.takes(expected.len()) {
        let (path, given, words) = (path.display(), expected.len(), place.words);
        let message = format!("{path} has {given} words, {text} {words}");
        return Err(wrong_size(message, session));
    }
    Ok(expected)
}

/// Compares the words of a memory with those of a file.
pub fn compare(
    fabric: &Fabric,
    (text, place): (&str, &MemoryPlace),
    expected: &[i16],
    session: &mut Session,
) -> Result<(), Reported> {
    let actual = get(fabric, place);
    let differ = expected.iter().zip(&actual).enumerate();
    let differ: Vec<_> = differ
        .filter(|(_, (expected, actual))| expected != actual)
        .collect();
    let Some((at, (wanted, found))) = differ.first() else {
        return Ok(());
    };
    let message = format!(
        "{text} is not as expected: {} of {} words differ, first word {at}: {found} instead of {wanted}",
        differ.len(),
        expected.len()
    );
    let diag = Diag::error(&codes::OUTPUT_DIFFERS, message);
    Err(session.fail(diag.help("`--trace FILE.txt` shows what wrote it, and when")))
}
