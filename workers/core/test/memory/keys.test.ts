import { type Client, ForkError, Identity, type MemoryValue, RollbackError, Transport } from '@svc/client'
import type { GenesisBlock } from '@svc/protocol/chain/chain'
import { rotationRecordSchema } from '@svc/protocol/chain/rotation'
import { fetchOf, REALM } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { CORE } from '../harness.ts'
import { approvalOf, requestBy, submit } from '../rotation/rotation.fixture.ts'
import { changed, clientIn, expectFound, type Lie, type World, world, worldOf } from './worlds.fixture.ts'

let alice: Identity
let bob: Identity
let genesis: GenesisBlock
let heirs: Identity[]
let memory: MemoryValue
/** Bob has rotated twice. The others show fewer keys, or keys that he also signed for. */
let truth: World
let older: World
let first: World
let fork: World
let longFork: World

async function rotated(there: World, from: Identity, to: Identity): Promise<void> {
  const signed = await requestBy(from, to, { statement: { version: 1, epoch: to.epoch } })
  const { rotationId } = rotationRecordSchema.parse((await submit(signed, there.replaced)).body)
  const act = await approvalOf(from.did, rotationId)
  await new Transport({ realm: REALM, fetch: fetchOf(there.fetch) }).send({
    method: 'POST',
    url: `${CORE}/api/operator/acts`,
    body: act,
  })
  await clientIn(there, { identity: from }).rotation.activate({ rotationId, version: 1 })
}

/** A world where bob's key went to these. */
async function branch(...to: readonly Identity[]): Promise<World> {
  const there = await worldOf(bob, genesis)
  let from = bob
  for (const heir of to) {
    await rotated(there, from, heir)
    from = heir
  }
  return there
}

beforeAll(async () => {
  ;[alice, bob] = [await Identity.create(), await Identity.create()]
  const one = await bob.successor()
  const other = await bob.successor()
  heirs = [one, await one.successor(), other, await other.successor()]
  const maker = clientIn(world(), { identity: bob })
  genesis = await maker.chain.makeGenesis()
  truth = await branch(heirs[0]!, heirs[1]!)
  older = await branch(heirs[0]!)
  first = await branch()
  fork = await branch(heirs[2]!)
  longFork = await branch(heirs[2]!, heirs[3]!)
  const knowing = clientIn(truth, { identity: alice })
  await knowing.keyHistory.of(bob.did)
  await knowing.chain.readGenesis(bob.did)
  memory = await knowing.memory.export()
}, 60_000)

const history = (client: Client) => client.keyHistory.of(bob.did)
const root = (client: Client) => client.chain.root(bob.did)
const rotation = (client: Client) => client.keyHistory.rotation(bob.did)

const LIES: Record<string, Lie> = {
  'an older history': { told: () => older, ask: history, error: RollbackError },
  'the first key alone': { told: () => first, ask: history, error: RollbackError },
  'no keys': {
    told: () => changed(truth, /history$/, (data) => ({ ...data, keys: [], next: null })),
    ask: history,
    error: RollbackError,
  },
  'an older root key': { told: () => older, ask: root, error: RollbackError },
  'the first root key': { told: () => first, ask: root, error: RollbackError },
  'a root key of another history': { told: () => fork, ask: root, error: RollbackError },
  'another history': { told: () => fork, ask: history, error: RollbackError },
  'another history of the same length': { told: () => longFork, ask: history, error: ForkError },
  'another root key of the same epoch': { told: () => longFork, ask: root, error: ForkError },
  'a rotation of an older history': { told: () => older, ask: rotation, error: RollbackError },
  'a rotation of another history': { told: () => longFork, ask: rotation, error: ForkError },
}

describe('a client that knows root keys is not told', () => {
  it.each(Object.entries(LIES))('%s', async (_, lie) => expectFound({ identity: alice }, memory, lie))

  it('a longer history on another branch', async () => {
    const knowing = clientIn(older, { identity: alice })
    await history(knowing)
    const known = await knowing.memory.export()
    await expectFound({ identity: alice }, known, { told: () => longFork, ask: history, error: ForkError })
  })
})

describe('a client that knows root keys', () => {
  it('accepts later ones, and reads no earlier ones again', async () => {
    const knowing = clientIn(older, { identity: alice })
    await history(knowing)
    const asked: string[] = []
    const fetch = (request: Request) => {
      asked.push(new URL(request.url).search)
      return truth.fetch(request)
    }
    const later = clientIn({ fetch }, { identity: alice }, await knowing.memory.export())
    expect((await history(later)).map(({ publicKeyB64u }) => publicKeyB64u)).toEqual(
      [bob, heirs[0]!, heirs[1]!].map(({ publicKeyB64u }) => publicKeyB64u),
    )
    expect(asked).toEqual(['?from=1'])
  })

  it('finds another history in the memory of another client', async () => {
    const other = clientIn(longFork, { identity: alice })
    await history(other)
    const client = clientIn(truth, { identity: alice }, memory)
    await expect(client.memory.merge(await other.memory.export())).rejects.toThrow(ForkError)
  })
})
