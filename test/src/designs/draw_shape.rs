//! Drawing how the objects of a lane flow.

use arbitrary::{Result, Unstructured};

use super::draw::Target;
use super::{Elem, Form, Hop, Last, Link, Map, Shape, Stage, Style};

/// Draws how a lane's objects flow; `object` may change.
pub(super) fn draw_shape(
    u: &mut Unstructured<'_>,
    target: &Target,
    elem: Elem,
    object: &mut usize,
) -> Result<Shape> {
    let fan = |u: &mut Unstructured<'_>| -> Result<Vec<Map>> {
        let cores = u.int_in_range(2..=usize::from(target.core_rows.min(4)))?;
        (0..cores).map(|_| draw_map(u)).collect()
    };
    Ok(match u.int_in_range(0..=13)? {
        0 => {
            let maps = fan(u)?;
            // Parts are whole words, as large as the drawn object or up to three times that.
            let mut parts = vec![*object; maps.len()];
            if u.arbitrary()? {
                for part in &mut parts {
                    *part *= u.int_in_range(1..=3usize)?;
                }
            }
            *object = parts.iter().sum();
            // A mem tile's channels share 24 BDs each way: few parts leave room for repetitions.
            let repeats = if maps.len() == 2 && u.arbitrary()? {
                (u.int_in_range(0..=2usize)?, u.int_in_range(0..=2usize)?)
            } else {
                (0, 0)
            };
            let first = if u.ratio(1, 4)? {
                draw_objects(u, elem, *object, 2)?
            } else {
                Vec::new()
            };
            Shape::SplitJoin {
                maps,
                parts,
                repeats,
                first,
            }
        }
        1 => {
            let maps = fan(u)?;
            let mut depths = Vec::new();
            if u.arbitrary()? {
                for _ in 0..=maps.len() {
                    depths.push(u.int_in_range(1..=4usize)?);
                }
            }
            Shape::BroadcastJoin { maps, depths }
        }
        2 => Shape::Zip,
        7 if elem == Elem::I32 => {
            let rows = u.int_in_range(1..=5usize)?;
            let cols = u.int_in_range(1..=5usize)?;
            *object = rows * cols;
            let mut side = || -> Result<(usize, usize)> {
                Ok((u.int_in_range(0..=2usize)?, u.int_in_range(0..=2usize)?))
            };
            let pads = [side()?, side()?];
            let pad = if u.arbitrary()? {
                Some((
                    pads,
                    if target.pads_with_any() && u.arbitrary()? {
                        u.int_in_range(-9..=9)?
                    } else {
                        0
                    },
                ))
            } else {
                None
            };
            Shape::Retile {
                rows,
                cols,
                scatter: u.arbitrary()?,
                pad,
                finite: u.arbitrary()?,
            }
        }
        8 if elem == Elem::I32 => {
            let (take, put) = *u.choose(&[(true, false), (false, true), (true, true)])?;
            Shape::Streams {
                map: draw_map(u)?,
                take,
                put,
            }
        }
        3 if elem == Elem::I32 => {
            let rows = u.int_in_range(1..=6usize)?;
            let cols = u.int_in_range(1..=6usize)?;
            *object = rows * cols;
            Shape::Transpose { rows, cols }
        }
        9 => draw_forward(u, target, object)?,
        10 => {
            let count = u.int_in_range(1..=3usize)?;
            Shape::Constants {
                objects: draw_objects(u, elem, *object, count)?,
                rounds: if u.arbitrary()? {
                    Some(u.int_in_range(1..=5usize)?)
                } else {
                    None
                },
            }
        }
        11 => draw_process(u)?,
        _ => draw_pipeline(u, target, elem, *object)?,
    })
}

/// Draws how the cores of a lane are written.
pub(super) fn draw_style(u: &mut Unstructured<'_>) -> Result<Style> {
    let form = match u.int_in_range(0..=12)? {
        0 => Form::Steps,
        1 => Form::Before(u.int_in_range(1..=3usize)?),
        2 => Form::Inner(u.int_in_range(1..=7usize)?),
        3 => Form::Siblings(u.int_in_range(1..=4usize)?, u.int_in_range(1..=4usize)?),
        4 => Form::Twice,
        5 => Form::Branches,
        6 => Form::Sometimes,
        7 => Form::Never,
        8 => Form::RunTime,
        9 => Form::While,
        _ => Form::Plain,
    };
    Ok(Style {
        form,
        dynamic: u.ratio(1, 3)?,
        direct: u.ratio(1, 3)?,
        affine: u.ratio(1, 4)?,
    })
}

/// Contents of some objects.
fn draw_objects(
    u: &mut Unstructured<'_>,
    elem: Elem,
    object: usize,
    count: usize,
) -> Result<Vec<Vec<i64>>> {
    let mut value = || -> Result<i64> { Ok(elem.wrap(i64::from(u.arbitrary::<i8>()?))) };
    (0..count)
        .map(|_| (0..object).map(|_| value()).collect())
        .collect()
}

