import type * as z from 'zod'
import { CAPABILITIES, type Capability, type SignedDeviceAcceptance } from '#protocol/base/device'
import { type InceptionHead, inceptionHeadSchema, type KnownInception } from '#protocol/base/inception-head'
import { jcs } from '#protocol/base/jcs'
import { signStatement } from '#protocol/base/statement'
import { watchTokenRecordSchema } from '#protocol/chain/watch'
import type { SignedDeviceAgreement } from '#protocol/devices/agreement'
import {
  type DeviceConfirmed,
  deviceConfirmedSchema,
  type InceptionAppended,
  type InceptionEvents,
  type InceptionHeadAnswer,
  inceptionAppendedSchema,
} from '#protocol/devices/api'
import { type AttestDevice, type ChangeDevice, eventHash, type InceptionEvent } from '#protocol/devices/inception'
import { answerSchema } from '#protocol/http/answer-schema'
import { checkNames } from '../arguments/check.ts'
import type { Chain } from '../chain/chain.ts'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { signerOf } from '../identity/signing-key.ts'
import { KnownLogs } from '../memory/known-logs.ts'
import { LogWriter } from '../memory/log-writer.ts'
import type { ServiceError } from '../transport/service-error.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import { headOfEvent, placeOfEvent, placeOfInception } from './inception-log.ts'
import { InceptionReader, type VerifiedInception } from './inception-reader.ts'
import { inceptionName, knownInception } from './known-inception.ts'

type Writer = LogWriter<AttestDevice | ChangeDevice, InceptionEvent | null, InceptionAppended>

export interface AttestOptions {
  /** What the device may do; defaults to what it asked for. */
  readonly capabilities?: readonly Capability[]
  /** When it expires, epoch ms; defaults to never. */
  readonly expiresAt?: number
  /** When the attestation ends unless the device has confirmed it (`confirm`), epoch ms; by default it need not. */
  readonly confirmBy?: number
  /**
   * A device of this identity with standing, whose key is available here. It signs an agreement, so that the new device
   * gains standing after a day. Without an agreement, that takes 30 days while any other device has standing.
   */
  readonly agreedBy?: Device
  /** An agreement from `device.agreement`, if the key of the agreeing device is elsewhere. Replaces `agreedBy`. */
  readonly agreement?: SignedDeviceAgreement
}

export type DeviceChange =
  | { readonly event: 'revoke' | 'suspend' | 'resume' }
  | { readonly event: 'capabilities'; readonly capabilities: readonly Capability[] }

export type { VerifiedInception } from './inception-reader.ts'

/** The devices of an identity and its inception log. */
export class Devices {
  // As results: see `safely`.
  readonly safeVerify = safeTwin(this, 'verify')
  readonly safeHead = safeTwin(this, 'head')

  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device
  readonly #reader: InceptionReader
  readonly #memory: KnownLogs
  readonly #writer: Writer

  constructor(parts: {
    readonly transport: Transport
    readonly core: string
    readonly owner: Identity | Device
    readonly chain: Chain
    readonly keys: KeyHistory
    readonly memory?: KnownLogs
  }) {
    this.#transport = parts.transport
    this.#base = parts.core
    this.#owner = parts.owner
    this.#memory = parts.memory ?? new KnownLogs()
    this.#reader = new InceptionReader({ ...parts, memory: this.#memory })
    this.#writer = this.#makeWriter()
  }

  /**
   * The head of the log, which the next event follows. Reads the events since the newest one that this client knows, and
   * throws a `HistoryError` if they do not follow it.
   */
  head(): Promise<InceptionHeadAnswer> {
    return this.#reader.head()
  }

