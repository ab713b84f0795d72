import { mlDsa65, type Verifier } from '@svc/pqc'
import { bytesOf } from '@svc/protocol/base64url'

export interface KnownKey {
  readonly publicKeyB64u: string
  readonly publicKey: Uint8Array
  readonly verify: Verifier
}

/** Of some 13 kB: text, bytes, and what the runtime makes of them. An isolate has 128 MB. */
const MAX_KEYS = 500

/**
 * Keys that have verified something, made ready for the next time: that is a fifth of what a verification costs. It
 * lives as long as the isolate, holds what anybody can make of a public key, and forgets the least recently used first.
 * Time may tell a caller that a key has lately been here; it says nothing of what was verified.
 */
export class KnownKeys {
  readonly #byBeginning = new Map<string, KnownKey>()

  async of(publicKeyB64u: string): Promise<KnownKey> {
    const known = this.#byBeginning.get(beginningOf(publicKeyB64u))
    if (known?.publicKeyB64u === publicKeyB64u) return known
    const publicKey = bytesOf(publicKeyB64u)
    return { publicKeyB64u, publicKey, verify: await mlDsa65.verifierOf(publicKey) }
  }

  remember(key: KnownKey): void {
    const beginning = beginningOf(key.publicKeyB64u)
    this.#byBeginning.delete(beginning)
    this.#byBeginning.set(beginning, key)
    if (this.#byBeginning.size <= MAX_KEYS) return
    const [oldest = ''] = this.#byBeginning.keys()
    this.#byBeginning.delete(oldest)
  }
}

/**
 * The runtime keeps a copy of what a map is asked for until it next collects all its garbage, so that is short. The first
 * 32 bytes of a key are random; who makes up a key that begins as another one pushes that one out.
 */
const beginningOf = (publicKeyB64u: string) => publicKeyB64u.slice(0, 43)
