import { mlDsa65, xWing } from '#pqc'
import { checkCall } from '../arguments/check.ts'
import { unwrapperOf } from '../identity/unwrapper.ts'
import { keptToPurpose } from './kept-to-purpose.ts'
import type { KeyAgreement, Signer } from './signer.ts'

/** Signs with a seed of 32 bytes in memory, which it copies. Throws a TypeError for another length. */
export async function memorySigner(seed: Uint8Array): Promise<Signer> {
  checkCall('memorySigner', [seed], ['seed'])
  const own = seed.slice()
  const [publicKey, sign] = await Promise.all([mlDsa65.publicKeyOf(own), mlDsa65.signerOf(own)])
  return keptToPurpose({ publicKey, sign })
}

/** Unwraps with a seed of 32 bytes in memory, which it copies. Throws a TypeError for another length. */
export async function memoryKeyAgreement(seed: Uint8Array): Promise<KeyAgreement> {
  checkCall('memoryKeyAgreement', [seed], ['seed'])
  return { publicKey: await xWing.publicKeyOf(seed), unwrap: unwrapperOf(seed) }
}
