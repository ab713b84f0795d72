/** Routes for a vault as a whole: export and maintenance. */
import {
  collectedSchema,
  collectRequestSchema,
  exportQuerySchema,
  noteParamsSchema,
  rebuildRequestSchema,
  rebuiltSchema,
} from '@svc/protocol/notes/api'
import { noteExportSchema } from '@svc/protocol/notes/log'
import { ApiError, defineOperation } from '@svc/service'
import { coreRoute } from '../service.ts'
import type { OwnerActRefusal } from './vault-service.ts'

export const exportNotes = defineOperation({
  id: 'exportNotes',
  method: 'get',
  path: '/api/notes/{did}/export',
  summary: 'Export a page of a vault, with a signed manifest',
  description:
    'Entries of the log in order, with records and ciphertexts: at most 100, and 4 MiB of ciphertext or a single longer ' +
    'one. The manifest has size and root of the log at the first page, the same on every page; the leaves of all pages ' +
    'hash to that root. Fetch attachments separately.',
  auth: 'assertion',
  audiences: ['notes'],
  capability: 'notes:read',
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
  summary: 'Delete what has been unreferenced for a day',
  description:
    'The body is the credential: a statement by the current root key, dated within five minutes, single-use. An alarm ' +
    'does this for deletions; this also finds uploads that never completed.',
  body: collectRequestSchema,
  answer: { status: 200, description: 'What was deleted and what is pending', schema: collectedSchema },
  errors: OWNER_ACT_ERRORS,
})

export const rebuildNotes = defineOperation({
  ...OWNER_ACT,
  id: 'rebuildNotes',
  path: '/api/notes/{did}/cas/rebuild',
  summary: 'Recount references and usage from the records and the store',
  description:
    'The body is the credential: a statement by the current root key, dated within five minutes, single-use. `dryRun` ' +
    'only reports the differences. Deletes nothing.',
  body: rebuildRequestSchema,
  answer: { status: 200, description: 'The differences', schema: rebuiltSchema },
  errors: OWNER_ACT_ERRORS,
})

export const noteVaultRoutes = [
  coreRoute(exportNotes, async ({ caller, query, deps, now }) => {
    const page = await deps.vaults.export(caller.did, query.cursor ?? { from: 0, size: null }, now)
    if (page.ok) return page.value
    if (page.error.reason === 'receipts_unavailable') throw new ApiError('receipts_unavailable')
    throw new ApiError('vault_behind', { details: { size: page.error.size } })
  }),
  coreRoute(collectNotes, async ({ params, body, deps, now }) => {
    const collected = await deps.vaults.collect(params.did, body, now)
    if (collected.ok) return collected.value
    throw ownerActError(collected.error, now)
  }),
  coreRoute(rebuildNotes, async ({ params, body, deps, now }) => {
    const rebuilt = await deps.vaults.rebuild(params.did, body, now)
    if (rebuilt.ok) return rebuilt.value
    throw ownerActError(rebuilt.error, now)
  }),
]

function ownerActError({ reason }: OwnerActRefusal, now: number): ApiError {
  return new ApiError(reason, reason === 'statement_expired' ? { serverTime: now } : {})
}
