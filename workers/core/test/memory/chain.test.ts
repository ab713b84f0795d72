import { type Client, ForkError, Identity, type MemoryValue, RollbackError, UnprovedError } from '@svc/client'
import type { GenesisBlock, SignedBlock } from '@svc/protocol/chain/chain'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  changed,
  clientIn,
  expectFound,
  type Lie,
  refusing,
  replay,
  type World,
  watched,
  world,
  worldOf,
} from './worlds.fixture.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)

let alice: Identity
let mallory: Identity
let genesis: GenesisBlock
let block1: SignedBlock
let memory: MemoryValue
/** Genesis and three blocks. The others are the truth up to a point, and then something else. */
let truth: World
let older: World
let empty: World
let fork: World
let longFork: World
let otherGenesis: World
let foreign: World

async function branch(blocks: readonly SignedBlock[], count: number): Promise<World> {
  const there = await worldOf(alice, genesis)
  const client = clientIn(there, { identity: alice })
  for (const block of blocks) await replay(there, alice, '/api/chain/append', block)
  for (let i = 0; i < count; i++) await client.chain.append({ payload: utf8(`fork ${i}`) })
  return there
}

beforeAll(async () => {
  alice = await Identity.create()
  mallory = await Identity.create()
  truth = world()
  const client = clientIn(truth, { identity: alice })
  genesis = await client.chain.makeGenesis()
  await client.chain.genesis({ block: genesis })
  block1 = (await client.chain.append({})).block
  await client.chain.append({})
  await client.chain.append({})
  memory = await client.memory.export()
  older = await branch([block1], 0)
  empty = await branch([], 0)
  fork = await branch([block1], 2)
  longFork = await branch([], 5)
  otherGenesis = world()
  const other = clientIn(otherGenesis, { identity: alice })
  await other.chain.genesis({ block: { ...genesis, ...(await other.chain.makeGenesis()) } })
  foreign = world()
  const theirs = clientIn(foreign, { identity: mallory })
  await theirs.chain.genesis()
  for (let i = 0; i < 5; i++) await theirs.chain.append({})
}, 60_000)

const head = (client: Client) => client.chain.head()
const append = (client: Client) => client.chain.append({ payload: utf8('mine') })
const verify = (client: Client) => client.chain.verify()
const page = (client: Client) => client.chain.page()
const stale = (at: () => World, named: object) => () =>
  refusing(at(), /append$/, { status: 409, error: 'stale_head', details: { head: named, appended: null } })
const ahead = { index: '9', hash: 'a7'.repeat(48) }
const claiming = (path: RegExp, members: object) => () => changed(truth, path, (data) => ({ ...data, ...members }))

/** The blocks of mallory behind the head of a longer chain. */
const withForeignBlocks = (): World => {
  const asMallory = clientIn(foreign, { identity: mallory })
  let blocks: SignedBlock[] = []
  const lying = changed(truth, /chain\/(head|blocks)$/, (data, { url }) =>
    url.includes('/blocks') ? { ...data, blocks: blocks.slice(4), next: null } : { ...data, ...ahead, index: '4' },
  )
  return {
    ...lying,
    fetch: async (request) => {
      if (blocks.length === 0) blocks = (await asMallory.chain.page()).blocks as SignedBlock[]
      return lying.fetch(request)
    },
  }
}

