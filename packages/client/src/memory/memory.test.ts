import { describe, expect, it } from 'vitest'
import { CORE, FakeCore } from '../../test/fake-core.ts'
import { fetchOf } from '../../test/fetch.ts'
import { REALM } from '../../test/realm.ts'
import { Chain } from '../chain/chain.ts'
import { Identity } from '../identity/identity.ts'
import { Transport } from '../transport/transport.ts'
import { ForkError } from './errors.ts'
import { Memory } from './memory.ts'

const hash = (byte: number) => byte.toString(16).padStart(96, '0')
const name = (of: string) => ({ kind: 'inception', of }) as const
const piece = (position: number, byte: number) => ({ position, hash: hash(byte), signed: null })

describe('memory', () => {
  it('is the same after JSON', async () => {
    const core = new FakeCore()
    const alice = await Identity.create()
    const memory = new Memory([REALM])
    const transport = new Transport({ realm: REALM, fetch: fetchOf(core.fetch), now: () => core.now }, alice)
    const chain = new Chain(transport, CORE, alice, memory)
    await chain.genesis()
    core.lostAnswers = 3
    await expect(chain.append({ payload: new Uint8Array([1]) }, core.head)).rejects.toThrow('fetch failed')
    const value = memory.export()
    expect(value.logs.map(({ kind, pending }) => [kind, pending !== null])).toEqual([
      ['genesis', false],
      ['chain', true],
    ])
    expect(new Memory([REALM], JSON.parse(JSON.stringify(value))).export()).toEqual(value)
  })

  it('refuses what is not one', () => {
    expect(() => new Memory([REALM]).merge({ format: 'svc/client-memory/v2', logs: [] } as never)).toThrow('format')
    const log = { kind: 'chain', of: 'x', pieces: [{ ...piece(1, 1), signed: { index: '1' } }], pending: null }
    expect(() =>
      new Memory([REALM]).merge({ format: 'svc/client-memory/v1', realm: REALM, logs: [log] } as never),
    ).toThrow('logs')
  })

  it('is of one deployment, under any of its realms', async () => {
    const moved = new Memory(['https://new.test', REALM])
    const memory = new Memory([REALM])
    await memory.advance(name('a'), piece(3, 3), [])
    moved.merge(memory.export())
    expect(moved.export()).toEqual({ ...memory.export(), realm: 'https://new.test' })
    expect(() => memory.merge(moved.export())).toThrow('The memory is of another deployment: https://new.test')
  })

  it('keeps what it knew beside what another client knows, until one is proved', async () => {
    const [one, other] = [new Memory([REALM]), new Memory([REALM])]
    await one.advance(name('a'), piece(3, 3), [])
    await other.advance(name('a'), piece(5, 5), [])
    one.merge(other.export())
    one.merge(other.export())
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
    expect(() => one.merge(other.export())).toThrow(ForkError)
    expect(await one.recall(name('a'))).toEqual([piece(3, 3)])
    expect(await one.recall(name('b'))).toEqual([piece(1, 1)])
  })

  it('forgets the log that was not used for longest, and nothing that has no answer', async () => {
    const memory = new Memory([REALM])
    await memory.advance(name('first'), piece(1, 1), [])
    await memory.hold(name('waiting'), { some: 'event' })
    for (let i = 0; i < 9_998; i++) await memory.advance(name(`${i}`), piece(1, 1), [])
    await memory.advance(name('first'), piece(2, 2), [])
    await memory.advance(name('last'), piece(1, 1), [])
    expect(await memory.recall(name('0'))).toEqual([])
    expect(await memory.recall(name('first'))).toHaveLength(2)
    expect(await memory.pending(name('waiting'))).toEqual({ some: 'event' })
  })
})
