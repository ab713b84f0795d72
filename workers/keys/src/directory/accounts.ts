import { reaching } from '@svc/protocol/base/dependency-fault'
import type { Labels } from '../labels/labels.ts'
import type { AccountDirectoryObject } from './object.ts'

/** The objects of accounts, each named by the label of its account. */
export class Accounts {
  readonly #objects: DurableObjectNamespace<AccountDirectoryObject>
  readonly #labels: Labels

  constructor(objects: DurableObjectNamespace<AccountDirectoryObject>, labels: Labels) {
    this.#objects = objects
    this.#labels = labels
  }

  labelOf(did: string): string {
    return this.#labels.of(did)
  }

  async ask<T>(did: string, work: (account: DurableObjectStub<AccountDirectoryObject>) => Promise<T>): Promise<T> {
    const label = this.labelOf(did)
    return reaching('account directory', () => work(this.#objects.getByName(label)))
  }
}
