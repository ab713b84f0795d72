import { type Client, Device, ForkError, Identity, type MemoryValue, RollbackError, UnprovedError } from '@svc/client'
import { inceptionHeadAfter } from '@svc/client/functions'
import type { GenesisBlock } from '@svc/protocol/chain/chain'
import type { AttestDevice, ChangeDevice } from '@svc/protocol/devices/inception'
import { REALM } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  changed,
  clientIn,
  expectFound,
  type Lie,
  refusing,
  replayEvent,
  type World,
  world,
  worldOf,
} from './worlds.fixture.ts'

const capabilities = ['chain:read', 'notes:read'] as const
const newDevice = () => Device.create({ origin: 'app:testing', capabilities })

let alice: Identity
let genesis: GenesisBlock
let phone: Device
let tablet: Device
let memory: MemoryValue
let attested: AttestDevice
/** The phone was attested, suspended and revoked. The others do not say so. */
let truth: World
let older: World
let empty: World
let fork: World
let longFork: World

/** A log in which the phone is not revoked. */
async function branch(events: readonly (AttestDevice | ChangeDevice)[], changes: number): Promise<World> {
  const there = await worldOf(alice, genesis)
  for (const event of events) await replayEvent(there, alice, event)
  const { devices } = clientIn(there, { identity: alice })
  for (let i = 0; i < changes; i++) await devices.change(phone.deviceId, { event: i % 2 === 0 ? 'suspend' : 'resume' })
  return there
}

beforeAll(async () => {
  alice = await Identity.create()
  ;[phone, tablet] = [await newDevice(), await newDevice()]
  truth = world()
  const client = clientIn(truth, { identity: alice })
  genesis = await client.chain.makeGenesis()
  await client.chain.genesis({ block: genesis })
  attested = await client.devices.attest(await phone.acceptance(alice.did, { realm: REALM, now: Date.now() }))
  const suspended = await client.devices.makeChange(phone.deviceId, { event: 'suspend' }, inceptionHeadAfter(attested))
  await client.devices.batch([suspended])
  await client.devices.revoke(phone.deviceId)
  memory = await client.memory.export()
  older = await branch([attested, suspended], 0)
  empty = await branch([], 0)
  fork = await branch([attested], 2)
  longFork = await branch([attested], 4)
}, 60_000)

const head = (client: Client) => client.devices.head()
const page = (client: Client) => client.devices.page()
const verify = (client: Client) => client.devices.verify()
const attest = async (client: Client) =>
  client.devices.attest(await tablet.acceptance(alice.did, { realm: REALM, now: Date.now() }))
const revoke = (client: Client) => client.devices.revoke(phone.deviceId)
/** The phone would be a reader of the note. */
const write = (client: Client) => client.notes.put({ body: 'not for a revoked phone' })
const ahead = { sequence: 9, hash: 'a7'.repeat(48) }
const stale = (named: () => object) => () =>
  refusing(truth, /device/, { status: 409, error: 'stale_inception_head', details: { head: named(), appended: null } })
const pieceAt = (position: number) => {
  const log = memory.logs.find(({ kind }) => kind === 'inception')
  return { sequence: position, hash: log?.pieces.at(-1)?.hash ?? '' }
}

const LIES: Record<string, Lie> = {
  'an older head': { told: () => older, ask: head, error: RollbackError },
  'an older page': { told: () => older, ask: page, error: RollbackError },
  'a log that ends before a revocation': { told: () => older, ask: verify, error: RollbackError },
  'a log that ends before a revocation, to attest on': { told: () => older, ask: attest, error: RollbackError },
  'a log that ends before a revocation, to encrypt by': { told: () => older, ask: write, error: RollbackError },
  'an empty log': { told: () => empty, ask: head, error: RollbackError },
  'an empty log, to attest on': { told: () => empty, ask: attest, error: RollbackError },
  'an empty log, to encrypt by': { told: () => empty, ask: write, error: RollbackError },
  'another head in its place': { told: () => fork, ask: head, error: ForkError },
  'another log in place of the one with a revocation': { told: () => fork, ask: verify, error: ForkError },
  'another log in its place, to attest on': { told: () => fork, ask: attest, error: ForkError },
  'another log in its place, to encrypt by': { told: () => fork, ask: write, error: ForkError },
  'a longer head on another branch': { told: () => longFork, ask: head, error: ForkError },
  'a longer log without the revocation': { told: () => longFork, ask: verify, error: ForkError },
  'a longer log without the revocation, to attest on': { told: () => longFork, ask: attest, error: ForkError },
  'a longer log without the revocation, to revoke on': { told: () => longFork, ask: revoke, error: ForkError },
  'a longer log without the revocation, to encrypt by': { told: () => longFork, ask: write, error: ForkError },
  'a head that no event leads to': {
    told: () => changed(truth, /head$/, (data) => ({ ...data, ...ahead })),
    ask: attest,
    error: UnprovedError,
  },
  'a refusal that names an older head': {
    told: stale(() => ({ ...pieceAt(1) })),
    ask: attest,
    error: RollbackError,
    signs: 1,
  },
  'a refusal that names another head in its place': {
    told: stale(() => ({ ...ahead, sequence: 3 })),
    ask: attest,
    error: ForkError,
    signs: 1,
  },
  'a refusal that names a head that nobody signed': {
    told: stale(() => ahead),
    ask: attest,
    error: UnprovedError,
    signs: 1,
  },
  'a refusal that names the very head': { told: stale(() => pieceAt(3)), ask: attest, error: UnprovedError, signs: 1 },
}

describe('a client that knows an inception log is not told', () => {
  it.each(Object.entries(LIES))('%s', async (_, lie) => expectFound({ identity: alice }, memory, lie))
})

describe('two clients that were shown different inception logs', () => {
  it('find out when one gives its memory to the other', async () => {
    const other = clientIn(fork, { identity: alice })
    await other.devices.verify()
    const client = clientIn(truth, { identity: alice }, memory)
    await expect(client.memory.merge(await other.memory.export())).rejects.toThrow(ForkError)
  })

  it('find out at the next call, if one saw more', async () => {
    const other = clientIn(longFork, { identity: alice })
    await other.devices.verify()
    const client = clientIn(longFork, { identity: alice }, memory)
    await client.memory.merge(await other.memory.export())
    await expect(client.devices.head()).rejects.toThrow(ForkError)
  })
})

describe('a client', () => {
  it('accepts what another honest client signed, and what was refused does not stand in its way', async () => {
    const there = await branch([attested], 0)
    const [one, two] = [clientIn(there, { identity: alice }), clientIn(there, { identity: alice })]
    await one.devices.verify()
    await two.devices.suspend(phone.deviceId)
    await expect(one.devices.revoke(tablet.deviceId)).rejects.toMatchObject({ error: 'not_found' })
    expect(await one.devices.revoke(phone.deviceId)).toMatchObject({ sequence: 3 })
  })
})
