/**
 * A sheet: one secret of 32 bytes, written on paper as 24 words. The successors of all epochs are derived from it, so an
 * owner writes a sheet once in the life of an identity.
 *
 * @module
 */
import { randomSeed, xWing } from '#pqc'
import { hkdfSha3_384 } from '#pqc/sha3'
import { type HybridKey, hybridKeyOf } from '#protocol/base/key-agreement'
import { checkCall } from '../arguments/check.ts'
import { seedOf, wordsIn, wordsOf } from '../backup/words/words.ts'
import { Identity } from '../identity/identity.ts'
import { type Unwrap, unwrapperOf } from '../identity/unwrapper.ts'
import type { SheetKey, SuccessorSource } from './commitment-of.ts'

const SEED_BYTES = 32
const SUCCESSOR_SALT = 'svc/successor/v1'
const READER_SALT = 'svc/recovery-reader/v1'

/** The key pair of a sheet, which opens notes that were encrypted to it. */
export interface SheetReader extends HybridKey {
  readonly unwrap: Unwrap
}

/** The secret of one sheet. Two sheets are independent: keep them in two places. */
export class SuccessorSheet implements SuccessorSource<Identity> {
  readonly #secret: Uint8Array

  private constructor(secret: Uint8Array) {
    this.#secret = secret
  }

  /** Creates a sheet with a random secret. */
  static create(): SuccessorSheet {
    return new SuccessorSheet(randomSeed(SEED_BYTES))
  }

  /**
   * Restores a sheet from its 24 words, with or without their numbers. Throws a `RecoveryWordsError`; for the words of a
   * key, its reason is `other_kind`.
   */
  static fromWords(words: string): SuccessorSheet {
    checkCall('SuccessorSheet.fromWords', [words], ['words'])
    return new SuccessorSheet(seedOf(wordsIn(words), 'sheet'))
  }

  /**
   * Returns the key of this sheet for an epoch of an identity. Its seeds are HKDF-SHA3-384 of the secret, with the salt
   * `svc/successor/v1` and the info `signing SCOPE EPOCH` (32 bytes) or `kem SCOPE EPOCH` (32 bytes).
   */
  async successor(key: SheetKey): Promise<Identity> {
    checkCall('successorSheet.successor', [key], [['key', { scope: 1, epoch: 1 }]])
    const { scope, epoch } = key
    const seed = (use: string) => this.#derived(SUCCESSOR_SALT, [use, scope, epoch].join(' '))
    return Identity.fromSeeds({ signing: seed('signing'), kem: seed('kem') }, { scope, epoch })
  }

  /**
   * Returns the reader of this sheet, which opens notes encrypted to it in any epoch of an identity. Its X-Wing seed is
   * HKDF-SHA3-384 of the secret, with the salt `svc/recovery-reader/v1` and the scope as info (32 bytes).
   */
  async reader(scope: string): Promise<SheetReader> {
    checkCall('successorSheet.reader', [scope], ['scope'])
    const seed = this.#derived(READER_SALT, scope)
    return { ...hybridKeyOf(await xWing.publicKeyOf(seed)), unwrap: unwrapperOf(seed) }
  }

  /** Returns the 24 words for the owner to write down. Anyone who has them has the keys. */
  revealWords(): string {
    return wordsOf(this.#secret, 'sheet')
  }

  #derived(salt: string, info: string): Uint8Array {
    const bytes = new TextEncoder()
    return hkdfSha3_384(this.#secret, bytes.encode(salt), bytes.encode(info), SEED_BYTES)
  }
}
