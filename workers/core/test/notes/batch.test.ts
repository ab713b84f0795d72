import { statementHash } from '@svc/protocol/base/statement'
import { MAX_NOTE_BATCH } from '@svc/protocol/notes/api'
import type { NoteSubmission } from '@svc/protocol/notes/notes'
import type { TestCaller } from '@svc/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { freshCaller, send } from '../harness.ts'
import { ask, kept, NOTHING_KEPT, noteBy, post, vaultPath } from './notes.fixture.ts'
import { clientOver } from './sdk/sdk.fixture.ts'

let writer: TestCaller
beforeEach(async () => {
  writer = await freshCaller()
})

const batch = (items: unknown, by = writer, of = writer) =>
  ask(by, 'POST', vaultPath(of, '/batch'), { json: { items } })
const resultsOf = ({ data }: { readonly data: Record<string, unknown> }) =>
  data['results'] as { ok: boolean; error?: string; version?: number; seq?: number; recordHash?: string }[]
const notes = (count: number) => Promise.all(Array.from({ length: count }, () => noteBy(writer)))

describe('POST /api/notes/{did}/batch', () => {
  it('takes each item as a request of its own would, at its place', async () => {
    const items = await notes(5)
    const answer = await batch(items)
    expect(answer.status).toBe(200)
    const results = resultsOf(answer)
    expect(results.map(({ ok, version }) => [ok, version])).toEqual(items.map(() => [true, 1]))
    expect(results.map(({ recordHash }) => recordHash)).toEqual(items.map(({ statement }) => statementHash(statement)))
    expect(new Set(results.map(({ seq }) => seq))).toEqual(new Set([0, 1, 2, 3, 4]))
    // Idempotent: the same places.
    expect(resultsOf(await batch(items))).toEqual(results)
    expect((await post(writer, items[2] as NoteSubmission)).data).toMatchObject({ seq: results[2]?.seq })
  })

  it('takes the versions of one note in their order', async () => {
    const first = await noteBy(writer)
    const { noteId } = first.statement.header
    const items: NoteSubmission[] = [first]
    for (let i = 0; i < 4; i++) {
      const follows = statementHash(items.at(-1)!.statement)
      items.push(await noteBy(writer, { noteId, operation: 'update', statement: { follows } }))
    }
    expect(resultsOf(await batch(items)).map(({ version }) => version)).toEqual([1, 2, 3, 4, 5])
  })

  it('refuses single items by name, and takes the others', async () => {
    const [good, other, foreign] = [await noteBy(writer), await noteBy(writer), await noteBy(await freshCaller())]
    const items = [
      good,
      { ...other, title: 'Recipe' },
      foreign,
      { ...other, signatureB64u: good.signatureB64u },
      null,
      { statement: { ...other.statement, type: 'svc/note/v1' }, signatureB64u: 'A', ciphertextB64u: 'A' },
      await noteBy(writer, { operation: 'update' }),
    ]
    const results = resultsOf(await batch(items))
    expect(results.map(({ ok, error }) => (ok ? 'ok' : error))).toEqual([
      'ok',
      'plaintext_rejected',
      'owner_mismatch',
      'invalid_signature',
      'invalid_request',
      'non_native_note_record',
      'not_found',
    ])
    expect(results[1]).toMatchObject({ details: { members: ['title'] } })
    expect((await kept(writer)).tables['versions']).toBe(1)
  })

  it.each([
    ['no item', [], 400],
    ['too many', Array.from({ length: MAX_NOTE_BATCH + 1 }, () => ({})), 413],
    ['no list', 'items', 400],
  ])('is refused with %s', async (_, items, status) => {
    expect(await batch(items)).toMatchObject({ status })
    expect(await kept(writer)).toEqual(NOTHING_KEPT)
  })

  it('is of the owner alone', async () => {
    expect((await batch(await notes(1), await freshCaller())).status).toBe(403)
    expect(await kept(writer)).toEqual(NOTHING_KEPT)
  })

  it('sent by twenty at once, is taken once', async () => {
    const items = await notes(3)
    const answers = await Promise.all(Array.from({ length: 20 }, () => batch(items)))
    const places = new Set(answers.map((answer) => JSON.stringify(resultsOf(answer))))
    expect(places.size).toBe(1)
    expect((await kept(writer)).tables['versions']).toBe(3)
  })
})

describe('many notes of the SDK', () => {
  it('are written in few requests, and read back', async () => {
    const asked: string[] = []
    const client = clientOver(
      async (request) => {
        asked.push(`${request.method} ${new URL(request.url).pathname.split('/').at(-1)}`)
        return send(request)
      },
      { identity: writer.identity },
    )
    const told: number[] = []
    const texts = Array.from({ length: 120 }, (_, i) => ({ title: `Note ${i}`, body: `text ${i}`, tags: ['many'] }))
    const written = await client.notes.putMany(texts, { onProgress: ({ done }) => told.push(done) })
    expect(written).toHaveLength(120)
    expect(asked.filter((one) => one === 'POST batch')).toHaveLength(3)
    expect(told).toEqual([50, 100, 120])
    for (const at of [0, 49, 50, 119]) {
      const one = written[at]
      if (!one?.ok) throw new Error('refused')
      expect(one.note).toMatchObject({ title: `Note ${at}`, version: 1, isConcurrent: false })
      expect(await client.notes.get(one.note.noteId)).toMatchObject({ body: `text ${at}`, tags: ['many'] })
    }
    expect(await client.notes.putMany([])).toEqual([])
  })

  it('are split where a request would be too large, and nothing is sent of a note that is', async () => {
    const client = clientOver(send, { identity: writer.identity })
    const large = { body: 'x'.repeat(400 * 1024) }
    const written = await client.notes.putMany([large, large, { body: 'small' }])
    expect(written.map(({ ok }) => ok)).toEqual([true, true, true])
    await expect(client.notes.putMany([{ body: 'fine' }, { body: 'x'.repeat(800 * 1024) }])).rejects.toThrow(RangeError)
    expect((await client.notes.list()).notes).toHaveLength(3)
  })
})
