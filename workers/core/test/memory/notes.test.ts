import { type Client, ForkError, Identity, type MemoryValue, type Note, RollbackError } from '@svc/client'
import type { GenesisBlock } from '@svc/protocol/chain/chain'
import type { NoteIndex } from '@svc/protocol/notes/api'
import type { NoteSubmission } from '@svc/protocol/notes/notes'
import { beforeAll, describe, expect, it } from 'vitest'
import { exportOf } from '../notes/sdk/sdk.fixture.ts'
import { changed, clientIn, expectFound, type Lie, type World, world, worldOf } from './worlds.fixture.ts'

let alice: Identity
let genesis: GenesisBlock
let memory: MemoryValue
let kept: Note
let gone: Note
/** What was sent to the true world, in order. */
const sent: NoteSubmission[] = []
/** A note has three versions, and another was deleted. The others do not say so. */
let truth: World
let older: World
let fork: World
let longFork: World
let empty: World
/** Answers of the true world for the earlier versions. */
let versions: Record<string, unknown>[]

/** The first `records` that were sent to the true world, and then other versions of the note. */
async function branch(records: number, others: number): Promise<World> {
  const there = await worldOf(alice, genesis)
  const { notes } = clientIn(there, { identity: alice })
  for (const submission of sent.slice(0, records)) await notes.send(submission)
  for (let i = 0; i < others; i++) await notes.put({ body: `other ${i}` }, await notes.get(kept.noteId))
  return there
}

beforeAll(async () => {
  alice = await Identity.create()
  truth = world()
  const fetch = async (request: Request) => {
    if (request.method === 'POST' && /notes\/[^/]+$/.test(request.url)) sent.push(await request.clone().json())
    return truth.fetch(request)
  }
  const client = clientIn({ fetch }, { identity: alice })
  genesis = await client.chain.makeGenesis()
  await client.chain.genesis({ block: genesis })
  gone = await client.notes.put({ body: 'gone' })
  kept = await client.notes.put({ body: 'one' })
  for (const body of ['two', 'three']) kept = await client.notes.put({ body }, kept)
  await client.notes.delete(gone.noteId)
  await exportOf(client)
  memory = await client.memory.export()
  versions = []
  const peeking = changed(truth, /versions\/[0-9]$/, (data) => {
    versions.push(data)
    return data
  })
  for (const version of [1, 2]) await clientIn(peeking, { identity: alice }).notes.get(kept.noteId, version)
  older = await branch(3, 0)
  fork = await branch(2, 2)
  longFork = await branch(2, 5)
  empty = await branch(0, 0)
}, 60_000)

const read = (client: Client) => client.notes.get(kept.noteId)
const readGone = (client: Client) => client.notes.get(gone.noteId)
const list = (client: Client) => client.notes.list()
const history = (client: Client) => client.notes.history(kept.noteId)
const write = (client: Client) => client.notes.put({ body: 'four' }, kept)
const archive = (client: Client) => exportOf(client)
const answers = (path: RegExp, members: () => object) => () =>
  changed(truth, path, (data) => ({ ...data, ...members() }))
const oneNote = /notes\/[^/]+\/[^/]+$/
const entries = (change: (notes: NoteIndex['notes']) => object) => () =>
  changed(truth, /notes\/[^/]+$/, (data) => ({ ...data, notes: change((data as NoteIndex).notes) }))

