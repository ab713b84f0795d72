import { hashTextHex } from '@svc/protocol/base/hash'
import { signStatement } from '@svc/protocol/base/statement'
import { blockHash, type ChainBlock, type EpochKey, verifyChain } from '@svc/protocol/chain/chain'
import { eventHash, type InceptionEvent } from '@svc/protocol/devices/inception'
import { InceptionVerifier } from '@svc/protocol/devices/verifier'
import { NO_ORG_EVENT, type OrgEvent, orgEventHash } from '@svc/protocol/did/org-bindings'
import { OrgRosterVerifier } from '@svc/protocol/did/org-roster'
import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.ts'
import { alice, heirOfAlice, mallory, seeds } from '../../test/sides.ts'
import { signerOf } from '../../test/signer.ts'
import { chainLog } from '../chain/chain-log.ts'
import { Client } from '../client.ts'
import { inceptionLog } from '../devices/inception-log.ts'
import { orgLog } from '../did/org-log.ts'
import { Device } from '../identity/device.ts'
import type { Identity } from '../identity/identity.ts'
import type { Piece } from './errors.ts'
import { follow } from './extension.ts'
import { type LinkedLog, linkedLog } from './linked-log.ts'

/** Who signs an entry: the genesis key, the key after it, or somebody else in the name of the latter. */
const SIGNERS = ['first', 'second', 'stranger'] as const
type By = (typeof SIGNERS)[number]

const NOW = 1_790_000_000_000
const { heir } = await heirOfAlice()
const { did, scope } = alice
const keys: [EpochKey, ...EpochKey[]] = [
  { epoch: 0, userId: alice.userId, publicKeyB64u: alice.publicKeyB64u },
  { epoch: 1, userId: heir.userId, publicKeyB64u: heir.publicKeyB64u },
]
const history = { of: () => Promise.resolve(keys) as never }
const clientOf = (identity: Identity) =>
  new Client({ core: 'https://core.test', did: 'https://did.test', identity, now: () => NOW })
const clients = { first: clientOf(alice), second: clientOf(heir), stranger: clientOf(mallory) }
const rootOf = { first: alice, second: heir, stranger: mallory }

/** One kind of log: how an entry is made, and both ways to read. */
interface Grown<E> {
  readonly begin: (by: By) => Promise<E>
  readonly next: (before: E, by: By) => Promise<E>
  readonly log: (entries: readonly E[]) => LinkedLog<E>
  readonly isWhole: (entries: readonly E[]) => Promise<boolean>
}

async function* from<E>(entries: readonly E[], first: number) {
  yield* entries.slice(first)
}

const chain: Grown<ChainBlock> = {
  begin: (by) => clients[by].chain.makeGenesis(),
  next: (before, by) => clients[by].chain.makeBlock({ index: before.index, hash: blockHash(before as never) }, {}),
  log: (blocks) => chainLog({ did, own: null, keys: history, blocks: (first) => from(blocks, first) }),
  isWhole: async (blocks) => (await verifyChain(blocks, did, keys)).ok,
}

const genesis = blockHash((await clients.first.chain.makeGenesis()) as never)
let devices = 10
async function attested(head: { sequence: number; hash: string }, by: By): Promise<InceptionEvent> {
  devices += 1
  const device = await Device.fromSeeds(seeds(devices), { origin: 'app:test', capabilities: ['chain:read'] })
  const acceptance = await device.acceptance(did, { realm: REALM, now: NOW })
  const made = await clients[by === 'first' ? 'first' : 'second'].devices.makeAttestation(acceptance, head)
  return { ...made, ...(await signStatement(made.statement, signerOf(rootOf[by]))) }
}
const inception: Grown<InceptionEvent> = {
  begin: (by) => attested({ sequence: 0, hash: genesis }, by),
  next: (before, by) => attested({ sequence: before.statement.sequence, hash: eventHash(before) }, by),
  log: (events) =>
    inceptionLog({
      did,
      keys: history,
      realms: [REALM],
      events: (first) => from(events, first - 1),
      genesisHash: () => Promise.resolve(genesis),
    }),
  async isWhole(events) {
    const verifier = new InceptionVerifier(keys, genesis, [REALM])
    for (const event of events) if (!(await verifier.next(event)).ok) return false
    return true
  },
}

