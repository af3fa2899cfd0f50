//! The files that a run writes, and which of them may replace what it reads.

use std::path::{Path, PathBuf};

use aiec_diag::Reported;

use crate::args::RunArgs;
use crate::io::output;
use crate::session::Session;

/// The files that a run writes.
pub(super) fn files(run: &RunArgs) -> impl Iterator<Item = &Path> {
    let named = [&run.report, &run.page, &run.profile, &run.trace];
    let outs = run.outs.iter().map(|(_, path)| path);
    let bodies = run.probe_bodies_out.iter().map(|(_, path)| path);
    let all = named.into_iter().flatten().chain(outs).chain(bodies);
    all.map(PathBuf::as_path)
}

/// Refuses results in files of data that the run reads, except for an argument whose own file is
/// updated.
pub(super) fn refuse_to_replace_data(run: &RunArgs, session: &mut Session) -> Result<(), Reported> {
    let data = || run.args.iter().chain(&run.expected);
    for (index, path) in &run.outs {
        let others = data().filter(|(other, _)| other != index);
        let others: Vec<PathBuf> = others.map(|(_, path)| path.clone()).collect();
        session
            .diags
            .extend(output::collisions([path.as_path()], &others));
    }
    let all: Vec<PathBuf> = data().map(|(_, path)| path.clone()).collect();
    let named = [&run.report, &run.page, &run.profile, &run.trace];
    for path in named.into_iter().flatten() {
        session
            .diags
            .extend(output::collisions([path.as_path()], &all));
    }
    session.diags.check()
}