const LIES: Record<string, Lie> = {
  'an older version as the newest': { told: () => older, ask: read, error: RollbackError },
  'an older version under the newest number': {
    told: answers(oneNote, () => ({ ...versions[1], version: 3 })),
    ask: read,
    error: ForkError,
  },
  'an older version under a later number': {
    told: answers(oneNote, () => ({ ...versions[1], version: 4 })),
    ask: read,
    error: ForkError,
  },
  'the first version under a later number': {
    told: answers(oneNote, () => ({ ...versions[0], version: 7 })),
    ask: read,
    error: ForkError,
  },
  'an older version under another number, when it is asked for': {
    told: answers(/versions\/2$/, () => ({ ...versions[0], version: 2 })),
    ask: (client) => client.notes.get(kept.noteId, 2),
    error: ForkError,
  },
  'another version in its place': { told: () => fork, ask: read, error: ForkError },
  'another version in its place, when it is asked for': {
    told: () => fork,
    ask: (client) => client.notes.get(kept.noteId, 3),
    error: ForkError,
  },
  'later versions on another branch': { told: () => longFork, ask: read, error: ForkError },
  'no such note': { told: () => empty, ask: read, error: RollbackError },
  'an index without it': { told: () => empty, ask: list, error: RollbackError },
  'an index that leaves it out': {
    told: entries((notes) => notes.filter(({ noteId }) => noteId !== kept.noteId)),
    ask: list,
    error: RollbackError,
  },
  'an index with an older version': { told: () => older, ask: list, error: RollbackError },
  'an index with another version': { told: () => fork, ask: list, error: ForkError },
  'a shorter list of versions': { told: () => older, ask: history, error: RollbackError },
  'another list of versions': { told: () => fork, ask: history, error: ForkError },
  'a longer list of other versions': { told: () => longFork, ask: history, error: ForkError },
  'that a note which was deleted is there': { told: () => older, ask: readGone, error: RollbackError },
  'that a note which was deleted is listed': {
    told: entries((notes) =>
      notes.map((entry) =>
        entry.noteId === gone.noteId ? { ...entry, status: 'stored', recordHash: gone.recordHash } : entry,
      ),
    ),
    ask: list,
    error: RollbackError,
  },
  'a list of versions of a note that was deleted': {
    told: () => older,
    ask: (client) => client.notes.history(gone.noteId),
    error: RollbackError,
  },
  'that a new version is an old one': { told: () => older, ask: write, error: RollbackError, signs: 1 },
  'a shorter log of the vault': { told: () => older, ask: archive, error: RollbackError },
  'an empty log of the vault': { told: () => empty, ask: archive, error: RollbackError },
  'another log of the vault': { told: () => longFork, ask: archive, error: ForkError },
}

describe('a client that knows a vault is not told', () => {
  it.each(Object.entries(LIES))('%s', async (_, lie) => expectFound({ identity: alice }, memory, lie))

  it('that a longer log of the vault is the same one', async () => {
    const longer = await branch(2, 9)
    await expectFound({ identity: alice }, withoutNotes(memory), { told: () => longer, ask: archive, error: ForkError })
  })

  it('a record of somebody else', async () => {
    const mallory = await Identity.create()
    const theirs = await worldOf(mallory, await clientIn(world(), { identity: mallory }).chain.makeGenesis())
    let record: object = {}
    const peeking = changed(theirs, oneNote, (data) => {
      record = data
      return data
    })
    const client = clientIn(peeking, { identity: mallory })
    await client.notes.get((await client.notes.put({ body: 'mine' })).noteId)
    const lying = changed(truth, oneNote, () => ({ ...record, noteId: kept.noteId }))
    const asking = clientIn(lying, { identity: alice }, memory)
    await expect(read(asking)).rejects.toThrow('The record does not match this note')
    expect(await asking.memory.export()).toEqual(memory)
  })
})

describe('a client that knows a vault', () => {
  it('accepts what another honest client wrote and deleted', async () => {
    const there = await branch(4, 0)
    const [one, two] = [clientIn(there, { identity: alice }), clientIn(there, { identity: alice })]
    const before = await one.notes.get(kept.noteId)
    await exportOf(one)
    for (let i = 0; i < 3; i++) await two.notes.put({ body: `${i}` }, await two.notes.get(kept.noteId))
    expect((await one.notes.get(kept.noteId)).version).toBe(before.version + 3)
    expect((await exportOf(one)).length).toBeGreaterThan(0)
    await two.notes.delete(kept.noteId)
    await expect(one.notes.get(kept.noteId)).rejects.toMatchObject({ status: 404 })
    await one.notes.list()
    await expectFound({ identity: alice }, await one.memory.export(), {
      told: () => truth,
      ask: read,
      error: RollbackError,
    })
  })

  it('accepts concurrent versions', async () => {
    const there = await branch(4, 0)
    const [one, two] = [clientIn(there, { identity: alice }), clientIn(there, { identity: alice })]
    const base = await one.notes.get(kept.noteId)
    await two.notes.put({ body: 'theirs' }, base)
    expect(await one.notes.put({ body: 'mine' }, base)).toMatchObject({ isConcurrent: true })
    expect(await two.notes.get(kept.noteId)).toMatchObject({ body: 'mine' })
    const racing = await Promise.all(Array.from({ length: 20 }, (_, i) => one.notes.put({ body: `${i}` }, base)))
    expect(new Set(racing.map(({ version }) => version)).size).toBe(20)
    expect((await one.notes.get(kept.noteId)).version).toBe(base.version + 22)
  })
})

function withoutNotes({ logs, ...value }: MemoryValue): MemoryValue {
  return { ...value, logs: logs.filter(({ kind }) => kind !== 'note') }
}
