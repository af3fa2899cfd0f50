//! Meaning of a design: host buffers in, host buffers out.

use super::{Access, Design, Elem, Lane, Map, Shape, Stage};

type Object = Vec<i64>;

impl Design {
    /// The host buffers after the run, given those before it (elements, sign-extended).
    pub fn meaning(&self, before: &[Vec<i64>]) -> Vec<Vec<i64>> {
        let mut after = before.to_vec();
        let mut buffer = 0;
        for lane in &self.lanes {
            let inputs: Vec<Vec<Object>> = lane
                .inputs
                .iter()
                .enumerate()
                .map(|(i, list)| objects(&before[buffer + i], list, lane.object))
                .collect();
            buffer += lane.inputs.len();
            let wanted: usize = lane.outputs.iter().map(Access::count).sum();
            let stream: Vec<i64> = flow(self.elem, lane, inputs, wanted)
                .into_iter()
                .flatten()
                .collect();
            let places: Vec<usize> = lane.outputs.iter().flat_map(Access::walk).collect();
            assert!(
                places.len() <= stream.len(),
                "the design writes more than it makes"
            );
            for (place, value) in places.into_iter().zip(stream) {
                after[buffer][place] = value;
            }
            buffer += 1;
        }
        after
    }
}

/// The objects that transfers take out of a buffer.
fn objects(buffer: &[i64], accesses: &[Access], object: usize) -> Vec<Object> {
    let stream: Vec<i64> = accesses
        .iter()
        .flat_map(Access::walk)
        .map(|place| buffer[place])
        .collect();
    assert_eq!(stream.len() % object, 0, "a transfer ends inside an object");
    stream.chunks(object).map(<[i64]>::to_vec).collect()
}

/// The objects that a lane sends, at least `wanted` elements.
fn flow(elem: Elem, lane: &Lane, mut inputs: Vec<Vec<Object>>, wanted: usize) -> Vec<Object> {
    match &lane.shape {
        Shape::Pipeline {
            cores,
            repeat,
            last,
            ..
        } => {
            let repeated = inputs
                .remove(0)
                .into_iter()
                .flat_map(|o| vec![o; *repeat])
                .collect();
            let made = cores
                .iter()
                .fold(repeated, |stream, (_, stage)| stage.apply(elem, stream));
            let sent = last.init.iter().cloned().chain(made);
            sent.flat_map(|o| vec![o; last.repeat.max(1)]).collect()
        }
        Shape::SplitJoin {
            maps,
            parts,
            repeats,
            first,
        } => {
            let split = |object: Object| {
                let mut rest = object.as_slice();
                let mut joined = Object::new();
                for (map, part) in maps.iter().zip(parts) {
                    let (head, tail) = rest.split_at(*part);
                    joined.extend(map.apply(elem, head));
                    rest = tail;
                }
                joined
            };
            let joined = inputs.remove(0).into_iter().map(split);
            let joined = joined.flat_map(|o| vec![o; repeats.0.max(1)]);
            let sent = first.iter().cloned().chain(joined);
            sent.flat_map(|o| vec![o; repeats.1.max(1)]).collect()
        }
        Shape::BroadcastJoin { maps, .. } => {
            let spread = |object: Object| {
                maps.iter()
                    .flat_map(|map| map.apply(elem, &object))
                    .collect::<Object>()
            };
            inputs.remove(0).into_iter().map(spread).collect()
        }
        Shape::Zip => {
            let (a, b) = (&inputs[0], &inputs[1]);
            a.iter()
                .zip(b)
                .map(|(a, b)| combine(elem, a, b, |a, b| a + b))
                .collect()
        }
        Shape::Transpose { rows, cols } => {
            let transpose = |object: Object| {
                let place = |i: usize| (i % rows) * cols + i / rows;
                (0..rows * cols).map(|i| object[place(i)]).collect()
            };
            inputs.remove(0).into_iter().map(transpose).collect()
        }
        Shape::Retile {
            rows,
            cols,
            scatter,
            pad,
            ..
        } => {
            let retile = |object: Object| {
                let mut inside = object.clone();
                if *scatter {
                    for (k, value) in object.iter().enumerate() {
                        inside[k / rows + (k % rows) * cols] = *value;
                    }
                }
                let ([(up, down), (left, right)], value) = pad.unwrap_or_default();
                let mut sent = Object::new();
                for row in 0..up + rows + down {
                    for col in 0..left + cols + right {
                        let within =
                            (up..up + rows).contains(&row) && (left..left + cols).contains(&col);
                        sent.push(if within {
                            inside[(row - up) * cols + col - left]
                        } else {
                            value.into()
                        });
                    }
                }
                sent
            };
            inputs.remove(0).into_iter().map(retile).collect()
        }
        // Unchanged data are the same however they are cut.
        Shape::Forward { .. } => inputs.remove(0),
        Shape::Constants { objects, rounds } => {
            let sent = wanted.div_ceil(lane.object);
            let sent = rounds.map_or(sent, |n| n * objects.len());
            objects.iter().cloned().cycle().take(sent).collect()
        }
        Shape::Process {
            pattern: (_, release),
            made,
            ..
        } => (0..*made)
            .map(|n| {
                // The objects released first are those that the pass was given first.
                let base = (n % release * 16) as i64;
                (0..lane.object)
                    .map(|i| elem.wrap(base + i as i64))
                    .collect()
            })
            .collect(),
        Shape::Streams { map, .. } => {
            let stream = inputs.remove(0).into_iter();
            stream.map(|object| map.apply(elem, &object)).collect()
        }
    }
}

fn combine(elem: Elem, a: &[i64], b: &[i64], f: impl Fn(i64, i64) -> i64) -> Object {
    a.iter().zip(b).map(|(a, b)| elem.wrap(f(*a, *b))).collect()
}

impl Map {
    fn apply(self, elem: Elem, object: &[i64]) -> Object {
        let one = |(i, v): (usize, &i64)| match self {
            Map::Add(c) => elem.wrap(v.wrapping_add(c)),
            Map::Mul(c) => elem.wrap(v.wrapping_mul(c)),
            Map::Xor(c) => elem.wrap(v ^ c),
            Map::Max(c) => (*v).max(elem.wrap(c)),
            Map::AddIndex => elem.wrap(v + i as i64),
        };
        object.iter().enumerate().map(one).collect()
    }
}

impl Stage {
    fn apply(self, elem: Elem, stream: Vec<Object>) -> Vec<Object> {
        match self {
            Stage::Map(map) => stream.iter().map(|o| map.apply(elem, o)).collect(),
            Stage::Window(n) => stream
                .windows(n)
                .map(|w| {
                    let first = vec![0; w[0].len()];
                    w.iter()
                        .fold(first, |sum, o| combine(elem, &sum, o, |a, b| a + b))
                })
                .collect(),
            Stage::Pairs => stream
                .chunks_exact(2)
                .map(|pair| combine(elem, &pair[0], &pair[1], |a, b| a - b))
                .collect(),
        }
    }
}
