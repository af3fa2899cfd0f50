//! Threads that hand things on, and some that forget to.

use aiec_device::TileLoc;

use super::*;

const MEMORY: Memory = Memory::Tile(TileLoc::new(0, 2));
const LOCK: LockId = LockId::new(TileLoc::new(0, 2), 1);
const SITE: Site = Site(7);

fn span(start: u64, bytes: u64) -> Span {
    Span {
        memory: MEMORY,
        start,
        bytes,
    }
}

fn threads<const N: usize>(detector: &mut Detector) -> [Thread; N] {
    std::array::from_fn(|_| detector.begin(0))
}

/// A producer and a consumer with one buffer of 64 bytes; `locked`: the consumer waits.
fn exchange(locked: bool) -> Detector {
    let mut detector = Detector::default();
    let [producer, consumer] = threads(&mut detector);
    let free = LockId::new(TileLoc::new(0, 2), 0);
    detector.set_lock(Thread::HOST, free, 1);
    for round in 0..3 {
        detector.acquire(producer, free, Some(1), round);
        for burst in 0..4 {
            detector.write(producer, span(16 * burst, 16), SITE, round);
        }
        detector.release(producer, LOCK, 1, round);
        if locked {
            detector.acquire(consumer, LOCK, Some(1), round);
        }
        detector.read(consumer, span(0, 64), SITE, round);
        detector.release(consumer, free, 1, round);
    }
    detector
}

#[test]
fn locks_order_a_producer_and_a_consumer() {
    assert_eq!(exchange(true).races().count(), 0);
    assert_eq!(exchange(true).imprecisions().count(), 0);
}

#[test]
fn a_missing_acquire_is_a_race_with_the_lock_that_was_released() {
    let detector = exchange(false);
    let race = detector.races().next().unwrap();
    assert!(race.first.writes && !race.second.writes);
    assert_eq!(race.first.released.unwrap().lock, LOCK);
    assert_eq!(race.at, span(0, 64));
    assert_eq!(race.times, 3);
}

#[test]
fn reading_at_once_is_no_race() {
    let mut detector = Detector::default();
    let [writer, one, two] = threads(&mut detector);
    detector.write(writer, span(0, 64), SITE, 0);
    let stamp = detector.stamp(writer);
    for reader in [one, two] {
        detector.join(reader, &stamp);
        detector.read(reader, span(0, 64), SITE, 1);
    }
    assert_eq!(detector.races().count(), 0);
    // the next writer has to wait for both
    detector.join_thread(writer, one);
    detector.write(writer, span(0, 4), SITE, 2);
    assert_eq!(detector.races().count(), 1);
}

#[test]
fn a_word_that_is_read_comes_behind_its_sender_but_a_full_stream_orders_nothing() {
    let mut detector = Detector::default();
    let mut streams = StreamStamps::new(1);
    let [sender, receiver] = threads(&mut detector);
    detector.given(span(0, 64));
    for burst in 0..4 {
        let (words, to) = (span(16 * burst, 16), (0, 4 * burst));
        let known = detector.goes_on_sending(sender, words, SITE, to);
        assert_eq!(known, burst > 0);
        if !known {
            detector.read_to_send(sender, (words, 64), SITE, (&mut streams, to), 0);
        }
    }
    // works in place, as far as it has the words
    detector.receive(receiver, &mut streams, 0, (0, 8));
    detector.write(receiver, span(0, 32), SITE, 1);
    assert_eq!(detector.races().count(), 0);
    detector.write(receiver, span(32, 4), SITE, 1);
    assert_eq!(detector.races().count(), 1);
    // the sender knows nothing of the receiver
    detector.read(sender, span(0, 4), Site(8), 2);
    detector.stamp(receiver);
    assert_eq!(detector.races().count(), 2);
}

#[test]
fn reads_of_what_nothing_wrote_are_kept_once_a_site() {
    let mut detector = Detector::default();
    let [reader] = threads(&mut detector);
    detector.read(reader, span(0, 4), SITE, 2);
    detector.read(reader, span(4, 4), SITE, 2);
    let unwritten: Vec<_> = detector.unwritten().collect();
    assert_eq!((unwritten.len(), unwritten[0].times), (1, 2));
}

#[test]
fn the_host_reads_only_what_is_known_to_be_written() {
    let mut detector = Detector::default();
    let [channel, job] = threads(&mut detector);
    let host = |start| Span {
        memory: Memory::Host,
        start,
        bytes: 8,
    };
    detector.write(channel, host(0), SITE, 1);
    let token = detector.stamp(channel);
    detector.write(channel, host(8), SITE, 2);
    detector.stamp(channel);
    detector.join(job, &token);
    detector.join_thread(Thread::HOST, job);
    detector.end(Some(9));
    let races: Vec<u64> = detector.races().map(|race| race.at.start).collect();
    assert_eq!(races, [8]);
}

#[test]
fn threads_of_a_group_are_numbered_one_after_the_other() {
    let mut detector = Detector::default();
    let mut groups: [Vec<usize>; 2] = Default::default();
    for _ in 0..20 {
        for (number, group) in groups.iter_mut().enumerate() {
            group.push(detector.begin(1 + number as u32).index());
        }
    }
    for group in &groups {
        let rows = group.chunks(BLOCK);
        assert!(
            rows.into_iter()
                .all(|row| row.is_sorted_by(|a, b| a + 1 == *b))
        );
        assert!(!group.contains(&Thread::HOST.index()));
    }
    assert!(groups[0].iter().all(|number| !groups[1].contains(number)));
    // what a group knows of another goes through one of its threads
    let threads = groups.map(|group| group.into_iter().map(Thread::new).collect::<Vec<_>>());
    for group in &threads {
        group
            .windows(2)
            .for_each(|pair| detector.join_thread(pair[1], pair[0]));
    }
    detector.join_thread(threads[1][3], threads[0][19]);
    for (number, &thread) in threads[0].iter().enumerate() {
        let clock = &detector.threads[threads[1][3].index()].clock;
        assert!(clock.covers(thread, 1), "{number}");
        assert!(
            !detector.threads[threads[1][2].index()]
                .clock
                .covers(thread, 1)
        );
    }
}

#[test]
fn balances_are_in_the_order_in_which_threads_began() {
    let mut detector = Detector::default();
    let begun: Vec<Thread> = [1, 2, 1, 2].map(|group| detector.begin(group)).into();
    for &thread in [3, 0, 2, 1].map(|number| &begun[number]) {
        detector.release(thread, LOCK, 1, 0);
    }
    let balances = &detector.lock_balances()[&LOCK];
    let order: Vec<Thread> = balances.iter().map(|balance| balance.thread).collect();
    assert_eq!(order, begun);
}

#[test]
fn bytes_that_nothing_had_accessed_are_compared_again_once_others_have_written_there() {
    for recorded in [false, true] {
        let mut detector = Detector::default();
        let [one, two] = threads(&mut detector);
        detector.write(one, span(0, 16), SITE, 0);
        detector.write(two, span(32, 16), SITE, 1);
        if recorded {
            detector.release(two, LOCK, 1, 2);
        }
        detector.write(one, span(16, 16), SITE, 3);
        assert_eq!(detector.races().count(), 0);
        detector.write(one, span(32, 4), SITE, 4);
        detector.write(one, span(36, 12), SITE, 5);
        detector.release(one, LOCK, 1, 6);
        // both find it if neither has recorded what it wrote
        assert!(detector.races().all(|race| race.at.start == 32));
        assert!(detector.races().any(|race| race.second.thread == one));
        assert_eq!(detector.races().count(), if recorded { 1 } else { 2 });
    }
}
