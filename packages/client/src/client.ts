import { type Capabilities, capabilitiesSchema, healthDataSchema } from '@svc/protocol/discovery'
import { type NoteHeader, type PreparedHeader, preparedHeaderSchema, prepareHeader } from '@svc/protocol/headers'
import { type VerifyRequest, verifyResultSchema } from '@svc/protocol/verification'
import type * as z from 'zod'
import { Chain } from './chain.ts'
import { Did } from './did.ts'
import type { Identity } from './identity.ts'
import { Security } from './security.ts'
import { Transport, type TransportOptions } from './transport.ts'

export interface ClientOptions extends TransportOptions {
  /** Origins of the services, without a trailing slash: `https://core.example`. */
  readonly core: string
  readonly did: string
  /** Without one only what needs no credential can be called. */
  readonly identity?: Identity
}

/** The platform as one identity sees it. Every method makes the credentials that its call needs. */
export class Client {
  readonly did: Did
  readonly #options: ClientOptions
  readonly #transport: Transport
  readonly #chain: Chain | undefined
  readonly #security: Security | undefined

  constructor(options: ClientOptions) {
    this.#options = options
    this.#transport = new Transport(options, options.identity)
    this.#chain = options.identity && new Chain(this.#transport, options.core, options.identity)
    this.#security = options.identity && new Security(this.#transport, options.core, options.identity)
    this.did = new Did(this.#transport, options.did, options.identity)
  }

  /** The chain of this client's identity. Throws a TypeError for a client without one. */
  get chain(): Chain {
    if (!this.#chain) throw new TypeError('this client has no identity')
    return this.#chain
  }

  /** Hold and end of this client's identity. Throws a TypeError for a client without one. */
  get security(): Security {
    if (!this.#security) throw new TypeError('this client has no identity')
    return this.#security
  }

  /** Liveness of core; no proof of readiness. */
  health(): Promise<z.output<typeof healthDataSchema>> {
    return this.#transport.data({ method: 'GET', url: `${this.#options.core}/health` }, healthDataSchema)
  }

  /** What this deployment of core supports. */
  capabilities(): Promise<Capabilities> {
    return this.#transport.json({ method: 'GET', url: `${this.#options.core}/api/capabilities` }, capabilitiesSchema)
  }

  /**
   * Asks core whether a signature verifies. A client that can verify locally should: `mlDsa65.verify` gives the
   * same answer without trusting anybody.
   */
  async verifySignature(request: VerifyRequest): Promise<boolean> {
    const call = { method: 'POST', url: `${this.#options.core}/api/pqc/verify`, body: request } as const
    return (await this.#transport.json(call, verifyResultSchema)).valid
  }

  /**
   * The canonical header and its digest, as core computes them. `header.userId` must be this identity's. The local
   * `prepareHeader` gives the same; the two are compared, and a difference throws.
   */
  async prepareHeader(header: NoteHeader): Promise<PreparedHeader> {
    const url = `${this.#options.core}/api/headers/prepare`
    const call = { method: 'POST', url, audience: 'chain', body: { header } } as const
    const prepared = await this.#transport.data(call, preparedHeaderSchema)
    if (prepareHeader(header).aadB64u !== prepared.aadB64u) throw new Error('core digested another header')
    return prepared
  }
}
