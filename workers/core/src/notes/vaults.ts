import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import type { Result } from '@svc/protocol/base/result'
import type { BudgetRefusal } from '../storage/rules.ts'
import type { StorageBudget } from '../storage/service.ts'
import type { BlobStore } from './blob-store.ts'
import type { NoteVaultObject } from './object.ts'

type Vault = DurableObjectStub<NoteVaultObject>

/** The vaults of all owners, each in its own object, with the ciphertexts in their store. */
export class Vaults {
  readonly blobs: BlobStore
  readonly #objects: DurableObjectNamespace<NoteVaultObject>
  readonly #budget: StorageBudget

  constructor(objects: DurableObjectNamespace<NoteVaultObject>, blobs: BlobStore, budget: StorageBudget) {
    this.#objects = objects
    this.blobs = blobs
    this.#budget = budget
  }

  /** A write that may exceed the budget of the identity. */
  write<T, E extends { readonly reason: string }>(
    did: string,
    work: (vault: Vault) => Promise<Result<T, E | BudgetRefusal>>,
  ): Promise<Result<T, E | BudgetRefusal>> {
    return this.#budget.within(() => this.ask(did, work))
  }

  ask<T>(did: string, work: (vault: Vault) => Promise<T>): Promise<T> {
    return reaching('notes', () => work(this.#objects.getByName(did)))
  }

  /** Deletes a rejected upload. If that fails, the alarm of the vault does it. */
  async discard(did: string, r2Key: string): Promise<void> {
    try {
      await this.blobs.delete([r2Key])
      await this.ask(did, async (vault) => vault.endUpload(r2Key))
    } catch (error) {
      if (!(error instanceof DependencyFault)) throw error
    }
  }
}
