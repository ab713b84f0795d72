import { type Pinned, type PinPage, pinnedSchema, pinPageSchema } from '#protocol/ledger/pinning'
import type { TakedownRecord } from '#protocol/operator/takedown'
import { type Licence, licenceSchema } from '#protocol/pay/licences'
import { readBytes } from '../transport/guarded-body.ts'
import { everyItem } from '../transport/pages.ts'
import type { OnProgress } from '../transport/progress.ts'
import { takedownsOf } from '../transport/takedowns.ts'
import type { Transport } from '../transport/transport.ts'

export interface ContentOptions {
  /** Told in bytes. */
  readonly onProgress?: OnProgress
}

/** Licence and pins of an identity. */
export class Account {
  readonly #transport: Transport
  readonly #core: string

  constructor(transport: Transport, core: string) {
    this.#transport = transport
    this.#core = core
  }

  /** The licence of this identity. `licensed` is false if there is none or it has expired. `expiresAt` in epoch ms. */
  licence(): Promise<Licence> {
    const call = { method: 'POST', url: `${this.#core}/api/user/verify`, audience: 'chain' } as const
    return this.#transport.data(call, licenceSchema)
  }

  /** Redeems an activation code (`XXXX-XXXX-XXXX-XXXX`) for the identity of a DID. The code is the only credential. */
  redeem(code: string, did: string): Promise<Licence> {
    const call = { method: 'POST', url: `${this.#core}/api/activation/redeem`, body: { code, did } } as const
    return this.#transport.data(call, licenceSchema)
  }

  /** Pins content permanently by its CID. Idempotent: returns the existing pin. */
  pin(cid: string, name?: string): Promise<Pinned> {
    const body = { cid, ...(name === undefined ? {} : { name }) }
    const call = { method: 'POST', url: `${this.#core}/api/ipfs/pin`, audience: 'chain', body } as const
    return this.#transport.data(call, pinnedSchema)
  }

  /** The pins of this identity, one page by CID: pass the `cursor` of the last page until it is null, or use `allPins`. */
  pins(cursor?: string): Promise<PinPage> {
    const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`
    const call = { method: 'GET', url: `${this.#core}/api/ipfs/pins${query}`, audience: 'chain' } as const
    return this.#transport.data(call, pinPageSchema)
  }

  /** Every pin of this identity, by CID. */
  allPins(): AsyncGenerator<Pinned> {
    return everyItem(async (cursor) => {
      const page = await this.pins(cursor)
      return { items: page.pins, cursor: page.cursor }
    })
  }

  /** Removes a pin and returns it. Stored blocks are deleted with the last pin of the content. */
  unpin(cid: string): Promise<Pinned> {
    const url = `${this.#core}/api/ipfs/pins/${encodeURIComponent(cid)}`
    return this.#transport.data({ method: 'DELETE', url, audience: 'chain' }, pinnedSchema)
  }

  /** Content by its CID, at most 64 MiB. The service verifies it block by block; with the CID, so can you. */
  async content(cid: string, options: ContentOptions = {}): Promise<Uint8Array> {
    const response = await this.#fetched(cid, options)
    return readBytes(response)
  }

  /** The same as a stream, which fails with a `ConnectionError` if the answer breaks off. */
  async contentStream(cid: string, options: ContentOptions = {}): Promise<ReadableStream<Uint8Array>> {
    const { body } = await this.#fetched(cid, { ...options, isStreamed: true })
    return body ?? new Blob([]).stream()
  }

  /** Content that the operator took down, oldest first. Needs no identity. */
  takedowns(): AsyncGenerator<TakedownRecord> {
    return takedownsOf(this.#transport, this.#core)
  }

  #fetched(cid: string, { onProgress: onReceived, isStreamed = false }: ContentOptions & { isStreamed?: boolean }) {
    const url = `${this.#core}/ipfs/${encodeURIComponent(cid)}`
    return this.#transport.send({ method: 'GET', url, isStreamed, onReceived })
  }
}
