import { describe, expect, it } from 'vitest'
import { CORE, FakeCore } from '../../test/fake-core.ts'
import { fetchOf } from '../../test/fetch.ts'
import { REALM } from '../../test/realm.ts'
import { Chain } from '../chain/chain.ts'
import { Identity } from '../identity/identity.ts'
import { Transport } from '../transport/transport.ts'
import { ForkError } from './errors.ts'
import { Memory } from './memory.ts'
import { type TrustStore, VolatileStore } from './trust-store.ts'

const hash = (byte: number) => byte.toString(16).padStart(96, '0')
const name = (of: string) => ({ kind: 'inception', of }) as const
const piece = (position: number, byte: number) => ({ position, hash: hash(byte), signed: null })

describe('memory', () => {
  it('is the same after JSON', async () => {
    const core = new FakeCore()
    const alice = await Identity.create()
    const memory = new Memory([REALM])
    const transport = new Transport({ realm: REALM, fetch: fetchOf(core.fetch), now: () => core.now }, alice)
    const chain = new Chain(transport, CORE, alice, { memory })
    await chain.genesis()
    core.lostAnswers = 3
    await expect(chain.append({ payload: new Uint8Array([1]) }, core.head)).rejects.toThrow('fetch failed')
    const value = await memory.export()
    expect(value.logs.map(({ kind, pending }) => [kind, pending !== null])).toEqual([
      ['genesis', false],
      ['chain', true],
    ])
    expect(await new Memory([REALM], { value: JSON.parse(JSON.stringify(value)) }).export()).toEqual(value)
  })

  it('refuses what is not one', async () => {
    const next = { format: 'svc/client-memory/v2', logs: [] } as never
    await expect(new Memory([REALM]).merge(next)).rejects.toThrow('format')
    await expect(new Memory([REALM], { value: next }).recall(name('a'))).rejects.toThrow('format')
    const log = { kind: 'chain', of: 'x', pieces: [{ ...piece(1, 1), signed: { index: '1' } }], pending: null }
    const value = { format: 'svc/client-memory/v1', realm: REALM, logs: [log] } as never
    await expect(new Memory([REALM]).merge(value)).rejects.toThrow('logs')
  })

  it('is of one deployment, under any of its realms', async () => {
    const moved = new Memory(['https://new.test', REALM])
    const memory = new Memory([REALM])
    await memory.advance(name('a'), piece(3, 3), [])
    await moved.merge(await memory.export())
    expect(await moved.export()).toEqual({ ...(await memory.export()), realm: 'https://new.test' })
    const foreign = 'The memory is of another deployment: https://new.test'
    await expect(memory.merge(await moved.export())).rejects.toThrow(foreign)
  })

  it('keeps what it knew beside what another client knows, until one is proved', async () => {
    const [one, other] = [new Memory([REALM]), new Memory([REALM])]
    await one.advance(name('a'), piece(3, 3), [])
    await other.advance(name('a'), piece(5, 5), [])
    await one.merge(await other.export())
    await one.merge(await other.export())
    const known = await one.recall(name('a'))
    expect(known).toEqual([piece(3, 3), piece(5, 5)])
    await one.advance(name('a'), piece(6, 6), known)
    expect(await one.recall(name('a'))).toEqual([piece(6, 6)])
  })

  it('finds two pieces for one place', async () => {
    const [one, other] = [new Memory([REALM]), new Memory([REALM])]
    await one.advance(name('a'), piece(3, 3), [])
    await other.advance(name('a'), piece(3, 4), [])
    await other.advance(name('b'), piece(1, 1), [])
    await expect(one.merge(await other.export())).rejects.toThrow(ForkError)
    expect(await one.recall(name('a'))).toEqual([piece(3, 3)])
    expect(await one.recall(name('b'))).toEqual([piece(1, 1)])
  })

  it('forgets the log that was not used for longest, and nothing that has no answer', async () => {
    const memory = new Memory([REALM])
    await memory.advance(name('first'), piece(1, 1), [])
    await memory.hold(name('waiting'), { some: 'event' })
    for (let i = 0; i < 10_200; i++) {
      await memory.advance(name(`${i}`), piece(1, 1), [])
      if (i === 5_000) await memory.advance(name('first'), piece(2, 2), [])
    }
    await memory.advance(name('last'), piece(1, 1), [])
    expect(await memory.recall(name('0'))).toEqual([])
    expect(await memory.recall(name('first'))).toHaveLength(2)
    expect(await memory.pending(name('waiting'))).toEqual({ some: 'event' })
  })

  it('outlives the client in a store, whose form is checked when it is read', async () => {
    const store = new VolatileStore()
    const asked: string[] = []
    const written = {
      get: (key: string) => {
        asked.push(key)
        return store.get(key)
      },
      set: (key: string, value: unknown) => store.set(key, value),
    }
    const kept: TrustStore = {
      ...written,
      delete: (key) => store.delete(key),
      keys: () => store.keys(),
      entries: (prefix) => store.entries(prefix),
      exclusively: (work, run) => store.exclusively(work, run),
    }
    await new Memory([REALM], { store: kept }).advance(name('a'), piece(3, 3), [])
    const later = new Memory([REALM], { store: kept })
    expect(await later.recall(name('a'))).toEqual([piece(3, 3)])
    await later.advance(name('b'), piece(1, 1), [])
    asked.length = 0
    const one = { name: name('a'), pieces: [piece(3, 3)], pending: null }
    expect(await later.recallAll('inception', 'a')).toEqual([one])
    expect(await later.recallAll('inception', '')).toHaveLength(2)
    expect(await later.recallAll('keys', '')).toEqual([])
    // A store in a file reads all of it for each key.
    expect(asked).toEqual([])
    await expect(later.advance(name('a'), piece(3, 4), [])).rejects.toThrow(ForkError)
    const moved = new Memory(['https://new.test', REALM], { store: kept })
    expect(await moved.recall(name('a'))).toEqual([piece(3, 3)])
    const foreign = new Memory(['https://other.test'], { store: kept })
    await expect(foreign.recall(name('a'))).rejects.toThrow(`The memory is of another deployment: ${REALM}`)
    await store.set('log/inception/a', { name: name('a'), pieces: [{ position: -1 }], pending: null })
    await expect(later.recall(name('a'))).rejects.toThrow('position')
  })

  it('adds to what a store has from twenty clients at a time', async () => {
    const store = new VolatileStore()
    const memories = Array.from({ length: 20 }, () => new Memory([REALM], { store }))
    await Promise.all(memories.map((memory, i) => memory.advance(name('a'), piece(i, i), [])))
    expect(await memories[0]!.recall(name('a'))).toHaveLength(20)
  })
})
