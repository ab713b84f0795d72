import type { DeviceRecord } from '@svc/protocol/base/device'
import { kemKeyId } from '@svc/protocol/base/key-agreement'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { openUpload, type PackageFault, type PrekeyUpload } from '@svc/protocol/keys/packages'
import type { CheckedBatch } from './prekey-pools.ts'

export type StatementRefusal = {
  readonly reason: 'package_mismatch' | 'stale_epoch' | 'invalid_signature' | 'statement_expired'
}

export function reasonOf(fault: PackageFault): StatementRefusal['reason'] {
  return fault === 'mismatch' || fault === 'older_head' ? 'package_mismatch' : fault
}

/** Verifies what a device has signed of its prekeys. */
export async function checkedBatches(
  uploads: readonly PrekeyUpload[],
  { did, deviceId, publicKeyB64u }: DeviceRecord,
  realms: Realms,
): Promise<Result<CheckedBatch[], StatementRefusal>> {
  const checked: CheckedBatch[] = []
  for (const upload of uploads) {
    const opened = await openUpload(upload, { did, deviceId, devicePublicKeyB64u: publicKeyB64u, realms })
    if ('fault' in opened) return err({ reason: reasonOf(opened.fault) })
    const keys = upload.publicKeysB64u.map((key, index) => ({
      prekeyId: kemKeyId(key),
      publicKeyB64u: key,
      index,
      proof: opened.proofs[index] ?? [],
    }))
    checked.push({ batch: upload.batch, keys })
  }
  return ok(checked)
}
