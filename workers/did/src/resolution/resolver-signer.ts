import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base64url'
import type { ResolutionResult } from '@svc/protocol/did'
import { fromHex } from '@svc/protocol/hash'
import { RESOLVER_KEY_FRAGMENT, resolutionStatementOf } from '@svc/protocol/resolution-proof'
import { type Signed, signStatement } from '@svc/protocol/statement'

type Proof = NonNullable<ResolutionResult['didResolutionMetadata']['proof']>

/** 25 kB each: a crowd that resolves one DID within a second shares one signature over one and the same statement. */
const MAX_REMEMBERED = 100

/** Signs what this resolver says; without a key it signs nothing. */
export class ResolverSigner {
  /** `did:web` of the resolver’s own host. */
  readonly did: string
  readonly #seed: Uint8Array | null
  /** Signatures of the second that is going on, by everything that they are over. A cache: what is lost is signed again. */
  readonly #signing = new Map<string, Promise<Signed<Proof['statement']>>>()
  #second = ''
  #publicKey: Promise<string> | undefined

  constructor(seedHex: string | undefined, origin: string) {
    this.#seed = seedHex === undefined || seedHex === '' ? null : fromHex(seedHex)
    // did:web writes a port's colon as %3A.
    this.did = `did:web:${new URL(origin).host.replace(':', '%3A')}`
  }

  /** As base64url; null without a key. */
  async publicKey(): Promise<string | null> {
    if (!this.#seed) return null
    this.#publicKey ??= mlDsa65.publicKeyOf(this.#seed).then(encodeBase64url)
    return this.#publicKey
  }

  /** The result with its proof. */
  async prove(result: ResolutionResult, did: string, version: string | null): Promise<ResolutionResult> {
    const seed = this.#seed
    if (!seed) return result
    const signed = await this.#sign(seed, result, { resolver: this.did, did, version })
    const proof: Proof = {
      type: 'SvcResolutionProof',
      verificationMethod: this.did + RESOLVER_KEY_FRAGMENT,
      proofPurpose: 'assertionMethod',
      ...signed,
    }
    return { ...result, didResolutionMetadata: { ...result.didResolutionMetadata, proof } }
  }

  #sign(
    seed: Uint8Array,
    result: ResolutionResult,
    asked: { readonly resolver: string; readonly did: string; readonly version: string | null },
  ): Promise<Signed<Proof['statement']>> {
    const { retrieved } = result.didResolutionMetadata
    if (retrieved !== this.#second || this.#signing.size >= MAX_REMEMBERED) this.#signing.clear()
    this.#second = retrieved
    const key = JSON.stringify([asked, result])
    const known = this.#signing.get(key)
    if (known) return known
    const signing = signStatement(resolutionStatementOf(result, asked), (message) => mlDsa65.sign(seed, message))
    this.#signing.set(key, signing)
    return signing
  }
}
