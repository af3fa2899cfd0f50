//! Structs of the report that describe themselves: one declaration gives the fields, their JSON by serde and their JSON
//! Schema, whose descriptions are the doc comments of the fields.
//!
//! [`record!`] declares such structs, [`counters!`] those that are sums. Nothing reads the JSON back: tables and pages of a
//! run take the structs, so that a misspelled key doesn't compile.

use std::collections::BTreeMap;

use aiec_device::{DmaDir, TileLoc};
use serde::Serializer;
use serde_json::{Map, Value, json};

/// A type whose JSON has a schema.
pub trait Described {
    /// The JSON Schema of its values. Structs are entered in `defs` by name and referred to.
    fn schema(defs: &mut Map<String, Value>) -> Value;
}

/// A struct that [`record!`] declares.
pub trait Record: Described {
    /// Its doc comment.
    const ABOUT: &str;

    /// Adds its members to an object: its own, or the one that it is flattened into.
    fn add_members(members: &mut Members<'_>);
}

/// Members of an object of a schema.
pub struct Members<'a> {
    properties: Map<String, Value>,
    required: Vec<Value>,
    defs: &'a mut Map<String, Value>,
}

impl<'a> Members<'a> {
    fn of<R: Record>(defs: &'a mut Map<String, Value>) -> Members<'a> {
        let mut members = Members {
            properties: Map::new(),
            required: Vec::new(),
            defs,
        };
        R::add_members(&mut members);
        members
    }

    /// Adds a member, with the doc comment of its field.
    pub fn add<T: Described>(&mut self, key: &str, about: &str, is_required: bool) {
        let mut schema = T::schema(self.defs);
        schema["description"] = about.trim().into();
        self.properties.insert(key.to_string(), schema);
        if is_required {
            self.required.push(key.into());
        }
    }
}

/// The schema of a struct that other schemas refer to: it is entered in `defs` once.
pub fn reference<R: Record>(name: &str, defs: &mut Map<String, Value>) -> Value {
    if !defs.contains_key(name) {
        // Entered before its members are, because a struct may contain itself.
        defs.insert(name.to_string(), Value::Null);
        let members = Members::of::<R>(defs);
        let schema = json!({
            "type": "object",
            "description": R::ABOUT.trim(),
            "properties": members.properties,
            "required": members.required,
            "additionalProperties": false,
        });
        defs.insert(name.to_string(), schema);
    }
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// The schema of a whole document. Unlike the objects in it, it is open: keys may be added.
pub fn document_schema<R: Record>(title: &str) -> Value {
    let mut defs = Map::new();
    let Members {
        properties,
        required,
        ..
    } = Members::of::<R>(&mut defs);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "description": R::ABOUT.trim(),
        "type": "object",
        "properties": properties,
        "required": required,
        "$defs": defs,
    })
}

/// Types of numbers that count something.
macro_rules! unsigned {
    ($($Number:ty)+) => {$(
        impl Described for $Number {
            fn schema(_: &mut Map<String, Value>) -> Value {
                json!({ "type": "integer", "minimum": 0 })
            }
        }
    )+};
}

unsigned!(u8 u16 u32 u64 usize);

impl Described for f64 {
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "number", "minimum": 0 })
    }
}

impl Described for bool {
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "boolean" })
    }
}

impl Described for String {
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "string" })
    }
}

impl Described for &'static str {
    fn schema(defs: &mut Map<String, Value>) -> Value {
        String::schema(defs)
    }
}

impl<T: Described> Described for Vec<T> {
    fn schema(defs: &mut Map<String, Value>) -> Value {
        json!({ "type": "array", "items": T::schema(defs) })
    }
}

impl<T: Described, const N: usize> Described for [T; N] {
    fn schema(defs: &mut Map<String, Value>) -> Value {
        json!({ "type": "array", "items": T::schema(defs), "minItems": N, "maxItems": N })
    }
}

impl<T: Described> Described for BTreeMap<&'static str, T> {
    fn schema(defs: &mut Map<String, Value>) -> Value {
        json!({ "type": "object", "additionalProperties": T::schema(defs) })
    }
}

