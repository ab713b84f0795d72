import type { SignedDeviceAcceptance } from '@svc/protocol/base/device'
import type { InceptionHead } from '@svc/protocol/base/inception-head'
import { blockHash } from '@svc/protocol/chain/chain'
import { type AttestDevice, eventHash, type InceptionEvent } from '@svc/protocol/devices/inception'
import { Client } from '../../src/client.ts'
import { Device } from '../../src/identity/device.ts'
import { REALM } from '../realm.ts'
import { alice, mallory, seeds } from '../sides.ts'
import { genesisOf } from './chain.ts'
import { data, keyAnswers, type Lie, NOW, OTHER_REALM, signedBy, verifying } from './situation.ts'

const owner = new Client({ core: 'https://core.test', did: 'https://did.test', identity: alice, now: () => NOW })
export const device = (byte: number) =>
  Device.fromSeeds(seeds(byte), { origin: 'app:test', capabilities: ['chain:read'] })
export const headOf = (event: InceptionEvent) => ({ sequence: event.statement.sequence, hash: eventHash(event) })

async function attested(byte: number, head: InceptionHead, expiresAt?: number): Promise<AttestDevice> {
  const acceptance = await (await device(byte)).acceptance(alice.did, { realm: REALM, now: NOW, inception: head })
  return owner.devices.makeAttestation(acceptance, head, expiresAt === undefined ? {} : { expiresAt })
}

/** A log of two devices, the first of them revoked. */
export async function deviceLog() {
  const block = await genesisOf(alice)
  const { did, scope, userId } = alice
  const record = { did, scope, userId, block, commitment: null, hash: blockHash(block), createdAt: NOW }
  const first = await attested(3, { sequence: 0, hash: record.hash })
  const second = await attested(4, headOf(first))
  const revoked = await owner.devices.makeChange(first.statement.deviceId, { event: 'revoke' }, headOf(second))
  const situation = {
    events: [first, second, revoked] as InceptionEvent[],
    shown: {} as Record<string, unknown>,
    record,
    options: { identity: alice },
    args: () => [],
    answers: () => ({
      ...keyAnswers(alice),
      [`/api/genesis/${did}`]: data(situation.record),
      '/api/inception/head': data({ did, scope, ...headOf(situation.events.at(-1)!), rootEpoch: 0 }),
      '/api/inception/events': (query: URLSearchParams) => {
        const events = situation.events.slice(Number(query.get('from')) - 1)
        return data({ events, next: null, head: headOf(situation.events.at(-1)!), ...situation.shown })
      },
    }),
  }
  return situation
}
type Log = Awaited<ReturnType<typeof deviceLog>>

/** The event with other members, signed anew. */
const resigned = async (s: Log, at: number, changes: object, by = alice) => {
  const event = s.events[at]!
  const signed = await signedBy(by, event.statement as object, changes)
  s.events[at] = { ...event, ...signed } as InceptionEvent
}

/** Returns the agreement of the first device to an acceptance, next to the second attestation. */
async function agreeing(s: Log, acceptance: SignedDeviceAcceptance) {
  const first = await (await device(3)).attested(
    s.events[0] as AttestDevice,
    [{ epoch: 0, userId: alice.userId, publicKeyB64u: alice.publicKeyB64u }],
    [REALM],
  )
  const agreement = await first.agreement(acceptance, { realm: REALM, now: NOW })
  Object.assign(s.events[1]!, { agreement })
  return agreement
}

