//! The routings that pictures and pages show: those of a module's devices, each beside the routing of
//! the same device in another module where one is compared.

use aiec_aie::ir::Module;
use aiec_diag::SourceMap;

use crate::dataflow::graph::Dataflow;
use crate::routing_picture::RoutingPicture;
use crate::routing_picture::comparison::RoutingComparison;
use crate::routing_view::DeviceView;

/// A routed module to compare with.
#[derive(Clone, Copy)]
pub struct OtherRouting<'a> {
    /// The module.
    pub module: &'a Module,
    /// Name of its file.
    pub file: &'a str,
}

/// The devices of a module with their dataflow.
type RoutedDevices = Vec<(DeviceView, Dataflow)>;

/// The routings of a module, and those of another one.
pub struct Routings<'a> {
    devices: RoutedDevices,
    other: Option<(&'a str, RoutedDevices)>,
}

impl<'a> Routings<'a> {
    /// Finds the routings of one or two modules.
    pub fn of(
        module: &Module,
        other: Option<&OtherRouting<'a>>,
        sources: &SourceMap,
    ) -> Routings<'a> {
        let devices = |module: &Module| -> RoutedDevices {
            let views = DeviceView::all(module).into_iter();
            let with_dataflow = views.map(|view| {
                let dataflow = Dataflow::find(module, &view, sources);
                (view, dataflow)
            });
            with_dataflow.collect()
        };
        Routings {
            devices: devices(module),
            other: other.map(|other| (other.file, devices(other.module))),
        }
    }

    /// The picture of each device, compared with the other module's device of that name, or its
    /// only one.
    pub fn pictures(&self) -> Vec<RoutingPicture<'_>> {
        let pictures = self.devices.iter().map(|(view, dataflow)| {
            let compared = self.other.as_ref().and_then(|(file, others)| {
                let same_name = others.iter().find(|(other, _)| other.name == view.name);
                let only = match others.as_slice() {
                    [only] => Some(only),
                    _ => None,
                };
                let (other, other_dataflow) = same_name.or(only)?;
                let there = (other, other_dataflow);
                Some(RoutingComparison::new((view, dataflow), there, file))
            });
            RoutingPicture::new(view, dataflow, compared)
        });
        pictures.collect()
    }
}
