//! Requests of a client that come while a run goes on.

use std::ops::ControlFlow;

use aiec_sim::Progress;

/// Whether the client has sent a request, for which the run is left for the moment.
pub type Interrupt<'i> = &'i mut dyn FnMut() -> bool;

/// Watches a run that ends when the client wants something.
pub fn watcher(interrupt: Interrupt<'_>) -> impl FnMut(&Progress<'_>) -> ControlFlow<()> {
    move |_| {
        if interrupt() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
