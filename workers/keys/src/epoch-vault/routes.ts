import {
  publishVaultKeySchema,
  putVaultNoteSchema,
  storedVaultNoteSchema,
  vaultGenerationSchema,
  vaultGenerationsQuerySchema,
  vaultGenerationsSchema,
  vaultKeyParamsSchema,
  vaultKeyReportedSchema,
  vaultLeftSchema,
  vaultMembersSchema,
  vaultNoteDeletedSchema,
  vaultNoteHeadSchema,
  vaultNoteParamsSchema,
  vaultNotesQuerySchema,
  vaultNotesSchema,
  vaultParamsSchema,
} from '@svc/protocol/keys/epoch-vault'
import { ApiError, defineOperation } from '@svc/service'
import { keysRoute } from '../service.ts'
import type { KeyRefusal, NoteRefusal } from './rules.ts'

const VAULT = '/api/vault/{epoch}'
const GATE = 'For members of the vault; everybody else gets the same 404 as for an epoch that does not exist.'
/** Keys of the vault are wrapped for root identities, so a device could read nothing here. */
const credential = { auth: 'assertion', audiences: ['keys'], capability: 'root' } as const
const UNKNOWN = ['not_found', 'dependency_unavailable'] as const

export const readVaultMembers = defineOperation({
  id: 'readVaultMembers',
  method: 'get',
  path: `${VAULT}/members`,
  summary: 'Read who is in the vault of an epoch',
  description: `Those whom the operator admitted, who joined and acknowledged. ${GATE}`,
  ...credential,
  params: vaultParamsSchema,
  answer: { status: 200, description: 'The members', schema: vaultMembersSchema },
  errors: UNKNOWN,
})

export const readVaultKeys = defineOperation({
  id: 'readVaultKeys',
  method: 'get',
  path: `${VAULT}/keys`,
  summary: 'Read the keys of a vault, newest first',
  description: `Each as it was signed, with what the caller gets of it. ${GATE}`,
  ...credential,
  params: vaultParamsSchema,
  query: vaultGenerationsQuerySchema,
  answer: { status: 200, description: 'A page of keys', schema: vaultGenerationsSchema },
  errors: UNKNOWN,
})

export const publishVaultKey = defineOperation({
  id: 'publishVaultKey',
  method: 'post',
  path: `${VAULT}/keys`,
  summary: 'Publish the next key of a vault',
  description:
    'Accepted if the newest key is not for exactly the current members, or was reported, and this one is. Of concurrent ' +
    `publications one is accepted. Idempotent for the same statement. ${GATE}`,
  ...credential,
  params: vaultParamsSchema,
  body: publishVaultKeySchema,
  answer: { status: 200, description: 'The key', schema: vaultGenerationSchema },
  errors: [
    'invalid_request',
    'hash_mismatch',
    'invalid_signature',
    'owner_mismatch',
    'statement_expired',
    'vault_closed',
    'vault_generation_stale',
    'vault_members_changed',
    'vault_rekey_unneeded',
    'vault_full',
    ...UNKNOWN,
  ],
})

export const reportVaultKey = defineOperation({
  id: 'reportVaultKey',
  method: 'post',
  path: `${VAULT}/keys/{generation}/report`,
  summary: 'Report that you cannot open the newest key',
  description: `The next writer then publishes another. The first report counts; others change nothing. ${GATE}`,
  ...credential,
  params: vaultKeyParamsSchema,
  answer: { status: 200, description: 'Noted', schema: vaultKeyReportedSchema },
  errors: ['vault_closed', 'vault_generation_stale', 'vault_rekey_needed', 'vault_full', ...UNKNOWN],
})

export const listVaultNotes = defineOperation({
  id: 'listVaultNotes',
  method: 'get',
  path: `${VAULT}/notes`,
  summary: 'List the notes of a vault',
  description: `The newest version of each, as it was signed, without its content. ${GATE}`,
  ...credential,
  params: vaultParamsSchema,
  query: vaultNotesQuerySchema,
  answer: { status: 200, description: 'A page of notes', schema: vaultNotesSchema },
  errors: UNKNOWN,
})

export const readVaultNote = defineOperation({
  id: 'readVaultNote',
  method: 'get',
  path: `${VAULT}/notes/{noteId}`,
  summary: 'Read a note of a vault',
  description: GATE,
  ...credential,
  params: vaultNoteParamsSchema,
  answer: { status: 200, description: 'The note, encrypted', schema: storedVaultNoteSchema },
  errors: UNKNOWN,
})

