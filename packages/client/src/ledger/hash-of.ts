import { hashHexAsync } from '@svc/protocol/base/hash'

/**
 * SHA3-384 of a file or of other bytes, as 96 lowercase hex characters: what you anchor, and the hash by which records
 * name data. Computed on this device.
 */
export function hashOf(bytes: Uint8Array): Promise<string> {
  return hashHexAsync(bytes)
}
