import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from './base64url.ts'
import { fromHex } from './hash.ts'
import { type Signed, type StatementType, signStatement } from './statement.ts'

interface Key {
  readonly publicKeyB64u: string
  readonly sign: (message: Uint8Array) => Promise<Uint8Array>
}

/** Signs statements with a key of the deployment; without one it signs nothing. */
export class DeploymentSigner {
  readonly #seed: Uint8Array | null
  /** Made ready with its first use. Never a promise: one request must not wait for another, which may be cut off. */
  #key: Key | undefined

  constructor(seedHex: string | undefined) {
    this.#seed = seedHex === undefined ? null : fromHex(seedHex)
  }

  get isReady(): boolean {
    return this.#seed !== null
  }

  async sign<S extends { readonly type: StatementType }>(
    statement: S,
  ): Promise<(Signed<S> & { readonly publicKeyB64u: string }) | null> {
    const key = await this.#ready()
    if (!key) return null
    const signed = await signStatement(statement, key.sign)
    return { ...signed, publicKeyB64u: key.publicKeyB64u }
  }

  /** As base64url; null without a key. */
  async publicKey(): Promise<string | null> {
    return (await this.#ready())?.publicKeyB64u ?? null
  }

  async #ready(): Promise<Key | null> {
    if (!this.#seed) return null
    if (this.#key) return this.#key
    const sign = await mlDsa65.signerOf(this.#seed)
    const publicKeyB64u = encodeBase64url(await mlDsa65.publicKeyOf(this.#seed))
    this.#key = { publicKeyB64u, sign }
    return this.#key
  }
}
