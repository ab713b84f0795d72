import { type DeletionReceipt, deletionReceiptSchema, type SignedManifest, verifyReceipt } from '#protocol/notes/log'
import { trustedKeyOf } from '../discovery/trusted-keys.ts'
import { unverified } from '../verification/verification-error.ts'
import type { NoteDependencies } from './dependencies.ts'

type Needed = Pick<NoteDependencies, 'transport' | 'owner' | 'receiptKeys'>

/** What the service signs about this vault: that a note is erased, and what a page of an export holds. */
export class NoteReceipts {
  readonly #deps: Needed

  constructor(deps: Needed) {
    this.#deps = deps
  }

  /** Erases the note at this address. Throws if the receipt is about another note or its signature is invalid. */
  async erase(url: string, noteId: string): Promise<DeletionReceipt> {
    const { transport, owner, receiptKeys } = this.#deps
    // Without a key, nothing is erased whose receipt could not be verified.
    await receiptKeys(transport.now())
    const call = { method: 'DELETE', url, audience: 'notes' } as const
    const receipt = await transport.data(call, deletionReceiptSchema)
    if (receipt.statement.did !== owner.did || receipt.statement.noteId !== noteId)
      throw unverified('receipt', 'different_answer', 'The receipt is about another note', { evidence: receipt })
    await this.#check(receipt, 'receipt', await trustedKeyOf(receipt, receiptKeys, 'receipt'))
    return receipt
  }

  /** Throws unless the service signed it: with this key, or one that is trusted for its time. */
  async checkManifest(manifest: SignedManifest, key?: string): Promise<void> {
    const trusted = key === undefined ? this.#deps.receiptKeys : () => [key]
    await this.#check(manifest, 'vault', await trustedKeyOf(manifest, trusted, 'vault'))
  }

  /** Whether the service signed it: with this key, or one that is trusted for its time. */
  async isSigned(signed: SignedManifest | DeletionReceipt, key?: string): Promise<boolean> {
    const { publicKeyB64u, statement } = signed
    const trusted = key === undefined ? await this.#deps.receiptKeys(statement.issuedAt) : [key]
    return trusted.includes(publicKeyB64u) && verifyReceipt(signed, publicKeyB64u, this.#deps.transport.realms)
  }

  async #check(signed: SignedManifest | DeletionReceipt, subject: 'receipt' | 'vault', key: string): Promise<void> {
    if (await verifyReceipt(signed, key, this.#deps.transport.realms)) return
    const message = subject === 'receipt' ? 'The receipt is invalid' : 'The manifest is not signed by the service'
    throw unverified(subject, 'invalid_signature', message, { evidence: signed })
  }
}
