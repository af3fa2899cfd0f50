//! Bytes that a transfer touches.

use aiec_device::regmap::BdFields;

/// The half-open range of bytes that a descriptor can touch at any value of its iteration counter.
/// The lowest address is the base, because strides of a descriptor are never negative (AM025).
pub fn extent(fields: &BdFields) -> (u64, u64) {
    let words = u64::from(fields.length);
    let mut last = 0u64;
    let mut inner = 1u64;
    for (dim, step) in fields.steps.iter().enumerate() {
        let step = u64::from(*step);
        let wrap = fields.wraps.get(dim).copied().unwrap_or(0);
        let bounded = wrap != 0;
        let count = if bounded {
            u64::from(wrap).min(words.div_ceil(inner))
        } else {
            words.div_ceil(inner)
        };
        last = last.saturating_add(count.saturating_sub(1).saturating_mul(step));
        inner = inner.saturating_mul(count.max(1));
        if !bounded {
            break;
        }
    }
    let turns = u64::from(fields.iteration_count.max(1)) - 1;
    let step = u64::from(fields.iteration_step);
    last = last.saturating_add(turns.saturating_mul(step));
    let start = fields.base_address;
    (
        start,
        start.saturating_add(last.saturating_add(1).saturating_mul(4)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_follow_strides_and_iterations() {
        let linear = BdFields {
            base_address: 16,
            length: 8,
            ..BdFields::default()
        };
        assert_eq!(extent(&linear), (16, 48));
        let rows = BdFields {
            length: 8,
            steps: [1, 100, 1, 1],
            wraps: [4, 0, 0],
            ..linear
        };
        assert_eq!(extent(&rows), (16, 16 + 4 * (100 + 3 + 1)));
        let turns = BdFields {
            iteration_count: 3,
            iteration_step: 1000,
            ..linear
        };
        assert_eq!(extent(&turns), (16, 48 + 8000));
    }
}
