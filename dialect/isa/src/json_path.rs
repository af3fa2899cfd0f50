//! Where something is in a JSON value.

use std::fmt;

/// A place in a JSON value, written `$.instruction_templates[3].name`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct JsonPath {
    keys: Vec<PathKey>,
}

/// One level of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathKey {
    /// Member of an object.
    Member(String),
    /// Element of an array, from 0.
    Element(usize),
}

impl JsonPath {
    /// The member of the object here.
    pub fn key(&self, name: &str) -> JsonPath {
        self.with(PathKey::Member(name.to_owned()))
    }

    /// The element of the array here, from 0.
    pub fn index(&self, at: usize) -> JsonPath {
        self.with(PathKey::Element(at))
    }

    fn with(&self, key: PathKey) -> JsonPath {
        let mut keys = self.keys.clone();
        keys.push(key);
        JsonPath { keys }
    }

    pub(crate) fn keys(&self) -> &[PathKey] {
        &self.keys
    }
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("$")?;
        self.keys.iter().try_for_each(|key| match key {
            PathKey::Member(name) => write!(f, ".{name}"),
            PathKey::Element(at) => write!(f, "[{at}]"),
        })
    }
}
