import { encodeBase64url } from '@svc/protocol/base/base64url'
import { hashHex } from '@svc/protocol/base/hash'
import { statementHash } from '@svc/protocol/base/statement'
import { blockHash } from '@svc/protocol/chain/chain'
import type { NoteVersion } from '@svc/protocol/notes/api'
import type { NoteSubmission } from '@svc/protocol/notes/notes'
import { Client } from '../../src/client.ts'
import { sealAttachment } from '../../src/notes/attachment-cipher.ts'
import { paddedFileLength } from '../../src/notes/padding.ts'
import { fetchOf } from '../fetch.ts'
import { alice, heirOfAlice, mallory } from '../sides.ts'
import { data, keyAnswers, keysOf, type Lie, NOW, OTHER_REALM, signedBy, verifying } from './situation.ts'

const { heir, keys: both } = await heirOfAlice()
/** What core says of Alice, who never had a device. */
function withoutDevices(): Record<string, object> {
  const { block } = both[0].genesis
  const { did, scope, userId } = alice
  const hash = blockHash({ ...block, signature: block.signature ?? '' })
  return {
    [`/api/genesis/${did}`]: data({ did, scope, userId, block, commitment: null, hash, createdAt: NOW }),
    '/api/inception/events': data({ events: [], next: null, head: { sequence: 0, hash } }),
  }
}

type Answers = Readonly<Record<string, object | ((query: URLSearchParams) => object)>>
/** What a client writes one after the other, as the service stores it. */
async function written(texts: readonly string[], identity = alice, keys: Answers = {}): Promise<NoteVersion[]> {
  const options = { core: 'https://core.test', did: 'https://did.test', identity, now: () => NOW }
  const answers: Answers = { ...keyAnswers(alice), ...withoutDevices(), ...keys }
  const stored: NoteVersion[] = []
  const fetch = async (request: Request) => {
    const { pathname, searchParams } = new URL(request.url)
    const answer = answers[pathname]
    if (answer) return Response.json(typeof answer === 'function' ? answer(searchParams) : answer)
    const submission = await request.json<NoteSubmission>()
    const version = stored.length + 1
    const { noteId } = submission.statement.header
    const appended = { noteId, version, seq: version, recordHash: statementHash(submission.statement), acceptedAt: NOW }
    stored.push({ ...appended, ...submission })
    return Response.json(data(appended))
  }
  const client = new Client({ ...options, fetch: fetchOf(fetch) })
  let note: Awaited<ReturnType<typeof client.notes.put>> | undefined
  for (const body of texts) note = await client.notes.put({ body }, note)
  return stored
}

const summaryOf = ({ version, seq, recordHash, statement, acceptedAt }: NoteVersion) => ({
  version,
  seq,
  recordHash,
  follows: statement.follows,
  keyId: statement.keyId,
  operation: statement.header.operation,
  bytes: statement.header.contentLength,
  acceptedAt,
})

function entryOf(versions: readonly NoteVersion[]) {
  const { noteId, version, seq, recordHash, statement } = versions.at(-1)!
  const placed = { noteId, status: 'stored', version, seq, recordHash, bytes: statement.header.contentLength }
  return { ...placed, attachments: 0, createdAt: NOW, updatedAt: NOW }
}

/** A note of two versions. */
async function honest(identity = alice, keys: Answers = {}) {
  const versions = await written(['one', 'two'], identity, keys)
  const { noteId } = versions[0]!
  const log = withoutDevices()
  const base = `/api/notes/${alice.did}/${noteId}`
  const situation = {
    versions,
    /** What pages are said to follow. */
    next: null as number | null,
    listed: true,
    options: { identity },
    see: async (client: Client): Promise<unknown> => client.notes.get(noteId),
    args: (): unknown[] => [noteId],
    answers: () => ({
      ...keyAnswers(alice, mallory),
      ...keys,
      ...log,
      [`/api/notes/${alice.did}`]: data({
        notes: situation.listed ? [entryOf(situation.versions)] : [],
        cursor: '2',
        more: false,
        size: 2,
      }),
      [base]: data({ ...situation.versions.at(-1), attachments: [] }),
      [`${base}/versions`]: (query: URLSearchParams) => {
        const listed = situation.versions.slice(Number(query.get('from')) - 1)
        return data({ noteId, versions: listed.map(summaryOf), next: situation.next })
      },
      ...Object.fromEntries(situation.versions.map((one, i) => [`${base}/versions/${i + 1}`, data(one)])),
    }),
  }
  return situation
}
type Noted = Awaited<ReturnType<typeof honest>>
const change = (s: Noted, members: object) => {
  s.versions[1] = { ...s.versions[1]!, ...members }
}
const resigned = async (s: Noted, changes: object, by = alice) => {
  const { statement, signatureB64u } = await signedBy(by, s.versions[1]!.statement, changes)
  change(s, { statement, signatureB64u, recordHash: statementHash(statement) })
}
const ofNote = (lie: string, reason: Lie['reason'], tell: Lie<Noted>['tell']): Lie<Noted> => ({
  lie,
  reason,
  tell,
  subject: 'note',
})
const rolledBack: Lie<Noted> = {
  ...ofNote('shows an older version than before', 'rollback', (s) => void s.versions.pop()),
  where: { position: 1 },
  afterTruth: true,
}
const forked: Lie<Noted> = {
  ...ofNote('shows another version under the number than before', 'fork', (s) => resigned(s, { issuedAt: NOW + 1 })),
  where: { position: 2 },
  afterTruth: true,
}

