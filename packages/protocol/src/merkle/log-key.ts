/**
 * Keys of logs. A deployment derives one key per log from a seed, so that the next period has another key without
 * another secret. A seed has a version, so that it can be replaced while the logs of the old one are still served.
 *
 * @module
 */
import { hkdfSha3_384 } from '#pqc/sha3'
import { jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'

const SEED_BYTES = 32
const SALT = /* @__PURE__ */ pure(() => new TextEncoder().encode('svc/log-key/v1'))

/** Seed of the ML-DSA-65 key of a log: HKDF-SHA3-384 (RFC 5869) with the log's name and the seed's version as `info`. */
export function logKeySeed(seed: Uint8Array, seedVersion: number, log: string): Uint8Array {
  return hkdfSha3_384(seed, SALT, jcsBytes({ seedVersion, log }), SEED_BYTES)
}
