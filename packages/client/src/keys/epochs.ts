import { type CurrentEpoch, currentEpochSchema, type EpochMember, epochMemberSchema } from '#protocol/keys/epochs'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Did } from '../did/did.ts'
import type { Device } from '../identity/device.ts'
import type { Identity } from '../identity/identity.ts'
import type { Transport } from '../transport/transport.ts'

interface Peers {
  readonly history: KeyHistory
  readonly did: Did
  readonly former: readonly Identity[]
}

/** What a vault of `@svc/client/epoch-vault` is made of. */
export interface VaultParts extends Peers {
  readonly transport: Transport
  readonly keys: string
  readonly owner: Identity | Device
}

/** Epochs of the key directory. Their shared notes are in `@svc/client/epoch-vault`. */
export class Epochs {
  readonly #transport: Transport
  readonly #keys: string
  readonly #base: string
  readonly #owner: Identity | Device
  readonly #peers: () => Promise<Peers>

  constructor(transport: Transport, keys: string, owner: Identity | Device, peers: () => Promise<Peers>) {
    this.#transport = transport
    this.#keys = keys
    this.#base = `${keys}/api/epoch`
    this.#owner = owner
    this.#peers = peers
  }

  /** The open epoch; `epoch` is null if there is none. */
  current(): Promise<CurrentEpoch> {
    return this.#transport.json({ method: 'GET', url: `${this.#base}/current` }, currentEpochSchema)
  }

  /** Joins the open epoch. Throws `ServiceError` `no_epoch` if there is none. */
  join(): Promise<EpochMember> {
    return this.#post('join', {})
  }

  /** Acknowledges an epoch that you joined. */
  acknowledge(epoch: number): Promise<EpochMember> {
    return this.#post('ack', { epoch })
  }

  /** For `EpochVault.open`. */
  async parts(): Promise<VaultParts> {
    return { transport: this.#transport, keys: this.#keys, owner: this.#owner, ...(await this.#peers()) }
  }

  #post(path: string, members: object): Promise<EpochMember> {
    const body = { user_id: this.#owner.userId, ...members }
    const call = { method: 'POST', url: `${this.#base}/${path}`, audience: 'keys', body } as const
    return this.#transport.data(call, epochMemberSchema)
  }
}
