import { type StoredAmounts, storedAmountsSchema } from '@svc/protocol/internal/storage'
import type { InternalClient } from '@svc/service'

/** What identities keep at core. */
export class StoredReader {
  readonly #core: InternalClient

  constructor(core: InternalClient) {
    this.#core = core
  }

  /** Null if core does not answer. */
  async find(did: string): Promise<StoredAmounts | null> {
    const read = await this.#core.call({ method: 'GET', path: `/api/internal/stored/${did}` }, storedAmountsSchema)
    return read.ok ? read.value : null
  }
}
