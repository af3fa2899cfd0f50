//! Where tiles, ports and lines are in the picture of a routing.

use aiec_device::switch::PortSide;
use aiec_device::{Bundle, Port, TileLoc};

/// Width and height of a tile.
pub const TILE: Point = Point { x: 260.0, y: 210.0 };
/// Space between tiles, for wires and their channel numbers.
pub const GAP: f64 = 40.0;
/// Space around the grid.
pub const MARGIN: f64 = 28.0;
/// Height of the headline.
pub const HEAD: f64 = 34.0;
/// Distance of the lanes of vertical and of horizontal wires: room for a number beside each.
const VERTICAL_LANE: f64 = 11.0;
const HORIZONTAL_LANE: f64 = 18.0;
/// First lane of a border from the corner: vertical ones, rightward ones (below the title),
/// leftward ones.
const FIRST_VERTICAL: f64 = 16.0;
const FIRST_RIGHTWARD: f64 = 42.0;
const FIRST_LEFTWARD: f64 = 16.0;
/// The boxes of the tile's own ports: the left edges of the columns of destinations and of sources,
/// their width, top, bottom and the largest height of a box.
const OWN_LEFT: [f64; 2] = [18.0, 142.0];
pub const OWN_WIDTH: f64 = 100.0;
const OWN_TOP: f64 = 44.0;
const OWN_BOTTOM: f64 = 170.0;
const OWN_HEIGHT: f64 = 17.0;
/// Arbiters: where the first is, and the distance to the next.
const FIRST_ARBITER: Point = Point { x: 46.0, y: 189.0 };
const ARBITER_STEP: f64 = 24.0;

/// A point of the picture, or a distance, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

impl Point {
    /// The point `n` times the offset away.
    pub fn plus(self, other: Point, times: f64) -> Point {
        Point {
            x: self.x + other.x * times,
            y: self.y + other.y * times,
        }
    }
}

/// A place where a line begins or ends, and the direction into the tile's inside.
#[derive(Clone, Copy, Debug)]
pub struct Anchor {
    /// The place.
    pub at: Point,
    /// A direction of length 1.
    pub inward: Point,
}

/// The tiles that a picture shows.
#[derive(Clone, Copy, Debug)]
pub struct TileRange {
    /// First and last column.
    pub columns: (u8, u8),
    /// First and last row.
    pub rows: (u8, u8),
}

impl TileRange {
    /// The columns of some tiles, and all rows up to the highest: the shim row says which way is up.
    pub fn around(tiles: impl Iterator<Item = TileLoc>) -> TileRange {
        let (mut least, mut most, mut top) = (u8::MAX, 0, 0);
        for tile in tiles {
            (least, most, top) = (least.min(tile.col), most.max(tile.col), top.max(tile.row));
        }
        TileRange {
            columns: (least.min(most), most),
            rows: (0, top),
        }
    }

    /// Its tiles by column.
    pub fn tiles(self) -> impl Iterator<Item = TileLoc> {
        let column = move |col| (self.rows.0..=self.rows.1).map(move |row| TileLoc::new(col, row));
        (self.columns.0..=self.columns.1).flat_map(column)
    }

    /// Width of its tiles.
    pub fn width(self) -> f64 {
        f64::from(self.columns.1 - self.columns.0 + 1) * (TILE.x + GAP) - GAP
    }

    /// Height of headline and tiles.
    pub fn height(self) -> f64 {
        let rows = f64::from(self.rows.1 - self.rows.0 + 1);
        HEAD + GAP / 2.0 + rows * (TILE.y + GAP) - GAP
    }

    /// The top left corner of a tile.
    pub fn corner(self, tile: TileLoc) -> Point {
        let col = f64::from(tile.col) - f64::from(self.columns.0);
        let row = f64::from(self.rows.1) - f64::from(tile.row);
        Point {
            x: col * (TILE.x + GAP),
            y: HEAD + GAP / 2.0 + row * (TILE.y + GAP),
        }
    }

