use super::*;
use aiec_device::{Arch, Bundle};

/// Input bundle and channel, id, outputs.
type Row<'a> = (Bundle, u8, u8, &'a [(Bundle, u8)]);

fn demand(list: &[Row<'_>]) -> SwitchDemand {
    list.iter()
        .map(|(bundle, channel, id, masters)| {
            let masters = masters.iter().map(|(b, c)| Port::new(*b, *c)).collect();
            let stream = PacketStream {
                masters,
                priority: false,
                nets: BTreeSet::new(),
            };
            ((Port::new(*bundle, *channel), *id), stream)
        })
        .collect()
}

fn run(demand: &SwitchDemand) -> Result<PacketSettings, Vec<Overflow>> {
    let resources = SwitchResources {
        arch: Arch::Aie2.model(),
        arbiters: MLIR_AIE_ARBITERS,
        chosen: None,
        taken: &BTreeSet::new(),
        fixed: &PacketSettings::default(),
        phases: &|_| TurnPhases::default(),
        interdependent: &|_, _| 0,
    };
    allocate_switch(&resources, demand)
}

#[test]
fn hand_written_rules_and_outputs_are_added_to() {
    let port = |bundle, channel| Port::new(bundle, channel);
    let amsel = |msel| Amsel { arbiter: 2, msel };
    let mut fixed = PacketSettings::default();
    let out = port(Bundle::North, 1);
    fixed.masters.insert(out, BTreeSet::from([amsel(0)]));
    let cube = Cube { mask: 31, value: 1 };
    let rule = RuleEntry {
        cube,
        amsel: amsel(0),
    };
    fixed.rules.insert(port(Bundle::Dma, 0), vec![rule]);
    let resources = SwitchResources {
        arch: Arch::Aie2.model(),
        arbiters: MLIR_AIE_ARBITERS,
        chosen: None,
        taken: &BTreeSet::from([amsel(0)]),
        fixed: &fixed,
        phases: &|_| TurnPhases::default(),
        interdependent: &|_, _| 0,
    };
    // One goes where theirs goes, one there and elsewhere.
    let demand = demand(&[
        (Bundle::Dma, 0, 0, &[(Bundle::North, 1)]),
        (Bundle::Dma, 0, 3, &[(Bundle::North, 1), (Bundle::East, 0)]),
    ]);
    let settings = allocate_switch(&resources, &demand).unwrap();
    assert_eq!(settings.masters[&out], BTreeSet::from([amsel(0), amsel(1)]));
    let east = &settings.masters[&port(Bundle::East, 0)];
    assert_eq!(*east, BTreeSet::from([amsel(1)]));
    let rules = &settings.rules[&port(Bundle::Dma, 0)];
    assert_eq!(rules.len(), 2);
    assert!(rules.iter().all(|rule| !rule.cube.matches(1)));
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
            let stream = PacketStream {
                masters: BTreeSet::from([Port::new(master, 0)]),
                priority: false,
                nets: BTreeSet::new(),
            };
            ((Port::new(South, 0), *id), stream)
        });
        streams.collect::<Vec<_>>()
    };
    let mut odd: SwitchDemand = ids(&[0, 3, 5, 6], North).into_iter().collect();
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
