//! Bytes out of gzip (RFC 1952), with a limit.

use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};

use super::PmtilesError;

const DAMAGED: PmtilesError = PmtilesError::Damaged("its gzip bytes");

const HEADER_CHECK: u8 = 2;
const EXTRA: u8 = 4;
const NAME: u8 = 8;
const COMMENT: u8 = 16;

/// What was packed. `what` names it when it is too large.
pub(super) fn gunzip(
    bytes: &[u8],
    what: &'static str,
    limit: usize,
) -> Result<Vec<u8>, PmtilesError> {
    let ([0x1f, 0x8b, 8, flags, ..], Some(mut rest)) = (bytes, bytes.get(10..)) else {
        return Err(DAMAGED);
    };
    if flags & EXTRA != 0 {
        let length: [u8; 2] = *rest.first_chunk().ok_or(DAMAGED)?;
        rest = rest
            .get(2 + usize::from(u16::from_le_bytes(length))..)
            .ok_or(DAMAGED)?;
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            let end = rest.iter().position(|byte| *byte == 0).ok_or(DAMAGED)?;
            rest = &rest[end + 1..];
        }
    }
    if flags & HEADER_CHECK != 0 {
        rest = rest.get(2..).ok_or(DAMAGED)?;
    }
    let (packed, trailer) = rest.split_last_chunk::<8>().ok_or(DAMAGED)?;
    let unpacked = decompress_to_vec_with_limit(packed, limit).map_err(|error| {
        if error.status == TINFLStatus::HasMoreOutput {
            PmtilesError::TooLarge { what, limit }
        } else {
            DAMAGED
        }
    })?;
    let [c0, c1, c2, c3, l0, l1, l2, l3] = *trailer;
    let is_whole = u32::from_le_bytes([l0, l1, l2, l3]) as usize == unpacked.len()
        && u32::from_le_bytes([c0, c1, c2, c3]) == check_sum(&unpacked);
    if is_whole { Ok(unpacked) } else { Err(DAMAGED) }
}

/// CRC-32 as gzip has it, bit by bit: directories are small.
pub(super) fn check_sum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            (sum >> 1) ^ (0xEDB8_8320 & 0_u32.wrapping_sub(sum & 1))
        })
    })
}
