/** What concerns a vault as a whole: taking it along, and keeping its store in order. */
import {
  collectedSchema,
  collectRequestSchema,
  exportQuerySchema,
  noteParamsSchema,
  rebuildRequestSchema,
  rebuiltSchema,
} from '@svc/protocol/note-api'
import { noteExportSchema } from '@svc/protocol/note-log'
import { ApiError, defineOperation } from '@svc/service'
import type { OwnerActRefusal } from '../notes/note-service.ts'
import { coreRoute } from '../route.ts'

export const exportNotes = defineOperation({
  id: 'exportNotes',
  method: 'get',
  path: '/api/notes/{did}/export',
  summary: 'A page of everything that a vault holds, with a signed manifest',
  description:
    'Entries of the log in its order, with records and ciphertexts: at most 100, and 4 MiB of ciphertext or one that is ' +
    'longer. The manifest names size and root of the log at the first page, the same on every page; the leaves of all ' +
    'pages hash to that root. Attachments are fetched by themselves.',
  auth: 'assertion',
  owner: 'did',
  params: noteParamsSchema,
  query: exportQuerySchema,
  answer: { status: 200, description: 'One page', schema: noteExportSchema },
  errors: ['vault_behind', 'receipts_unavailable'],
})

const OWNER_ACT = {
  method: 'post',
  auth: 'none',
  params: noteParamsSchema,
} as const
const OWNER_ACT_ERRORS = [
  'statement_expired',
  'invalid_signature',
  'statement_replay',
  'dependency_unavailable',
] as const

export const collectNotes = defineOperation({
  ...OWNER_ACT,
  id: 'collectNotes',
  path: '/api/notes/{did}/cas/gc',
  summary: 'Delete what nothing has referred to for a day',
  description:
    'The body is the credential: a statement by the current root key, dated within five minutes, taken once. Runs by ' +
    'itself for what a deletion left; this also finds uploads that were never taken.',
  body: collectRequestSchema,
  answer: { status: 200, description: 'What was deleted and what waits', schema: collectedSchema },
  errors: OWNER_ACT_ERRORS,
})

export const rebuildNotes = defineOperation({
  ...OWNER_ACT,
  id: 'rebuildNotes',
  path: '/api/notes/{did}/cas/rebuild',
  summary: 'Count references and usage anew, from the records and the store',
  description:
    'The body is the credential: a statement by the current root key, dated within five minutes, taken once. With ' +
    '`dryRun` only the differences are told. Deletes nothing.',
  body: rebuildRequestSchema,
  answer: { status: 200, description: 'The differences', schema: rebuiltSchema },
  errors: OWNER_ACT_ERRORS,
})

export const noteVaultRoutes = [
  coreRoute(exportNotes, async ({ caller, query, deps, now }) => {
    const page = await deps.notes.export(caller.did, query.cursor ?? { from: 0, size: null }, now)
    if (page.ok) return page.value
    if (page.error.reason === 'receipts_unavailable') throw new ApiError('receipts_unavailable')
    throw new ApiError('vault_behind', { details: { size: page.error.size } })
  }),
  coreRoute(collectNotes, async ({ params, body, deps, now }) => {
    const collected = await deps.notes.collect(params.did, body, now)
    if (collected.ok) return collected.value
    throw ownerActError(collected.error, now)
  }),
  coreRoute(rebuildNotes, async ({ params, body, deps, now }) => {
    const rebuilt = await deps.notes.rebuild(params.did, body, now)
    if (rebuilt.ok) return rebuilt.value
    throw ownerActError(rebuilt.error, now)
  }),
]

function ownerActError({ reason }: OwnerActRefusal, now: number): ApiError {
  return new ApiError(reason, reason === 'statement_expired' ? { serverTime: now } : {})
}
