import { statementHash } from '#protocol/base/statement'
import { MAX_NOTE_BATCH, type NoteAppended, noteResultsSchema } from '#protocol/notes/api'
import { MAX_NOTE_BODY_BYTES, type NoteSubmission } from '#protocol/notes/notes'
import type { OnProgress } from '../transport/progress.ts'
import { randomId } from '../transport/random-id.ts'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'
import { readersOf } from './keys.ts'
import type { NoteHeads } from './note-heads.ts'
import { checkContent, type NoteContent, type NoteRecords } from './record.ts'
import type { NoteText, WrittenNote } from './vault.ts'

/** What became of one note of many. */
export type NoteWritten =
  | { readonly ok: true; readonly note: WrittenNote }
  | {
      readonly ok: false
      /** As `put` would throw it in a `ServiceError`. */
      readonly error: string
      readonly message: string
    }

interface Parts {
  readonly transport: Transport
  readonly url: string
  readonly records: NoteRecords
  readonly heads: NoteHeads
}

interface Sealed {
  readonly content: NoteContent
  readonly submission: NoteSubmission
}

/** `{"items":[]}` */
const FRAME_BYTES = 12

export async function putMany(
  parts: Parts,
  texts: readonly NoteText[],
  onProgress: OnProgress | undefined,
): Promise<NoteWritten[]> {
  const sealed = await Promise.all(
    texts.map(async ({ title = '', body, tags = [] }): Promise<Sealed> => {
      const content = checkContent('notes.putMany', { title, body, tags: tags as string[], attachments: [] })
      const facts = { noteId: randomId(), operation: 'create', follows: null, ext: undefined, after: null } as const
      return { content, submission: await parts.records.seal(content, facts) }
    }),
  )
  const results: NoteWritten[] = []
  for (const batch of batchesOf(sealed)) {
    results.push(...(await send(parts, batch)))
    onProgress?.({ done: results.length, total: texts.length })
  }
  return results
}

/** As many as fit into a request. */
function batchesOf(sealed: readonly Sealed[]): Sealed[][] {
  const batches: Sealed[][] = []
  let room = 0
  for (const one of sealed) {
    const last = batches.at(-1)
    const bytes = JSON.stringify(one.submission).length + 1
    if (last && bytes <= room && last.length < MAX_NOTE_BATCH) last.push(one)
    else {
      batches.push([one])
      room = MAX_NOTE_BODY_BYTES - FRAME_BYTES
    }
    room -= bytes
  }
  return batches
}

async function send({ transport, url, heads }: Parts, batch: readonly Sealed[]): Promise<NoteWritten[]> {
  const items = batch.map(({ submission }) => submission)
  const seen = await Promise.all(items.map(({ statement }) => heads.of(statement.header.noteId)))
  const call = { method: 'POST', url, audience: 'notes', body: { items } } as const
  const { results } = await transport.data(call, noteResultsSchema)
  if (results.length !== batch.length)
    throw unverified('note', 'different_answer', 'Core did not answer for every note', { evidence: results })
  const written: NoteWritten[] = []
  for (const [at, result] of results.entries()) {
    const [one, head] = [batch[at], seen[at]]
    if (!one || !head) continue
    if (!result.ok) {
      const { error, message } = result
      written.push({ ok: false, error, message })
      continue
    }
    const { ok: _, ...appended } = result
    if (appended.recordHash !== statementHash(one.submission.statement))
      throw unverified('note', 'different_answer', 'Core answered for a different note', { evidence: result })
    await head.written({ ...appended, ...one.submission })
    written.push({ ok: true, note: writtenNote(one.content, one.submission, appended) })
  }
  return written
}

/** A version as it was written, after version `before`. */
export function writtenNote(
  content: NoteContent,
  { statement }: NoteSubmission,
  { noteId, version, recordHash, seq, acceptedAt }: NoteAppended,
  before = 0,
): WrittenNote {
  const { follows, keyId, inception } = statement
  const isConcurrent = version !== before + 1
  const readers = readersOf(statement)
  const signing = { signer: 'active', order: inception ? 'inception' : 'unknown' } as const
  const placed = { noteId, version, recordHash, follows, seq, acceptedAt, keyId, readers }
  return { ...content, ...placed, ...signing, isConcurrent }
}