async function bound(sequence: number, previousHash: string, by: By): Promise<OrgEvent> {
  const statement = {
    type: 'svc/org-binding/v1' as const,
    realm: REALM,
    orgDid: did,
    orgScope: scope,
    rootEpoch: by === 'first' ? 0 : 1,
    sequence,
    previousHash,
    memberDid: `did:svc:${String.fromCharCode(96 + sequence).repeat(32)}`,
    event: 'bind' as const,
    provider: 'login.example.com',
    subjectHash: hashTextHex(String(sequence)),
    role: 'member' as const,
    permissions: [],
    expiresAt: null,
    inception: null,
    issuedAt: NOW,
  }
  return signStatement(statement, signerOf(rootOf[by]))
}
const organization: Grown<OrgEvent> = {
  begin: (by) => bound(1, NO_ORG_EVENT, by),
  next: (before, by) => bound(before.statement.sequence + 1, orgEventHash(before), by),
  log: (events) => orgLog({ orgDid: did, keys: history, realms: [REALM], events: (first) => from(events, first - 1) }),
  async isWhole(events) {
    const verifier = new OrgRosterVerifier(keys, () => Promise.resolve([]), [REALM])
    for (const event of events) if (!(await verifier.next(event)).ok) return false
    return true
  },
}

/** Every way to read four entries: the newest one, and any before it. */
const STEPS = [[3], [2, 3], [1, 3], [1, 2, 3], [0, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2, 3]]

/** Whether a client that has seen nothing follows the log from one place to the next. */
async function isFollowed<E>(log: LinkedLog<E>, entries: readonly E[], steps: readonly number[]): Promise<boolean> {
  const empty = log.emptyHash && { position: 0, hash: await log.emptyHash(), signed: null }
  let known: Piece<E | null>[] = empty ? [empty] : []
  for (const step of steps) {
    try {
      known = [await follow(linkedLog(log), known, log.placeOf(entries[step] as E))]
    } catch {
      return false
    }
  }
  return true
}

/** All logs of four entries, each entry by one of the signers. A chain begins with the genesis key. */
async function logsOf<E>({ begin, next }: Grown<E>): Promise<{ by: readonly By[]; entries: readonly E[] }[]> {
  let grown: { by: readonly By[]; entries: readonly E[] }[] = [{ by: ['first'], entries: [await begin('first')] }]
  for (let length = 1; length < 4; length++) {
    const longer = grown.flatMap(({ by, entries }) =>
      SIGNERS.map(async (signer) => ({
        by: [...by, signer],
        entries: [...entries, await next(entries.at(-1) as E, signer)],
      })),
    )
    grown = await Promise.all(longer)
  }
  return grown
}

/** Reads every log in every way, and compares with what reads all of it. */
async function compare<E>(grown: Grown<E>): Promise<void> {
  const logs = await logsOf(grown)
  expect(logs).toHaveLength(27)
  for (const { by, entries } of logs) {
    const signers = by.join(' ')
    const isWhole = await grown.isWhole(entries)
    expect(isWhole, signers).toBe(!by.includes('stranger') && !/second.*first/.test(signers))
    const log = grown.log(entries)
    for (const steps of STEPS.filter(([first]) => first === 0 || log.emptyHash)) {
      expect(await isFollowed(log, entries, steps), `${signers}, read at ${steps.join(', ')}`).toBe(isWhole)
    }
  }
}

describe('a log that is read step by step is accepted if all of it would be, and only then', () => {
  it('a chain', () => compare(chain))
  it('an inception log', () => compare(inception))
  it('the bindings of an organization', () => compare(organization))
})
