//! Targets, tile numbers and the actors that send task-complete tokens.
//!
//! A tile id is `column << 5 | row` with 7 bits of column and 5 of row; columns are relative to
//! the partition and row 0 is the shim. The actor tables are the assembler's (aiebu:
//! src/cpp/common/disassembler_state.h).

use aiec_diag::named_enum;

named_enum! {
    /// The family of controllers a program is for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Target {
        /// One controller for each column.
        Aie2ps => "aie2ps",
        /// Two controllers for each column.
        Aie4 => "aie4",
    }
}

/// A name that `.target` accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetVariant {
    /// Family, or family and sub-architecture.
    pub name: &'static str,
    /// Family of controllers.
    pub target: Target,
    /// OS/ABI byte of configuration files that declare it (aiebu:
    /// src/cpp/elf/aie_elf_constants.h).
    pub config_os_abi: u8,
}

impl TargetVariant {
    /// All variants.
    pub const ALL: [Self; 4] = [
        Self::row("aie2ps", Target::Aie2ps, 0x40),
        Self::row("aie4", Target::Aie4, 0x4B),
        Self::row("aie4-a", Target::Aie4, 0x56),
        Self::row("aie4-z", Target::Aie4, 0x69),
    ];

    const fn row(name: &'static str, target: Target, config_os_abi: u8) -> Self {
        Self {
            name,
            target,
            config_os_abi,
        }
    }

    /// The variant of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|variant| variant.name == name)
    }

    /// The variant of a configuration file.
    pub fn from_os_abi(os_abi: u8) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|variant| variant.config_os_abi == os_abi)
    }
}

/// Encoded tile: `column << 5 | row`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TileId(pub u16);

impl TileId {
    /// Bits of the row.
    pub const ROW_BITS: u16 = 5;
    /// Bits of the column.
    pub const COLUMN_BITS: u16 = 7;
    const ROW_MASK: u16 = 0x1F;
    const COLUMN_MASK: u16 = 0x7F;

    /// Column 0..=127 of the partition, row 0..=31; more bits are dropped.
    pub const fn new(column: u8, row: u8) -> Self {
        Self((column as u16 & Self::COLUMN_MASK) << Self::ROW_BITS | (row as u16 & Self::ROW_MASK))
    }

    /// Column in the partition.
    pub const fn column(self) -> u8 {
        (self.0 >> Self::ROW_BITS & Self::COLUMN_MASK) as u8
    }

    /// Row; 0 is the shim.
    pub const fn row(self) -> u8 {
        (self.0 & Self::ROW_MASK) as u8
    }
}

/// Encoded actor: which DMA channel (or core) of a tile sends a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActorId(pub u8);

impl ActorId {
    /// The core of a tile.
    pub const CORE: Self = Self(15);
}

named_enum! {
    /// Sort of tile in actor names.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ActorTile {
        /// `SHIM_`
        Shim => "shim",
        /// `MEM_`
        Mem => "memory",
        /// `TILE_`, a core tile.
        Core => "core",
    }
}

/// A run of channels with consecutive actor ids: name prefix, first channel, count, first id.
struct ActorRun {
    tile: ActorTile,
    prefix: &'static str,
    first: u8,
    count: u8,
    id: u8,
}

const fn run(tile: ActorTile, prefix: &'static str, first: u8, count: u8, id: u8) -> ActorRun {
    ActorRun {
        tile,
        prefix,
        first,
        count,
        id,
    }
}

const AIE2PS: &[ActorRun] = &[
    run(ActorTile::Shim, "SHIM_S2MM_", 0, 2, 0),
    run(ActorTile::Shim, "SHIM_MM2S_", 0, 2, 6),
    run(ActorTile::Mem, "MEM_S2MM_", 0, 6, 0),
    run(ActorTile::Mem, "MEM_MM2S_", 0, 6, 6),
    run(ActorTile::Core, "TILE_S2MM_", 0, 2, 0),
    run(ActorTile::Core, "TILE_MM2S_", 0, 2, 6),
];

