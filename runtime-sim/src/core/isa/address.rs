//! Addresses: pointers of 20 bits that walk over memory in one, two or three dimensions.
//!
//! Source: `llvm-aie`; 2D and 3D walks measured on NPU1 silicon (xdna-emu).

/// Bits of a pointer.
pub(super) const ADDRESS_MASK: u32 = 0xF_FFFF;

/// The registers of a dimension: dN = {mN, dnN, djN, dcN}.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dimension {
    /// mN: what is added when the dimension ends, in bytes.
    pub modifier: u32,
    /// dnN: the last count.
    pub size: u32,
    /// djN: what is added within the dimension, in bytes.
    pub jump: u32,
    /// dcN: the count.
    pub count: u32,
}

/// The pointer and the count after an access of a 2D walk.
pub(super) fn walk_2d(pointer: u32, d: Dimension) -> (u32, u32) {
    let (step, count) = if d.count == d.size {
        (d.modifier, 0)
    } else {
        (d.jump, d.count + 1)
    };
    (
        pointer.wrapping_add(step) & ADDRESS_MASK,
        count & ADDRESS_MASK,
    )
}

/// The pointer and the counts of the inner and the outer dimension after an access of a 3D walk.
pub(super) fn walk_3d(pointer: u32, inner: Dimension, outer: Dimension) -> (u32, u32, u32) {
    let (step, inner_count, outer_count) = if inner.count != inner.size {
        (inner.jump, inner.count + 1, outer.count)
    } else if outer.count != outer.size {
        (outer.jump, 0, outer.count + 1)
    } else {
        (inner.modifier, 0, 0)
    };
    (
        pointer.wrapping_add(step) & ADDRESS_MASK,
        inner_count & ADDRESS_MASK,
        outer_count & ADDRESS_MASK,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_planes() {
        let mut inner = Dimension {
            modifier: (-100i32) as u32,
            size: 2,
            jump: 4,
            count: 0,
        };
        let mut outer = Dimension {
            jump: 32,
            size: 1,
            modifier: 0,
            count: 0,
        };
        let (mut pointer, mut seen) = (0x7_0000, Vec::new());
        for _ in 0..7 {
            seen.push(pointer);
            (pointer, inner.count, outer.count) = walk_3d(pointer, inner, outer);
        }
        let offsets: Vec<u32> = seen.iter().map(|at| at.wrapping_sub(0x7_0000)).collect();
        assert_eq!(offsets, [0, 4, 8, 40, 44, 48, (-52i32) as u32]);
        inner.count = 2;
        assert_eq!(walk_2d(50, inner), (0xF_FFCE, 0));
    }
}
