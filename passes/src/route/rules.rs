//! Packet rules: covering sets of packet ids with the fewest mask/value pairs.
//!
//! A rule matches an id when `id & mask == value`, so it is a cube of the five id bits. A
//! group of ids may be covered by any cubes that hold no id of another group: ids that never
//! arrive at the port don't matter.

/// Bits of a packet id.
const ID_BITS: u32 = 5;
/// Mask that compares all bits.
pub(crate) const EXACT: u8 = (1 << ID_BITS) - 1;

/// A rule: mask and value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cube {
    /// Bits that are compared.
    pub mask: u8,
    /// Values of these bits; no bit outside the mask is set.
    pub value: u8,
}

impl Cube {
    /// Whether an id is matched.
    pub const fn matches(self, id: u8) -> bool {
        id & self.mask == self.value
    }

    /// The matched ids as a set of bits.
    pub const fn ids(self) -> u32 {
        let (mut set, mut id) = (0, 0);
        while id <= EXACT {
            if self.matches(id) {
                set |= 1 << id;
            }
            id += 1;
        }
        set
    }

    /// The smallest cube around some ids, at least one.
    fn around(ids: u32) -> Cube {
        let first = ids.trailing_zeros() as u8 & EXACT;
        let varying = members(ids).fold(0, |bits, id| bits | (id ^ first));
        let mask = EXACT & !varying;
        Cube {
            mask,
            value: first & mask,
        }
    }
}

fn members(ids: u32) -> impl Iterator<Item = u8> {
    (0..=EXACT).filter(move |id| ids >> id & 1 == 1)
}

/// The fewest cubes, at most `limit`, that hold all ids of `group` and none of `others` (sets of
/// bits). Each is as small as the ids it was chosen for allow.
pub(crate) fn cover(group: u32, others: u32, limit: usize) -> Option<Vec<Cube>> {
    if group == 0 {
        return Some(Vec::new());
    }
    let whole = Cube::around(group);
    if limit > 0 && whole.ids() & others == 0 {
        return Some(vec![whole]);
    }
    let primes = primes(group, others);
    for size in 1..=limit {
        let mut chosen = Vec::with_capacity(size);
        if search(group, &primes, size, &mut chosen) {
            return Some(tighten(group, &chosen));
        }
    }
    None
}

/// The largest cubes that hold ids of the group and no others, in ascending order.
fn primes(group: u32, others: u32) -> Vec<u32> {
    let mut list: Vec<u32> = Vec::new();
    for ids in CUBES {
        let inside = |larger: &u32| ids & !larger == 0;
        if ids & others == 0 && ids & group != 0 && !list.iter().any(inside) {
            list.push(ids);
        }
    }
    list
}

/// The ids of every cube, those of masks with few bits first: a cube inside an earlier one isn't a
/// prime.
static CUBES: [u32; 3_usize.pow(ID_BITS)] = {
    let mut cubes = [0; 3_usize.pow(ID_BITS)];
    let (mut count, mut ones) = (0, 0);
    while ones <= ID_BITS {
        let mut mask = 0;
        while mask <= EXACT {
            let mut value = 0;
            while value <= EXACT && mask.count_ones() == ones {
                if value & !mask == 0 {
                    cubes[count] = Cube { mask, value }.ids();
                    count += 1;
                }
                value += 1;
            }
            mask += 1;
        }
        ones += 1;
    }
    cubes
};

/// Depth-first choice of at most `left` primes that hold `ids`.
fn search(ids: u32, primes: &[u32], left: usize, chosen: &mut Vec<u32>) -> bool {
    if ids == 0 {
        return true;
    }
    if left == 0 {
        return false;
    }
    let first = 1 << ids.trailing_zeros();
    for prime in primes.iter().filter(|prime| **prime & first != 0) {
        chosen.push(*prime);
        if search(ids & !prime, primes, left - 1, chosen) {
            return true;
        }
        chosen.pop();
    }
    false
}

/// Gives each id to the first cube that holds it and shrinks the cubes to what they got.
fn tighten(group: u32, chosen: &[u32]) -> Vec<Cube> {
    let mut left = group;
    let mut cubes = Vec::with_capacity(chosen.len());
    for prime in chosen {
        let taken = left & prime;
        if taken != 0 {
            cubes.push(Cube::around(taken));
            left &= !taken;
        }
    }
    cubes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(ids: &[u8]) -> u32 {
        ids.iter().fold(0, |set, id| set | 1 << id)
    }

    fn check(group: &[u8], others: &[u8], expected: Option<usize>) {
        let cubes = cover(set(group), set(others), 4);
        assert_eq!(
            cubes.as_ref().map(Vec::len),
            expected,
            "{group:?} {others:?}"
        );
        for cube in cubes.iter().flatten() {
            assert_eq!(cube.value & !cube.mask, 0);
            assert!(!others.iter().any(|id| cube.matches(*id)));
        }
        if let Some(cubes) = cubes {
            assert!(group.iter().all(|id| cubes.iter().any(|c| c.matches(*id))));
        }
    }

    #[test]
    fn few_rules_hold_the_group_and_nobody_else() {
        check(&[7], &[], Some(1));
        check(&[0, 31], &[], Some(1));
        check(&[2, 3], &[1], Some(1));
        check(&[1, 2, 3], &[0], Some(2));
        check(&[0, 3, 5, 6], &[1, 2, 4, 7], Some(4));
        check(&[1, 2, 4, 7, 8], &[0, 3, 5, 6, 9, 10, 12], None);
        check(&[1, 2, 3, 4, 5, 6, 7], &[0], Some(3));
        let all: Vec<u8> = (0..32).collect();
        check(&all, &[], Some(1));
    }

    #[test]
    fn rules_are_as_small_as_their_ids() {
        let cube = |mask, value| Cube { mask, value };
        assert_eq!(cover(set(&[17, 18]), 0, 4), Some(vec![cube(28, 16)]));
        assert_eq!(cover(set(&[2, 3]), set(&[1]), 4), Some(vec![cube(30, 2)]));
        assert_eq!(cover(set(&[9]), 0, 4), Some(vec![cube(31, 9)]));
    }
}
