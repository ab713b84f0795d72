/**
 * What lies on paper: one secret of 32 bytes, which `wordsOf` writes as 24 words. The keys that may follow, in every
 * epoch, are derived from it, so a sheet is written once in the life of an identity.
 *
 * @module
 */
import { randomSeed } from '#pqc'
import { hkdfSha3_384 } from '#pqc/sha3'
import { checkCall } from '../arguments/check.ts'
import { Identity } from '../identity/identity.ts'
import type { SheetKey, SuccessorSource } from './commitment-of.ts'

const SECRET_BYTES = 32
const SALT = /* @__PURE__ */ new TextEncoder().encode('svc/successor/v1')
const SIGNING_BYTES = 32
const KEM_BYTES = 32

/** The secret of one sheet. Two sheets have nothing in common: keep them in two places. */
export class SuccessorSheet implements SuccessorSource<Identity> {
  readonly #secret: Uint8Array

  private constructor(secret: Uint8Array) {
    this.#secret = secret
  }

  /** A new one, from the runtime's randomness. */
  static create(): SuccessorSheet {
    return new SuccessorSheet(randomSeed(SECRET_BYTES))
  }

  /** The sheet again: `seedOf(words)` gives the secret. Throws a TypeError for another length. */
  static fromSecret(secret: Uint8Array): SuccessorSheet {
    checkCall('SuccessorSheet.fromSecret', [secret], ['secret'])
    if (secret.length !== SECRET_BYTES) throw new TypeError('The secret of a sheet has 32 bytes')
    return new SuccessorSheet(secret.slice())
  }

  /**
   * The key of this sheet for an epoch of an identity. Its seeds are HKDF-SHA3-384 of the secret, with the salt
   * `svc/successor/v1` and the info `signing SCOPE EPOCH` (32 bytes) or `kem SCOPE EPOCH` (32 bytes).
   */
  async successor(key: SheetKey): Promise<Identity> {
    checkCall('successorSheet.successor', [key], [['key', { scope: 1, epoch: 1 }]])
    const { scope, epoch } = key
    const seed = (use: string, bytes: number) =>
      hkdfSha3_384(this.#secret, SALT, new TextEncoder().encode(`${use} ${scope} ${epoch}`), bytes)
    return Identity.fromSeeds(
      { signing: seed('signing', SIGNING_BYTES), kem: seed('kem', KEM_BYTES) },
      { scope, epoch },
    )
  }

  /** The secret, for the words: `wordsOf(sheet.revealSecret())`. */
  revealSecret(): Uint8Array {
    return this.#secret.slice()
  }
}