/// A tile is column and row; fields of this type are written by [`column_and_row`].
impl Described for TileLoc {
    fn schema(defs: &mut Map<String, Value>) -> Value {
        <[u8; 2]>::schema(defs)
    }
}

/// A value or null.
impl<T: Described> Described for Option<T> {
    fn schema(defs: &mut Map<String, Value>) -> Value {
        let mut schema = T::schema(defs);
        if let Some(Value::Array(names)) = schema.get_mut("enum") {
            names.push(Value::Null);
            return schema;
        }
        match schema.get("type") {
            Some(name) => {
                schema["type"] = json!([name, "null"]);
                schema
            }
            None => json!({ "anyOf": [schema, { "type": "null" }] }),
        }
    }
}

/// A field that may be absent, with the type that it has otherwise.
pub trait Optional {
    /// Type of the field where it is there.
    type Present: Described;
}

impl<T: Described> Optional for Option<T> {
    type Present = T;
}

/// Directions are named in lower case; fields of this type are written by [`lower_case`].
impl Described for DmaDir {
    fn schema(_: &mut Map<String, Value>) -> Value {
        let names = DmaDir::NAMES.iter().map(|name| name.to_lowercase());
        json!({ "enum": names.collect::<Vec<_>>() })
    }
}

/// Writes a direction in lower case, for serde.
pub fn lower_case<S: Serializer>(dir: &DmaDir, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&dir.name().to_lowercase())
}

/// Writes a tile as its column and row, for serde.
pub fn column_and_row<T, S>(tile: &T, serializer: S) -> Result<S::Ok, S::Error>
where
    T: Copy + Into<Option<TileLoc>>,
    S: Serializer,
{
    let tile: Option<TileLoc> = (*tile).into();
    serde::Serialize::serialize(&tile.map(|tile| [tile.col, tile.row]), serializer)
}

