import { genesisFault } from '@svc/protocol/chain'
import type { Capability, SignedDeviceAcceptance } from '@svc/protocol/device'
import {
  type AttestDevice,
  type ChangeDevice,
  type Device as DeviceState,
  eventHash,
  type InceptionEvent,
  type InceptionHead,
  inceptionHeadSchema,
} from '@svc/protocol/inception'
import {
  type InceptionAppended,
  type InceptionEvents,
  type InceptionHeadAnswer,
  inceptionAppendedSchema,
  inceptionEventsSchema,
  inceptionHeadAnswerSchema,
} from '@svc/protocol/inception-api'
import { InceptionVerifier } from '@svc/protocol/inception-verifier'
import type { Roster } from '@svc/protocol/officers'
import { signStatement } from '@svc/protocol/statement'
import type * as z from 'zod'
import type { Chain } from './chain.ts'
import type { Device } from './device.ts'
import { Identity } from './identity.ts'
import type { KeyHistory } from './key-history.ts'
import { checkOfficerKeys } from './officer-keys.ts'
import { ServiceError } from './service-error.ts'
import type { Transport } from './transport.ts'

/** How often an event follows a head that others have moved before it gives up. */
const MAX_REBASES = 8

export interface AttestOptions {
  /** What the device may do; what it asked for unless given. */
  readonly capabilities?: readonly Capability[]
  /** When it stops being accepted, epoch ms; never unless given. */
  readonly expiresAt?: number
}

export type DeviceChange =
  | { readonly event: 'revoke' | 'suspend' | 'resume' }
  | { readonly event: 'capabilities'; readonly capabilities: readonly Capability[] }

/** What an inception log that holds amounts to. */
export interface VerifiedInception {
  readonly devices: readonly DeviceState[]
  /** The ML-KEM-768 key of each device, by its id. */
  readonly kemKeys: ReadonlyMap<string, string>
  /** The event that took each device in. */
  readonly attestations: readonly AttestDevice[]
  readonly roster: Roster | null
  readonly head: InceptionHead
}

/** The devices of an identity and its inception log (document 1 section 4.3). */
export class Devices {
  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device
  readonly #chain: Chain
  readonly #keys: KeyHistory

  constructor(transport: Transport, base: string, owner: Identity | Device, chain: Chain, keys: KeyHistory) {
    this.#transport = transport
    this.#base = base
    this.#owner = owner
    this.#chain = chain
    this.#keys = keys
  }

  /** The head of the log: what the next event names as the one before it. */
  head(): Promise<InceptionHeadAnswer> {
    return this.#post('/api/inception/head', { scope: this.#owner.scope }, inceptionHeadAnswerSchema)
  }

  /** One page of the log, ascending; at most 20 events. Nothing in it is verified yet: see `verify`. */
  page(from = 1): Promise<InceptionEvents> {
    const url = `${this.#base}/api/inception/events?from=${from}`
    return this.#transport.data({ method: 'GET', url, audience: 'genesis' }, inceptionEventsSchema)
  }

