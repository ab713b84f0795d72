import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from './base64url.ts'
import { fromHex } from './hash.ts'
import { type Signed, type StatementType, signStatement } from './statement.ts'

/** Signs statements with a key of the deployment; without one it signs nothing. */
export class DeploymentSigner {
  readonly #seed: Uint8Array | null
  #publicKey: Promise<string> | undefined

  constructor(seedHex: string | undefined) {
    this.#seed = seedHex === undefined ? null : fromHex(seedHex)
  }

  get isReady(): boolean {
    return this.#seed !== null
  }

  async sign<S extends { readonly type: StatementType }>(
    statement: S,
  ): Promise<(Signed<S> & { readonly publicKeyB64u: string }) | null> {
    const seed = this.#seed
    const publicKeyB64u = await this.publicKey()
    if (!seed || publicKeyB64u === null) return null
    const signed = await signStatement(statement, (message) => mlDsa65.sign(seed, message))
    return { ...signed, publicKeyB64u }
  }

  /** As base64url; null without a key. */
  async publicKey(): Promise<string | null> {
    if (!this.#seed) return null
    this.#publicKey ??= mlDsa65.publicKeyOf(this.#seed).then(encodeBase64url)
    return this.#publicKey
  }
}
