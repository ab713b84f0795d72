import {
  blobParamsSchema,
  blobRefSchema,
  blobRefsSchema,
  indexQuerySchema,
  noteAnswerSchema,
  noteAppendedSchema,
  noteIndexSchema,
  noteParamsSchema,
  noteVersionSchema,
  noteVersionsSchema,
  oneNoteParamsSchema,
  refsQuerySchema,
  storageUsageSchema,
  versionParamsSchema,
  versionsQuerySchema,
} from '@svc/protocol/notes/api'
import { deletionReceiptSchema } from '@svc/protocol/notes/log'
import { MAX_NOTE_BODY_BYTES, noteSubmissionSchema } from '@svc/protocol/notes/notes'
import { ApiError, defineOperation, JsonText } from '@svc/service'
import { coreRoute } from '../service.ts'
import { noteError, screenNote } from './refusals.ts'

export const appendNote = defineOperation({
  id: 'appendNote',
  method: 'post',
  path: '/api/notes/{did}',
  summary: 'Write a version of an encrypted note',
  description:
    'Every update is kept, in the order in which the vault accepted it; `follows` tells what the writer had seen. ' +
    'Idempotent per statement. Unknown members are rejected by name as `plaintext_rejected`; only `svc/note/v2` records ' +
    'are accepted.',
  auth: 'assertion',
  audiences: ['notes'],
  capability: 'notes:write',
  owner: 'did',
  params: noteParamsSchema,
  screen: screenNote,
  body: noteSubmissionSchema,
  maxBodyBytes: MAX_NOTE_BODY_BYTES,
  answer: { status: 200, description: 'The accepted version', schema: noteAppendedSchema },
  errors: [
    'plaintext_rejected',
    'non_native_note_record',
    'aad_mismatch',
    'hash_mismatch',
    'owner_mismatch',
    'not_eligible',
    'invalid_signature',
    'not_found',
    'note_exists',
    'note_tombstoned',
    'older_event',
    'unknown_event',
    'storage_quota',
    'budget_exhausted',
  ],
})

export const listNotes = defineOperation({
  id: 'listNotes',
  method: 'get',
  path: '/api/notes/{did}',
  summary: 'List notes, or the changes since a cursor',
  description:
    'Notes by their latest change, at most 1,000. Follow `cursor` to the end for the whole index; keep it to get later ' +
    'changes, including tombstones. A cursor beyond the end means that the service has lost entries: 409 `vault_behind`, ' +
    'with `details.size`.',
  auth: 'assertion',
  audiences: ['notes'],
  capability: 'notes:read',
  owner: 'did',
  params: noteParamsSchema,
  query: indexQuerySchema,
  answer: { status: 200, description: 'One page', schema: noteIndexSchema },
  errors: ['vault_behind'],
})

export const readStorage = defineOperation({
  id: 'readStorage',
  method: 'get',
  path: '/api/notes/{did}/storage',
  summary: 'Read the usage of a vault',
  description:
    'Shared ciphertexts count once, until they are collected. Never treat a failed request as an empty vault.',
  auth: 'assertion',
  audiences: ['notes'],
  capability: 'notes:read',
  owner: 'did',
  params: noteParamsSchema,
  answer: { status: 200, description: 'Usage', schema: storageUsageSchema },
})

export const readNote = defineOperation({
  id: 'readNote',
  method: 'get',
  path: '/api/notes/{did}/{noteId}',
  summary: 'Read the newest version of a note with its ciphertext',
  description:
    'Verify the signature of the statement and `cipherHash` before you decrypt. A note that never existed or was ' +
    'deleted is 404. 409 `non_native_note_record` means a note of an earlier form: do not send it again unencrypted.',
  auth: 'assertion',
  audiences: ['notes'],
  capability: 'notes:read',
  owner: 'did',
  params: oneNoteParamsSchema,
  answer: { status: 200, description: 'The note', schema: noteAnswerSchema },
  errors: ['not_found', 'non_native_note_record'],
})

export const deleteNote = defineOperation({
  id: 'deleteNote',
  method: 'delete',
  path: '/api/notes/{did}/{noteId}',
  summary: 'Erase a note and get a signed receipt',
  description:
    'Its versions and attachments are gone when this returns; unreferenced ciphertexts are deleted from the store from ' +
    '`collectableFrom` on. The name cannot be used again. Idempotent: returns the same receipt.',
  auth: 'assertion',
  audiences: ['notes'],
  capability: 'notes:delete',
  owner: 'did',
  params: oneNoteParamsSchema,
  answer: { status: 200, description: 'The receipt', schema: deletionReceiptSchema },
  errors: ['not_found', 'receipts_unavailable'],
})

