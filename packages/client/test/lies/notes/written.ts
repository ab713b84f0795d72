import { statementHash } from '@svc/protocol/base/statement'
import { blockHash } from '@svc/protocol/chain/chain'
import { eventHash, type InceptionEvent } from '@svc/protocol/devices/inception'
import type { NoteVersion } from '@svc/protocol/notes/api'
import type { NoteSubmission } from '@svc/protocol/notes/notes'
import { Client } from '../../../src/client.ts'
import type { Device } from '../../../src/identity/device.ts'
import type { Identity } from '../../../src/identity/identity.ts'
import { fetchOf } from '../../fetch.ts'
import { alice, heirOfAlice, mallory } from '../../sides.ts'
import { data, keyAnswers, type Lie, NOW, signedBy } from '../situation.ts'

export const { heir, keys: bothKeys } = await heirOfAlice()
const { block } = bothKeys[0].genesis
/** The genesis block of Alice as the first head of her inception log. */
export const FIRST_HEAD = { sequence: 0, hash: blockHash({ ...block, signature: block.signature ?? '' }) }

/** Returns core's responses about the inception log of Alice. By default, she never had a device. */
export function inceptionAnswers(events: readonly InceptionEvent[] = []): Record<string, object> {
  const { did, scope, userId } = alice
  const { hash } = FIRST_HEAD
  const last = events.at(-1)
  const head = last ? { sequence: last.statement.sequence, hash: eventHash(last) } : FIRST_HEAD
  return {
    [`/api/genesis/${did}`]: data({ did, scope, userId, block, commitment: null, hash, createdAt: NOW }),
    '/api/inception/events': data({ events, next: null, head }),
  }
}

type Answers = Readonly<Record<string, object | ((query: URLSearchParams) => object)>>
/** Returns the versions that a client writes one after the other, as the service stores them. */
async function written(texts: readonly string[], identity = alice, keys: Answers = {}): Promise<NoteVersion[]> {
  const options = { core: 'https://core.test', did: 'https://did.test', identity, now: () => NOW }
  const answers: Answers = { ...keyAnswers(alice), ...inceptionAnswers(), ...keys }
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
export async function honest(identity = alice, keys: Answers = {}) {
  const versions = await written(['one', 'two'], identity, keys)
  const { noteId } = versions[0]!
  const log = inceptionAnswers()
  const base = `/api/notes/${alice.did}/${noteId}`
  const situation = {
    versions,
    /** The head that pages claim to follow. */
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
export type Noted = Awaited<ReturnType<typeof honest>>
export const change = (s: Noted, members: object) => {
  s.versions[1] = { ...s.versions[1]!, ...members }
}
export const resigned = async (s: Noted, changes: object, by: Identity | Device = alice) => {
  const { statement, signatureB64u } = await signedBy(by, s.versions[1]!.statement, changes)
  change(s, { statement, signatureB64u, recordHash: statementHash(statement) })
}
export const ofNote = (lie: string, reason: Lie['reason'], tell: Lie<Noted>['tell']): Lie<Noted> => ({
  lie,
  reason,
  tell,
  subject: 'note',
})
