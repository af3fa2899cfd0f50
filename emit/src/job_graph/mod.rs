//! `job-graph` and `job-graph-svg`: what must stay ordered in the control code, where controllers
//! meet, and what is loaded when.
//!
//! Both show the dependence graphs of `emit-jobs`, one for each device that is loaded, in the order
//! of the loads: nodes in program order by controller, an edge for each dependence that the order
//! of a lane doesn't imply, the remote barriers that edges between controllers become, and the
//! local barriers and launches between jobs of a page. The picture has estimated times and the
//! critical path besides.

mod dot;
mod layout;
mod svg;

use aiec_aie::ir::Module;
use aiec_codegen::CorePrograms;
use aiec_device::{ChannelId, TileLoc};
use aiec_diag::{Diags, Reported};
use aiec_page::palette::{HUES, hue_of};
use aiec_passes::jobs::barriers::SyncPoint;
use aiec_passes::jobs::graph::{DepKind, NodeKind};
use aiec_passes::jobs::plan::LocalSync;
use aiec_passes::jobs::program::{ControlCodeOptions, DeviceLoad, LoweredDevice, programs};
use aiec_passes::jobs::schedule::{remote_sync_points, schedule};
use aiec_passes::jobs::timeline::{Timeline, timeline};

pub use dot::emit as dot;
pub use svg::emit as svg;

/// A device that is loaded, with where controllers and jobs meet.
struct View {
    /// Lines about its loading, where something is loaded.
    titles: Vec<String>,
    loaded: DeviceLoad,
    meetings: Vec<SyncPoint>,
    local_syncs: Vec<LocalSync>,
    /// When its nodes and meetings are, and the critical path.
    timeline: Timeline,
    /// Whether everything before is over on all controllers when this begins.
    follows: bool,
}

/// The graphs to show, in order.
fn views(
    module: &Module,
    choice: &ControlCodeOptions,
    diags: &mut Diags,
) -> Result<Vec<View>, Reported> {
    let programs = programs(module, choice, &mut CorePrograms::default(), diags)?;
    let alone = programs.len() == 1;
    let views = programs
        .into_iter()
        .flat_map(|program| views_of(program, choice, alone));
    Ok(views.collect())
}

fn views_of(program: LoweredDevice, choice: &ControlCodeOptions, alone: bool) -> Vec<View> {
    let LoweredDevice { model, loads, .. } = program;
    let several = loads.len() > 1 || !alone;
    let mut number = 0;
    let views = loads.into_iter().enumerate().map(|(at, loaded)| {
        number += usize::from(loaded.name.is_some());
        let meetings = remote_sync_points(&loaded.graph);
        let with_loads = several || loaded.pdi.is_some();
        View {
            titles: if with_loads {
                titles(&loaded, number, choice)
            } else {
                Vec::new()
            },
            timeline: timeline(model, &loaded.graph, &meetings, choice.jobs(model)),
            meetings,
            local_syncs: schedule(model, &loaded.graph, choice.jobs(model)).local_syncs,
            follows: at > 0,
            loaded,
        }
    });
    views.collect()
}

/// Lines that describe a load: how it is done, and what becomes of the configuration before it.
fn titles(loaded: &DeviceLoad, number: usize, choice: &ControlCodeOptions) -> Vec<String> {
    let title = match (&loaded.name, loaded.pdi) {
        (None, _) => "reset what is used".to_string(),
        (Some(name), Some(pdi)) => format!("{number}. LOAD_PDI {pdi}: section @{name}"),
        (Some(name), None) if number == 1 => format!("{number}. configure @{name}"),
        (Some(name), None) => {
            format!(
                "{number}. configure @{name} ({})",
                choice.reconfigure.name()
            )
        }
    };
    let stages = loaded.leave.len();
    let ops = loaded.leave.iter().flatten();
    let count: usize = ops.map(Vec::len).sum();
    if count == 0 {
        return vec![title];
    }
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let work = format!(
        "{count} write{} in {stages} stage{}",
        plural(count),
        plural(stages)
    );
    match loaded.name {
        Some(_) => vec![title, format!("leave what was loaded before: {work}")],
        None => vec![format!("{title}: {work}")],
    }
}

/// Title of a node.
fn name(what: NodeKind) -> String {
    let tile = |what: &str, tile: TileLoc| format!("{what} {tile}");
    match what {
        NodeKind::Hold(at) => tile("hold core", at),
        NodeKind::Setup(at) => tile("set up", at),
        NodeKind::Start(at) => tile("start", at),
        NodeKind::Release(at) => tile("release core", at),
        NodeKind::Image(at, bd) => format!("BD {bd} of {at}"),
        NodeKind::Channel(ChannelId { tile, dir, index }) => format!("{dir} {index} of {tile}"),
        NodeKind::Wait(ChannelId { tile, dir, index }) => format!("wait {dir} {index} of {tile}"),
        NodeKind::Fence(at) => tile("change", at),
        NodeKind::GlobalFence => "change anything".to_string(),
    }
}

/// Name of the mechanism by which jobs of a page wait for one another.
fn sync_name(join: &LocalSync) -> String {
    match join.barrier {
        Some(id) => format!("local barrier {id}"),
        None => "launch".to_string(),
    }
}

/// Looks of an edge, which say why it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EdgeStyle {
    /// Index into [`HUES`].
    hue: usize,
    /// Lengths of line and gap in pixels; none of a solid line.
    dash: &'static str,
}

/// The line of launches and local barriers: after those of edges.
const SYNC_STYLE: EdgeStyle = EdgeStyle {
    hue: 3,
    dash: "5 3",
};

/// The line of an edge.
fn style(why: DepKind) -> EdgeStyle {
    let number = why as usize;
    EdgeStyle {
        hue: hue_of(number),
        dash: if number < HUES.len() { "" } else { "9 2.5" },
    }
}

/// The colour of a line on light ground.
fn colour(style: EdgeStyle) -> &'static str {
    HUES[style.hue].light
}
