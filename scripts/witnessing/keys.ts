/**
 * The keys of a witness, all from one seed: ML-DSA-65 for logs of svc, Ed25519 and ML-DSA-44 for C2SP's.
 *
 * @module
 */
import { mlDsa65 } from '@svc/pqc'
import { hkdfSha3_384 } from '@svc/pqc/sha3'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { jcsBytes } from '@svc/protocol/base/jcs'
import { type SigningKey, signingKeyOf } from '@svc/tlog/note-keys'
import { SIGNATURE_TYPES } from '@svc/tlog/signed-note'

const SEED_BYTES = 32
const SALT = new TextEncoder().encode('svc/witness-key/v1')

export interface WitnessKeys {
  readonly name: string
  /** Seed of the ML-DSA-65 key. */
  readonly seed: Uint8Array
  readonly publicKeyB64u: string
  /** What signs checkpoints of C2SP's form. */
  readonly cosigners: readonly SigningKey[]
}

/** The seed signs for svc as it is; the others are derived from it and the name, which an Ed25519 cosignature does not cover. */
export async function witnessKeysOf(name: string, seed: Uint8Array): Promise<WitnessKeys> {
  const derived = (alg: string) => hkdfSha3_384(seed, SALT, jcsBytes({ alg, name }), SEED_BYTES)
  const cosigners = await Promise.all([
    signingKeyOf(name, SIGNATURE_TYPES.ed25519Cosignature, derived('Ed25519')),
    signingKeyOf(name, SIGNATURE_TYPES.mlDsa44Cosignature, derived('ML-DSA-44')),
  ])
  return { name, seed, publicKeyB64u: encodeBase64url(await mlDsa65.publicKeyOf(seed)), cosigners }
}