/** The same by the next root key of Alice. */
const byHeir = () => {
  const keys = keysOf(alice)
  const history = (query: URLSearchParams) => data({ ...keys, keys: both.slice(Number(query.get('from'))) })
  return honest(heir, { [`/api/chain/root/${alice.did}/history`]: history })
}
/** A version that the key before signed. */
const ended = (s: Noted, changes: object = {}) => resigned(s, { keyId: alice.userId, ...changes }, alice)

const FILE = new TextEncoder().encode('a file')
const KEY = new Uint8Array(32).fill(7)
async function attachment() {
  const padded = new Uint8Array(paddedFileLength(FILE.length))
  padded.set(FILE)
  const sealed = await sealAttachment(padded, KEY)
  const [noteId, attachmentId] = ['n'.repeat(24), 'a'.repeat(24)]
  const facts = { attachmentId, name: 'a.txt', type: 'text/plain', bytes: FILE.length }
  const file = { ...facts, keyB64u: encodeBase64url(KEY), cipherHash: hashHex(sealed) }
  const situation = {
    sealed: sealed,
    options: { identity: alice },
    args: () => [noteId, file],
    answers: () => ({ [`/api/notes/${alice.did}/${noteId}/attachments/${attachmentId}`]: situation.sealed }),
  }
  return situation
}
const falseFile = (
  lie: string,
  tell: Lie<Awaited<ReturnType<typeof attachment>>>['tell'],
): Lie<Awaited<ReturnType<typeof attachment>>> => ({ lie, tell, subject: 'attachment', reason: 'hash_mismatch' })

/** What no version of a note may be. */
const falseNotes: readonly Lie<Noted>[] = [
  ofNote('changes the ciphertext', 'mismatch', (s) => change(s, { ciphertextB64u: 'AAAA' })),
  ofNote('names another hash of the record', 'mismatch', (s) => change(s, { recordHash: 'a7'.repeat(48) })),
  ofNote('shows the note of another identity', 'mismatch', (s) => resigned(s, { did: mallory.did })),
  ofNote('shows a note for another deployment', 'invalid_signature', (s) => resigned(s, { realm: OTHER_REALM })),
  ofNote('shows a note signed by another key', 'invalid_signature', (s) => resigned(s, {}, mallory)),
  ofNote('shows a note that somebody else signed as themselves', 'wrong_owner', (s) =>
    resigned(s, { keyId: mallory.userId }, mallory),
  ),
]

export const NOTES = [
  verifying({
    name: 'client.notes.get',
    honest,
    lies: [
      ofNote('answers with another note', 'different_answer', (s) => change(s, { noteId: 'n'.repeat(24) })),
      ...falseNotes,
      rolledBack,
      forked,
    ],
  }),
  verifying({
    name: 'client.notes.get',
    given: 'with a version',
    honest: async () => {
      const situation = await honest()
      return Object.assign(situation, { args: () => [situation.versions[0]!.noteId, 2] })
    },
    lies: [
      ofNote('answers with another version', 'different_answer', (s) => change(s, { version: 1 })),
      ...falseNotes,
      forked,
    ],
  }),
  verifying({
    name: 'client.notes.get',
    given: 'after a rotation',
    honest: byHeir,
    lies: [
      ofNote('shows a version of the root key before that it took after the rotation', 'unordered', async (s) => {
        await ended(s)
        change(s, { acceptedAt: NOW + 1 })
      }),
      ofNote('shows a version of the root key before that names an event of another log', 'unknown_head', (s) =>
        ended(s, { inception: { sequence: 1, hash: 'cd'.repeat(48) } }),
      ),
      {
        ...ofNote('shows a version that names an older event than the one before', 'older_head', async (s) => {
          const { statement, recordHash } = s.versions[1]!
          const { signatureB64u, statement: next } = await signedBy(heir, statement, {
            follows: recordHash,
            inception: null,
          })
          const placed = { version: 3, seq: 3, recordHash: statementHash(next) }
          s.versions.push({ ...s.versions[1]!, ...placed, statement: next, signatureB64u })
        }),
        afterTruth: true,
      },
    ],
  }),
  verifying({
    name: 'client.notes.list',
    honest: async () => Object.assign(await honest(), { args: () => [] }),
    lies: [
      { ...rolledBack, lie: 'lists an older version than before' },
      { ...forked, lie: 'lists another version under the number than before' },
      {
        ...ofNote('does not list a note that was there before', 'rollback', (s) => {
          s.listed = false
        }),
        where: { position: 0 },
        afterTruth: true,
      },
    ],
  }),
  verifying({
    name: 'client.notes.history',
    honest,
    lies: [
      rolledBack,
      forked,
      ofNote('repeats pages for ever', 'repeated', (s) => {
        s.next = 1
      }),
    ],
  }),
  verifying({
    name: 'client.notes.attachment',
    honest: attachment,
    lies: [
      falseFile('changes the ciphertext', (s) => {
        s.sealed = new Uint8Array(s.sealed)
        s.sealed[0]! ^= 1
      }),
      falseFile('cuts the ciphertext', (s) => {
        s.sealed = s.sealed.slice(1)
      }),
    ],
  }),
]
