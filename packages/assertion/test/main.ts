import { type Schema, VersionedObject } from '@svc/objects'
import { NONCE_FACTS, NonceStore } from '../src/worker/nonce-store.ts'

const SCHEMA: Schema = {
  name: 'nonces',
  steps: [{ name: 'a table of nonces for each hour', run: () => {} }],
  facts: NONCE_FACTS,
}

/** Keeps nonces and nothing else, as an identity keeps them beside what it is. */
export class NonceObject extends VersionedObject {
  static override readonly schemas = [SCHEMA]
  readonly #nonces = new NonceStore(this.stored)

  spend(signer: string, nonce: string, keepUntil: number): 'spent' | 'replay' | 'expired' {
    return this.stored.transact(() => {
      this.stored.create(SCHEMA)
      return this.#nonces.spend(signer, nonce, keepUntil, Date.now())
    })
  }

  drop(): void {
    this.stored.transact(() => this.#nonces.dropEnded(Date.now()))
  }
}

// biome-ignore lint/style/noDefaultExport: the runtime looks for one
export default { fetch: () => new Response(null, { status: 404 }) }