const AIE4: &[ActorRun] = &[
    run(ActorTile::Shim, "SHIM_S2MM_", 0, 1, 0),
    run(ActorTile::Shim, "SHIM_S2MM_", 1, 1, 2),
    run(ActorTile::Shim, "SHIM_MM2S_", 0, 4, 6),
    run(ActorTile::Shim, "SHIM_CTRL_MM2S_", 0, 2, 16),
    run(ActorTile::Mem, "MEM_S2MM_", 0, 8, 0),
    run(ActorTile::Mem, "MEM_MM2S_", 0, 5, 16),
    run(ActorTile::Mem, "MEM_MM2S_", 5, 5, 22),
    run(ActorTile::Core, "TILE_S2MM_", 0, 2, 0),
    run(ActorTile::Core, "TILE_MM2S_", 0, 1, 6),
];

const fn runs(target: Target) -> &'static [ActorRun] {
    match target {
        Target::Aie2ps => AIE2PS,
        Target::Aie4 => AIE4,
    }
}

/// Prefixes that make an operand an actor name, whatever follows.
const ACTOR_PREFIXES: [&str; 7] = [
    "SHIM_S2MM_",
    "SHIM_MM2S_",
    "SHIM_CTRL_MM2S_",
    "MEM_S2MM_",
    "MEM_MM2S_",
    "TILE_S2MM_",
    "TILE_MM2S_",
];

/// `text` after `prefix`, whose letters are in upper case; the text's may be in any case.
fn strip_folded<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// True if the text begins like an actor name (in any letter case).
pub fn is_actor_like(name: &str) -> bool {
    ACTOR_PREFIXES
        .iter()
        .any(|p| strip_folded(name, p).is_some())
}

/// The actor of that name (in any letter case) on that target.
pub fn actor_by_name(target: Target, name: &str) -> Option<ActorId> {
    runs(target).iter().find_map(|r| {
        let digits = strip_folded(name, r.prefix)?;
        let plain = digits.bytes().all(|b| b.is_ascii_digit());
        let channel: u8 = digits.parse().ok().filter(|_| plain)?;
        let index = channel.checked_sub(r.first)?;
        (index < r.count).then_some(ActorId(r.id + index))
    })
}

/// All named actors of a target: name, sort of tile, id.
pub fn actors(target: Target) -> impl Iterator<Item = (String, ActorTile, ActorId)> {
    runs(target).iter().flat_map(|r| {
        (0..r.count).map(|i| {
            let name = format!("{}{}", r.prefix, r.first + i);
            (name, r.tile, ActorId(r.id + i))
        })
    })
}

/// The assembler's name of an actor of that sort of tile.
pub fn actor_name(target: Target, tile: ActorTile, actor: ActorId) -> Option<String> {
    runs(target)
        .iter()
        .filter(|r| r.tile == tile)
        .find_map(|r| {
            let index = actor.0.checked_sub(r.id)?;
            (index < r.count).then(|| format!("{}{}", r.prefix, r.first + index))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_pack_column_over_row() {
        let t = TileId::new(3, 1);
        assert_eq!((t.0, t.column(), t.row()), (0x61, 3, 1));
    }

    #[test]
    fn actors_differ_between_targets() {
        assert_eq!(
            actor_by_name(Target::Aie2ps, "shim_s2mm_1"),
            Some(ActorId(1))
        );
        assert_eq!(actor_by_name(Target::Aie4, "SHIM_S2MM_1"), Some(ActorId(2)));
        assert_eq!(actor_by_name(Target::Aie4, "MEM_MM2S_5"), Some(ActorId(22)));
        assert_eq!(
            actor_by_name(Target::Aie2ps, "MEM_MM2S_5"),
            Some(ActorId(11))
        );
        assert_eq!(actor_by_name(Target::Aie2ps, "SHIM_S2MM_2"), None);
    }

    #[test]
    fn names_and_ids_agree() {
        for target in [Target::Aie2ps, Target::Aie4] {
            for tile in [ActorTile::Shim, ActorTile::Mem, ActorTile::Core] {
                for id in 0..=255 {
                    if let Some(name) = actor_name(target, tile, ActorId(id)) {
                        assert_eq!(actor_by_name(target, &name), Some(ActorId(id)), "{name}");
                    }
                }
            }
        }
    }
}
