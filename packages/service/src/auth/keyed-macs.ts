import { encodeBase64url } from '@svc/protocol/base/base64url'
import { fromHex } from '@svc/protocol/base/hash'

/** Each has keys of its own, whatever seed they come from. */
export type MacUse = 'contact' | 'offer-code' | 'invite-question' | 'text-claimant' | 'quota-unit'

export interface VersionedMac {
  /** Of the seed that the key comes from. */
  readonly version: number
  readonly mac: Uint8Array
}

/** What one thing is called under every version of a seed. What is written gets the newest name, and a row may have any. */
export interface VersionedNames {
  readonly newest: string
  readonly earlier: readonly string[]
}

/** Every name, for a lookup with `IN (SELECT value FROM json_each(?))`. */
export function everyName({ newest, earlier }: VersionedNames): string {
  return JSON.stringify([newest, ...earlier])
}

/**
 * HMAC-SHA-256 for one use, under a key from each version of a seed: what only this deployment can compute. Keep the seed
 * of an earlier version for as long as something is stored that was made with it.
 */
export class KeyedMacs {
  readonly #seeds: readonly (readonly [version: number, seed: string])[]
  readonly #use: MacUse
  #keys: Promise<{ readonly version: number; readonly key: CryptoKey }[]> | undefined

  constructor(seeds: ReadonlyMap<number, string>, use: MacUse) {
    this.#seeds = [...seeds].toSorted(([left], [right]) => right - left)
    this.#use = use
  }

  /** Under the key of every version, the newest first; none without a seed. */
  async all(message: string): Promise<VersionedMac[]> {
    this.#keys ??= Promise.all(this.#seeds.map(([version, seed]) => keyOf(this.#use, version, seed)))
    const bytes = new TextEncoder().encode(message)
    return Promise.all(
      (await this.#keys).map(async ({ version, key }) => ({
        version,
        mac: new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes)),
      })),
    )
  }

  /** Each name begins with the version that it was made with. Null without a seed. */
  async names(message: string): Promise<VersionedNames | null> {
    const macs = await this.all(message)
    const [newest, ...earlier] = macs.map(({ version, mac }) => `${version}.${encodeBase64url(mac)}`)
    return newest === undefined ? null : { newest, earlier }
  }

  /** For what its holder presents, like a code; a row is named by `names`. Under the newest key, or null without a seed: nothing is issued that anyone could compute. */
  async newest(message: string): Promise<VersionedMac | null> {
    const [mac = null] = await this.all(message)
    return mac
  }
}

async function keyOf(use: MacUse, version: number, seed: string) {
  const secret = await crypto.subtle.importKey('raw', fromHex(seed).slice(), 'HKDF', false, ['deriveKey'])
  const info = new TextEncoder().encode(`svc/keyed-macs/v1 ${use} ${version}`)
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
  const key = await crypto.subtle.deriveKey(derivation, secret, { name: 'HMAC', hash: 'SHA-256', length: 256 }, false, [
    'sign',
  ])
  return { version, key }
}
