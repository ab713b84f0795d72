import { mlDsa65 } from '#pqc'
import { type ServiceKey, signingKeyAt } from '../http/service-keys.ts'
import { encodeBase64url } from './base64url.ts'
import { DependencyFault } from './dependency-fault.ts'
import { fromHex } from './hash.ts'
import type { Realms } from './realm.ts'
import { type Signed, type StatementType, signStatement } from './statement.ts'

interface Key {
  readonly publicKeyB64u: string
  readonly sign: (message: Uint8Array) => Promise<Uint8Array>
}

/** What is published about the keys of one use, and the seed of the key that is announced. */
export interface HandOver {
  readonly published: readonly ServiceKey[]
  readonly nextSeed?: string | undefined
}

/**
 * Signs receipts and other statements with a key of the deployment and for its realm; without a key, `sign` returns null. `services.ts` of a
 * Worker creates it from the configuration and passes it to the services that sign. Durable Objects store what was signed
 * and sign nothing, except that the object of a log signs its heads and that of an account its reservations.
 *
 * A statement is signed with the key that is published as signing at its `issuedAt`, and with no other: clients would
 * refuse it. If no key is published, as in local development, the seed's key signs everything.
 */
export class DeploymentSigner {
  readonly #seeds: readonly Uint8Array[]
  readonly #realm: string
  readonly #published: readonly ServiceKey[]
  /** Derived on first use. Never a promise: a request must not wait on another request, which may be cancelled. */
  #keys: readonly Key[] | undefined

  /** `realms` as configured: the first is signed. */
  constructor(seedHex: string | undefined, [realm]: Realms, { published, nextSeed }: HandOver = { published: [] }) {
    this.#realm = realm
    // An empty variable is how an operator leaves a seed out.
    this.#seeds = seedHex ? [seedHex, ...(nextSeed ? [nextSeed] : [])].map(fromHex) : []
    this.#published = published
  }

  get isReady(): boolean {
    return this.#seeds.length > 0
  }

  /** The realm is added here, so that no service signs for another one. */
  async sign<S extends { readonly type: StatementType; readonly issuedAt: number; readonly realm?: never }>(
    members: S,
  ): Promise<(Signed<Omit<S, 'realm'> & { readonly realm: string }> & { readonly publicKeyB64u: string }) | null> {
    const key = await this.#keyAt(members.issuedAt)
    if (!key) return null
    const signed = await signStatement({ ...members, realm: this.#realm }, key.sign)
    return { ...signed, publicKeyB64u: key.publicKeyB64u }
  }

  /** The key that signs at a time, base64url; null without a key. */
  async publicKey(at: number): Promise<string | null> {
    return (await this.#keyAt(at))?.publicKeyB64u ?? null
  }

  async #keyAt(at: number): Promise<Key | null> {
    const keys = await this.#derived()
    const [first] = keys
    const [use] = this.#published
    if (!first || !use) return first ?? null
    const expected = signingKeyAt(this.#published, use, at)?.publicKeyB64u
    const found = keys.find(({ publicKeyB64u }) => publicKeyB64u === expected)
    if (found) return found
    const cause = new Error('none of its seeds is the key that is published for this time')
    throw new DependencyFault(`the key of ${use.service} for ${use.use}`, { cause })
  }

  async #derived(): Promise<readonly Key[]> {
    this.#keys ??= await Promise.all(
      this.#seeds.map(async (seed) => ({
        publicKeyB64u: encodeBase64url(await mlDsa65.publicKeyOf(seed)),
        sign: await mlDsa65.signerOf(seed),
      })),
    )
    return this.#keys
  }
}
