import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.fixture.ts'
import { GCM, KWP, noteOf } from './notes.fixture.ts'
import { noteFault } from './notes.ts'

const submission = await noteOf('n1', 1)
const { statement } = submission
const { header } = statement
const withStatement = (members: object) => ({ ...submission, statement: { ...statement, ...members } })
const withHeader = (members: object) => withStatement({ header: { ...header, ...members } })
const words = (...members: string[]) => ({ reason: 'plaintext_rejected', members })
const FOREIGN = { reason: 'non_native_note_record' }

describe('a valid note', () => {
  it.each([
    ['a first version', submission],
    ['an update', withHeader({ operation: 'update' })],
    ['one for readers of both wraps', withStatement({ wrappedKeys: [KWP, { ...GCM, kemKeyId: 'B'.repeat(32) }] })],
    ['one that follows another', withStatement({ follows: 'a7'.repeat(48) })],
    ['one that was restored', withHeader({ ext: { restored: 'a7'.repeat(48) } })],
    ['one with a wrong length, which the schema refuses', withHeader({ contentLength: 1 })],
    ['one without a signature, which the schema refuses', { ...submission, signatureB64u: undefined }],
  ])('is accepted: %s', (_, body) => {
    expect(noteFault(body)).toBeNull()
  })

  it.each([null, undefined, 1, 'text', true, [[]]])('is not %j, which is left to the schema', (body) => {
    expect(noteFault(body)).toBeNull()
  })
})

describe('plaintext is refused by name', () => {
  it.each([
    ['title', { ...submission, title: 'x' }],
    ['statement.title', withStatement({ title: 'x' })],
    ['statement.header.title', withHeader({ title: 'x' })],
    ['statement.header.app.title', withHeader({ app: { ...header.app, title: 'x' } })],
    ['statement.header.ext.title', withHeader({ ext: { title: 'x' } })],
    ['statement.wrappedKeys.0.title', withStatement({ wrappedKeys: [{ ...KWP, title: 'x' }] })],
  ])('as %s', (name, body) => {
    expect(noteFault(body)).toEqual(words(name))
  })

  it.each(['body', 'Title', 'FILE_NAME', 'file-name', 'mime_type', 'private-key', 'Data_Key', 'tags', 'dek'])(
    'in any spelling: %s',
    (name) => {
      expect(noteFault({ ...submission, [name]: 'x' })).toEqual(words(name))
      expect(noteFault({ record: { [name]: 'x' } })).toEqual(words(`record.${name}`))
    },
  )

  it('also under an unknown name', () => {
    expect(noteFault({ ...submission, gedicht: 'x' })).toEqual(words('gedicht'))
    expect(noteFault(withStatement({ wrappedKeys: [{ ...KWP, gedicht: 'x' }] }))).toEqual(
      words('statement.wrappedKeys.0.gedicht'),
    )
    expect(noteFault(withHeader({ gedicht: 'x', other: 1 }))).toEqual(
      words('statement.header.gedicht', 'statement.header.other'),
    )
  })

  it('also with a name that looks like a path, or an empty one', () => {
    expect(noteFault(JSON.parse(`{"__proto__":{"title":"x"},${JSON.stringify(submission).slice(1)}`))).toEqual(
      words('__proto__.title'),
    )
    expect(noteFault({ ...submission, '': 'x' })).toEqual(words(''))
  })

  it('regardless of its value', () => {
    for (const value of [null, '', 0, false, [], {}])
      expect(noteFault({ ...submission, body: value })).toEqual(words('body'))
  })

  it('in another format, too, without suggesting a retry', () => {
    expect(noteFault({ title: 'x', ciphertext: 'y' })).toEqual(words('title'))
    expect(noteFault({ record: { payload: { text: 'x' } } })).toEqual(words('record.payload.text'))
    expect(noteFault({ records: [{ text: 'x' }] })).toEqual(words('records.0.text'))
    expect(noteFault([{ text: 'x' }])).toEqual(words('0.text'))
  })

  it('with at most ten names of 64 characters, so that no response echoes a text', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`x${i}`.padEnd(200, 'y'), 1]))
    const fault = noteFault({ ...submission, ...many })
    expect(fault).toMatchObject({ reason: 'plaintext_rejected' })
    const members = fault?.reason === 'plaintext_rejected' ? fault.members : []
    expect(members).toHaveLength(10)
    expect(members.every((name) => name.length === 64)).toBe(true)
  })
})

describe('a record that is not a version 2 note', () => {
  it.each([
    ['empty', {}],
    ['of version 1', withStatement({ type: 'svc/note/v1' })],
    ['of another kind', withStatement({ type: 'svc/delivery/v1', realm: REALM })],
    ['without a type', withStatement({ type: undefined })],
    ['flat', { ...statement, signatureB64u: submission.signatureB64u }],
    ['with a statement in an array', { ...submission, statement: [statement] }],
    ['with a statement as text', { ...submission, statement: JSON.stringify(statement) }],
    ['without a statement', { ...submission, statement: null }],
    ['of another product', { ciphertext: 'AAAA', iv: 'AAAA' }],
  ])('is refused as such: %s', (_, body) => {
    expect(noteFault(body)).toEqual(FOREIGN)
  })
})

describe('a megabyte that is not a note', () => {
  const LEVELS = 170_000
  it.each([
    ['of nested objects', `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`, FOREIGN],
    ['of nested arrays', `${'['.repeat(500_000)}${']'.repeat(500_000)}`, null],
    [
      'of nested objects in a note',
      `{"statement":{"type":"svc/note/v2","header":${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}}}`,
      words('statement.header.a'),
    ],
    [
      'of unknown names',
      JSON.stringify(Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [`k${i}`, 1]))),
      FOREIGN,
    ],
    ['of empty objects', `{"a":[${'{},'.repeat(333_000)}{}]}`, FOREIGN],
    ['of numbers', `{"a":[${'1,'.repeat(500_000)}1]}`, FOREIGN],
  ])('%s is refused quickly and without deep recursion', (_, text, fault) => {
    expect(noteFault(JSON.parse(text))).toEqual(fault)
  })
})