const LIES: Record<string, Lie> = {
  'an older head': { told: () => older, ask: head, error: RollbackError },
  'an older head, to append to': { told: () => older, ask: append, error: RollbackError },
  'an older page': { told: () => older, ask: page, error: RollbackError },
  'an older chain': { told: () => older, ask: verify, error: RollbackError },
  'genesis alone': { told: () => empty, ask: head, error: RollbackError },
  'genesis alone, to append to': { told: () => empty, ask: append, error: RollbackError },
  'no blocks before an older head': {
    told: () => changed(empty, /blocks$/, (data) => ({ ...data, blocks: [] })),
    ask: verify,
    error: RollbackError,
  },
  'another head of the same height': { told: () => fork, ask: head, error: ForkError },
  'another head of the same height, to append to': { told: () => fork, ask: append, error: ForkError },
  'another page of the same height': { told: () => fork, ask: page, error: ForkError },
  'another chain of the same height': { told: () => fork, ask: verify, error: ForkError },
  'a longer head on another branch': { told: () => longFork, ask: head, error: ForkError },
  'a longer head on another branch, to append to': { told: () => longFork, ask: append, error: ForkError },
  'a longer chain on another branch': { told: () => longFork, ask: verify, error: ForkError },
  'another genesis block': {
    told: () => otherGenesis,
    ask: (client) => client.chain.readGenesis(alice.did),
    error: ForkError,
  },
  'a chain from another genesis block': { told: () => otherGenesis, ask: append, error: RollbackError },
  'a head that no block leads to': { told: claiming(/head$/, ahead), ask: head, error: UnprovedError },
  'a head that no block leads to, to append to': { told: claiming(/head$/, ahead), ask: append, error: UnprovedError },
  'a head that somebody else signed': { told: withForeignBlocks, ask: head, error: UnprovedError },
  'a head that somebody else signed, to append to': { told: withForeignBlocks, ask: append, error: UnprovedError },
  'a block without its signature': {
    told: () => {
      const longer = changed(truth, /head$/, (data) => ({ ...data, index: '4', hash: ahead.hash }))
      const unsigned = { ...block1, index: '4', signature: 'A'.repeat(4_412) }
      return changed(longer, /blocks$/, (data) => ({ ...data, blocks: [unsigned], next: null }))
    },
    ask: append,
    error: UnprovedError,
  },
  'a refusal that names an older head': {
    told: () => stale(() => truth, olderHead())(),
    ask: append,
    error: RollbackError,
    signs: 1,
  },
  'a refusal that names another head of the same height': {
    told: stale(() => truth, { index: '3', hash: 'b8'.repeat(48) }),
    ask: append,
    error: ForkError,
    signs: 1,
  },
  'a refusal that names a head that nobody signed': {
    told: stale(() => truth, ahead),
    ask: append,
    error: UnprovedError,
    signs: 1,
  },
  'a refusal that names the very head': {
    told: () => stale(() => truth, trueHead())(),
    ask: append,
    error: UnprovedError,
    signs: 1,
  },
}

function olderHead() {
  return { index: '1', hash: hashAt(1) }
}
const trueHead = () => ({ index: '3', hash: hashAt(3) })
function hashAt(position: number): string {
  const chain = memory.logs.find(({ kind }) => kind === 'chain')
  return chain?.pieces.find((piece) => piece.position === position)?.hash ?? 'c9'.repeat(48)
}

describe('a client that knows a chain is not told', () => {
  it.each(Object.entries(LIES))('%s', async (_, lie) => expectFound({ identity: alice }, memory, lie))
})

describe('two clients that were shown different branches', () => {
  it('find out when one gives its memory to the other, at the same height', async () => {
    const other = clientIn(fork, { identity: alice })
    await other.chain.head()
    const client = clientIn(truth, { identity: alice }, memory)
    await expect(client.memory.merge(await other.memory.export())).rejects.toThrow(ForkError)
  })

  it.each([
    ['the longer', () => longFork, ForkError],
    ['the shorter', () => truth, RollbackError],
  ])('find out at the next call to %s branch', async (_, at, error) => {
    const other = clientIn(longFork, { identity: alice })
    await other.chain.head()
    const client = clientIn(at(), { identity: alice }, memory)
    await client.memory.merge(await other.memory.export())
    await expect(client.chain.append({})).rejects.toThrow(error)
  })
})

