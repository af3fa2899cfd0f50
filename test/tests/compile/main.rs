//! From a design to control code: each way through the compiler, checked against what the design means.

mod design_html;
mod differential;
mod fifo_windows;
mod jobs;
mod lowering_golden;
mod machine_code;
mod mutants_compile;
mod page_screenshots;
mod prologue;
mod random_designs;
mod random_tasks;
mod reconfigure;
mod reconfigure_cost;
mod reconfigure_quiescent;
mod reports;
mod routed_data;
mod routing;
mod routing_html;
mod routing_json;
mod schemas;
mod simplified;
mod sweep;
mod text_mutations;
mod writes_golden;
mod wrong_input;
