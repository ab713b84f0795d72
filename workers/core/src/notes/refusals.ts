import { noteFault } from '@svc/protocol/notes/notes'
import { ApiError } from '@svc/service'
import { budgetError } from '../storage/error.ts'
import type { UploadRefusal } from './attachment-service.ts'
import type { Leased } from './object.ts'
import type { ReadRefusal } from './reading.ts'
import type { RecordRefusal } from './record.ts'
import type { UnknownEvent } from './service.ts'
import type { VersionRefusal } from './transaction.ts'

/** The answer names the rejected members to the caller; neither names nor values go to the log. */
export function screenNote(body: unknown): ApiError | null {
  const fault = noteFault(body)
  if (!fault) return null
  if (fault.reason === 'non_native_note_record') return new ApiError('non_native_note_record')
  return new ApiError('plaintext_rejected', { details: { members: fault.members } })
}

type NoteRefusal = RecordRefusal | UnknownEvent | Leased<VersionRefusal> | UploadRefusal | ReadRefusal

/** The only mapping from refusals of the vault to public errors. */
export function noteError(refusal: NoteRefusal): ApiError {
  const { reason } = refusal
  switch (reason) {
    case 'budget_exhausted':
      return budgetError(refusal)
    case 'revoked':
      return new ApiError('unauthorized', { reason: 'revoked while it was sent' })
    case 'upload_expired':
      return new ApiError('dependency_unavailable', { reason: 'the upload took too long' })
    case 'older_event':
      return new ApiError(reason, { details: { inception: refusal.inception } })
    case 'owner_mismatch':
    case 'not_eligible':
    case 'aad_mismatch':
    case 'hash_mismatch':
    case 'invalid_signature':
    case 'unknown_event':
    case 'not_found':
    case 'note_exists':
    case 'note_tombstoned':
    case 'attachment_exists':
    case 'storage_quota':
    case 'non_native_note_record':
      return new ApiError(reason)
  }
}
