//! Drawing random designs.
//!
//! Everything drawn is legal: it fits the devices (channels, memory, BDs, queue depths) and comes
//! to an end. What may vary freely is the point: shapes, depths, types, syntax, access patterns.

use arbitrary::{Result, Unstructured};

use super::{
    Access, Design, Elem, Form, Hop, Lane, Last, Link, Map, Shape, Stage, Style, Transfers,
};

/// A device that designs are drawn for.
struct Target {
    name: &'static str,
    core_row: u8,
    core_rows: u8,
    columns: &'static [u8],
}

/// Devices with their first core row, core rows and shim columns that have a DMA
/// (`mlir-aie: lib/Dialect/AIE/IR/AIETargetModel.cpp`); long lists are cut.
const TARGETS: &[Target] = &[
    Target {
        name: "npu1",
        core_row: 2,
        core_rows: 4,
        columns: &[0, 1, 2, 3],
    },
    Target {
        name: "npu1_1col",
        core_row: 2,
        core_rows: 4,
        columns: &[0],
    },
    Target {
        name: "npu2",
        core_row: 2,
        core_rows: 4,
        columns: &[0, 1, 2, 3, 4, 5, 6, 7],
    },
    Target {
        name: "npu2_2col",
        core_row: 2,
        core_rows: 4,
        columns: &[0, 1],
    },
    Target {
        name: "xcve2302",
        core_row: 2,
        core_rows: 2,
        columns: &[2, 3, 6, 7],
    },
    Target {
        name: "xcve2802",
        core_row: 3,
        core_rows: 8,
        columns: &[2, 3, 6, 7, 14],
    },
    Target {
        name: "xcve3858",
        core_row: 3,
        core_rows: 4,
        columns: &[0, 1, 2, 17, 35],
    },
];

impl Target {
    /// Whether padding can be something else than zero (later devices only).
    pub(super) fn pads_with_any(&self) -> bool {
        let model = aiec_device::DeviceModel::by_name(self.name);
        let mem = model.and_then(|model| model.arch_model().mem.as_ref());
        let dma = mem.and_then(|mem| mem.dma.as_ref());
        dma.is_some_and(|dma| dma.pad_value)
    }
}

/// At most this many transfers per direction of a lane: what a task queue holds.
const MAX_TRANSFERS: usize = 3;

/// Draws a design.
pub fn draw(u: &mut Unstructured<'_>) -> Result<Design> {
    let target = &TARGETS[u.choose_index(TARGETS.len())?];
    let elem = *u.choose(&[Elem::I8, Elem::I16, Elem::I32, Elem::I32])?;
    let count = u.int_in_range(1..=target.columns.len().min(3))?;
    let mut columns = target.columns.to_vec();
    let mut lanes = Vec::new();
    let mut buffers = Vec::new();
    for _ in 0..count {
        let column = columns.remove(u.choose_index(columns.len())?);
        let (lane, sizes) = draw_lane(u, target, elem, column)?;
        lanes.push(lane);
        buffers.extend(sizes);
    }
    Ok(Design {
        device: target.name,
        core_row: target.core_row,
        elem,
        transfers: *u.choose(&[Transfers::Memcpy, Transfers::Tasks])?,
        packets: u.ratio(1, 6)?,
        old_syntax: u.ratio(1, 3)?,
        buffers,
        lanes,
    })
}

fn draw_lane(
    u: &mut Unstructured<'_>,
    target: &Target,
    elem: Elem,
    column: u8,
) -> Result<(Lane, Vec<usize>)> {
    let words = *u.choose(&[1usize, 2, 4, 8, 16])?;
    let mut object = words * 4 / elem.bytes();
    let objects = u.int_in_range(2..=6usize)? * 2;
    let shape = draw_shape(u, target, elem, &mut object)?;
    let mut buffers = Vec::new();
    let mut inputs = Vec::new();
    for _ in 0..shape.inputs() {
        let (accesses, size) = draw_accesses(u, elem, objects * object, false)?;
        inputs.push(accesses);
        buffers.push(size);
    }
    let (made, out_object) = shape.output(objects, object);
    let (outputs, size) = draw_accesses(u, elem, made * out_object, true)?;
    buffers.push(size);
    Ok((
        Lane {
            column,
            object,
            shape,
            style: draw_style(u)?,
            inputs,
            outputs,
        },
        buffers,
    ))
}

impl Shape {
    /// Number of streams from host memory.
    fn inputs(&self) -> usize {
        match self {
            Shape::Zip => 2,
            Shape::Constants { .. } | Shape::Process { .. } => 0,
            _ => 1,
        }
    }

