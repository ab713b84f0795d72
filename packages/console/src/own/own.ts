import type { Client, Device } from '@svc/client'
import type { LockedBy } from '../keys/lock.ts'

/** What the parts of the overview work with. */
export interface Own {
  readonly core: string
  readonly device: Device
  readonly client: Client
  /** What opens the root key; null if it is not in this browser. */
  readonly rootLock: LockedBy | null
}
