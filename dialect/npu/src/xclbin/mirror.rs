//! The copy of the file's head as JSON after the last section. Nothing but xclbinutil reads it.

use std::fmt::Write;

use super::kernel::{SHOWN_ADDRESS, connections, memory_list, unit_name};
use super::{NpuXclbin, UNSIGNED, Xclbin, XclbinIdentity, section};

const START: &str = "XCLBIN_MIRROR_DATA_START";
const END: &str = "XCLBIN_MIRROR_DATA_END";
/// Bytes of the key block at the end of [`UNSIGNED`].
const KEY_BLOCK: usize = 256;

pub(super) fn write(npu: &NpuXclbin, file: &Xclbin, identity: XclbinIdentity) -> String {
    let hex = |bytes: &[u8]| {
        bytes.iter().fold(String::new(), |mut out, byte| {
            let _ = write!(out, "{byte:02x}");
            out
        })
    };
    let mut out = format!(
        "{START}{{{}",
        r#""schema_version":{"major":"1","minor":"0","patch":"0"},"#
    );
    let _ = write!(
        out,
        r#""header":{{"Magic":"xclbin2","SignatureLength":"ffffffff","KeyBlock":"{}","UniqueID":"{}","TimeStamp":"{}","FeatureRomTimeStamp":"0","Version":"2.18.0","Mode":"0","InterfaceUUID":"{}","PlatformVBNV":"","XclBinUUID":"{}","DebugBin":""}}"#,
        hex(&[0xFF; UNSIGNED.end - UNSIGNED.start][..KEY_BLOCK]),
        hex(&identity.time.to_le_bytes()),
        identity.time,
        hex(&[0; 16]),
        hex(&identity.uuid),
    );
    for (section, offset) in file.sections.iter().zip(file.offsets()) {
        let _ = write!(
            out,
            r#","section_header":{{"Kind":"{}","Name":"{}","Offset":"0x{offset:x}","Size":"0x{:x}""#,
            section.kind,
            section.name,
            section.data.len()
        );
        if let Some(payload) = payload(npu, section.kind) {
            let _ = write!(out, r#","payload":{{{payload}}}"#);
        }
        out.push('}');
    }
    out + "}" + END
}

/// Form of a section's contents in the mirror.
fn payload(npu: &NpuXclbin, kind: u32) -> Option<String> {
    let connections_once = connections(&npu.kernels);
    match kind {
        section::MEM_TOPOLOGY => Some(memories("mem_topology")),
        section::GROUP_TOPOLOGY => Some(memories("group_topology")),
        section::CONNECTIVITY => Some(connectivity("connectivity", &connections_once)),
        section::GROUP_CONNECTIVITY => {
            let twice = [&connections_once[..], &connections_once[..]].concat();
            Some(connectivity("group_connectivity", &twice))
        }
        section::IP_LAYOUT => {
            let unit = |kernel| -> String {
                let kernel: &super::XclbinKernel = kernel;
                format!(
                    r#"{{"m_type":"IP_PS_KERNEL","m_subtype":"DPU","m_functional":"DPU","m_kernel_id":"0x{:x}","m_base_address":"not_used","m_name":"{}"}}"#,
                    kernel.id,
                    unit_name(kernel)
                )
            };
            let units: Vec<_> = npu.kernels.iter().map(unit).collect();
            Some(format!(
                r#""ip_layout":{{"m_count":"{}","m_ip_data":[{}]}}"#,
                units.len(),
                units.join(",")
            ))
        }
        _ => None,
    }
}

fn memories(name: &str) -> String {
    let one = |(tag, size): (&str, u64)| {
        format!(
            r#"{{"m_type":"MEM_DRAM","m_used":"1","m_sizeKB":"0x{size:x}","m_tag":"{tag}","m_base_address":"0x{SHOWN_ADDRESS:x}"}}"#
        )
    };
    let all = memory_list().map(one);
    let (count, all) = (all.len(), all.join(","));
    format!(r#""{name}":{{"m_count":"{count}","m_mem_data":[{all}]}}"#)
}

fn connectivity(name: &str, connections: &[[u32; 3]]) -> String {
    let one = |[argument, unit, memory]: &[u32; 3]| {
        format!(
            r#"{{"arg_index":"{argument}","m_ip_layout_index":"{unit}","mem_data_index":"{memory}"}}"#
        )
    };
    let all: Vec<_> = connections.iter().map(one).collect();
    format!(
        r#""{name}":{{"m_count":"{}","m_connection":[{}]}}"#,
        all.len(),
        all.join(",")
    )
}