export const listNoteVersions = defineOperation({
  id: 'listNoteVersions',
  method: 'get',
  path: '/api/notes/{did}/{noteId}/versions',
  summary: 'List the versions of a note, ascending',
  description:
    'Without ciphertexts. `limit` is 100 by default and clamped to 1-500; pass `next` as `from`. Two versions with ' +
    'the same `follows` are a fork: both are kept. A deleted note is 404.',
  auth: 'assertion',
  audiences: ['notes'],
  capability: 'notes:read',
  owner: 'did',
  params: oneNoteParamsSchema,
  query: versionsQuerySchema,
  answer: { status: 200, description: 'One page', schema: noteVersionsSchema },
  errors: ['not_found'],
})

export const readNoteVersion = defineOperation({
  id: 'readNoteVersion',
  method: 'get',
  path: '/api/notes/{did}/{noteId}/versions/{v}',
  summary: 'Read a version of a note with its ciphertext',
  description:
    'Every version of a note is kept until the note is deleted. Verify the signature of the statement and ' +
    '`cipherHash` before you decrypt. Attachments are listed by the note, not by its versions.',
  auth: 'assertion',
  audiences: ['notes'],
  capability: 'notes:read',
  owner: 'did',
  params: versionParamsSchema,
  answer: { status: 200, description: 'The version', schema: noteVersionSchema },
  errors: ['not_found', 'non_native_note_record'],
})

export const readBlobRef = defineOperation({
  id: 'readBlobRef',
  method: 'get',
  path: '/api/notes/{did}/cas/{cipherHash}',
  summary: 'Check whether the vault has a ciphertext',
  description:
    'HEAD is the deduplication probe: 200 if present, 404 if not, 400 for an invalid hash. Reveals nothing about other vaults.',
  auth: 'assertion',
  audiences: ['notes'],
  capability: 'notes:read',
  owner: 'did',
  documentsHead: true,
  params: blobParamsSchema,
  answer: { status: 200, description: 'The ciphertext is present', schema: blobRefSchema },
  errors: ['not_found'],
})

export const listBlobRefs = defineOperation({
  id: 'listBlobRefs',
  method: 'get',
  path: '/api/notes/{did}/cas/refs',
  summary: 'List the ciphertexts of a vault with their reference counts',
  description:
    'To see what takes room. `bytes` is the size of a ciphertext, `refs` how many versions and attachments use it; ' +
    'one without any is deleted 24 hours after `unreferencedSince` (epoch ms). `limit` is 100 by default and clamped ' +
    'to 1-1,000; pass `next` as `after`.',
  auth: 'assertion',
  audiences: ['notes'],
  capability: 'notes:read',
  owner: 'did',
  params: noteParamsSchema,
  query: refsQuerySchema,
  answer: { status: 200, description: 'One page, by hash', schema: blobRefsSchema },
})

/** Fixed words come before `{noteId}` and `{cipherHash}`. */
export const noteRoutes = [
  coreRoute(appendNote, async ({ caller, body, deps, now }) => {
    const appended = await deps.notes.append(caller, body, now)
    if (appended.ok) return appended.value
    throw noteError(appended.error)
  }),
  coreRoute(listNotes, async ({ caller, query, deps }) => {
    const listed = await deps.notes.index(caller.did, query)
    if (listed.ok) return new JsonText(listed.value)
    throw new ApiError('vault_behind', { details: { size: listed.error.size } })
  }),
  coreRoute(readStorage, ({ caller, deps, now }) => deps.vaults.usage(caller.did, now)),
  coreRoute(listBlobRefs, ({ caller, query, deps }) => deps.vaults.refs(caller.did, query)),
  coreRoute(readBlobRef, async ({ caller, params, deps }) => {
    const ref = await deps.vaults.blob(caller.did, params.cipherHash)
    if (ref) return ref
    throw new ApiError('not_found')
  }),
  coreRoute(readNote, async ({ caller, params, deps }) => {
    const read = await deps.notes.read(caller.did, params.noteId, null)
    if (read.ok) return read.value
    throw noteError(read.error)
  }),
  coreRoute(deleteNote, async ({ caller, params, deps }) => {
    const erased = await deps.notes.delete(caller.did, params.noteId)
    if (erased.ok) return erased.value
    throw new ApiError(erased.error.reason)
  }),
  coreRoute(listNoteVersions, async ({ caller, params, query, deps }) => {
    const listed = await deps.notes.versions(caller.did, params.noteId, query)
    if (listed.ok) return listed.value
    throw noteError(listed.error)
  }),
  coreRoute(readNoteVersion, async ({ caller, params, deps }) => {
    const read = await deps.notes.read(caller.did, params.noteId, params.v)
    if (!read.ok) throw noteError(read.error)
    const { attachments: _, ...version } = read.value
    return version
  }),
]
