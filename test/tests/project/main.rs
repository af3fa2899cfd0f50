//! Tests of the project as a whole: its documentation.

mod docs;
mod explain;
mod layout;
mod pages;
