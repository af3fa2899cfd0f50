//! Streams before and after routing: passes that make, resolve or recover flows.
//!
//! * before [`crate::route`]: [`lower_cascade_flows`], [`lower_multicast`], [`route_tokens`],
//!   [`controller_ids`], [`control_overlay`], [`check_packet_headers`];
//! * from switch settings back to flows: [`find_flows`].
//!
//! The router itself is [`crate::route`].

pub mod check_packet_headers;
pub mod control_overlay;
pub mod controller_ids;
pub mod find_flows;
pub mod lower_cascade_flows;
pub mod lower_multicast;
pub mod route_tokens;