    /// The place of a port on the border of its tile; none for the tile's own ports.
    pub fn border(self, tile: TileLoc, side: PortSide, port: Port) -> Option<Anchor> {
        let channel = f64::from(port.channel);
        // Streams that go up or right, seen from this port.
        let forward = match (side, port.bundle) {
            (PortSide::Master, Bundle::North | Bundle::East) => true,
            (PortSide::Slave, Bundle::South | Bundle::West) => true,
            (_, Bundle::North | Bundle::South | Bundle::East | Bundle::West) => false,
            _ => return None,
        };
        let lane = FIRST_VERTICAL + channel * VERTICAL_LANE;
        let across = if forward { lane } else { TILE.x - lane };
        let down = if forward {
            FIRST_RIGHTWARD + channel * HORIZONTAL_LANE
        } else {
            TILE.y - FIRST_LEFTWARD - channel * HORIZONTAL_LANE
        };
        let (x, y, dx, dy) = match port.bundle {
            Bundle::North => (across, 0.0, 0.0, 1.0),
            Bundle::South => (across, TILE.y, 0.0, -1.0),
            Bundle::East => (TILE.x, down, -1.0, 0.0),
            _ => (0.0, down, 1.0, 0.0),
        };
        Some(Anchor {
            at: self.corner(tile).plus(Point { x, y }, 1.0),
            inward: Point { x: dx, y: dy },
        })
    }

    /// The box of a tile's own port, one of `count` at which streams end (`destination`) or begin:
    /// its top left corner and height.
    pub fn own_box(
        self,
        tile: TileLoc,
        destination: bool,
        at: usize,
        count: usize,
    ) -> (Point, f64) {
        let step = ((OWN_BOTTOM - OWN_TOP) / count as f64).min(OWN_HEIGHT + 4.0);
        let first = (OWN_TOP + OWN_BOTTOM - step * count as f64) / 2.0;
        let corner = Point {
            x: OWN_LEFT[usize::from(!destination)],
            y: first + step * at as f64,
        };
        let height = (step - 1.0).min(OWN_HEIGHT);
        (self.corner(tile).plus(corner, 1.0), height)
    }

    /// Where the packets of an arbiter meet, the `at`th of its tile's used ones.
    pub fn arbiter(self, tile: TileLoc, at: usize) -> Point {
        let step = Point {
            x: ARBITER_STEP,
            y: 0.0,
        };
        self.corner(tile)
            .plus(FIRST_ARBITER, 1.0)
            .plus(step, at as f64)
    }
}

/// An end of a line inside a tile.
#[derive(Clone, Copy, Debug)]
pub enum LineEnd {
    /// At a port of the border.
    Border(Anchor),
    /// At an own port's box: top left corner and height.
    Own(Point, f64),
    /// At an arbiter.
    Arbiter(Point),
}

impl LineEnd {
    fn middle(&self) -> Point {
        match self {
            LineEnd::Border(anchor) => anchor.at,
            LineEnd::Arbiter(at) => *at,
            LineEnd::Own(corner, height) => Point {
                x: corner.x + OWN_WIDTH / 2.0,
                y: corner.y + height / 2.0,
            },
        }
    }

    /// The anchor for a line from or to another end.
    pub fn facing(&self, other: &LineEnd) -> Anchor {
        let (middle, other) = (self.middle(), other.middle());
        match self {
            LineEnd::Border(anchor) => *anchor,
            LineEnd::Arbiter(at) => Anchor {
                at: *at,
                inward: Point { x: 0.0, y: -1.0 },
            },
            LineEnd::Own(..) => {
                let way = if other.x < middle.x { -1.0 } else { 1.0 };
                let inward = Point { x: way, y: 0.0 };
                Anchor {
                    at: middle.plus(inward, OWN_WIDTH / 2.0),
                    inward,
                }
            }
        }
    }
}

/// A smooth line between two anchors that leaves both at right angles, as an SVG path.
pub fn curve(start: Anchor, end: Anchor) -> String {
    let (dx, dy) = (end.at.x - start.at.x, end.at.y - start.at.y);
    let reach = (dx.hypot(dy) * 0.45).clamp(10.0, 70.0);
    let a = start.at.plus(start.inward, reach);
    let b = end.at.plus(end.inward, reach);
    format!(
        "M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
        start.at.x, start.at.y, a.x, a.y, b.x, b.y, end.at.x, end.at.y
    )
}

/// A triangle with its tip at a point, as an SVG path; `back` points from the tip to its base.
pub fn arrow(tip: Point, back: Point) -> String {
    let across = Point {
        x: -back.y,
        y: back.x,
    };
    let base = tip.plus(back, 7.0);
    let (a, b) = (base.plus(across, 3.2), base.plus(across, -3.2));
    format!(
        "M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z",
        tip.x, tip.y, a.x, a.y, b.x, b.y
    )
}