/// One to three tiles, the mem tile once. Objects are one or two times the drawn ones, so that
/// what is sent is a whole number of all of them.
fn draw_forward(u: &mut Unstructured<'_>, target: &Target, object: &mut usize) -> Result<Shape> {
    let mut tiles: Vec<Hop> = (0..target.core_rows.min(4)).map(Hop::Core).collect();
    tiles.push(Hop::Mem);
    let count = u.int_in_range(1..=3usize)?;
    let mut hops = Vec::new();
    for _ in 0..count {
        hops.push(tiles.remove(u.choose_index(tiles.len())?));
    }
    let mut fifos = Vec::new();
    for _ in 0..=count {
        let (from, to) = *u.choose(&[(1, 1), (2, 2), (2, 1), (1, 1)])?;
        fifos.push((from * *object, to * *object, u.int_in_range(1..=3usize)?));
    }
    *object = fifos[0].0;
    Ok(Shape::Forward { hops, fifos })
}

fn draw_process(u: &mut Unstructured<'_>) -> Result<Shape> {
    let pattern = *u.choose(&[(1, 1), (2, 2), (2, 1), (3, 1), (3, 2)])?;
    let passes = u.int_in_range(2..=6usize)?;
    Ok(Shape::Process {
        pattern,
        depth: pattern.0 + u.int_in_range(0..=2usize)?,
        made: passes * pattern.1,
    })
}

fn draw_pipeline(
    u: &mut Unstructured<'_>,
    target: &Target,
    elem: Elem,
    object: usize,
) -> Result<Shape> {
    let mut rows: Vec<u8> = (0..target.core_rows.min(4)).collect();
    let count = u.int_in_range(1..=rows.len().min(3))?;
    let mut cores = Vec::new();
    let mut links = Vec::new();
    let mut windows = 0;
    for _ in 0..count {
        let row = rows.remove(u.choose_index(rows.len())?);
        // At most one stage that shortens the stream, so that something is left of it.
        let stage = match u.int_in_range(0..=5)? {
            0 if windows == 0 => Stage::Window(u.int_in_range(2..=3)?),
            1 if windows == 0 => Stage::Pairs,
            _ => Stage::Map(draw_map(u)?),
        };
        windows += usize::from(!matches!(stage, Stage::Map(_)));
        links.push(draw_link(u, stage.holds())?);
        cores.push((row, stage));
    }
    links.push(draw_link(u, 1)?);
    draw_allocations(u, &cores, &mut links)?;
    let mem_in = u.arbitrary()?;
    let repeat = if mem_in && windows == 0 && u.ratio(1, 4)? {
        2
    } else {
        1
    };
    let mem_out = u.arbitrary()?;
    let last = if mem_out {
        Last::default()
    } else {
        draw_last(u, links.last_mut(), elem, object)?
    };
    Ok(Shape::Pipeline {
        cores,
        links,
        mem_in,
        repeat,
        mem_out,
        last,
    })
}

/// How the last core hands on. What it sends repeatedly comes whole from one buffer, so few objects
/// keep the number of BDs below what a core tile has.
fn draw_last(
    u: &mut Unstructured<'_>,
    link: Option<&mut Link>,
    elem: Elem,
    object: usize,
) -> Result<Last> {
    let mut last = Last::default();
    let Some(link) = link.filter(|_| object <= 64) else {
        return Ok(last);
    };
    last.ahead = u.ratio(1, 3)?;
    if last.ahead {
        link.depth = link.depth.max(2);
    }
    if u.ratio(1, 3)? {
        last.repeat = u.int_in_range(1..=3)?;
    }
    if u.ratio(1, 3)? {
        last.init = draw_objects(u, elem, object, link.depth)?;
    }
    Ok(last)
}

impl Stage {
    /// Objects that its core holds at once.
    fn holds(self) -> usize {
        match self {
            Stage::Map(_) => 1,
            Stage::Window(n) => n,
            Stage::Pairs => 2,
        }
    }
}

fn draw_link(u: &mut Unstructured<'_>, at_least: usize) -> Result<Link> {
    let depth = u.int_in_range(at_least.max(1)..=4)?;
    Ok(Link {
        depth,
        via_dma: u.ratio(1, 3)?,
        allocate: None,
    })
}

/// Puts fifos of cores with a memory in common there, sometimes.
fn draw_allocations(
    u: &mut Unstructured<'_>,
    cores: &[(u8, Stage)],
    links: &mut [Link],
) -> Result<()> {
    for (pair, link) in cores.windows(2).zip(links.iter_mut().skip(1)) {
        let (a, b) = (pair[0].0, pair[1].0);
        let common: Vec<u8> = (a.min(b)..=a.max(b))
            .filter(|row| row.abs_diff(a) <= 1 && row.abs_diff(b) <= 1)
            .collect();
        if !common.is_empty() && u.ratio(1, 3)? {
            link.allocate = Some(*u.choose(&common)?);
        }
    }
    Ok(())
}

fn draw_map(u: &mut Unstructured<'_>) -> Result<Map> {
    let constant = i64::from(u.int_in_range(-100..=100i32)?);
    Ok(match u.int_in_range(0..=4)? {
        0 => Map::Mul(constant),
        1 => Map::Xor(constant),
        2 => Map::Max(constant),
        3 => Map::AddIndex,
        _ => Map::Add(constant),
    })
}
