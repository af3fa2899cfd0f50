//! Integer operations on numbers, as the machine of [`aiec_vcode`] computes them.

use aiec_vcode::Opcode;

use crate::lower::value::sign_extend;

/// The result of an integer operation; `None` for all others, and for divisions without a result.
pub(super) fn fold(op: Opcode, args: &[u64], number: u8) -> Option<u64> {
    use Opcode::*;
    let arg = |at: usize| args.get(at).copied();
    let b = arg(0)?;
    let truth = |is: bool| if is { u64::MAX } else { 0 };
    let low = |bits: u8| u64::MAX >> (64 - u32::from(bits.clamp(1, 64)));
    match op {
        Mov => return Some(b),
        Sext => return Some(sign_extend(b, number.clamp(1, 64))),
        Zext => return Some(b & low(number)),
        Ctlz => {
            let zeros = (b & low(number)).leading_zeros();
            return Some(u64::from(zeros) - (64 - u64::from(number)));
        }
        Cttz => return Some(u64::from((b & low(number)).trailing_zeros()).min(number.into())),
        Ctpop => return Some((b & low(number)).count_ones().into()),
        Select => return if b != 0 { arg(1) } else { arg(2) },
        _ => {}
    }
    let c = arg(1)?;
    let (sb, sc) = (b as i64, c as i64);
    let (nb, nc) = (b as i32, c as i32);
    let narrow = |value: i32| i64::from(value) as u64;
    Some(match op {
        Add32 => narrow(nb.wrapping_add(nc)),
        Sub32 => narrow(nb.wrapping_sub(nc)),
        Mul32 => narrow(nb.wrapping_mul(nc)),
        Shl32 => narrow(if c < 32 { nb << c } else { 0 }),
        Add64 => b.wrapping_add(c),
        Sub64 => b.wrapping_sub(c),
        Mul64 => b.wrapping_mul(c),
        Shl64 => b.checked_shl(u32::try_from(c).unwrap_or(64)).unwrap_or(0),
        Shrs => (sb >> c.min(63)) as u64,
        Shru => b.checked_shr(u32::try_from(c).unwrap_or(64)).unwrap_or(0),
        And => b & c,
        Or => b | c,
        Xor => b ^ c,
        Divs => sb.checked_div(sc)? as u64,
        Rems => sb.checked_rem(sc)? as u64,
        Divu => b.checked_div(c)?,
        Remu => b.checked_rem(c)?,
        Mins => sb.min(sc) as u64,
        Maxs => sb.max(sc) as u64,
        Minu => b.min(c),
        Maxu => b.max(c),
        Mulhs => ((i128::from(sb) * i128::from(sc)) >> 64) as u64,
        Mulhu => ((u128::from(b) * u128::from(c)) >> 64) as u64,
        Eq => truth(b == c),
        Ne => truth(b != c),
        Lts => truth(sb < sc),
        Les => truth(sb <= sc),
        Ltu => truth(b < c),
        Leu => truth(b <= c),
        _ => return None,
    })
}
