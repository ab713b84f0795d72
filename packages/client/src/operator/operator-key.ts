import { mlDsa65 } from '#pqc'
import { checkCall } from '../arguments/check.ts'
import { exportKeys, importKeys } from '../backup/export.ts'
import { KeyExportError } from '../backup/export-error.ts'
import type { ExportedKeys } from '../backup/exported-keys.ts'
import type { KeyLock } from '../backup/key-lock.ts'
import { Identity } from '../identity/identity.ts'

const KEM_SEED_BYTES = 32

/** Signs operator acts. The seed is in memory as long as this object is, and cannot be read from it. */
export interface OperatorKey {
  readonly sign: (message: Uint8Array) => Promise<Uint8Array>
}

export function operatorKeyOf(seed: Uint8Array): OperatorKey {
  checkCall('operatorKeyOf', [seed], ['seed'])
  const own = seed.slice()
  return { sign: (message) => mlDsa65.sign(own, message) }
}

/**
 * The operator's key as an encrypted file, in the format of the exports of identities: `importOperatorKey` opens it. The
 * identity in it signs with this seed, and is registered nowhere.
 */
export async function exportOperatorKey(seed: Uint8Array, lock: KeyLock): Promise<ExportedKeys> {
  checkCall('exportOperatorKey', [seed, lock], ['seed', 'lock'])
  const kem = crypto.getRandomValues(new Uint8Array(KEM_SEED_BYTES))
  return exportKeys({ identity: await Identity.fromSeeds({ signing: seed, kem }) }, lock)
}

/** Throws a `KeyExportError` that says why it cannot. */
export async function importOperatorKey(exported: unknown, lock: KeyLock): Promise<OperatorKey> {
  checkCall('importOperatorKey', [exported, lock], ['exported?', 'lock'])
  const { identity } = await importKeys(exported, lock)
  if (identity === null) throw new KeyExportError('malformed', 'The export has no root key')
  return operatorKeyOf(identity.revealSeeds().signing)
}