    /// Objects that come out for `objects` in, and their elements.
    fn output(&self, objects: usize, object: usize) -> (usize, usize) {
        match self {
            Shape::Pipeline {
                cores,
                repeat,
                last,
                ..
            } => {
                let made = cores
                    .iter()
                    .fold(objects * repeat, |n, (_, stage)| match stage {
                        Stage::Map(_) => n,
                        Stage::Window(w) => n - w + 1,
                        Stage::Pairs => n / 2,
                    });
                ((made + last.init.len()) * last.repeat.max(1), object)
            }
            Shape::SplitJoin {
                repeats: (parts, whole),
                first,
                ..
            } => {
                let joined = objects * parts.max(&1) + first.len();
                (joined * whole.max(&1), object)
            }
            Shape::Zip | Shape::Transpose { .. } | Shape::Streams { .. } => (objects, object),
            Shape::BroadcastJoin { maps, .. } => (objects, object * maps.len()),
            Shape::Forward { fifos, .. } => {
                let (_, last, _) = fifos.last().copied().unwrap_or((1, object, 1));
                (objects * object / last, last)
            }
            Shape::Constants {
                objects: contents,
                rounds,
            } => (rounds.map_or(objects, |n| n * contents.len()), object),
            Shape::Process { made, .. } => (*made, object),
            Shape::Retile {
                rows, cols, pad, ..
            } => {
                let [(up, down), (left, right)] = pad.unwrap_or_default().0;
                (objects, (rows + up + down) * (cols + left + right))
            }
        }
    }
}

/// Transfers over `elements` elements altogether, and the size of the buffer they need. Transfers
/// to host memory don't overlap.
fn draw_accesses(
    u: &mut Unstructured<'_>,
    elem: Elem,
    elements: usize,
    output: bool,
) -> Result<(Vec<Access>, usize)> {
    // Offsets and lengths are whole words.
    let word = 4 / elem.bytes();
    let mut left = elements / word;
    let mut list = Vec::new();
    let mut end = u.int_in_range(0..=3usize)? * word;
    while left > 0 {
        let last = list.len() + 1 == MAX_TRANSFERS;
        let words = if last || u.arbitrary()? {
            left
        } else {
            u.int_in_range(1..=left)?
        };
        left -= words;
        let access = draw_access(u, word, words, end, output)?;
        let reach = access.walk().max().unwrap_or(0) + 1;
        list.push(access);
        end = reach.max(end).next_multiple_of(word) + u.int_in_range(0..=2usize)? * word;
    }
    Ok((list, end))
}

fn draw_access(
    u: &mut Unstructured<'_>,
    word: usize,
    words: usize,
    offset: usize,
    output: bool,
) -> Result<Access> {
    let divisors: Vec<usize> = (1..=words.min(1000))
        .filter(|d| words.is_multiple_of(*d) && words / d <= 60)
        .collect();
    if divisors.is_empty() {
        return Ok(Access {
            offset,
            sizes: [1, 1, 1, words * word],
            strides: [0, 0, 0, 1],
        });
    }
    let inner = *u.choose(&divisors)?;
    let outer = words / inner;
    let gap = u.int_in_range(0..=3usize)?;
    let row = (inner + gap) * word;
    Ok(match u.int_in_range(0..=5)? {
        // Linear.
        0 => Access {
            offset,
            sizes: [1, 1, 1, words * word],
            strides: [0, 0, 0, 1],
        },
        // One row repeatedly; as an output it would be overwritten, so that the result depended on
        // order alone, which is fine, but hides lost data.
        1 if !output => Access {
            offset,
            sizes: [outer, 1, 1, inner * word],
            strides: [0, 0, 0, 1],
        },
        // Windows that move by a word: with words as elements all strides are one.
        3 if !output => Access {
            offset,
            sizes: [1, 1, outer, inner * word],
            strides: [0, 0, word, 1],
        },
        // One run, as dimensions of which the inner ones are single elements.
        4 if word == 1 => Access {
            offset,
            sizes: [1, outer, inner, 1],
            strides: [0, inner, 1, 1],
        },
        // Rows with gaps, in the outermost dimension (iteration) or an inner one.
        2 => Access {
            offset,
            sizes: [outer, 1, 1, inner * word],
            strides: [row, 0, 0, 1],
        },
        _ => Access {
            offset,
            sizes: [1, 1, outer, inner * word],
            strides: [0, 0, row, 1],
        },
    })
}

/// Draws how a lane's objects flow; `object` may change.
fn draw_shape(
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
fn draw_style(u: &mut Unstructured<'_>) -> Result<Style> {
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

/// Draws how the last core passes objects on. The objects that it sends repeatedly come whole from
/// one buffer, so few objects keep the number of BDs below a core tile's.
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
