import { mlDsa65, type Verifier } from '@svc/pqc'

export interface KnownKey {
  readonly publicKeyB64u: string
  /** What it is found by, and then compared whole. */
  readonly beginning: number
  readonly verify: Verifier
}

/** Of some 11 kB: text, bytes, and what the runtime makes of them. An isolate has 128 MB. */
const MAX_KEYS = 500

/**
 * Keys that have verified something, made ready for the next time: that is a fifth of what a verification costs. It
 * lives as long as the isolate, holds what anybody can make of a public key, and keeps at least the half of `MAX_KEYS`
 * that were used last. Time may tell a caller that a key has lately been here; it says nothing of what was verified.
 */
export class KnownKeys {
  #recent = new Map<number, KnownKey>()
  /** What was recent before: what of it is used becomes so again, and the rest is forgotten at once. */
  #older = new Map<number, KnownKey>()

  /** `publicKey` is what the text stands for. */
  async of(publicKeyB64u: string, publicKey: Uint8Array): Promise<KnownKey> {
    const beginning = beginningOf(publicKey)
    const known = this.#recent.get(beginning) ?? this.#older.get(beginning)
    if (known?.publicKeyB64u === publicKeyB64u) return known
    return { publicKeyB64u, beginning, verify: await mlDsa65.verifierOf(publicKey) }
  }

  remember(key: KnownKey): void {
    if (!this.#recent.has(key.beginning) && this.#recent.size >= MAX_KEYS / 2) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key.beginning, key)
  }
}

/**
 * A number, since the runtime keeps a copy of text that a map is asked for until it next collects all its garbage. Keys
 * begin at random; who makes up one that begins as another pushes that one out.
 */
function beginningOf(publicKey: Uint8Array): number {
  const [first, second, third] = [publicKey[0] ?? 0, publicKey[1] ?? 0, publicKey[2] ?? 0]
  return (first << 22) | (second << 14) | (third << 6) | ((publicKey[3] ?? 0) >> 2)
}
