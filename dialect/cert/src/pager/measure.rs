//! Bytes of pages that the layout has not made yet.

use super::walk::{DataWalk, Tables, data_bytes};
use super::{item_end, job_bytes};
use crate::page::{END_JOB_BYTES, START_JOB_BYTES, page_bytes};
use crate::program::{BodyItem, Job, Scope};

/// Measures pages of a scope's jobs, or of parts of them.
pub(crate) struct PageMeasure {
    tables: Tables,
}

impl PageMeasure {
    /// For the jobs of a scope.
    pub fn new(scope: &Scope) -> Self {
        let tables = Tables::of(scope.jobs().map(|(_, job)| job));
        Self { tables }
    }

    /// Bytes of a page that holds only these jobs and their data, header and EOF included.
    pub fn page_bytes(&self, jobs: &[Job], scope: &Scope) -> usize {
        let mut walk = DataWalk::new(scope, self.tables.clone());
        let mut text = 0;
        for job in jobs {
            walk.job(job);
            text += job_bytes(job, text);
        }
        page_bytes(text, data_bytes(scope, walk.order()))
    }

    /// For a job that grows, without items yet.
    pub fn meter<'a>(&self, scope: &'a Scope) -> PageMeter<'a> {
        PageMeter {
            scope,
            walk: DataWalk::new(scope, self.tables.clone()),
            text: START_JOB_BYTES,
            data: 0,
        }
    }
}

/// Measures the page of a job that grows.
pub(crate) struct PageMeter<'a> {
    scope: &'a Scope,
    walk: DataWalk<'a>,
    text: usize,
    data: usize,
}

impl PageMeter<'_> {
    /// Adds an item; bytes of the page then, header, END_JOB and EOF included.
    pub fn add(&mut self, item: &BodyItem) -> usize {
        let known = self.walk.order().len();
        self.walk.item(item);
        self.text = item_end(item, self.text);
        let new = self.walk.order().get(known..).unwrap_or_default();
        self.data += data_bytes(self.scope, new);
        let text = self.text + END_JOB_BYTES;
        page_bytes(text, self.data)
    }
}
