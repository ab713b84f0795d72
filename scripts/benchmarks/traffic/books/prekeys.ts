import type { Device } from '@svc/client'
import { makePrekeys } from '@svc/client/functions'
import { type ReservationEntry, type ReservedPrekey, reservedPrekeySchema } from '@svc/protocol/keys/directory'
import type { Planned } from '../planned.ts'
import type { Sealer } from '../sealer.ts'
import { Book, dataOf, saying } from './book.ts'

interface PrekeyClaim {
  readonly key: string
  readonly target: PrekeyPool
}

const BATCH = 40
const LOW = 20

/** The prekeys of one device, which others reserve. */
export class PrekeyPool {
  readonly did: string
  readonly deviceId: string
  readonly #sealer: Sealer
  readonly #device: Device
  #uploaded = 0

  constructor(sealer: Sealer, device: Device) {
    this.#sealer = sealer
    this.#device = device
    this.did = device.did
    this.deviceId = device.deviceId
  }

  /** Uploads a batch if few are left. */
  async fill(): Promise<void> {
    const { stock } = await this.#sealer.client.keyDirectory.pool(this.deviceId)
    const left = stock.find(({ profile }) => profile === 'bound-v4')?.oneTime ?? 0
    if (left > LOW) return
    const { upload } = await makePrekeys(
      this.#device,
      { realm: this.#sealer.client.realm, now: Date.now() },
      { count: BATCH },
    )
    await this.#sealer.client.keyDirectory.addPrekeys(this.deviceId, [upload])
    this.#uploaded += BATCH
  }

  /** No prekey was given out twice, and the remaining ones are those not reserved; none, if the account was rebuilt. */
  async faults(isWithoutPrekeys: boolean): Promise<string[]> {
    const { keyDirectory } = this.#sealer.client
    const reservations: ReservationEntry[] = []
    let { stock, ...page } = await keyDirectory.pool(this.deviceId)
    for (;;) {
      reservations.push(...page.reservations)
      if (page.cursor === null) break
      page = await keyDirectory.pool(this.deviceId, page.cursor)
    }
    const prekeys = new Set(reservations.map(({ prekeyId }) => prekeyId))
    const left = stock.find(({ profile }) => profile === 'bound-v4')?.oneTime ?? 0
    const found: string[] = []
    if (prekeys.size !== reservations.length) found.push(`prekeys of ${this.deviceId}: one was given out twice`)
    if (isWithoutPrekeys ? left > 0 : left + reservations.length !== this.#uploaded)
      found.push(
        `prekeys of ${this.deviceId}: ${left} left and ${reservations.length} reserved of ${this.#uploaded} uploaded`,
      )
    return found
  }
}

/** Reservations of others' prekeys by one identity. */
export class PrekeyBook extends Book<PrekeyClaim> {
  readonly #sealer: Sealer
  readonly #targets: () => readonly PrekeyPool[]
  #count = 0

  constructor(sealer: Sealer, targets: () => readonly PrekeyPool[]) {
    super()
    this.#sealer = sealer
    this.#targets = targets
  }

  async next(): Promise<Planned | null> {
    const targets = this.#targets()
    const target = targets[this.#count % targets.length]
    this.#count += 1
    if (!target) return null
    const key = crypto.randomUUID()
    const { did, deviceId } = target
    const request = await this.#sealer.seal('POST', ({ keyDirectory }) => keyDirectory.reserve(did, deviceId, { key }))
    return this.planned(request, 200, { key, target })
  }

  /** Each idempotency key returns the same prekey and receipt; an unanswered one reserves once. */
  async faults(): Promise<string[]> {
    const found: string[] = []
    for (const { claim, answer } of this.heard) {
      const { receipt } = dataOf(answer, reservedPrekeySchema)
      found.push(...(await this.#again(claim, receipt.statement)))
    }
    found.push(...(await this.tryAgain(async (claim) => ({ data: await this.#reserve(claim) }))))
    return found
  }

  async #again(claim: PrekeyClaim, first: { reservationId: string; prekeyId: string }): Promise<string[]> {
    const what = `reservation ${claim.key}`
    try {
      const { reservationId, prekeyId } = (await this.#reserve(claim)).receipt.statement
      const isSame = first.reservationId === reservationId && first.prekeyId === prekeyId
      return isSame ? [] : [`${what}: has changed`]
    } catch (error) {
      return [saying(what, error)]
    }
  }

  async #reserve({ key, target }: PrekeyClaim): Promise<ReservedPrekey> {
    const { did, deviceId } = target
    const { package: _, ...reserved } = await this.#sealer.client.keyDirectory.reserve(did, deviceId, { key })
    return reserved
  }
}
