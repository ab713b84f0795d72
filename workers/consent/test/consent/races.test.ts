import { verifyConsentHistory } from '@svc/protocol/consent/history'
import type { ConsentHistory } from '@svc/protocol/consent/history-page'
import { describe, expect, it } from 'vitest'
import { caller, creation, dataOf, deletion, freshHash, get, put, read, rootKey, update } from '../harness.ts'

const times = <T>(count: number, act: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => act(i)))
const owner = async () => rootKey(await caller())
const historyOf = async (hash: string) =>
  (await get(`/api/v1/consent/${encodeURIComponent(hash)}/history`)).body as ConsentHistory
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status)

describe('twenty at once', () => {
  it('identities that declare for one identifier: one has it', async () => {
    const hash = freshHash()
    const writes = await times(20, async () => creation(await owner(), hash))
    const answers = await Promise.all(writes.map((write) => put(write)))
    const [won, ...more] = answers.filter(({ status }) => status === 200)
    expect(more).toEqual([])
    for (const { status, error } of answers) if (status !== 200) expect(error).toBe('consent_held')
    expect((await read(hash)).body).toEqual(dataOf(won!))
    expect((await historyOf(hash)).entries).toHaveLength(1)
  })

  it('creations by one identity, each signed anew: one is the record', async () => {
    const [by, hash] = [await owner(), freshHash()]
    const writes = await times(20, () => creation(by, hash))
    const answers = await Promise.all(writes.map((write) => put(write)))
    expect(statuses(answers).filter((status) => status === 200)).toHaveLength(1)
    for (const { status, error } of answers) if (status !== 200) expect(error).toBe('consent_exists')
  })

  it('the same creation: one act and one answer', async () => {
    const [by, hash] = [await owner(), freshHash()]
    const write = await creation(by, hash)
    const answers = await times(20, () => put(write))
    expect(new Set(answers.map((answer) => JSON.stringify(dataOf(answer)))).size).toBe(1)
    expect((await historyOf(hash)).entries).toHaveLength(1)
  })

  it('updates of different members: all are taken, in an order that holds', async () => {
    const [by, hash] = [await owner(), freshHash()]
    await put(await creation(by, hash))
    const members = ['ai_training', 'search', 'generative_ai_training', 'automated_processing'] as const
    const writes = await times(20, (i) => update(by, hash, { [members[i % 4]!]: i < 10 ? 'allow' : 'disallow' }))
    const answers = await Promise.all(writes.map((write) => put(write)))
    expect(statuses(answers)).toEqual(Array<number>(20).fill(200))
    const { entries, state } = await historyOf(hash)
    expect(entries).toHaveLength(21)
    const verified = await verifyConsentHistory({ hash, creatorDid: by.did }, entries)
    expect(verified).toMatchObject({ ok: true })
    expect(verified.ok && verified.value.states.at(-1)?.preferences).toEqual(state.preferences)
  })

  it('the same update: it counts once', async () => {
    const [by, hash] = [await owner(), freshHash()]
    await put(await creation(by, hash))
    const write = await update(by, hash, { search: 'allow' })
    const answers = await times(20, () => put(write))
    expect(answers.map((answer) => dataOf(answer)['version'])).toEqual(Array<number>(20).fill(2))
  })

  it('deletions, each signed anew: one revokes, and the others find nothing', async () => {
    const [by, hash] = [await owner(), freshHash()]
    await put(await creation(by, hash))
    const writes = await times(20, () => deletion(by, hash))
    const answers = await Promise.all(writes.map((write) => put(write)))
    expect(statuses(answers).toSorted((a, b) => a - b)).toEqual([200, ...Array<number>(19).fill(404)])
    expect((await historyOf(hash)).entries).toHaveLength(2)
  })

  it('updates and one deletion: what was taken is a history that holds', async () => {
    const [by, hash] = [await owner(), freshHash()]
    await put(await creation(by, hash))
    const writes = await times(20, (i) =>
      i === 7 ? deletion(by, hash) : update(by, hash, { search: i % 2 === 0 ? 'allow' : 'disallow' }),
    )
    const answers = await Promise.all(writes.map((write) => put(write)))
    const taken = answers.filter(({ status }) => status === 200).length
    const { entries, state } = await historyOf(hash)
    expect(entries).toHaveLength(1 + taken)
    expect(entries.at(-1)?.action).toBe('delete')
    expect(state).toEqual({ preferences: null, version: 1 + taken, source: 'default' })
    expect((await verifyConsentHistory({ hash, creatorDid: by.did }, entries)).ok).toBe(true)
    expect((await read(hash)).status).toBe(404)
  })
})