  /**
   * Reads the whole log and verifies it from the DID on: the genesis block, the root keys, and every event with its
   * signatures. Gives the devices and officers that it amounts to. Throws when anything does not hold.
   */
  async verify(): Promise<VerifiedInception> {
    const { did } = this.#owner
    const genesis = await this.#chain.readGenesis(did)
    if (genesisFault(genesis.block)) throw new Error('the genesis record is not of this DID')
    const verifier = new InceptionVerifier(await this.#keys.of(did), genesis.hash)
    const kemKeys = new Map<string, string>()
    const attestations: AttestDevice[] = []
    for (let from: number | null = 1; from !== null; ) {
      const page: InceptionEvents = await this.page(from)
      for (const event of page.events) {
        const next = await verifier.next(event)
        if (!next.ok) throw new Error(`the inception log breaks at ${event.statement.sequence}: ${next.error.reason}`)
        await checkOfficerKeys(event, this.#keys)
        if ('acceptance' in event) {
          const { deviceId, kemPublicKeyB64u } = event.acceptance.statement
          kemKeys.set(deviceId, kemPublicKeyB64u)
          attestations.push(event)
        }
      }
      const isContinued = page.events.length > 0 && page.next === verifier.head.sequence + 1
      if (page.next !== null && !isContinued) throw new Error('the log has a gap')
      if (page.next === null && page.head.hash !== verifier.head.hash) throw new Error('the log was cut short')
      from = page.next
    }
    return { devices: verifier.devices, kemKeys, attestations, roster: verifier.roster, head: verifier.head }
  }

  /** Signs the attestation of a device that has accepted, and sends nothing. `head` is what it follows. */
  async makeAttestation(
    acceptance: SignedDeviceAcceptance,
    head: InceptionHead,
    options: AttestOptions = {},
  ): Promise<AttestDevice> {
    const { deviceId, devicePublicKeyB64u, origin, capabilities } = acceptance.statement
    const statement: AttestDevice['statement'] = {
      type: 'svc/device-attestation/v1',
      ...this.#link(head),
      deviceId,
      devicePublicKeyB64u,
      origin,
      capabilities: [...(options.capabilities ?? capabilities)],
      expiresAt: options.expiresAt ?? null,
      issuedAt: this.#transport.now(),
    }
    return { ...(await signStatement(statement, (message) => this.#root.sign(message))), acceptance }
  }

  /** Signs a change to a device, and sends nothing. */
  makeChange(deviceId: string, change: DeviceChange, head: InceptionHead): Promise<ChangeDevice> {
    const { event } = change
    const statement = {
      type: 'svc/device-event/v1',
      ...this.#link(head),
      deviceId,
      event,
      ...('capabilities' in change ? { capabilities: [...change.capabilities] } : {}),
      issuedAt: this.#transport.now(),
    } as const
    return signStatement(statement, (message) => this.#root.sign(message))
  }

  /** Takes a device in. Compare the confirmation code with whoever holds it first. */
  async attest(acceptance: SignedDeviceAcceptance, options: AttestOptions = {}): Promise<AttestDevice> {
    const { event } = await this.#follow('/api/inception/device', (head) =>
      this.makeAttestation(acceptance, head, options),
    )
    return event
  }

  /** Ends a device for good: its key never comes back. In force for every mutation when this returns. */
  revoke(deviceId: string): Promise<InceptionAppended> {
    return this.change(deviceId, { event: 'revoke' })
  }

  /** Stops a device until it is resumed. */
  suspend(deviceId: string): Promise<InceptionAppended> {
    return this.change(deviceId, { event: 'suspend' })
  }

  resume(deviceId: string): Promise<InceptionAppended> {
    return this.change(deviceId, { event: 'resume' })
  }

  async change(deviceId: string, change: DeviceChange): Promise<InceptionAppended> {
    const make = (head: InceptionHead) => this.makeChange(deviceId, change, head)
    return (await this.#follow('/api/inception/device-event', make)).appended
  }

  /** Several events at once, at most ten: all are taken or none is. Each names the one before it (`following`). */
  batch(events: readonly (AttestDevice | ChangeDevice)[]): Promise<InceptionAppended> {
    return this.#append('/api/inception/device-batch', { events }, events)
  }

  /** The head as it will be after an event. */
  static following(event: InceptionEvent): InceptionHead {
    return { sequence: event.statement.sequence, hash: eventHash(event) }
  }

  async #append(path: string, body: unknown, events: readonly InceptionEvent[]): Promise<InceptionAppended> {
    const appended = await this.#post(path, body, inceptionAppendedSchema)
    const last = events.at(-1)
    if (!last || appended.hash !== eventHash(last)) throw new Error('core answered for another event')
    return appended
  }

  /** Signs an event on the head, and anew when another writer was faster; one whose answer was lost is found in place. */
  async #follow<E extends AttestDevice | ChangeDevice>(
    path: string,
    make: (head: InceptionHead) => Promise<E>,
  ): Promise<{ readonly event: E; readonly appended: InceptionAppended }> {
    let head: InceptionHead = await this.head()
    for (let attempt = 0; ; attempt++) {
      const event = await make(head)
      const outcome = await this.#submit(path, event)
      if (outcome.ok) return { event, appended: outcome.value }
      if (attempt === MAX_REBASES) throw outcome.error
      head = outcome.head
    }
  }

  /** Sends an event as it is. A connection that breaks is tried once more with the same event. */
  async #submit(path: string, event: AttestDevice | ChangeDevice) {
    const send = () => this.#append(path, event, [event])
    try {
      const value = await send().catch((error: unknown) =>
        error instanceof TypeError ? send() : Promise.reject(error instanceof Error ? error : new Error('a fault')),
      )
      return { ok: true as const, value }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const earlier = inceptionAppendedSchema.safeParse(error.details['appended'])
      if (earlier.success && earlier.data.hash === eventHash(event)) return { ok: true as const, value: earlier.data }
      const head = inceptionHeadSchema.safeParse(error.details['head'])
      if (error.error !== 'stale_inception_head' || !head.success) throw error
      return { ok: false as const, error, head: head.data }
    }
  }

  get #root(): Identity {
    if (this.#owner instanceof Identity) return this.#owner
    throw new TypeError('devices are changed by the root key')
  }

  #link({ sequence, hash }: InceptionHead) {
    const { did, scope, epoch } = this.#root
    return { did, scope, sequence: sequence + 1, previousHash: hash, rootEpoch: epoch }
  }

  #post<S extends z.ZodType>(path: string, body: unknown, schema: S): Promise<z.output<S>> {
    return this.#transport.data({ method: 'POST', url: this.#base + path, audience: 'genesis', body }, schema)
  }
}
