//! What parts of the array wait for, in the words of a report.

use super::names::Names;
use super::{Node, Waiting};
use crate::array::{Cause, Party, Wait};

pub(super) fn part_wait(names: &Names<'_>, wait: &Wait) -> Waiting {
    let resource = names.of_party(wait.who);
    let mut on = wait.on.to_string();
    let mut source = resource.and_then(|r| names.show(r.source));
    if let Cause::Lock { owner, lock, .. } = wait.on
        && let Some(lock) = names.lock(owner, lock)
    {
        on.push_str(&format!(" '{}'", lock.name));
        source = source.or_else(|| names.show(lock.source));
    }
    Waiting {
        who: Node::Part(wait.who),
        name: resource
            .map(|r| r.name.clone())
            .filter(|name| !name.is_empty()),
        on,
        source,
        since: wait.since,
        by: helpers(wait).into_iter().map(Node::Part).collect(),
    }
}

/// Who could end a wait of a part of the array.
fn helpers(wait: &Wait) -> Vec<Party> {
    match &wait.on {
        Cause::Lock { releasers, .. } => {
            let others = releasers.iter().filter(|party| **party != wait.who);
            others.copied().collect()
        }
        Cause::StreamData { from } => from.clone(),
        Cause::StreamSpace { to } => to.clone(),
        Cause::Arbiter { holder, .. } => holder.iter().copied().collect(),
        Cause::CascadeData { from: Some(core) } | Cause::CascadeSpace { to: Some(core) } => {
            vec![Party::Core(*core)]
        }
        _ => Vec::new(),
    }
}
