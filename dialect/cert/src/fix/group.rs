//! Splitting the jobs that must share a page.

use std::collections::BTreeMap;

use super::chain::split_chains;
use super::cut::{CutPoints, NoCut};
use crate::isa::Op;
use crate::pager::{self, LayoutOptions, PageMeasure};
use crate::program::{BodyItem, Job, JobKind, Region, Scope, SourceLoc};

/// Why, and where.
type Refusal = (NoCut, Option<SourceLoc>);

/// Splits jobs that share a page into pages with the same effect, in order; each is a list of jobs.
pub(super) fn split(
    scope: &mut Scope,
    jobs: &[Job],
    measure: &PageMeasure,
    options: LayoutOptions,
    limit: usize,
) -> Result<Vec<Vec<Job>>, Refusal> {
    let known = scope.data.len();
    let mut jobs = jobs.to_vec();
    for job in &mut jobs {
        split_chains(scope, job, limit);
    }
    let parts = split_jobs(scope, jobs, measure, options, limit);
    if parts.is_err() {
        // no job names the blocks that the failed attempt added
        scope.data.truncate(known);
    }
    parts
}

fn split_jobs(
    scope: &Scope,
    jobs: Vec<Job>,
    measure: &PageMeasure,
    options: LayoutOptions,
    limit: usize,
) -> Result<Vec<Vec<Job>>, Refusal> {
    if measure.page_bytes(&jobs, scope) <= limit {
        return Ok(vec![jobs]);
    }
    if let [job] = jobs.as_slice() {
        return split_one(scope, job, measure, limit);
    }
    let launch = jobs
        .iter()
        .flat_map(Job::insts)
        .find(|inst| matches!(inst.op, Op::LaunchJob { .. }));
    if let Some(launch) = launch {
        return Err((NoCut::Launch, launch.source));
    }
    if let Some(job) = jobs.iter().find(|job| job.kind != JobKind::Immediate) {
        return Err((NoCut::Conditional, job.source));
    }
    let (before, behind) = split_at_barrier(scope, &jobs, measure, limit)?;
    let mut parts = vec![before];
    // what is left need not belong together any more
    for members in apart(scope, behind, options) {
        parts.extend(split_jobs(scope, members, measure, options, limit)?);
    }
    Ok(parts)
}

/// Jobs in the groups that must still share a page.
fn apart(scope: &Scope, jobs: Vec<Job>, options: LayoutOptions) -> Vec<Vec<Job>> {
    let rest = Scope {
        name: scope.name.clone(),
        regions: vec![Region { jobs, raw: None }],
        data: Vec::new(),
        eof: None,
    };
    let closures = pager::closures(&rest, options).into_iter();
    let job = |at: &pager::JobRef| rest.regions.get(at.region)?.jobs.get(at.index).cloned();
    closures
        .map(|closure| closure.jobs.iter().filter_map(job).collect())
        .collect()
}

/// Parts of a job, each as long as fits.
fn split_one(
    scope: &Scope,
    job: &Job,
    measure: &PageMeasure,
    limit: usize,
) -> Result<Vec<Vec<Job>>, Refusal> {
    let cuts = CutPoints::of(job, scope);
    let mut parts = Vec::new();
    let mut start = 0;
    while start < job.body.len() {
        let mut end = None;
        let mut obstacle = None;
        let mut page = measure.meter(scope);
        for at in start + 1..=job.body.len() {
            let Some(item) = job.body.get(at - 1) else {
                break;
            };
            if page.add(item) > limit {
                break;
            }
            match cuts.at(at).filter(|_| at < job.body.len()) {
                None => end = Some(at),
                Some(why) => obstacle = Some(why),
            }
        }
        let Some(end) = end else {
            let source = job.body.get(start).and_then(source_of);
            return Err(obstacle.unwrap_or((NoCut::TooBig, source)));
        };
        parts.push(vec![piece(job, start, end)]);
        start = end;
    }
    Ok(parts)
}

fn source_of(item: &BodyItem) -> Option<SourceLoc> {
    match item {
        BodyItem::Inst(inst) => inst.source,
        BodyItem::Word(_) | BodyItem::Align(_) => None,
    }
}

fn piece(job: &Job, start: usize, end: usize) -> Job {
    Job {
        body: job.body.get(start..end).unwrap_or_default().to_vec(),
        ..Job {
            body: Vec::new(),
            ..job.clone()
        }
    }
}

