import { signStatement } from '#protocol/base/statement'
import {
  type Collected,
  collectedSchema,
  type Rebuilt,
  rebuiltSchema,
  type StorageUsage,
  storageUsageSchema,
} from '#protocol/notes/api'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { placed } from '../identity/signing.ts'
import { signerOf } from '../identity/signing-key.ts'
import { ServiceError } from '../transport/service-error.ts'
import type { Transport } from '../transport/transport.ts'

/** The store of a vault: ciphertexts by their hashes, and what counts them. */
export class VaultStore {
  readonly #transport: Transport
  readonly #url: () => string
  readonly #owner: Identity | Device

  constructor(transport: Transport, url: () => string, owner: Identity | Device) {
    this.#transport = transport
    this.#url = url
    this.#owner = owner
  }

  usage(): Promise<StorageUsage> {
    return this.#transport.data({ method: 'GET', url: `${this.#url()}/storage`, audience: 'notes' }, storageUsageSchema)
  }

  async has(cipherHash: string): Promise<boolean> {
    const call = { method: 'HEAD', url: `${this.#url()}/cas/${cipherHash}`, audience: 'notes' } as const
    try {
      await this.#transport.send(call)
      return true
    } catch (error) {
      if (error instanceof ServiceError && error.status === 404) return false
      throw error
    }
  }

  async collect(): Promise<Collected> {
    const body = await this.#signAct('svc/note-gc/v1')
    return this.#transport.data({ method: 'POST', url: `${this.#url()}/cas/gc`, body }, collectedSchema)
  }

  async rebuild(dryRun: boolean): Promise<Rebuilt> {
    const body = { ...(await this.#signAct('svc/note-rebuild/v1')), dryRun }
    return this.#transport.data({ method: 'POST', url: `${this.#url()}/cas/rebuild`, body }, rebuiltSchema)
  }

  async #signAct<T extends 'svc/note-gc/v1' | 'svc/note-rebuild/v1'>(type: T) {
    if (!(this.#owner instanceof Identity)) throw new TypeError('Only the root key can manage the store of a vault')
    const { did } = this.#owner
    return signStatement({ type, ...placed(await this.#transport.signing()), did }, signerOf(this.#owner))
  }
}
