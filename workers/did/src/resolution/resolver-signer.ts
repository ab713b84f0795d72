import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import type { Signed } from '@svc/protocol/base/statement'
import type { ResolutionResult } from '@svc/protocol/did/did'
import { RESOLVER_KEY_FRAGMENT, resolutionStatementOf, resolvedHashOf } from '@svc/protocol/did/resolution-proof'

type Proof = NonNullable<ResolutionResult['didResolutionMetadata']['proof']>

interface Asked {
  readonly resolver: string
  readonly did: string
  readonly version: string | null
}

/** 25 kB each: concurrent resolutions of one DID within a second share one signature over the same statement. */
const MAX_REMEMBERED = 100
/** 15 kB each. Hashing a document in JavaScript takes a third as long as signing, and documents rarely change. */
const MAX_HASHES = 200

/** Signs resolution results; without a key it signs nothing. */
export class ResolverSigner {
  /** `did:web` of the resolver’s own host. */
  readonly did: string
  readonly #signer: DeploymentSigner
  /**
   * Signatures of the current second, by everything they cover. A cache: a lost entry is signed again. Never promises:
   * one request must not wait for another, which may be cancelled.
   */
  readonly #signatures = new Map<string, Signed<Proof['statement']>>()
  #second = ''
  /** Hashes by text. */
  readonly #hashes = new Map<string, string>()

  constructor(signer: DeploymentSigner, origin: string) {
    this.#signer = signer
    // did:web writes a port's colon as %3A.
    this.did = `did:web:${new URL(origin).host.replace(':', '%3A')}`
  }

  /** As base64url; null without a key. */
  publicKey(at: number): Promise<string | null> {
    return this.#signer.publicKey(at)
  }

  /** The result with its proof. */
  async prove(result: ResolutionResult, did: string, version: string | null): Promise<ResolutionResult> {
    const signed = this.#signer.isReady && (await this.#sign(result, { resolver: this.did, did, version }))
    if (!signed) return result
    const proof: Proof = {
      type: 'SvcResolutionProof',
      verificationMethod: this.did + RESOLVER_KEY_FRAGMENT,
      proofPurpose: 'assertionMethod',
      ...signed,
    }
    return { ...result, didResolutionMetadata: { ...result.didResolutionMetadata, proof } }
  }

  async #sign(result: ResolutionResult, asked: Asked): Promise<Signed<Proof['statement']> | null> {
    const { retrieved } = result.didResolutionMetadata
    if (retrieved !== this.#second || this.#signatures.size >= MAX_REMEMBERED) this.#signatures.clear()
    this.#second = retrieved
    const key = JSON.stringify([asked, result])
    const known = this.#signatures.get(key)
    if (known) return known
    const signed = await this.#signer.sign(await resolutionStatementOf(result, asked, (value) => this.#hashOf(value)))
    if (!signed) return null
    const { statement, signatureB64u } = signed
    // If the second passed while signing, the signature does not belong to the next one.
    if (this.#second === retrieved) this.#signatures.set(key, { statement, signatureB64u })
    return { statement, signatureB64u }
  }

  async #hashOf(value: unknown): Promise<string> {
    const text = JSON.stringify(value)
    const known = this.#hashes.get(text)
    if (known !== undefined) return known
    const hash = await resolvedHashOf(value)
    if (this.#hashes.size >= MAX_HASHES) this.#hashes.clear()
    this.#hashes.set(text, hash)
    return hash
  }
}