/// Declares structs that are written as JSON and describe themselves: fields have doc comments and are serialised in
/// order. Of serde's attributes a field may have one `serde(…)` with `rename`, `serialize_with`, `flatten` (of a record)
/// or `skip_serializing_if`.
macro_rules! record {
    ($(
        $(#[doc = $doc:literal])*
        $(#[derive($($Derived:ident),+)])?
        $visibility:vis struct $Record:ident {
            $(
                $(#[doc = $about:literal])+
                $(#[serde($($serde:tt)+)])?
                pub $field:ident: $Type:ty,
            )*
        }
    )+) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize $($(, $Derived)+)?)]
        $visibility struct $Record {
            $(
                $(#[doc = $about])+
                $(#[serde($($serde)+)])?
                pub $field: $Type,
            )*
        }

        impl $crate::record::Described for $Record {
            fn schema(defs: &mut serde_json::Map<String, serde_json::Value>) -> serde_json::Value {
                $crate::record::reference::<$Record>(stringify!($Record), defs)
            }
        }

        impl $crate::record::Record for $Record {
            const ABOUT: &str = concat!($($doc),*);

            fn add_members(members: &mut $crate::record::Members<'_>) {
                $(
                    $crate::record::record!(
                        @member members [$($($serde)+)?] $field: $Type, concat!($($about),+)
                    );
                )*
            }
        }
    )+};
    (@member $members:ident [flatten] $field:ident: $Type:ty, $about:expr) => {
        <$Type as $crate::record::Record>::add_members($members);
    };
    (@member $members:ident [skip_serializing_if = $absent:literal] $field:ident: $Type:ty, $about:expr) => {
        $members.add::<<$Type as $crate::record::Optional>::Present>(stringify!($field), $about, false);
    };
    (@member $members:ident [rename = $key:literal] $field:ident: $Type:ty, $about:expr) => {
        $members.add::<$Type>($key, $about, true);
    };
    (@member $members:ident [rename = $key:literal, serialize_with = $with:literal] $field:ident: $Type:ty, $about:expr) => {
        $members.add::<$Type>($key, $about, true);
    };
    (@member $members:ident [$(serialize_with = $with:literal)?] $field:ident: $Type:ty, $about:expr) => {
        $members.add::<$Type>(stringify!($field), $about, true);
    };
}

/// Declares [`record!`]s of which all fields are sums: they are zero at first and can be added to one another.
macro_rules! counters {
    ($(
        $(#[doc = $doc:literal])*
        $visibility:vis struct $Record:ident {
            $(
                $(#[$($attribute:tt)+])+
                pub $field:ident: $Type:ty,
            )*
        }
    )+) => {$(
        $crate::record::record! {
            $(#[doc = $doc])*
            #[derive(Copy, Default, Eq)]
            $visibility struct $Record {
                $(
                    $(#[$($attribute)+])+
                    pub $field: $Type,
                )*
            }
        }

        impl std::ops::AddAssign for $Record {
            fn add_assign(&mut self, other: Self) {
                $(self.$field += other.$field;)*
            }
        }

        impl $Record {
            /// Sum of all fields, for those that add up to something, as cycles by state do.
            pub fn total(&self) -> u64 {
                self.fields().iter().map(|(_, sum)| sum).sum()
            }

            /// All fields with their keys in JSON, in order.
            pub fn fields(&self) -> Vec<(&'static str, u64)> {
                vec![$((
                    $crate::record::counters!(@key $field $(#[$($attribute)+])+),
                    self.$field,
                )),*]
            }
        }
    )+};
    (@key $field:ident #[serde(rename = $key:literal)] $(#[$($rest:tt)+])*) => { $key };
    (@key $field:ident #[doc = $about:literal] $(#[$($rest:tt)+])*) => {
        $crate::record::counters!(@key $field $(#[$($rest)+])*)
    };
    (@key $field:ident) => { stringify!($field) };
}

/// Lets enumerations with names ([`aiec_diag::named_enum!`]) be fields of records.
macro_rules! described_by_name {
    ($($Enum:ty)+) => {$(
        impl serde::Serialize for $Enum {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl $crate::record::Described for $Enum {
            fn schema(_: &mut serde_json::Map<String, serde_json::Value>) -> serde_json::Value {
                serde_json::json!({ "enum": <$Enum>::NAMES })
            }
        }
    )+};
}

pub(crate) use {counters, described_by_name, record};

#[cfg(test)]
mod tests {
    use super::*;

    counters! {
        /// Sums.
        struct Sums {
            /// Of one thing.
            #[serde(rename = "one_cycles")]
            pub one: u64,
            /// Of another.
            pub two: u64,
        }
    }

    record! {
        /// A part.
        struct Part {
            /// Where.
            #[serde(serialize_with = "column_and_row")]
            pub tile: Option<TileLoc>,
            /// How much.
            #[serde(flatten)]
            pub sums: Sums,
            /// A part
            /// of it.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub inner: Option<Vec<Part>>,
        }
    }

    #[test]
    fn records_are_written_as_they_are_described() {
        let mut sums = Sums { one: 1, two: 2 };
        sums += sums;
        assert_eq!(sums.total(), 6);
        assert_eq!(sums.fields(), [("one_cycles", 2), ("two", 4)]);
        let part = Part {
            tile: Some(TileLoc::new(3, 4)),
            sums,
            inner: None,
        };
        let text = serde_json::to_string(&part).expect("JSON");
        assert_eq!(text, r#"{"tile":[3,4],"one_cycles":2,"two":4}"#);
        let schema = document_schema::<Part>("A part");
        let member = &schema["$defs"]["Part"];
        assert_eq!(member["required"], json!(["tile", "one_cycles", "two"]));
        assert_eq!(
            member["properties"]["inner"]["description"],
            "A part of it."
        );
        assert_eq!(
            member["properties"]["inner"]["items"]["$ref"],
            "#/$defs/Part"
        );
        assert_eq!(
            member["properties"]["tile"]["type"],
            json!(["array", "null"])
        );
        assert_eq!(schema["properties"], member["properties"]);
    }
}
