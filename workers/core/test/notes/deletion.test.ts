import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { statementHash } from '@svc/protocol/base/statement'
import { type DeletionReceipt, deletionReceiptSchema, verifyReceipt } from '@svc/protocol/notes/log'
import { REALM, REALMS } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { anonymous, freshCaller, sendWith } from '../harness.ts'
import {
  type AskOptions,
  ask,
  attach,
  freshCiphertext,
  noteBy,
  post,
  stored,
  vaultPath,
  type Writer,
} from './notes.fixture.ts'

const DAY_MS = 86_400_000
const RECEIPT_KEY = mlDsa65.publicKeyOf(new Uint8Array(32).fill(10)).then(encodeBase64url)

const remove = (by: Writer, noteId: string, options: AskOptions = {}) =>
  ask(by, 'DELETE', vaultPath(by, `/${noteId}`), options)
const receiptOf = ({ data }: Awaited<ReturnType<typeof ask>>): DeletionReceipt => deletionReceiptSchema.parse(data)

describe('DELETE /api/notes/{did}/{noteId}', () => {
  it('erases all data of a note, and signs so with the key in the capabilities document', async () => {
    const writer = await freshCaller()
    await stored(writer, { noteId: 'n' })
    const last = await stored(writer, { noteId: 'n', operation: 'update' })
    await attach(writer, 'n', 'a', freshCiphertext())
    const receipt = receiptOf(await remove(writer, 'n'))
    const { issuedAt } = receipt.statement
    expect(receipt.statement).toEqual({
      type: 'svc/note-deletion/v1',
      realm: REALM,
      did: writer.identity.did,
      noteId: 'n',
      seq: 3,
      size: 4,
      root: expect.stringMatching(/^[0-9a-f]{96}$/),
      versions: 2,
      attachments: 1,
      lastRecordHash: statementHash(last.statement),
      collectableFrom: issuedAt + DAY_MS,
      issuedAt,
    })
    expect(await verifyReceipt(receipt, await RECEIPT_KEY, REALMS)).toBe(true)
    const { body } = await anonymous('GET', '/api/capabilities')
    expect(body).toMatchObject({ features: { notes: { receiptKeyB64u: await RECEIPT_KEY } } })
    for (const rest of ['/n', '/n/versions', '/n/versions/1', '/n/attachments/a']) {
      expect(await ask(writer, 'GET', vaultPath(writer, rest))).toMatchObject({ status: 404, error: 'not_found' })
    }
  })

  it('is idempotent: later calls return the same statement and add nothing to the log', async () => {
    const writer = await freshCaller()
    await stored(writer, { noteId: 'n' })
    const first = receiptOf(await remove(writer, 'n'))
    await stored(writer)
    const again = receiptOf(await remove(writer, 'n'))
    expect(again.statement).toEqual(first.statement)
    expect(await verifyReceipt(again, await RECEIPT_KEY, REALMS)).toBe(true)
    expect((await ask(writer, 'GET', vaultPath(writer))).data).toMatchObject({ size: 3 })
  })

  it('states the same root as the manifest of an export of that size', async () => {
    const writer = await freshCaller()
    await stored(writer, { noteId: 'n' })
    const { statement } = receiptOf(await remove(writer, 'n'))
    await stored(writer)
    const { data } = await ask(writer, 'GET', vaultPath(writer, '/export?cursor=0.2'))
    expect(data['manifest']).toMatchObject({ statement: { size: 2, root: statement.root } })
  })

  it('keeps the name taken permanently', async () => {
    const writer = await freshCaller()
    const first = await stored(writer, { noteId: 'n' })
    await remove(writer, 'n')
    const tombstoned = { status: 409, error: 'note_tombstoned' }
    expect(await post(writer, first)).toMatchObject(tombstoned)
    for (const operation of ['create', 'update', 'attach'] as const) {
      expect(await post(writer, await noteBy(writer, { noteId: 'n', operation }))).toMatchObject(tombstoned)
    }
    expect(await attach(writer, 'n', 'a', freshCiphertext())).toMatchObject(tombstoned)
  })

  it('of an unknown note is 404, also of one that cannot exist', async () => {
    const writer = await freshCaller()
    await stored(writer)
    for (const name of ['never', 'cas', 'export', 'storage', '.x']) {
      expect(await remove(writer, name)).toMatchObject({ status: 404, error: 'not_found' })
    }
  })

  it('erases nothing if no receipt can be signed', async () => {
    const writer = await freshCaller()
    await stored(writer, { noteId: 'n' })
    const fetch = sendWith({ RECEIPT_SEED: undefined })
    expect(await remove(writer, 'n', { fetch })).toMatchObject({ status: 503, error: 'receipts_unavailable' })
    expect(await ask(writer, 'GET', vaultPath(writer, '/n'))).toMatchObject({ status: 200 })
    const exported = await ask(writer, 'GET', vaultPath(writer, '/export'), { fetch })
    expect(exported).toMatchObject({ status: 503, error: 'receipts_unavailable' })
    expect((await remove(writer, 'n')).status).toBe(200)
  })

  it('of one note keeps what another note shares with it', async () => {
    const writer = await freshCaller()
    const ciphertext = freshCiphertext()
    await stored(writer, { noteId: 'one', ciphertext })
    const other = await stored(writer, { noteId: 'two', ciphertext })
    await remove(writer, 'one')
    expect((await ask(writer, 'GET', vaultPath(writer, '/two'))).data).toMatchObject(other)
    const { data } = await ask(writer, 'GET', vaultPath(writer, '/cas/refs'))
    expect(data['blobs']).toMatchObject([{ refs: 1, unreferencedSince: null }])
  })
})

describe('capabilities', () => {
  it('describe the supported notes, their size, and the key of receipts', async () => {
    const { body } = await anonymous('GET', '/api/capabilities')
    expect((body['features'] as Record<string, unknown>)['notes']).toEqual({
      version: 2,
      maxCiphertextBytes: 720_912,
      maxAttachmentBytes: 26_214_400,
      quotaBytes: 1_073_741_824,
      receiptKeyB64u: await RECEIPT_KEY,
    })
    const unsigned = await sendWith({ RECEIPT_SEED: undefined, NOTES_QUOTA_BYTES: 5 })(
      new Request('https://core.test/api/capabilities'),
    )
    expect(await unsigned.json()).toMatchObject({ features: { notes: { quotaBytes: 5, receiptKeyB64u: null } } })
  })
})
