import {
  MAX_NOTE_BATCH,
  type NoteResult,
  noteBatchSchema,
  noteParamsSchema,
  noteResultsSchema,
} from '@svc/protocol/notes/api'
import { MAX_NOTE_BODY_BYTES, type NoteSubmission, noteSubmissionSchema } from '@svc/protocol/notes/notes'
import { type ApiError, defineOperation, refusalOf } from '@svc/service'
import { coreRoute } from '../service.ts'
import { noteError, screenNote } from './refusals.ts'
import type { NoteService } from './service.ts'

export const appendNotes = defineOperation({
  id: 'appendNotes',
  method: 'post',
  path: '/api/notes/{did}/batch',
  summary: 'Write versions of many encrypted notes',
  description:
    `With one assertion: at most ${MAX_NOTE_BATCH} items and 1 MiB. Each is taken or refused by itself, as \`appendNote\` ` +
    'does, those of one note in their order. Different notes have no order among each other: `seq` tells the place of each. ' +
    'If a dependency fails, the whole batch is answered with that error, and what was written until then stays. ' +
    'Idempotent per statement: send the same batch again after a lost answer or such an error.',
  auth: 'assertion',
  audiences: ['notes'],
  capability: 'notes:write',
  owner: 'did',
  params: noteParamsSchema,
  body: noteBatchSchema,
  maxBodyBytes: MAX_NOTE_BODY_BYTES,
  limit: { counter: 'appendNotes', limit: 60, protects: 'work' },
  answer: { status: 200, description: 'What became of each', schema: noteResultsSchema },
})

export const noteBatchRoutes = [
  coreRoute(appendNotes, async ({ caller, body: { items }, deps, now }) => {
    // One after the other for each note, and the notes beside each other.
    const turns = new Map<unknown, Promise<NoteResult>>()
    const results = items.map((item) => {
      const noteId = noteIdIn(item)
      const write = () => resultOf(item, (submission) => deps.notes.append(caller, submission, now))
      const result = (turns.get(noteId) ?? Promise.resolve()).then(write)
      turns.set(noteId, result)
      return result
    })
    return { results: await Promise.all(results) }
  }),
]

type Appending = (submission: NoteSubmission) => ReturnType<NoteService['append']>

/** What `appendNote` would answer. A fault that is not the item’s ends the whole batch. */
async function resultOf(item: unknown, append: Appending): Promise<NoteResult> {
  const screened = screenNote(item)
  if (screened) return refused(screened)
  const parsed = noteSubmissionSchema.safeParse(item)
  if (!parsed.success) return refused(refusalOf('item', parsed.error))
  const appended = await append(parsed.data)
  return appended.ok ? { ok: true, ...appended.value } : refused(noteError(appended.error))
}

function refused({ error, message, options: { details } }: ApiError): NoteResult {
  return { ok: false, error, message, ...(details && { details }) }
}

function noteIdIn(item: unknown): unknown {
  return (item as { readonly statement?: { readonly header?: { readonly noteId?: unknown } } } | null)?.statement
    ?.header?.noteId
}
