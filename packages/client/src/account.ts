import { type Licence, licenceSchema } from '@svc/protocol/licences'
import { type Pinned, pinnedSchema } from '@svc/protocol/pinning'
import type { Transport } from './transport.ts'

/** Licence and pins of an identity (document 1 section 4.10). */
export class Account {
  readonly #transport: Transport
  readonly #core: string

  constructor(transport: Transport, core: string) {
    this.#transport = transport
    this.#core = core
  }

  /** The licence of this identity; `licensed` is false when there is none or it has ended. `expiresAt` in epoch ms. */
  licence(): Promise<Licence> {
    const call = { method: 'POST', url: `${this.#core}/api/user/verify`, audience: 'chain' } as const
    return this.#transport.data(call, licenceSchema)
  }

  /** Redeems an activation code (`XXXX-XXXX-XXXX-XXXX`) for the identity of a DID. Needs no credential but the code. */
  redeem(code: string, did: string): Promise<Licence> {
    const call = { method: 'POST', url: `${this.#core}/api/activation/redeem`, body: { code, did } } as const
    return this.#transport.data(call, licenceSchema)
  }

  /** Has content kept for good, by its CID. The same again is the same pin. */
  pin(cid: string, name?: string): Promise<Pinned> {
    const body = { cid, ...(name === undefined ? {} : { name }) }
    const call = { method: 'POST', url: `${this.#core}/api/ipfs/pin`, audience: 'chain', body } as const
    return this.#transport.data(call, pinnedSchema)
  }

  /** Content by its CID, at most 64 MiB. The service verifies it block by block; so can whoever has the CID. */
  async content(cid: string): Promise<Uint8Array> {
    const response = await this.#transport.send({ method: 'GET', url: `${this.#core}/ipfs/${encodeURIComponent(cid)}` })
    return new Uint8Array(await response.arrayBuffer())
  }
}
