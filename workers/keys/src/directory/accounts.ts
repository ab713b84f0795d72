import { reaching } from '@svc/protocol/base/dependency-fault'
import { accountLabel } from '@svc/protocol/keys/account-updates'
import type { AccountDirectoryObject } from './object.ts'

/** The objects of accounts, each named by the label of its account. */
export class Accounts {
  readonly #objects: DurableObjectNamespace<AccountDirectoryObject>
  readonly #namespace: string

  /** The namespace is part of every account's label. */
  constructor(objects: DurableObjectNamespace<AccountDirectoryObject>, namespace: string) {
    this.#objects = objects
    this.#namespace = namespace
  }

  labelOf(did: string): string {
    return accountLabel(this.#namespace, did)
  }

  ask<T>(did: string, work: (account: DurableObjectStub<AccountDirectoryObject>) => Promise<T>): Promise<T> {
    return reaching('account directory', () => work(this.#objects.getByName(this.labelOf(did))))
  }
}