export const writeVaultNote = defineOperation({
  id: 'writeVaultNote',
  method: 'put',
  path: `${VAULT}/notes/{noteId}`,
  summary: 'Write a note, or the next version of your own',
  description: `Encrypted under the newest key. Idempotent for the same statement. ${GATE}`,
  ...credential,
  params: vaultNoteParamsSchema,
  body: putVaultNoteSchema,
  answer: { status: 200, description: 'The version', schema: vaultNoteHeadSchema },
  errors: [
    'invalid_request',
    'hash_mismatch',
    'invalid_signature',
    'owner_mismatch',
    'statement_expired',
    'vault_closed',
    'vault_rekey_needed',
    'vault_generation_stale',
    'vault_note_stale',
    'vault_full',
    ...UNKNOWN,
  ],
})

export const deleteVaultNote = defineOperation({
  id: 'deleteVaultNote',
  method: 'delete',
  path: `${VAULT}/notes/{noteId}`,
  summary: 'Delete your own note',
  description: `Also after the epoch has closed. ${GATE}`,
  ...credential,
  params: vaultNoteParamsSchema,
  answer: { status: 200, description: 'Deleted', schema: vaultNoteDeletedSchema },
  errors: ['owner_mismatch', ...UNKNOWN],
})

export const leaveVault = defineOperation({
  id: 'leaveVault',
  method: 'post',
  path: `${VAULT}/leave`,
  summary: 'Leave a vault',
  description: `Deletes the caller’s notes. Only the operator can admit it again. ${GATE}`,
  ...credential,
  params: vaultParamsSchema,
  answer: { status: 200, description: 'Left', schema: vaultLeftSchema },
  errors: UNKNOWN,
})

/** The refusals of both kinds of write. */
type Refusal =
  | KeyRefusal
  | NoteRefusal
  | { readonly reason: 'path_mismatch' | 'hash_mismatch' | 'invalid_signature' | 'not_found' }

function errorOf(refusal: Refusal, now: number): ApiError {
  switch (refusal.reason) {
    case 'path_mismatch':
      return new ApiError('invalid_request', { message: 'body: the statement is for another path' })
    case 'statement_expired':
      return new ApiError(refusal.reason, { serverTime: now })
    case 'vault_full':
      return new ApiError(refusal.reason, { details: { limit: refusal.limit } })
    case 'hash_mismatch':
    case 'invalid_signature':
    case 'not_found':
    case 'owner_mismatch':
    case 'vault_closed':
    case 'vault_generation_stale':
    case 'vault_members_changed':
    case 'vault_note_stale':
    case 'vault_rekey_needed':
    case 'vault_rekey_unneeded':
      return new ApiError(refusal.reason)
  }
}

export const epochVaultRoutes = [
  keysRoute(readVaultMembers, async ({ caller, params: { epoch }, deps, now }) => {
    const members = await deps.vaults.members(caller, epoch, now)
    if (members.ok) return members.value
    throw new ApiError(members.error.reason)
  }),
  keysRoute(readVaultKeys, async ({ caller, params: { epoch }, query: { before }, deps, now }) => {
    const page = await deps.vaults.generations(caller, epoch, before, now)
    if (page.ok) return page.value
    throw new ApiError(page.error.reason)
  }),
  keysRoute(publishVaultKey, async ({ caller, params: { epoch }, body, deps, now }) => {
    const published = await deps.vaults.publish(caller, epoch, body, now)
    if (published.ok) return published.value
    throw errorOf(published.error, now)
  }),
  keysRoute(reportVaultKey, async ({ caller, params: { epoch, generation }, deps, now }) => {
    const reported = await deps.vaults.report(caller, epoch, generation, now)
    if (reported.ok) return reported.value
    const { reason } = reported.error
    throw reason === 'reports_spent'
      ? new ApiError('vault_full', { details: { limit: 'reports' } })
      : new ApiError(reason)
  }),
  keysRoute(listVaultNotes, async ({ caller, params: { epoch }, query: { after }, deps, now }) => {
    const page = await deps.vaults.notes(caller, epoch, after ?? '', now)
    if (page.ok) return page.value
    throw new ApiError(page.error.reason)
  }),
  keysRoute(readVaultNote, async ({ caller, params: { epoch, noteId }, deps, now }) => {
    const note = await deps.vaults.note(caller, epoch, noteId, now)
    if (note.ok) return note.value
    throw new ApiError(note.error.reason)
  }),
  keysRoute(writeVaultNote, async ({ caller, params: { epoch, noteId }, body, deps, now }) => {
    const written = await deps.vaults.write(caller, epoch, noteId, body, now)
    if (written.ok) return written.value
    throw errorOf(written.error, now)
  }),
  keysRoute(deleteVaultNote, async ({ caller, params: { epoch, noteId }, deps, now }) => {
    const erased = await deps.vaults.erase(caller, epoch, noteId, now)
    if (erased.ok) return erased.value
    throw new ApiError(erased.error.reason)
  }),
  keysRoute(leaveVault, async ({ caller, params: { epoch }, deps, now }) => {
    const left = await deps.vaults.leave(caller, epoch, now)
    if (left.ok) return left.value
    throw new ApiError(left.error.reason)
  }),
]
