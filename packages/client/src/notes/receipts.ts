import { type DeletionReceipt, deletionReceiptSchema, type SignedManifest, verifyReceipt } from '#protocol/notes/log'
import { unverified } from '../verification/verification-error.ts'
import type { NoteDependencies } from './dependencies.ts'

type Needed = Pick<NoteDependencies, 'transport' | 'owner' | 'receiptKeyB64u' | 'receiptKeyOf'>

/** What the service signs about this vault: that a note is erased, and what a page of an export holds. */
export class NoteReceipts {
  readonly #deps: Needed

  constructor(deps: Needed) {
    this.#deps = deps
  }

  /** Erases the note at this address. Throws if the receipt is about another note or its signature is invalid. */
  async erase(url: string, noteId: string): Promise<DeletionReceipt> {
    const { transport, owner, receiptKeyOf } = this.#deps
    const call = { method: 'DELETE', url, audience: 'notes' } as const
    const receipt = await transport.data(call, deletionReceiptSchema)
    const isOurs = receipt.statement.did === owner.did && receipt.statement.noteId === noteId
    if (!isOurs || !(await this.isSigned(receipt, receiptKeyOf(receipt))))
      throw unverified('receipt', 'invalid_signature', 'The receipt is invalid')
    return receipt
  }

  /** Whether the service signed it: with this key, with the pinned one, or else with the one that it names itself. */
  isSigned(signed: SignedManifest | DeletionReceipt, key = this.#deps.receiptKeyB64u): Promise<boolean> {
    return verifyReceipt(signed, key ?? signed.publicKeyB64u, this.#deps.transport.realms)
  }
}