describe('a client', () => {
  it('accepts what another honest client appended, and reads only that', async () => {
    const there = await branch([block1], 0)
    const [one, two] = [clientIn(there, { identity: alice }), clientIn(there, { identity: alice })]
    await one.chain.head()
    for (let i = 0; i < 3; i++) await two.chain.append({ payload: utf8(`${i}`) })
    const asked: string[] = []
    const fetch = (request: Request) => {
      asked.push(new URL(request.url).search)
      return there.fetch(request)
    }
    const again = clientIn({ fetch }, { identity: alice }, await one.memory.export())
    expect((await again.chain.append({})).index).toBe('5')
    expect(asked.filter((search) => search !== '')).toEqual(['?from=2&to=4&limit=200'])
  })

  it('never signs two blocks for one place, whatever core says', async () => {
    const there = await branch([block1], 0)
    const refusals = [
      { status: 409, error: 'stale_head', details: { head: olderHead(), appended: null } },
      { status: 409, error: 'security_hold' },
      { status: 503, error: 'dependency_unavailable' },
      { status: 403, error: 'invalid_signature' },
      { status: 429, error: 'rate_limited' },
      { status: 500, error: 'internal_error' },
    ]
    const sent: SignedBlock[] = []
    let answer = 0
    const client = clientIn(
      {
        fetch: async (request) => {
          if (!request.url.endsWith('/append')) return there.fetch(request)
          sent.push(await request.clone().json<SignedBlock>())
          const refusal = refusals[answer++]
          if (answer === 3) throw new TypeError('fetch failed')
          return refusal ? refusing(there, /./, refusal).fetch(request) : there.fetch(request)
        },
      },
      { identity: alice },
    )
    for (let i = 0; i < refusals.length; i++)
      await client.chain.append({ payload: utf8(`wish ${i}`) }).catch(() => null)
    const { index } = await client.chain.append({ payload: utf8('the last') })
    const signatures = new Map(sent.map((block) => [block.signature, `${block.index}/${block.previousHash}`]))
    expect(new Set(signatures.values()).size).toBe(signatures.size)
    expect(Number(index)).toBe(1 + signatures.size)
    expect((await client.chain.safeVerify()).ok).toBe(true)
  })

  it('appends concurrently, one block after another', async () => {
    const there = watched(await branch([], 0))
    const client = clientIn(there, { identity: alice })
    const appended = await Promise.all(
      Array.from({ length: 20 }, (_, i) => client.chain.append({ payload: utf8(`${i}`) })),
    )
    expect(appended.map(({ index }) => Number(index))).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
    expect(there.signed).toHaveLength(20)
  })

  it('sends a block whose answer was lost again, also after its memory was handed on', async () => {
    const there = await branch([], 0)
    let isCut = true
    const cut = {
      fetch: async (request: Request) => {
        const answer = await there.fetch(request.clone())
        if (isCut && request.url.endsWith('/append')) throw new TypeError('fetch failed')
        return answer
      },
    }
    const first = clientIn(cut, { identity: alice })
    await expect(first.chain.append({ payload: utf8('once') })).rejects.toThrow('fetch failed')
    isCut = false
    const second = clientIn(cut, { identity: alice }, await first.memory.export())
    expect((await second.chain.append({ payload: utf8('once') })).index).toBe('1')
    expect((await second.chain.append({ payload: utf8('twice') })).index).toBe('2')
    expect((await first.chain.append({ payload: utf8('third') })).index).toBe('3')
  })

  it('gives up the place of a refused block only when it is told to', async () => {
    const there = await branch([], 0)
    const client = clientIn(there, { identity: alice })
    await client.security.placeHold()
    await expect(client.chain.append({ payload: utf8('held') })).rejects.toMatchObject({ error: 'security_hold' })
    await client.security.liftHold()
    expect((await client.chain.discard())?.index).toBe('1')
    expect(await client.chain.discard()).toBeNull()
    expect((await client.chain.append({ payload: utf8('instead') })).index).toBe('1')
  })
})
