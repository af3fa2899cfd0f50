//! Packet resources of one switch: which arbiter grants which outputs, which msel stands for which
//! set of outputs, and the rules of each input.
//!
//! Outputs that some packet goes to together must hang on one arbiter; each distinct set of
//! outputs is one msel of it. Sets that share no output get arbiters of their own as long as
//! there are any, because a stalled packet holds its arbiter; only then do they share.

use std::collections::{BTreeMap, BTreeSet};

use aiec_device::{ArchModel, Port};

use super::rules::{Cube, EXACT, cover};

/// The arbiter from which control streams take downwards, as the reference does
/// (`mlir-aie: lib/Dialect/AIE/Transforms/AIECreatePathFindFlows.cpp`).
const LAST_CONTROL_ARBITER: u8 = 5;

/// Packets of one id at one input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stream {
    /// The outputs that all these packets go to.
    pub masters: BTreeSet<Port>,
    /// Whether it is a control stream.
    pub priority: bool,
}

/// What passes through a switch: per input and id.
pub(crate) type Demand = BTreeMap<(Port, u8), Stream>;

/// An arbiter and one of its msels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Amsel {
    /// Arbiter.
    pub arbiter: u8,
    /// Msel of the arbiter, 0..=3.
    pub msel: u8,
}

/// A rule of an input with what it selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RuleEntry {
    /// Which ids.
    pub cube: Cube,
    /// Where they go.
    pub amsel: Amsel,
}

/// The packet settings of a switch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Outputs with their msels, each list ascending.
    pub masters: BTreeMap<Port, BTreeSet<Amsel>>,
    /// Inputs with their rules.
    pub rules: BTreeMap<Port, Vec<RuleEntry>>,
    /// Outputs and inputs that control streams use.
    pub control_masters: BTreeSet<Port>,
    /// Inputs that control streams use.
    pub control_slaves: BTreeSet<Port>,
}

/// A limit of the switch that the demand exceeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Overflow {
    /// An input needs more rules than it has slots.
    Slots {
        /// The input.
        slave: Port,
    },
    /// Outputs that belong together need more msels than an arbiter has, or there are no
    /// arbiters left for them.
    Arbiters {
        /// The outputs.
        masters: BTreeSet<Port>,
        /// Distinct sets of outputs among them.
        sets: usize,
    },
}

/// Finds settings for a demand beside the amsels that are already taken, or says what is too much.
pub(crate) fn allocate(
    arch: &ArchModel,
    demand: &Demand,
    taken: &BTreeSet<Amsel>,
) -> Result<Settings, Vec<Overflow>> {
    let mut overflows = Vec::new();
    let selects = match assign_amsels(arch, demand, taken) {
        Ok(selects) => selects,
        Err(overflow) => {
            overflows.push(overflow);
            BTreeMap::new()
        }
    };
    let mut settings = Settings::default();
    let mut slaves: BTreeMap<Port, BTreeMap<&BTreeSet<Port>, u32>> = BTreeMap::new();
    for ((slave, id), stream) in demand {
        let groups = slaves.entry(*slave).or_default();
        *groups.entry(&stream.masters).or_default() |= 1 << (id & EXACT);
        if stream.priority {
            settings.control_slaves.insert(*slave);
            settings.control_masters.extend(&stream.masters);
        }
        if let Some(amsel) = selects.get(&stream.masters) {
            for master in &stream.masters {
                settings.masters.entry(*master).or_default().insert(*amsel);
            }
        }
    }
    for (slave, groups) in slaves {
        match rules_of(arch, &groups) {
            Some(list) => {
                let entry = |(masters, cube)| {
                    let amsel = *selects.get(masters)?;
                    Some(RuleEntry { cube, amsel })
                };
                let list = list.into_iter().filter_map(entry).collect();
                settings.rules.insert(slave, list);
            }
            None => overflows.push(Overflow::Slots { slave }),
        }
    }
    if overflows.is_empty() {
        Ok(settings)
    } else {
        Err(overflows)
    }
}

type GroupRule<'a> = (&'a BTreeSet<Port>, Cube);

fn rules_of<'a>(
    arch: &ArchModel,
    groups: &BTreeMap<&'a BTreeSet<Port>, u32>,
) -> Option<Vec<GroupRule<'a>>> {
    let slots = usize::from(arch.slots);
    let all = groups.values().fold(0, |all, ids| all | ids);
    let mut list = Vec::new();
    for (masters, ids) in groups {
        let left = slots.checked_sub(list.len())?;
        let cubes = cover(*ids, all & !ids, left)?;
        list.extend(cubes.into_iter().map(|cube| (*masters, cube)));
    }
    Some(list)
}

/// Outputs that must share an arbiter, and the distinct sets among them.
struct Cluster<'a> {
    masters: BTreeSet<Port>,
    sets: Vec<&'a BTreeSet<Port>>,
    priority: bool,
}

fn clusters(demand: &Demand) -> Vec<Cluster<'_>> {
    let mut list: Vec<Cluster<'_>> = Vec::new();
    for stream in demand.values() {
        let (touched, mut rest): (Vec<_>, Vec<_>) = list
            .into_iter()
            .partition(|cluster| !cluster.masters.is_disjoint(&stream.masters));
        let mut merged = Cluster {
            masters: stream.masters.clone(),
            sets: Vec::new(),
            priority: stream.priority,
        };
        for cluster in touched {
            merged.masters.extend(cluster.masters);
            merged.sets.extend(cluster.sets);
            merged.priority |= cluster.priority;
        }
        if !merged.sets.contains(&&stream.masters) {
            merged.sets.push(&stream.masters);
        }
        rest.push(merged);
        list = rest;
    }
    // Those with many sets are the hardest to place; the order among equals is by output.
    list.sort_by(|a, b| {
        let key = |c: &Cluster<'_>| (std::cmp::Reverse(c.sets.len()), c.masters.first().copied());
        key(a).cmp(&key(b))
    });
    list
}

