//! The golden vectors, for the tests of this crate.

#![allow(dead_code, reason = "each test program uses a part")]

use std::path::{Path, PathBuf};

use aiec_cert::names::Target;
use serde_json::Value;

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/vectors/cert")
}

pub fn manifest() -> Vec<Value> {
    let text = std::fs::read_to_string(folder().join("manifest.json")).unwrap();
    serde_json::from_str::<Value>(&text)
        .unwrap()
        .as_array()
        .unwrap()
        .clone()
}

pub fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

pub fn text_of<'a>(vector: &'a Value, key: &str) -> &'a str {
    vector[key].as_str().unwrap_or("")
}

pub fn expected(vector: &Value) -> Vec<u8> {
    read_hex(text_of(vector, "expect"))
}

/// A file of hexadecimal digits.
pub fn read_hex(name: &str) -> Vec<u8> {
    unhex(&std::fs::read_to_string(folder().join(name)).unwrap())
}

/// Target, and whether the vector is a configuration file.
pub fn target_of(vector: &Value) -> (Target, bool) {
    let name = text_of(vector, "target");
    let family = name.strip_suffix("_config").unwrap_or(name);
    (Target::by_name(family).unwrap(), family != name)
}
