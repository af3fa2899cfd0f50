//! Control bodies of probes: read before a run, written with the times after it.

use std::collections::BTreeMap;

use aiec_cert::probes::ControlBody;
use aiec_diag::Reported;
use aiec_sim::SimResult;

use crate::args::RunArgs;
use crate::io::Io;
use crate::io::output::Outputs;
use crate::session::Session;
use crate::sim::places;

/// The control bodies that the command line names, by controller.
pub(super) fn read(
    run: &RunArgs,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<BTreeMap<u32, ControlBody>, Reported> {
    let mut bodies: BTreeMap<u32, ControlBody> = BTreeMap::new();
    for (uc, path) in &run.probe_bodies {
        let bytes = session.read_data(path, io)?;
        let body = ControlBody::read(&bytes).map_err(|diag| session.fail_in_file(path, diag))?;
        let added = bodies.entry(*uc).or_default().add(body);
        added.map_err(|diag| session.fail(diag))?;
    }
    for (uc, path) in &run.probe_bodies_out {
        if !bodies.contains_key(uc) {
            let flag = format!("{uc}={}", path.display());
            let message = format!("controller {uc} has no control bodies");
            let help = format!("give them with --probe-body {uc}=FILE");
            let diag = places::wrong("--probe-body-out", &flag, (message, help));
            session.push(diag);
        }
    }
    session.diags.check()?;
    Ok(bodies)
}

/// Writes them as they are after the run.
pub(super) fn write(run: &RunArgs, result: &SimResult, outputs: &mut Outputs) {
    for (uc, path) in &run.probe_bodies_out {
        let body = result.machine.shared.probe_bodies.get(uc);
        let bytes = body.map(ControlBody::to_bytes).unwrap_or_default();
        outputs.add(path.clone(), bytes);
    }
}