fn assign_amsels<'a>(
    arch: &ArchModel,
    demand: &'a Demand,
    taken: &BTreeSet<Amsel>,
) -> Result<BTreeMap<&'a BTreeSet<Port>, Amsel>, Overflow> {
    let mut taken = taken.clone();
    let mut selects = BTreeMap::new();
    for cluster in clusters(demand) {
        let amsels = place(arch, &cluster, &taken).ok_or_else(|| Overflow::Arbiters {
            masters: cluster.masters.clone(),
            sets: cluster.sets.len(),
        })?;
        taken.extend(&amsels);
        selects.extend(cluster.sets.iter().copied().zip(amsels));
    }
    Ok(selects)
}

/// Free amsels of one arbiter for the sets of a cluster: of a fresh arbiter if possible, else of
/// the one with most room.
fn place(arch: &ArchModel, cluster: &Cluster<'_>, taken: &BTreeSet<Amsel>) -> Option<Vec<Amsel>> {
    let arbiters: Vec<u8> = if cluster.priority {
        let last = LAST_CONTROL_ARBITER.min(arch.arbiters.saturating_sub(1));
        (0..=last).rev().chain(last + 1..arch.arbiters).collect()
    } else {
        (0..arch.arbiters).collect()
    };
    let free = |arbiter: u8| {
        let msels = (0..arch.msels).map(move |msel| Amsel { arbiter, msel });
        let mut free: Vec<Amsel> = msels.filter(|amsel| !taken.contains(amsel)).collect();
        if cluster.priority {
            free.reverse();
        }
        free
    };
    let best = arbiters.into_iter().map(free).rev().max_by_key(Vec::len)?;
    let count = cluster.sets.len();
    (best.len() >= count).then(|| best[..count].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use aiec_device::{Arch, Bundle};

    /// Input bundle and channel, id, outputs.
    type Row<'a> = (Bundle, u8, u8, &'a [(Bundle, u8)]);

    fn demand(list: &[Row<'_>]) -> Demand {
        list.iter()
            .map(|(bundle, channel, id, masters)| {
                let masters = masters.iter().map(|(b, c)| Port::new(*b, *c)).collect();
                let stream = Stream {
                    masters,
                    priority: false,
                };
                ((Port::new(*bundle, *channel), *id), stream)
            })
            .collect()
    }

    fn run(demand: &Demand) -> Result<Settings, Vec<Overflow>> {
        allocate(Arch::Aie2.model(), demand, &BTreeSet::new())
    }

    #[test]
    fn overlapping_sets_share_an_arbiter_with_an_msel_each() {
        use Bundle::*;
        let demand = demand(&[
            (South, 0, 1, &[(Dma, 0)]),
            (South, 0, 3, &[(Dma, 0), (North, 0)]),
            (South, 0, 2, &[(North, 0)]),
            (East, 0, 2, &[(West, 0)]),
        ]);
        let settings = run(&demand).unwrap();
        let amsels = |b, c| {
            settings.masters[&Port::new(b, c)]
                .iter()
                .collect::<Vec<_>>()
        };
        assert_eq!(amsels(Dma, 0).len(), 2);
        assert_eq!(amsels(North, 0).len(), 2);
        let arbiters: BTreeSet<u8> = settings
            .masters
            .values()
            .flatten()
            .map(|a| a.arbiter)
            .collect();
        assert_eq!(arbiters.len(), 2);
        assert_eq!(settings.rules[&Port::new(South, 0)].len(), 3);
    }

    #[test]
    fn says_which_limit_is_exceeded() {
        use Bundle::*;
        let ids = |group: &[u8], master| {
            let streams = group.iter().map(|id| {
                let stream = Stream {
                    masters: BTreeSet::from([Port::new(master, 0)]),
                    priority: false,
                };
                ((Port::new(South, 0), *id), stream)
            });
            streams.collect::<Vec<_>>()
        };
        let mut odd: Demand = ids(&[0, 3, 5, 6], North).into_iter().collect();
        odd.extend(ids(&[1, 2, 4, 7], Dma));
        let slave = Port::new(South, 0);
        assert_eq!(run(&odd), Err(vec![Overflow::Slots { slave }]));
        let five = demand(&[
            (South, 0, 1, &[(Dma, 0), (North, 0)]),
            (South, 1, 1, &[(Dma, 0), (North, 1)]),
            (South, 2, 1, &[(Dma, 0), (North, 2)]),
            (South, 3, 1, &[(Dma, 0), (North, 3)]),
            (West, 0, 1, &[(Dma, 0)]),
        ]);
        assert!(matches!(
            run(&five).unwrap_err()[..],
            [Overflow::Arbiters { sets: 5, .. }]
        ));
    }

    #[test]
    fn more_clusters_than_arbiters_share_them() {
        let masters = (0..6)
            .map(|c| (Bundle::North, c))
            .chain((0..4).map(|c| (Bundle::South, c)));
        let list: Vec<_> = masters
            .map(|m| {
                (
                    Bundle::Dma,
                    0,
                    m.1 + 8 * u8::from(m.0 == Bundle::North),
                    [m],
                )
            })
            .collect();
        let streams: Vec<_> = list
            .iter()
            .map(|(b, _, i, m)| (*b, i % 6, *i, &m[..]))
            .collect();
        let settings = run(&demand(&streams)).unwrap();
        let used: Vec<Amsel> = settings.masters.values().flatten().copied().collect();
        let distinct: BTreeSet<Amsel> = used.iter().copied().collect();
        assert_eq!((used.len(), distinct.len()), (10, 10));
    }
}
