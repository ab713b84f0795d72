import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { freshCaller } from '../harness.ts'
import { kept, NOTHING_KEPT, noteBy, post, storedKeys, WRAPPED, type Writer } from './notes.fixture.ts'

const WORDS = 'meet me at the old mill at nine'

let writer: Writer
beforeAll(async () => {
  writer = await freshCaller()
})

afterEach(async () => {
  vi.restoreAllMocks()
  expect(await kept(writer)).toEqual(NOTHING_KEPT)
  expect(await storedKeys(writer)).toEqual([])
})

/** A valid submission with extra members at one level. */
async function withMembers(at: 'top' | 'statement' | 'header' | 'app' | 'ext' | 'wrapped', members: object) {
  const good = await noteBy(writer)
  const { statement } = good
  const { header } = statement
  if (at === 'top') return { ...good, ...members }
  if (at === 'statement') return { ...good, statement: { ...statement, ...members } }
  if (at === 'wrapped')
    return { ...good, statement: { ...statement, wrappedKeys: [WRAPPED, { ...WRAPPED, ...members }] } }
  const changed =
    at === 'header'
      ? { ...header, ...members }
      : at === 'app'
        ? { ...header, app: { ...header.app, ...members } }
        : { ...header, ext: members }
  return { ...good, statement: { ...statement, header: changed } }
}

describe('words in a note', () => {
  it.each([
    ['top', 'body', 'body'],
    ['top', 'Plain-Text', 'Plain-Text'],
    ['top', 'somethingElse', 'somethingElse'],
    ['statement', 'title', 'statement.title'],
    ['statement', 'somethingElse', 'statement.somethingElse'],
    ['header', 'tags', 'statement.header.tags'],
    ['header', 'file_name', 'statement.header.file_name'],
    ['header', 'somethingElse', 'statement.header.somethingElse'],
    ['app', 'MIME_TYPE', 'statement.header.app.MIME_TYPE'],
    ['app', 'somethingElse', 'statement.header.app.somethingElse'],
    ['ext', 'subject', 'statement.header.ext.subject'],
    ['wrapped', 'dek', 'statement.wrappedKeys.1.dek'],
    ['wrapped', 'somethingElse', 'statement.wrappedKeys.1.somethingElse'],
  ] as const)('of %s as %s are refused by name, and nothing of them is logged', async (at, member, path) => {
    const log = vi.spyOn(console, 'log')
    const refused = await post(writer, await withMembers(at, { [member]: WORDS }))
    expect(refused).toMatchObject({ status: 400, error: 'plaintext_rejected', body: { details: { members: [path] } } })
    expect(JSON.stringify(refused.body)).not.toContain(WORDS)
    const lines = log.mock.calls.map((call) => call.join(' ')).join('\n')
    expect(lines).toContain('"route":"/api/notes/{did}"')
    expect(lines).not.toContain(WORDS)
    expect(lines).not.toContain(member)
  })

  it('are rejected even if another member of the same object is invalid', async () => {
    const wrong = await withMembers('wrapped', { wrap: 'none', plaintext: WORDS })
    expect(await post(writer, wrong)).toMatchObject({
      status: 400,
      error: 'plaintext_rejected',
      body: { details: { members: ['statement.wrappedKeys.1.plaintext'] } },
    })
    const misshapen = await withMembers('header', { contentLength: 'many', somethingElse: WORDS })
    expect(await post(writer, misshapen)).toMatchObject({ status: 400, error: 'plaintext_rejected' })
  })

  it.each<[string, unknown]>([
    ['a record of another format', { v: 1, record: { title: WORDS } }],
    ['a record of another type', { statement: { type: 'svc/note/v1', body: WORDS } }],
    ['a list of records', { records: [{ body: WORDS }] }],
    ['a bare list', [{ body: WORDS }]],
    ['a member that is itself a list', { statement: [{ text: WORDS }] }],
  ])('are refused first in %s', async (_, body) => {
    expect(await post(writer, body)).toMatchObject({ status: 400, error: 'plaintext_rejected' })
  })

  it('are rejected under __proto__', async () => {
    const good = JSON.stringify(await noteBy(writer))
    const hidden = good.replace('{"statement":{', `{"statement":{"__proto__":{"a":"${WORDS}"},`)
    expect(await post(writer, hidden)).toMatchObject({ status: 400, error: 'plaintext_rejected' })
  })

  it('are named, ten at most, by 64 characters each', async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`x${i}`.padEnd(200, 'y'), WORDS]))
    const { body } = await post(writer, await withMembers('top', many))
    const { members } = body['details'] as { members: string[] }
    expect(members).toHaveLength(10)
    expect(members[0]).toBe('x0'.padEnd(64, 'y'))
  })
})

describe('a record that is not an svc/note/v2', () => {
  it.each<[string, unknown]>([
    ['an empty object', {}],
    ['a statement of no type', { statement: {} }],
    ['a statement of an earlier type', { statement: { type: 'svc/note/v1' }, ciphertextB64u: 'AAAA' }],
    ['an envelope of another maker', { v: 1, alg: 'AES-GCM', iv: 'AAAA', ct: 'AAAA' }],
    ['a statement that is a string', { statement: 'svc/note/v2' }],
  ])('is refused: %s', async (_, body) => {
    expect(await post(writer, body)).toMatchObject({ status: 409, error: 'non_native_note_record' })
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['a list', []],
    ['a string', '"svc/note/v2"'],
    ['no JSON', '{"statement":'],
    ['nothing', ''],
  ])('is not a record at all: %s', async (_, body) => {
    expect(await post(writer, body)).toMatchObject({ status: 400, error: 'invalid_request' })
  })
})
