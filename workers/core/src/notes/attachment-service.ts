import type { Caller } from '@svc/assertion'
import { err, type Result } from '@svc/protocol/base/result'
import type { Attachment } from '@svc/protocol/notes/api'
import type { IdentityService } from '../identity/service.ts'
import type { Leased } from './object.ts'
import type { VaultLimits } from './rules.ts'
import type { AttachRefusal } from './transaction.ts'
import type { Vaults } from './vaults.ts'

export type UploadRefusal = Leased<AttachRefusal> | { readonly reason: 'hash_mismatch' | 'revoked' }

export interface NewUpload {
  readonly noteId: string
  readonly attachmentId: string
  readonly cipherHash: string
  /** Null to refer to a ciphertext that the vault already has. */
  readonly body: { readonly stream: ReadableStream<Uint8Array>; readonly length: number } | null
}

export interface AttachmentDependencies {
  readonly vaults: Vaults
  readonly identities: IdentityService
  readonly limits: VaultLimits
}

/** Attachments of notes, which are streamed. */
export class AttachmentService {
  readonly #deps: AttachmentDependencies

  constructor(deps: AttachmentDependencies) {
    this.#deps = deps
  }

  /**
   * Stores an attachment chunk by chunk. It becomes visible only once its last byte is stored, its hash is the stated one,
   * and the sender is still allowed to act.
   */
  async upload(caller: Caller, upload: NewUpload, now: number): Promise<Result<Attachment, UploadRefusal>> {
    const { vaults, identities, limits } = this.#deps
    const { did } = caller
    const { noteId, attachmentId, cipherHash, body } = upload
    const r2Key = vaults.blobs.newKey(did, cipherHash)
    const attachment = {
      noteId,
      attachmentId,
      cipherHash,
      bytes: body?.length ?? 0,
      upload: body && { r2Key, startedAt: now },
    }
    if (!body) return vaults.write(did, async (vault) => vault.attach(did, attachment, limits))
    const checked = await vaults.write(did, async (vault) => vault.checkAttachment(did, attachment, limits))
    if (!checked.ok || checked.value) return checked as Result<Attachment, UploadRefusal>
    const actual = await vaults.blobs.putStream(r2Key, body.stream, body.length)
    const refusal = actual === cipherHash ? await this.#standing(identities, caller) : 'hash_mismatch'
    if (refusal) {
      await vaults.discard(did, r2Key)
      return err({ reason: refusal })
    }
    const attached = await vaults.write(did, async (vault) => vault.attach(did, attachment, limits))
    if (!attached.ok) await vaults.discard(did, r2Key)
    return attached
  }

  find(
    did: string,
    noteId: string,
    attachmentId: string,
  ): Promise<Result<Attachment & { readonly r2Key: string }, { reason: 'not_found' }>> {
    return this.#deps.vaults.ask(did, async (vault) => vault.attachment(noteId, attachmentId))
  }

  open(r2Key: string, window: { readonly offset: number; readonly length: number }): Promise<ReadableStream> {
    return this.#deps.vaults.blobs.open(r2Key, window)
  }

  /** An upload may take minutes: if the key was superseded or revoked meanwhile, nothing is left behind. */
  async #standing(identities: IdentityService, { did, userId, device }: Caller): Promise<'revoked' | null> {
    const acting = device && { deviceId: device.deviceId, needs: 'notes:write' as const }
    const acts = await identities.ask(did, async (identity) => identity.stillActs(userId, acting))
    return acts ? null : 'revoked'
  }
}
