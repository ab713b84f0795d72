import type { InceptionHead } from '#protocol/base/inception-head'
import type { HybridKey } from '#protocol/base/key-agreement'
import { genesisFault } from '#protocol/chain/chain'
import {
  type InceptionEvents,
  type InceptionHeadAnswer,
  inceptionEventsSchema,
  inceptionHeadAnswerSchema,
} from '#protocol/devices/api'
import {
  type AttestDevice,
  type Device as DeviceState,
  endingUnconfirmed,
  type InceptionEvent,
} from '#protocol/devices/inception'
import type { Roster } from '#protocol/devices/officers'
import type { InceptionStep } from '#protocol/devices/signer-standing'
import { InceptionVerifier } from '#protocol/devices/verifier'
import type { Chain } from '../chain/chain.ts'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Device } from '../identity/device.ts'
import type { Identity } from '../identity/identity.ts'
import type { Piece } from '../memory/errors.ts'
import type { KnownLogs } from '../memory/known-logs.ts'
import { linkedLog } from '../memory/linked-log.ts'
import { RememberedLog } from '../memory/remembered-log.ts'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'
import { inceptionLog, placeOfInception } from './inception-log.ts'
import { OfficerKeys } from './officer-keys.ts'

/** The state that a verified inception log produces. */
export interface VerifiedInception {
  readonly devices: readonly DeviceState[]
  /** The keys to encrypt to of each device, by its id. */
  readonly kemKeys: ReadonlyMap<string, HybridKey>
  /** When each active device without standing will gain it, epoch ms, by device id. Claimed by core, not in the log. */
  readonly waiting: ReadonlyMap<string, number>
  /** The event that attested each device. */
  readonly attestations: readonly AttestDevice[]
  readonly roster: Roster | null
  readonly head: InceptionHead
  /** The genesis block and every event, by sequence: what tells whether a key could sign a statement. */
  readonly steps: readonly InceptionStep[]
}

interface Parts {
  readonly transport: Transport
  readonly core: string
  readonly owner: Identity | Device
  readonly chain: Chain
  readonly keys: KeyHistory
  readonly memory: KnownLogs
}

/** Reads the inception log of an identity, and verifies it from the DID. */
export class InceptionReader {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The log, as the rule of memory reads it. */
  get log(): RememberedLog<InceptionEvent | null> {
    const { transport, owner, chain, keys, memory } = this.#parts
    const { did } = owner
    const log = inceptionLog({
      did,
      keys,
      realms: transport.realms,
      events: (from) => this.#eventsFrom(from),
      genesisHash: async () => (await chain.readGenesis(did)).hash,
    })
    return new RememberedLog(memory, linkedLog(log))
  }

  head(): Promise<InceptionHeadAnswer> {
    const { transport, core, owner } = this.#parts
    const call = {
      method: 'POST',
      url: `${core}/api/inception/head`,
      audience: 'genesis',
      body: { scope: owner.scope },
    } as const
    return this.log.ask(() => transport.data(call, inceptionHeadAnswerSchema), placeOfInception)
  }

  page(from: number): Promise<InceptionEvents> {
    return this.log.glance(
      () => this.#readPage(from),
      ({ head }) => placeOfInception(head),
    )
  }

  async verify(): Promise<VerifiedInception> {
    const { transport, owner, chain, keys } = this.#parts
    const { did } = owner
    const genesis = await chain.readGenesis(did)
    if (genesisFault(genesis.block))
      throw unverified('genesis', 'bad_genesis', 'The genesis record does not match the DID', { evidence: genesis })
    const verifier = new InceptionVerifier(await keys.of(did), genesis.hash, transport.realms)
    const officerKeys = new OfficerKeys(keys)
    const replay = await this.log.replay()
    let last: Piece<InceptionEvent | null> = { position: 0, hash: genesis.hash, signed: null }
    const kemKeys = new Map<string, HybridKey>()
    const attestations: AttestDevice[] = []
    // Core’s word: the log does not have it.
    let unconfirmed = new Set<string>()
    let waiting = new Map<string, number>()
    for (let from: number | null = 1; from !== null; ) {
      const page: InceptionEvents = await this.page(from)
      unconfirmed = new Set(page.unconfirmed)
      waiting = new Map(page.waiting?.map(({ deviceId, countsAt }) => [deviceId, countsAt]))
      for (const event of page.events) {
        const next = await verifier.next(event)
        if (!next.ok)
          throw unverified(
            'inception',
            next.error.reason,
            `The inception log is invalid at ${event.statement.sequence}: ${next.error.reason}`,
            { where: { sequence: event.statement.sequence }, evidence: event },
          )
        await officerKeys.check(event)
        last = { ...placeOfInception(next.value), signed: event }
        replay.saw(last)
        if ('acceptance' in event) {
          const { deviceId, kemPublicKeyB64u, x25519B64u } = event.acceptance.statement
          kemKeys.set(deviceId, { kemPublicKeyB64u, x25519B64u })
          attestations.push(event)
        }
      }
      const isContinued = page.events.length > 0 && page.next === verifier.head.sequence + 1
      if (page.next !== null && !isContinued)
        throw unverified('inception', 'left_out', 'The log has a gap', {
          where: { sequence: verifier.head.sequence + 1 },
        })
      if (page.next === null && page.head.hash !== verifier.head.hash)
        throw unverified('inception', 'left_out', 'The log was truncated', { where: { sequence: page.head.sequence } })
      from = page.next
    }
    await replay.end(last)
    const { roster, head, steps } = verifier
    const devices = verifier.devices.map((device) =>
      unconfirmed.has(device.deviceId) ? endingUnconfirmed(device) : device,
    )
    return { devices, kemKeys, waiting, attestations, roster, head, steps }
  }

  #readPage(from: number): Promise<InceptionEvents> {
    const url = `${this.#parts.core}/api/inception/events?from=${from}`
    return this.#parts.transport.data({ method: 'GET', url, audience: 'genesis' }, inceptionEventsSchema)
  }

  async *#eventsFrom(first: number): AsyncGenerator<InceptionEvent> {
    for (let from: number | null = first; from !== null; ) {
      const { events, next }: InceptionEvents = await this.#readPage(from)
      yield* events
      from = next === null || events.length === 0 ? null : from + events.length
    }
  }
}
