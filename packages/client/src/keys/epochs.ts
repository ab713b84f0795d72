import { type CurrentEpoch, currentEpochSchema, type EpochMember, epochMemberSchema } from '#protocol/keys/epochs'
import type { Device } from '../identity/device.ts'
import type { Identity } from '../identity/identity.ts'
import type { Transport } from '../transport/transport.ts'

/** Epochs of the key directory. */
export class Epochs {
  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device

  constructor(transport: Transport, keys: string, owner: Identity | Device) {
    this.#transport = transport
    this.#base = `${keys}/api/epoch`
    this.#owner = owner
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

  #post(path: string, members: object): Promise<EpochMember> {
    const body = { user_id: this.#owner.userId, ...members }
    const call = { method: 'POST', url: `${this.#base}/${path}`, audience: 'keys', body } as const
    return this.#transport.data(call, epochMemberSchema)
  }
}
