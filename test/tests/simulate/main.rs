//! `aiec sim`: how runs end, what traces and pages of them show, kernels of the host.

mod containers;
mod critical_path;
mod deadlocks;
mod event_traces;
mod host_cores;
mod host_kernels;
mod lock_removals;
mod machine_code;
mod npu;
mod races;
mod sim_traces;
mod throughput;
mod timeline_html;
mod verdicts;
mod word_by_word;
mod wrong_schedules;
