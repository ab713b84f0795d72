import { mlDsa65, type Verifier } from '@svc/pqc'
import { bytesOf } from '@svc/protocol/base64url'

export interface KnownKey {
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
  readonly #byText = new Map<string, KnownKey>()

  async of(publicKeyB64u: string): Promise<KnownKey> {
    const known = this.#byText.get(publicKeyB64u)
    if (known) return known
    const publicKey = bytesOf(publicKeyB64u)
    return { publicKey, verify: await mlDsa65.verifierOf(publicKey) }
  }

  remember(publicKeyB64u: string, key: KnownKey): void {
    this.#byText.delete(publicKeyB64u)
    this.#byText.set(publicKeyB64u, key)
    const [oldest] = this.#byText.keys()
    if (this.#byText.size > MAX_KEYS && oldest !== undefined) this.#byText.delete(oldest)
  }
}
