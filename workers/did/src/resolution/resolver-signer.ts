import { DeploymentSigner } from '@svc/protocol/deployment-signer'
import type { ResolutionResult } from '@svc/protocol/did'
import { RESOLVER_KEY_FRAGMENT, resolutionStatementOf, resolvedHashOf } from '@svc/protocol/resolution-proof'
import type { Signed } from '@svc/protocol/statement'

type Proof = NonNullable<ResolutionResult['didResolutionMetadata']['proof']>

interface Asked {
  readonly resolver: string
  readonly did: string
  readonly version: string | null
}

/** 25 kB each: a crowd that resolves one DID within a second shares one signature over one and the same statement. */
const MAX_REMEMBERED = 100
/** 15 kB each. Hashing a document takes a third of the time that signing does, and documents change seldom. */
const MAX_HASHES = 200

/** Signs what this resolver says; without a key it signs nothing. */
export class ResolverSigner {
  /** `did:web` of the resolver’s own host. */
  readonly did: string
  readonly #signer: DeploymentSigner
  /**
   * Signatures of the second that is going on, by everything that they are over. A cache: what is lost is signed again.
   * Never promises: one request must not wait for another, which may be cut off.
   */
  readonly #signatures = new Map<string, Signed<Proof['statement']>>()
  #second = ''
  /** Hashes by the text that they are of: whatever differs has a hash of its own. */
  readonly #hashes = new Map<string, string>()

  constructor(seedHex: string | undefined, origin: string) {
    this.#signer = new DeploymentSigner(seedHex || undefined)
    // did:web writes a port's colon as %3A.
    this.did = `did:web:${new URL(origin).host.replace(':', '%3A')}`
  }

  /** As base64url; null without a key. */
  publicKey(): Promise<string | null> {
    return this.#signer.publicKey()
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
    const signed = await this.#signer.sign(resolutionStatementOf(result, asked, (value) => this.#hashOf(value)))
    if (!signed) return null
    const { statement, signatureB64u } = signed
    // What was signed while the second went by is the next one's no more.
    if (this.#second === retrieved) this.#signatures.set(key, { statement, signatureB64u })
    return { statement, signatureB64u }
  }

  #hashOf(value: unknown): string {
    const text = JSON.stringify(value)
    const known = this.#hashes.get(text)
    if (known !== undefined) return known
    if (this.#hashes.size >= MAX_HASHES) this.#hashes.clear()
    const hash = resolvedHashOf(value)
    this.#hashes.set(text, hash)
    return hash
  }
}
