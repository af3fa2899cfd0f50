//! Races in the report, and whether every timing gives the same data.

use serde_json::{Value, json};

use crate::diagnosis::{
    AccessReport, NotAcquiredReport, OutsideReport, RaceFindings, RaceReport, UnwrittenReport,
};

/// The entries of the report. If races were not looked for, whether the data depend on time isn't
/// known.
pub(super) fn entries(found: Option<&RaceFindings>) -> [(String, Value); 6] {
    let unknown = vec!["races were not looked for".to_string()];
    let outside = found.map_or(&[][..], |found| &found.outside);
    let others = found.map_or(&[][..], |found| &found.not_acquired);
    let (races, unwritten, doubts) = match found {
        Some(found) => (&found.races[..], &found.unwritten[..], &found.doubts),
        None => (&[][..], &[][..], &unknown),
    };
    [
        ("races".into(), races.iter().map(race).collect()),
        (
            "unwritten_reads".into(),
            unwritten.iter().map(unwritten_read).collect(),
        ),
        (
            "outside_of_buffers".into(),
            outside.iter().map(outside_access).collect(),
        ),
        (
            "not_acquired".into(),
            others.iter().map(not_acquired).collect(),
        ),
        ("determinate".into(), json!(doubts.is_empty())),
        ("not_determinate_because".into(), json!(doubts)),
    ]
}

fn access(access: &AccessReport) -> Value {
    json!({
        "who": access.who,
        "writes": access.writes,
        "cycle": access.at,
        "source": access.source,
        "operation": access.operation,
    })
}

fn race(race: &RaceReport) -> Value {
    json!({
        "tile": race.tile.map(|tile| [tile.col, tile.row]),
        "place": race.place,
        "accesses": race.accesses.iter().map(access).collect::<Vec<_>>(),
        "remedy": race.remedy,
        "this_run": race.this_run,
        "times": race.times,
    })
}

fn unwritten_read(read: &UnwrittenReport) -> Value {
    json!({
        "tile": read.tile.map(|tile| [tile.col, tile.row]),
        "place": read.place,
        "access": access(&read.access),
        "times": read.times,
    })
}

fn not_acquired(found: &NotAcquiredReport) -> Value {
    json!({
        "tile": [found.tile.col, found.tile.row],
        "place": found.place,
        "fifo": found.fifo,
        "object": found.object,
        "is_released": found.is_released,
        "access": access(&found.access),
        "times": found.times,
    })
}

fn outside_access(found: &OutsideReport) -> Value {
    json!({
        "tile": [found.tile.col, found.tile.row],
        "place": found.place,
        "access": access(&found.access),
        "times": found.times,
    })
}
