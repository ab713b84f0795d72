import { logKeySeed } from '#protocol/merkle/log-key'
import { type SigningKey, signingKeyOf } from './note-keys.ts'
import { SIGNATURE_TYPES } from './signed-note.ts'

/** The two keys of a beacon, from the seed of its deployment's logs: another seed for each name and algorithm. */
export function beaconKeysOf(seed: Uint8Array, seedVersion: number, origin: string): Promise<SigningKey[]> {
  const own = (algorithm: string) => logKeySeed(seed, seedVersion, `${origin}#${algorithm}`)
  return Promise.all([
    signingKeyOf(origin, SIGNATURE_TYPES.ed25519, own('Ed25519')),
    signingKeyOf(origin, SIGNATURE_TYPES.mlDsa44Cosignature, own('ML-DSA-44')),
  ])
}