const lies: readonly Lie<Log>[] = [
  {
    lie: 'changes an event',
    tell: (s) => {
      const event = s.events[1]!
      s.events[1] = { ...event, statement: { ...event.statement, issuedAt: NOW + 1 } } as InceptionEvent
    },
    subject: 'inception',
    reason: 'invalid_signature',
    where: { sequence: 2 },
  },
  {
    lie: 'shows an event signed by another key',
    tell: (s) => resigned(s, 2, {}, mallory),
    subject: 'inception',
    reason: 'invalid_signature',
    where: { sequence: 3 },
  },
  {
    lie: 'shows an event for another deployment',
    tell: (s) => resigned(s, 2, { realm: OTHER_REALM }),
    subject: 'inception',
    reason: 'invalid_signature',
    where: { sequence: 3 },
  },
  {
    lie: 'shows an event of another identity',
    tell: (s) => resigned(s, 2, { did: mallory.did }),
    subject: 'inception',
    reason: 'owner_mismatch',
    where: { sequence: 3 },
  },
  {
    lie: 'shows a device with the acceptance of another',
    tell: async (s) => {
      const { acceptance } = await attested(5, headOf(s.events[0]!))
      Object.assign(s.events[1]!, { acceptance })
    },
    subject: 'inception',
    reason: 'device_mismatch',
    where: { sequence: 2 },
  },
  {
    lie: 'shows a device with an acceptance of an event that the log does not have',
    tell: async (s) => {
      const head = { ...headOf(s.events[0]!), hash: 'a7'.repeat(48) }
      const { acceptance } = await attested(4, head)
      Object.assign(s.events[1]!, { acceptance })
    },
    subject: 'inception',
    reason: 'unknown_head',
    where: { sequence: 2 },
  },
  {
    lie: 'brings a device back by an acceptance that was used before',
    tell: async (s) => {
      const first = headOf(s.events[0]!)
      const ending = await attested(4, first, NOW + 1)
      const again = await owner.devices.makeAttestation(ending.acceptance, headOf(ending))
      s.events.splice(1, 2, ending, again)
    },
    subject: 'inception',
    reason: 'older_head',
    where: { sequence: 3 },
  },
  {
    lie: 'shows an agreement to another device',
    tell: async (s) => {
      const other = await (await device(5)).acceptance(alice.did, { realm: REALM, now: NOW })
      await agreeing(s, other)
    },
    subject: 'inception',
    reason: 'agreement_mismatch',
    where: { sequence: 2 },
  },
  {
    lie: 'shows an agreement that the device did not sign',
    tell: async (s) => {
      const { statement } = await agreeing(s, (s.events[1] as AttestDevice).acceptance)
      Object.assign(s.events[1]!, { agreement: await signedBy(mallory, statement, {}) })
    },
    subject: 'inception',
    reason: 'invalid_signature',
    where: { sequence: 2 },
  },
  {
    lie: 'leaves out an event in the middle',
    tell: (s) => void s.events.splice(1, 1),
    subject: 'inception',
    reason: 'stale_inception_head',
    where: { sequence: 3 },
  },
  {
    lie: 'leaves out a page',
    tell: (s) => {
      s.shown = { next: 9 }
    },
    subject: 'inception',
    reason: 'left_out',
    where: { sequence: 4 },
  },
  {
    lie: 'leaves out the newest event',
    tell: (s) => {
      s.shown = { head: headOf(s.events[2]!) }
      s.events.pop()
    },
    subject: 'inception',
    reason: 'left_out',
    where: { sequence: 3 },
  },
  {
    lie: 'shows the genesis block of another identity',
    tell: async (s) => void Object.assign(s.record, { did: mallory.did }),
    subject: 'genesis',
    reason: 'bad_genesis',
  },
  {
    lie: 'shows the log without the revocation that it showed before',
    tell: (s) => void s.events.pop(),
    subject: 'inception',
    reason: 'rollback',
    where: { position: 2 },
    afterTruth: true,
  },
  {
    lie: 'shows another log than before',
    tell: async (s) => {
      const { deviceId } = (s.events[1] as AttestDevice).statement
      s.events[2] = await owner.devices.makeChange(deviceId, { event: 'suspend' }, headOf(s.events[1]!))
    },
    subject: 'inception',
    reason: 'fork',
    where: { position: 3 },
    afterTruth: true,
  },
]

export const DEVICES = [
  verifying({ name: 'client.devices.verify', honest: deviceLog, lies }),
  verifying({ name: 'client.devices.head', honest: deviceLog, lies: lies.filter(({ afterTruth }) => afterTruth) }),
]