  /**
   * The newest event that this client has seen, or the genesis block; null if neither. What it signs names it. Asks
   * nobody. A device has seen the event that attested it.
   */
  async known(): Promise<KnownInception> {
    return knownInception(this.#memory, this.#owner)
  }

  /** One page of the log, ascending; at most 20 events. Not verified: use `verify`. */
  page(from = 1): Promise<InceptionEvents> {
    return this.#reader.page(from)
  }

  /**
   * Reads the whole log and verifies it from the DID: the genesis block, the root keys, and every event with its
   * signatures. Returns the resulting devices and officers. Throws if anything does not verify, and a `HistoryError` if
   * the log does not contain everything that this client has seen of it.
   */
  async verify(): Promise<VerifiedInception> {
    return this.#reader.verify()
  }

  /** Signs the attestation of a device that has accepted, without sending it. `head` is what it follows. */
  async makeAttestation(
    acceptance: SignedDeviceAcceptance,
    head: InceptionHead,
    options: AttestOptions = {},
  ): Promise<AttestDevice> {
    const { deviceId, devicePublicKeyB64u, origin, capabilities } = acceptance.statement
    checkNames('devices.attest', 'capabilities', options.capabilities ?? [], CAPABILITIES)
    const statement: AttestDevice['statement'] = {
      type: 'svc/device-attestation/v1',
      realm: this.#transport.realm,
      ...this.#link(head),
      deviceId,
      devicePublicKeyB64u,
      origin,
      capabilities: [...(options.capabilities ?? capabilities)],
      expiresAt: options.expiresAt ?? null,
      ...(options.confirmBy === undefined ? {} : { confirmBy: options.confirmBy }),
      issuedAt: this.#transport.correctedNow(this.#base),
    }
    const { realm, issuedAt: now } = statement
    const inception = { sequence: head.sequence, hash: head.hash }
    const agreement = options.agreement ?? (await options.agreedBy?.agreement(acceptance, { realm, now, inception }))
    const signed = await signStatement(statement, signerOf(this.#root))
    return { ...signed, acceptance, ...(agreement && { agreement }) }
  }

  /** Signs a change to a device, without sending it. */
  makeChange(deviceId: string, change: DeviceChange, head: InceptionHead): Promise<ChangeDevice> {
    const { event } = change
    if ('capabilities' in change) checkNames('devices.change', 'capabilities', change.capabilities, CAPABILITIES)
    const statement = {
      type: 'svc/device-event/v1',
      realm: this.#transport.realm,
      ...this.#link(head),
      deviceId,
      event,
      ...('capabilities' in change ? { capabilities: [...change.capabilities] } : {}),
      issuedAt: this.#transport.correctedNow(this.#base),
    } as const
    return signStatement(statement, signerOf(this.#root))
  }

  /** Attests a device. Compare the confirmation code on its screen first. */
  async attest(acceptance: SignedDeviceAcceptance, options: AttestOptions = {}): Promise<AttestDevice> {
    const { sent } = await this.#writer.append({
      make: async (place) => this.makeAttestation(acceptance, headOfEvent(place), options),
      isSame: (event) =>
        'acceptance' in event &&
        event.acceptance.signatureB64u === acceptance.signatureB64u &&
        event.statement.expiresAt === (options.expiresAt ?? null) &&
        jcs(event.statement.capabilities) === jcs([...(options.capabilities ?? acceptance.statement.capabilities)]),
    })
    if (!('acceptance' in sent))
      throw unverified('inception', 'different_answer', 'Core answered for a different event')
    return sent
  }

  /**
   * As a device: confirms its attestation. Call it once the keys of the device are stored; otherwise a device that joined
   * by pairing ends an hour after its attestation. Also registers the watch token of the device, with which it can watch
   * its identity even after it was revoked (`client.watch`). Idempotent.
   */
  async confirm(): Promise<DeviceConfirmed> {
    const url = `${this.#base}/api/inception/device-confirmation`
    const confirmed = await this.#transport.data({ method: 'POST', url, audience: 'genesis' }, deviceConfirmedSchema)
    if (!('deviceId' in this.#owner) || confirmed.deviceId !== this.#owner.deviceId)
      throw unverified('device', 'different_answer', 'Core answered for a different device', { evidence: confirmed })
    await this.#makeWatchToken(this.#owner)
    return confirmed
  }

  /** Permanently revokes a device. In force for every mutation when this returns. */
  revoke(deviceId: string): Promise<InceptionAppended> {
    return this.change(deviceId, { event: 'revoke' })
  }

  /** Suspends a device until it is resumed. */
  suspend(deviceId: string): Promise<InceptionAppended> {
    return this.change(deviceId, { event: 'suspend' })
  }

  resume(deviceId: string): Promise<InceptionAppended> {
    return this.change(deviceId, { event: 'resume' })
  }

  async change(deviceId: string, change: DeviceChange): Promise<InceptionAppended> {
    const { answer } = await this.#writer.append({
      make: async (place) => this.makeChange(deviceId, change, headOfEvent(place)),
      isSame: ({ statement }) =>
        statement.type === 'svc/device-event/v1' &&
        statement.deviceId === deviceId &&
        jcs({ ...change }) === jcs(changeOf(statement)),
    })
    return answer
  }

  /** Sends up to ten events atomically. Each names the previous one (`following`). */
  async batch(events: readonly (AttestDevice | ChangeDevice)[]): Promise<InceptionAppended> {
    const appended = await this.#append('/api/inception/device-batch', { events }, events)
    const newest = await this.#reader.log.newest()
    const last = events.at(-1)
    // Signed on a head that the caller has; what this client has not seen is read when the head is.
    if (last && newest?.hash === events[0]?.statement.previousHash) {
      await this.#reader.log.appended({ ...placeOfEvent(last), signed: last })
    }
    return appended
  }

  async #append(path: string, body: unknown, events: readonly InceptionEvent[]): Promise<InceptionAppended> {
    const appended = await this.#post(path, body, inceptionAppendedSchema)
    const last = events.at(-1)
    if (!last || appended.hash !== eventHash(last))
      throw unverified('inception', 'different_answer', 'Core answered for a different event')
    return appended
  }

  #makeWriter(): Writer {
    return new LogWriter({
      memory: this.#memory,
      log: () => ({ name: inceptionName(this.#owner.did), remembered: this.#reader.log }),
      pieceOf: (event) => ({ ...placeOfEvent(event), signed: event }),
      head: async () => placeOfInception(await this.head()),
      send: (event) =>
        this.#append('acceptance' in event ? '/api/inception/device' : '/api/inception/device-event', event, [event]),
      isThere: ({ details }, event) => {
        const earlier = answerSchema(inceptionAppendedSchema).safeParse(details['appended'])
        return earlier.success && earlier.data.hash === eventHash(event) ? earlier.data : null
      },
      movedTo: movedInceptionHead,
      isOurs: ({ statement }) => statement.rootEpoch === this.#root.epoch,
      // A retry cannot succeed: core rejects what breaks the rules of the log, such as an expired acceptance.
      keepsRefused: false,
    })
  }

  /** Registers the watch token of a device. Does nothing if a signer holds its keys: it must create a token itself. */
  async #makeWatchToken(device: Device): Promise<void> {
    const token = await device.watchToken()
    if (!token) return
    const [url, body] = [`${this.#base}/api/chain/watch`, { tokenHash: token.tokenHash }]
    await this.#transport.data({ method: 'POST', url, audience: 'chain', body }, watchTokenRecordSchema)
  }

  get #root(): Identity {
    if (this.#owner instanceof Identity) return this.#owner
    throw new TypeError('Only the root key can change devices')
  }

  #link({ sequence, hash }: InceptionHead) {
    const { did, scope, epoch } = this.#root
    return { did, scope, sequence: sequence + 1, previousHash: hash, rootEpoch: epoch }
  }

  #post<S extends z.ZodType>(path: string, body: unknown, schema: S): Promise<z.output<S>> {
    return this.#transport.data({ method: 'POST', url: this.#base + path, audience: 'genesis', body }, schema)
  }
}

function changeOf({ event, capabilities }: ChangeDevice['statement']) {
  return { event, ...(capabilities ? { capabilities } : {}) }
}

function movedInceptionHead({ error, details }: ServiceError) {
  const head = answerSchema(inceptionHeadSchema).safeParse(details['head'])
  return error === 'stale_inception_head' && head.success ? placeOfInception(head.data) : null
}
