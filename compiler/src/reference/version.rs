//! Text of `aiec --version`.

use std::sync::LazyLock;

use aiec_device::DeviceModel;

use crate::targets::MACHINES;

/// Features that decide over the abilities of a build: their names, and whether this one has them.
const FEATURES: [(&str, bool); 1] = [("mlir", cfg!(feature = "mlir"))];

/// The version, the features of this build, and what it compiles for.
pub fn long() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let with = |wanted: bool| {
            let names = FEATURES.iter().filter(|(_, has)| *has == wanted);
            let names: Vec<&str> = names.map(|(name, _)| *name).collect();
            if names.is_empty() {
                "none".to_string()
            } else {
                names.join(", ")
            }
        };
        let devices: Vec<&str> = DeviceModel::all().map(DeviceModel::name).collect();
        let machines: Vec<&str> = MACHINES.iter().map(|row| row.name).collect();
        format!(
            "{}\nfeatures: {} (left out: {})\ndevices: {}\nother machines: {}",
            env!("CARGO_PKG_VERSION"),
            with(true),
            with(false),
            devices.join(", "),
            machines.join(", ")
        )
    });
    &TEXT
}
