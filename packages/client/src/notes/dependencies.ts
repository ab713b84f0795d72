import type { TrustedKeys } from '../discovery/trusted-keys.ts'
import type { Device } from '../identity/device.ts'
import type { Identity } from '../identity/identity.ts'
import type { AppInfo } from '../ledger/assets.ts'
import type { KnownLogs } from '../memory/known-logs.ts'
import type { Transport } from '../transport/transport.ts'
import type { NoteKeys } from './keys.ts'

export interface NoteDependencies {
  readonly transport: Transport
  readonly core: string
  readonly owner: Identity | Device
  readonly app: AppInfo
  readonly keys: NoteKeys
  readonly receiptKeys: TrustedKeys
  readonly memory: KnownLogs
}
