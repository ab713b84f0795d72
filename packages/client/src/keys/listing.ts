import { statementHash } from '#protocol/base/statement'
import { type AccountHead, EMPTY_HEAD, nextHead } from '#protocol/keys/account-updates'
import type { AccountUpdate, DevicePackage, RevokedPackage } from '#protocol/keys/directory'
import { deviceCredentialSchema, packageRevocationSchema } from '#protocol/keys/packages'
import { unverified } from '../verification/verification-error.ts'

export interface ListedDevice {
  readonly deviceId: string
  readonly packages: readonly DevicePackage[]
  /** The newest revocation, even if a package was published since. */
  readonly revocation: RevokedPackage | null
}

/** The hash of the statement that an update is about, whichever way it is shown. */
export function hashOf({ package: found, revocation, statement }: AccountUpdate): string {
  const shown = found?.credential.statement ?? revocation?.revocation.statement ?? statement
  if (!shown) throw unverified('account', 'left_out', 'The directory left out an update')
  return statementHash(shown)
}

/** The head after each update. */
export function headsOf(updates: readonly AccountUpdate[]): AccountHead[] {
  let head = EMPTY_HEAD
  return updates.map((update) => {
    head = nextHead(head, hashOf(update))
    return head
  })
}

export function devicesOf(updates: readonly AccountUpdate[]): ListedDevice[] {
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
