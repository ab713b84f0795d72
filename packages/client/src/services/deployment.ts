import type * as z from 'zod'
import { jcs } from '#protocol/base/jcs'
import { type Capabilities, capabilitiesSchema, healthDataSchema } from '#protocol/http/discovery'
import { type NoteHeader, type PreparedHeader, preparedHeaderSchema, prepareHeader } from '#protocol/notes/headers'
import { type VerifyRequest, verifyResultSchema } from '#protocol/provenance/verification'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'

/** What core says of itself, and what it computes for everybody. */
export class Deployment {
  readonly #transport: Transport
  readonly #core: string

  constructor(transport: Transport, core: string) {
    this.#transport = transport
    this.#core = core
  }

  health(): Promise<z.output<typeof healthDataSchema>> {
    return this.#transport.data({ method: 'GET', url: `${this.#core}/health` }, healthDataSchema)
  }

  capabilities(): Promise<Capabilities> {
    return this.#transport.json({ method: 'GET', url: `${this.#core}/api/capabilities` }, capabilitiesSchema)
  }

  /** Core's verdict on a signature. */
  async verifySignature(request: VerifyRequest): Promise<void> {
    const call = { method: 'POST', url: `${this.#core}/api/pqc/verify`, body: request } as const
    const { valid } = await this.#transport.json(call, verifyResultSchema)
    if (!valid) throw unverified('signature', 'invalid_signature', 'Core did not verify the signature')
  }

  /** Core's digest of a header, which must be the local one. */
  async prepareHeader(header: NoteHeader): Promise<PreparedHeader> {
    const url = `${this.#core}/api/headers/prepare`
    const call = { method: 'POST', url, audience: 'chain', body: { header } } as const
    const prepared = await this.#transport.data(call, preparedHeaderSchema)
    if (prepareHeader(header).aadB64u !== prepared.aadB64u || jcs(prepared.header) !== jcs(header))
      throw unverified('answer', 'different_answer', 'Core returned the digest of a different header', {
        evidence: prepared,
      })
    return prepared
  }
}
