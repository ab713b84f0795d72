import { listFingerprint as fingerprintOf } from '#protocol/merkle/list-fingerprint'
import type { ListKeys } from '#protocol/merkle/log-list'
import { checkCall } from '../arguments/check.ts'

/** The fingerprint of the keys that sign a deployment's list: what a person compares with what the operator publishes. */
export function listFingerprint(keys: ListKeys): string {
  checkCall('listFingerprint', [keys], [['keys', { threshold: 1, publicKeysB64u: 1 }]])
  return fingerprintOf(keys)
}
