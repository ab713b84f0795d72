import { statementHash } from '@svc/protocol/base/statement'
import type { TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { freshCaller } from '../harness.ts'
import { ask, attach, freshCiphertext, type noteBy, plant, stored, vaultPath } from './notes.fixture.ts'

const get = (by: TestCaller, rest = '') => ask(by, 'GET', vaultPath(by, rest))
const hashOf = ({ statement }: Awaited<ReturnType<typeof noteBy>>) => statementHash(statement)

describe('the index', () => {
  const list = async (by: TestCaller, query = '') =>
    (await get(by, query)).data as {
      notes: { noteId: string; seq: number; status: string }[]
      cursor: string
      more: boolean
      size: number
    }

  it('describes every note', async () => {
    const writer = await freshCaller()
    const first = await stored(writer, { noteId: 'one', ciphertext: freshCiphertext(70) })
    const second = await stored(writer, { noteId: 'one', operation: 'update', ciphertext: freshCiphertext(90) })
    await attach(writer, 'one', 'a', freshCiphertext(10))
    const gone = await stored(writer, { noteId: 'two' })
    await ask(writer, 'DELETE', vaultPath(writer, '/two'))
    const at = { createdAt: expect.any(Number), updatedAt: expect.any(Number) }
    const one = { noteId: 'one', status: 'stored', version: 2, seq: 2, recordHash: hashOf(second), bytes: 90 }
    const two = { noteId: 'two', status: 'tombstoned', version: 1, seq: 4, recordHash: null, bytes: 0, attachments: 0 }
    expect(await list(writer)).toEqual({
      notes: [
        { ...one, attachments: 1, ...at },
        { ...two, ...at },
      ],
      cursor: '5',
      more: false,
      size: 5,
    })
    expect(hashOf(first)).not.toBe(hashOf(gone))
  })

  it('has pages of 100 by default and 1,000 at most, each note once', async () => {
    const writer = await freshCaller()
    await plant(writer, 'n', 1_201, 'create')
    expect((await list(writer)).notes).toHaveLength(100)
    expect((await list(writer, '?limit=0')).notes).toHaveLength(1)
    const whole = await list(writer, '?limit=5000')
    expect(whole).toMatchObject({ notes: { length: 1_000 }, cursor: '1000', more: true, size: 1_201 })
    const rest = await list(writer, `?limit=5000&cursor=${whole.cursor}`)
    expect(rest).toMatchObject({ cursor: '1201', more: false })
    const names = [...whole.notes, ...rest.notes].map(({ noteId }) => noteId)
    expect(names).toEqual(Array.from({ length: 1_201 }, (_, i) => `n${i}`))
  })

  it('is that of now for everybody who asks again, whatever has changed', async () => {
    const writer = await freshCaller()
    await stored(writer, { noteId: 'one' })
    const first = await list(writer)
    expect(await list(writer)).toEqual(first)
    await attach(writer, 'one', 'a', freshCiphertext(10))
    expect(await list(writer)).toMatchObject({ notes: [{ noteId: 'one', attachments: 1 }], size: 2 })
    await stored(writer, { noteId: 'two' })
    expect(await list(writer, '?limit=1')).toMatchObject({ notes: [{ noteId: 'one' }], more: true, size: 3 })
    expect(await list(writer, '?cursor=2')).toMatchObject({ notes: [{ noteId: 'two' }], more: false })
    await ask(writer, 'DELETE', vaultPath(writer, '/one'))
    expect(await list(writer)).toMatchObject({ notes: [{ noteId: 'two' }, { status: 'tombstoned' }], size: 4 })
  })

  it('reports a next page only if there is one', async () => {
    const writer = await freshCaller()
    await plant(writer, 'n', 4, 'create')
    expect(await list(writer, '?limit=4')).toMatchObject({ more: false, cursor: '4' })
    expect(await list(writer, '?limit=3')).toMatchObject({ more: true, cursor: '3' })
    expect(await list(writer, '?limit=3&cursor=3')).toMatchObject({ notes: [{ noteId: 'n3' }], more: false })
    expect(await list(writer, '?cursor=4')).toEqual({ notes: [], cursor: '4', more: false, size: 4 })
  })

  it('misses no note for a reader who pages while notes change', async () => {
    const writer = await freshCaller()
    await plant(writer, 'n', 6, 'create')
    const seen: string[] = []
    let cursor = '0'
    for (let more = true; more; ) {
      const page = await list(writer, `?limit=2&cursor=${cursor}`)
      seen.push(...page.notes.map(({ noteId }) => noteId))
      if (seen.length === 2) await plant(writer, 'n1', 1)
      if (seen.length === 4) await plant(writer, 'n5', 1)
      ;({ cursor, more } = page)
    }
    expect(seen).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n1', 'n5'])
  })

  it('returns the changes since a cursor: changed, attached, deleted and new notes', async () => {
    const writer = await freshCaller()
    for (const noteId of ['same', 'changed', 'attached', 'deleted']) await stored(writer, { noteId })
    const { cursor } = await list(writer)
    expect((await list(writer, `?cursor=${cursor}`)).notes).toEqual([])
    await stored(writer, { noteId: 'changed', operation: 'update' })
    await attach(writer, 'attached', 'a', freshCiphertext())
    await ask(writer, 'DELETE', vaultPath(writer, '/deleted'))
    await stored(writer, { noteId: 'new' })
    const changes = await list(writer, `?cursor=${cursor}`)
    expect(changes.notes.map(({ noteId, seq, status }) => [noteId, seq, status])).toEqual([
      ['changed', 4, 'stored'],
      ['attached', 5, 'stored'],
      ['deleted', 6, 'tombstoned'],
      ['new', 7, 'stored'],
    ])
    expect(changes.cursor).toBe('8')
  })

  it('rejects a cursor beyond its end, since its own state must have been lost', async () => {
    const writer = await freshCaller()
    const behind = (size: number) => ({ status: 409, error: 'vault_behind', body: { details: { size } } })
    expect(await get(writer, '?cursor=1')).toMatchObject(behind(0))
    await stored(writer)
    expect((await get(writer, '?cursor=1')).status).toBe(200)
    expect(await get(writer, '?cursor=2')).toMatchObject(behind(1))
  })

  it.each(['?cursor=x', '?cursor=-1', '?limit=ten', '?limit=1.5', '?page=2'])(
    'is not asked for with %s',
    async (query) => {
      expect(await get(await freshCaller(), query)).toMatchObject({ status: 400, error: 'invalid_request' })
    },
  )
})