/// Arrivals of each job at a barrier: places after its instructions, and participants.
struct Barrier {
    participants: Option<u8>,
    arrivals: Vec<Vec<usize>>,
}

fn barriers(jobs: &[Job]) -> BTreeMap<u8, Barrier> {
    let mut barriers: BTreeMap<u8, Barrier> = BTreeMap::new();
    for (at, job) in jobs.iter().enumerate() {
        for (i, item) in job.body.iter().enumerate() {
            let BodyItem::Inst(inst) = item else { continue };
            if let Op::LocalBarrier {
                barrier,
                num_participants,
            } = inst.op
            {
                let entry = barriers.entry(barrier.0).or_insert_with(|| Barrier {
                    participants: Some(num_participants),
                    arrivals: vec![Vec::new(); jobs.len()],
                });
                if entry.participants != Some(num_participants) {
                    entry.participants = None;
                }
                if let Some(arrivals) = entry.arrivals.get_mut(at) {
                    arrivals.push(i + 1);
                }
            }
        }
    }
    barriers
}

impl Barrier {
    /// Rounds at which all jobs meet.
    fn full_rounds(&self) -> usize {
        let all = self.participants.map(usize::from) == Some(self.arrivals.len());
        let rounds = self.arrivals.first().map_or(0, Vec::len);
        let even = self
            .arrivals
            .iter()
            .all(|arrivals| arrivals.len() == rounds);
        if all && even { rounds } else { 0 }
    }

    /// Whether the arrivals that `count` gives for each job make whole rounds.
    fn whole(&self, count: impl Fn(usize, &[usize]) -> usize) -> bool {
        let Some(participants) = self.participants.map(usize::from).filter(|&n| n > 0) else {
            return false;
        };
        let counts = self.arrivals.iter().enumerate();
        let counts: Vec<usize> = counts.map(|(job, arrivals)| count(job, arrivals)).collect();
        let all: usize = counts.iter().sum();
        all.is_multiple_of(participants) && counts.iter().all(|&n| n <= all / participants)
    }
}

/// Cuts at the last barrier where all jobs meet and what is before it fits a page.
fn split_at_barrier(
    scope: &Scope,
    jobs: &[Job],
    measure: &PageMeasure,
    limit: usize,
) -> Result<(Vec<Job>, Vec<Job>), Refusal> {
    let barriers = barriers(jobs);
    let cuts: Vec<CutPoints> = jobs.iter().map(|job| CutPoints::of(job, scope)).collect();
    let mut refusal = (NoCut::Barrier, jobs.first().and_then(|job| job.source));
    let mut best: Option<(usize, Vec<usize>)> = None;
    for barrier in barriers.values() {
        for round in 0..barrier.full_rounds() {
            let places: Option<Vec<usize>> = barrier
                .arrivals
                .iter()
                .map(|arrivals| arrivals.get(round).copied())
                .collect();
            let Some(places) = places else { continue };
            let before = |job: usize, arrivals: &[usize]| {
                let place = places.get(job).copied().unwrap_or(0);
                arrivals.iter().filter(|&&at| at <= place).count()
            };
            let sound = barriers.values().all(|other| {
                other.whole(before)
                    && other.whole(|job, arrivals| arrivals.len() - before(job, arrivals))
            });
            let whole: usize = jobs.iter().map(|job| job.body.len()).sum();
            let done: usize = places.iter().sum();
            if !sound || done == whole || best.as_ref().is_some_and(|(most, _)| done <= *most) {
                continue;
            }
            let why = cuts
                .iter()
                .zip(&places)
                .find_map(|(cuts, &place)| cuts.at(place));
            if let Some(why) = why {
                refusal = why;
                continue;
            }
            let first: Vec<Job> = jobs
                .iter()
                .zip(&places)
                .map(|(job, &at)| piece(job, 0, at))
                .collect();
            if measure.page_bytes(&first, scope) <= limit {
                best = Some((done, places));
            }
        }
    }
    let Some((_, places)) = best else {
        return Err(refusal);
    };
    let pieces = jobs.iter().zip(&places);
    let before = pieces.clone().map(|(job, &at)| piece(job, 0, at)).collect();
    let behind = pieces
        .filter(|(job, at)| **at < job.body.len())
        .map(|(job, &at)| piece(job, at, job.body.len()))
        .collect();
    Ok((before, behind))
}
