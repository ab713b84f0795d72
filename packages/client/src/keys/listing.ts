import { statementHash } from '#protocol/base/statement'
import type { SignerState } from '#protocol/devices/signer-standing'
import { type AccountHead, EMPTY_HEAD, nextHead } from '#protocol/keys/account-updates'
import type { AccountUpdate, DevicePackage, RevokedPackage } from '#protocol/keys/directory'
import { olderUpdate } from '#protocol/keys/package-order'
import { deviceCredentialSchema, packageRevocationSchema } from '#protocol/keys/packages'
import { unverified } from '../verification/verification-error.ts'

/** What the updates of an account show of a device. */
export interface DeviceUpdates {
  readonly deviceId: string
  readonly packages: readonly DevicePackage[]
  /** The newest revocation, even if a package was published since. */
  readonly revocation: RevokedPackage | null
}

export interface ListedPackage extends DevicePackage {
  /**
   * What the key of the device is today, by the inception log; null for the account of another identity, and for a device
   * without `account:read`. The directory gives out no prekeys of a `revoked` device. Revoke its packages too.
   */
  readonly signer: SignerState | null
}

export interface ListedDevice extends DeviceUpdates {
  readonly packages: readonly ListedPackage[]
}

/** The statement that an update is about, whichever way it is shown. */
function statementOf({ package: found, revocation, statement }: AccountUpdate): { readonly type: string } {
  const shown = found?.credential.statement ?? revocation?.revocation.statement ?? statement
  if (!shown) throw unverified('account', 'left_out', 'The directory left out an update')
  return shown
}

export function hashOf(update: AccountUpdate): string {
  return statementHash(statementOf(update))
}

/** The head after each update. */
export function headsOf(updates: readonly AccountUpdate[]): AccountHead[] {
  let head = EMPTY_HEAD
  return updates.map((update) => {
    head = nextHead(head, hashOf(update))
    return head
  })
}

/** Throws if a package was ended by another update, or an update names an older event than one before it. */
export function devicesOf(updates: readonly AccountUpdate[]): DeviceUpdates[] {
  const older = olderUpdate(updates.map(statementOf))
  if (older !== null)
    throw unverified('package', 'older_head', 'An update of a device names an older event than one before it', {
      evidence: updates[older],
    })
  const devices = new Map<string, { packages: DevicePackage[]; revocation: RevokedPackage | null }>()
  for (const { package: found, revocation } of updates) {
    const deviceId = found?.deviceId ?? revocation?.revocation.statement.deviceId
    if (deviceId === undefined) continue
    const device = devices.get(deviceId) ?? { packages: [], revocation: null }
    devices.set(deviceId, device)
    if (found) device.packages.push(found)
    if (revocation) device.revocation = revocation
  }
  for (const { packages } of devices.values()) for (const shown of packages) requireNewest(shown, updates)
  const ascending = [...devices].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return ascending.map(([deviceId, device]) => ({ deviceId, ...device }))
}

/** Rejects a package that another update of the account ends: the log has the hash of each, so none can be left out. */
function requireNewest(shown: DevicePackage, updates: readonly AccountUpdate[]): void {
  for (const { package: found, revocation, statement: bare } of updates) {
    const statement: object | undefined = found?.credential.statement ?? revocation?.revocation.statement ?? bare ?? {}
    const revoked = packageRevocationSchema.loose().safeParse(statement)
    const isRevoked = revoked.success && revoked.data.deviceId === shown.deviceId
    if (isRevoked && revoked.data.version >= shown.version)
      throw unverified('package', 'revoked', 'The directory returned a revoked package', { evidence: shown })
    const later = deviceCredentialSchema.loose().safeParse(statement)
    if (!later.success || later.data.deviceId !== shown.deviceId || later.data.version <= shown.version) continue
    const isSameKind = later.data.profile === shown.profile && later.data.suiteId === shown.suiteId
    if (isSameKind)
      throw unverified('package', 'replaced', 'The directory returned a package that was replaced', { evidence: shown })
  }
}
