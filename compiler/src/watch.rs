//! `--watch`: a command runs again whenever a file that it read changes.
//!
//! Folders are watched, not files: editors replace files by renaming new ones. An event only says that it is worth
//! looking; the command runs again if the contents of one of its files differ from those before the last run.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use crate::io::interrupt::was_interrupted;
use crate::io::output::STANDARD_STREAM;
use crate::io::{Exit, Io, Verbosity};

/// The flag.
const FLAG: &str = "--watch";

/// Time without a change of files after which the command runs: editors and generators write
/// several at once.
const SETTLED: Duration = Duration::from_millis(50);

/// Seconds of a day.
const DAY: u64 = 24 * 60 * 60;

/// Runs a command line until it is interrupted. The exit code is that of the last run.
pub fn run(args: &[OsString], io: &mut Io<'_>) -> Exit {
    let args: Vec<OsString> = args.iter().filter(|arg| *arg != FLAG).cloned().collect();
    if args.iter().any(|arg| arg == STANDARD_STREAM) {
        return io.refuse("--watch needs files: standard input can't change");
    }
    let mut watched = match WatchedFiles::new() {
        Ok(watched) => watched,
        Err(error) => return io.refuse(format!("cannot watch files: {error}")),
    };
    loop {
        watched.look();
        io.files_read.clear();
        io.ends_process = false;
        let exit = crate::run(&args, io);
        if was_interrupted() {
            return exit;
        }
        if let Err(error) = watched.set(&io.files_read) {
            return io.refuse(format!("cannot watch files: {error}"));
        }
        if watched.contents.is_empty() {
            // The command line is wrong, and stays so.
            return exit;
        }
        let says = io.terminal.verbosity != Verbosity::Quiet;
        if says {
            // A closed error stream stops nothing.
            let files = match watched.contents.len() {
                1 => "1 file".to_string(),
                count => format!("{count} files"),
            };
            let _ = writeln!(io.stderr, "watching {files}; Ctrl-C ends");
        }
        let Some(changed) = watched.wait() else {
            return exit;
        };
        if says {
            let time = time_of_day(SystemTime::now());
            let name = changed.display();
            let _ = writeln!(io.stderr, "\n──── {time} UTC, {name} changed ────");
        }
    }
}

/// The files of a command with their last contents, and a watcher of their folders.
struct WatchedFiles {
    watcher: RecommendedWatcher,
    events: Receiver<notify::Result<notify::Event>>,
    folders: BTreeSet<PathBuf>,
    /// A mark of the contents of each file; `None` where it can't be read.
    contents: BTreeMap<PathBuf, Option<u64>>,
}

impl WatchedFiles {
    /// None yet.
    fn new() -> notify::Result<WatchedFiles> {
        let (sender, events) = channel();
        Ok(WatchedFiles {
            watcher: notify::recommended_watcher(sender)?,
            events,
            folders: BTreeSet::new(),
            contents: BTreeMap::new(),
        })
    }

    /// Remembers the present contents of the files.
    fn look(&mut self) {
        for (path, content) in &mut self.contents {
            *content = mark(path);
        }
    }

    /// Watches these files instead. Of those that were watched before, the contents before the run count, so that a
    /// change during the run isn't missed.
    fn set(&mut self, files: &[PathBuf]) -> notify::Result<()> {
        let is_file = |path: &&PathBuf| !path.is_dir() && path.as_os_str() != STANDARD_STREAM;
        let mut contents = BTreeMap::new();
        for path in files.iter().filter(is_file) {
            let known = self.contents.get(path).copied();
            contents.insert(path.clone(), known.unwrap_or_else(|| mark(path)));
        }
        self.contents = contents;
        let folders: BTreeSet<PathBuf> = self
            .contents
            .keys()
            .map(|path| folder_of(path))
            .filter(|folder| folder.is_dir())
            .collect();
        for gone in self.folders.difference(&folders) {
            // A folder that was removed is watched no more.
            let _ = self.watcher.unwatch(gone);
        }
        for new in folders.difference(&self.folders) {
            self.watcher.watch(new, RecursiveMode::NonRecursive)?;
        }
        self.folders = folders;
        Ok(())
    }

    /// Waits until a file has changed and is left alone; which one. `None` if no more is heard of files.
    fn wait(&self) -> Option<PathBuf> {
        loop {
            let changed = |(path, content): &(&PathBuf, &Option<u64>)| mark(path) != **content;
            if let Some((path, _)) = self.contents.iter().find(changed) {
                self.settle();
                return Some(path.clone());
            }
            self.events.recv().ok()?.ok();
            self.settle();
        }
    }

    /// Waits until no more events come.
    fn settle(&self) {
        while !matches!(
            self.events.recv_timeout(SETTLED),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected)
        ) {}
    }
}

/// A mark of the contents of a file; `None` if it can't be read.
fn mark(path: &Path) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    fs::read(path).ok()?.hash(&mut hasher);
    Some(hasher.finish())
}

/// The folder that a file is in.
fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Hours, minutes and seconds of a time, UTC.
fn time_of_day(time: SystemTime) -> String {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
        % DAY;
    format!(
        "{:02}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_with_two_digits() {
        let at = |seconds| time_of_day(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "00:00:00");
        assert_eq!(at(3 * DAY + 3600 + 62), "01:01:02");
    }

    #[test]
    fn only_other_contents_are_a_change() {
        let folder = std::env::temp_dir().join(format!("aiec-watch-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let (file, other) = (folder.join("a.mlir"), folder.join("b.mlir"));
        fs::write(&file, "one").expect("a file");
        let mut watched = WatchedFiles::new().expect("a watcher");
        watched.set(std::slice::from_ref(&file)).expect("watched");
        // Neither another file nor the same text is a change; the last write is.
        fs::write(&other, "two").expect("a file");
        fs::write(&file, "one").expect("a file");
        let writer = std::thread::spawn({
            let file = file.clone();
            move || {
                std::thread::sleep(Duration::from_millis(20));
                fs::write(&file, "three").expect("a file");
            }
        });
        assert_eq!(watched.wait(), Some(file.clone()));
        writer.join().expect("the writer");
        watched.look();
        assert_eq!(fs::read_to_string(&file).expect("the file"), "three");
        fs::remove_file(&file).expect("it goes");
        assert_eq!(watched.wait(), Some(file));
        fs::remove_dir_all(&folder).expect("the folder goes");
    }
}
