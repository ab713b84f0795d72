import { encodeBase64url } from '@svc/protocol/base/base64url'
import { kemKeyId } from '@svc/protocol/base/key-agreement'
import { statementHash } from '@svc/protocol/base/statement'
import type { NoteVersion } from '@svc/protocol/notes/api'
import { describe, expect, it } from 'vitest'
import { sealContact } from '../src/inbox/contact-sealing.ts'
import { Inbox } from '../src/inbox/inbox.ts'
import { Notes } from '../src/notes/notes.ts'
import { NoteRecords } from '../src/notes/record.ts'
import { Transport } from '../src/transport/transport.ts'
import { alice } from './sides.ts'

const NOW = 1_790_000_000_000
const transport = new Transport({ realm: 'https://core.test', now: () => NOW })
const keys = {
  keyId: alice.userId,
  own: [alice],
  readers: async () => [alice],
  check: async () => {},
  known: async () => null,
  standing: async () => ({ signer: 'active', fault: null }),
}
const records = new NoteRecords(alice, { name: 'older', version: '1.0.0' }, keys as never, transport)

/** What an application wrote that is older, or another one: signed and encrypted as it must be, whatever is in it. */
async function stored(content: unknown): Promise<NoteVersion> {
  const facts = {
    noteId: encodeBase64url(new Uint8Array(16)),
    operation: 'create',
    follows: null,
    ext: undefined,
    after: null,
  }
  const submission = await records.seal(content as never, facts as never)
  const recordHash = statementHash(submission.statement)
  return { ...submission, noteId: facts.noteId, version: 1, seq: 1, recordHash, acceptedAt: NOW }
}

const good = { title: 't', body: 'b', tags: [], attachments: [] }

describe('a note that somebody encrypted in another form', () => {
  it.each([
    [{ ...good, title: 5 }, 'title'],
    [{ ...good, body: null }, 'body'],
    [{ ...good, tags: [1] }, 'tags.0'],
    [{ ...good, tags: undefined }, 'tags'],
    [{ ...good, attachments: [{}] }, 'attachments.0.attachmentId'],
    [null, ''],
    ['a text', ''],
    [[], ''],
    [undefined, ''],
  ])('%j is a VerificationError that names the member', async (content, member) => {
    await expect(records.open(await stored(content))).rejects.toMatchObject({
      name: 'VerificationError',
      subject: 'note',
      reason: 'malformed',
      where: { member },
    })
  })

  it('names a key that was not wrapped for this reader', async () => {
    const version = await stored(good)
    const [wrap] = version.statement.wrappedKeys
    const statement = {
      ...version.statement,
      wrappedKeys: [{ ...wrap!, wrappedB64u: encodeBase64url(new Uint8Array(40)) }],
    } as NoteVersion['statement']
    await expect(records.open({ ...version, statement, recordHash: statementHash(statement) })).rejects.toMatchObject({
      name: 'VerificationError',
      subject: 'note',
      reason: 'modified',
    })
  })
})

describe('a note that nobody could read back', () => {
  const notes = new Notes({ transport, core: 'https://core.test', owner: alice, keys } as never)

  it.each([
    [{ title: 5 }, 'text.title'],
    [{ title: 't', body: null }, 'text.body'],
    [{ body: 'b', tags: [1] }, 'text.tags.0'],
    [{ body: 'b', tags: 'work' }, 'text.tags'],
  ])('%j is refused by put and putMany, before it is encrypted', async (text, argument) => {
    const given = { body: 'b', ...text } as never
    await expect(notes.put(given)).rejects.toMatchObject({ name: 'ArgumentError', method: 'notes.put', argument })
    await expect(notes.putMany([given])).rejects.toMatchObject({ name: 'ArgumentError', argument })
  })
})

describe('a message that somebody encrypted in another form', () => {
  it.each([{}, null, 'a text', { name: 5 }])('%j is a VerificationError', async (content) => {
    const about = { requestId: 'r'.repeat(32), assetId: 'a'.repeat(64) }
    const context = { ...about, kemKeyId: kemKeyId(alice.kemPublicKeyB64u) }
    const envelope = await sealContact(content as never, alice, context)
    const inbox = new Inbox(transport, 'https://core.test', alice, [])
    const message = { msgId: 'm', ...about, envelope, receivedAt: NOW, readAt: null }
    await expect(inbox.open(message)).rejects.toMatchObject({ name: 'VerificationError', subject: 'inbox' })
  })
})
