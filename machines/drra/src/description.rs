//! The published description of instruction set v2 (`silagokth/SiLagoDoc`: isa.json).

use std::sync::OnceLock;

use aiec_isa::{Set, description};
use serde_json::Value;

/// The description as published, except for blanks.
pub const PUBLISHED: &str = include_str!("../data/drra-v2.json");
/// Its JSON schema as published, except for blanks.
pub const SCHEMA: &str = include_str!("../data/isa.schema.json");

/// The published set.
pub fn published() -> &'static Set {
    static SET: OnceLock<Set> = OnceLock::new();
    SET.get_or_init(|| {
        let value: Option<Value> = serde_json::from_str(PUBLISHED).ok();
        let set = value.and_then(|value| description::from_value(&value).ok());
        // a test reads it; a set without instructions refuses every program
        set.unwrap_or_default()
    })
}

/// The word of a value in the published description.
pub fn published_word(instruction: &str, field: &str, value: u64) -> Option<&'static str> {
    let (_, field) = published().find(instruction)?.field(field)?;
    field.word_of(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_description_comes_out_as_it_went_in() {
        let value: Value = serde_json::from_str(PUBLISHED).expect("JSON");
        assert_eq!(aiec_isa::print::description(published()), value);
        assert_eq!(published().instructions.len(), 12);
        assert_eq!(published_word("DPU", "mode", 10), Some("mac"));
    }

    #[test]
    fn the_schema_is_the_one_that_descriptions_are_checked_against() {
        let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
        assert_eq!(aiec_isa::schema::base(), schema);
    }
}
