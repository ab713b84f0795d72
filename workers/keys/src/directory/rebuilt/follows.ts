/**
 * What of an account that is about to be rebuilt follows from its updates. Pure.
 *
 * @module
 */
import { statementHash } from '@svc/protocol/base/statement'
import {
  agreedIn,
  EMPTY_HEAD,
  leafIdOf,
  nextAgreement,
  nextHead,
  olderAgreement,
} from '@svc/protocol/keys/account-updates'
import { deviceCredentialSchema, packageRevocationSchema } from '@svc/protocol/keys/packages'
import type { PackageRow } from '../store.ts'
import type { RebuiltDirectory, StoredDevice, StoredUpdate } from './state.ts'

/** Why the updates are not numbered and folded as an account’s are; null if they are. */
export function updatesFault({ updates, continuedAfter }: RebuiltDirectory): string | null {
  let known = EMPTY_HEAD
  for (const { seq, head, statementHash: hash, statement } of updates) {
    if (seq !== known.seq + 1 && continuedAfter && continuedAfter.seq > known.seq) known = continuedAfter
    known = nextHead(known, hash)
    if (seq !== known.seq) return `update ${known.seq}: missing`
    if (hash !== statementHash(statement)) return `update ${seq}: statement`
    if (head !== known.head) return `update ${seq}: head`
  }
  return null
}

/** Why the newest key agreement does not match the updates; null if it does, or if lost updates may have it. */
export function agreementFault({ updates, continuedAfter, agreement }: RebuiltDirectory, label: string): string | null {
  const logged = updates.map(({ seq, statementHash: hash, statement }) => ({
    label,
    seq,
    statementHash: hash,
    ...agreedIn(statement),
  }))
  const older = olderAgreement(logged, () => null)
  if (older) return `update ${older.seq}: an older key agreement`
  const newest = logged.reduce(nextAgreement, null)
  const isSame = newest?.hash === agreement?.hash && newest?.issuedAt === agreement?.issuedAt
  return isSame || continuedAfter ? null : 'key agreement'
}

/** What the updates of one device come to. */
interface Folded {
  version: number
  revocation: StoredUpdate | null
  readonly packages: Map<string, StoredUpdate>
}

/** Why devices and packages are not those of the updates; null if they are. What was erased may be missing. */
export function devicesFault({ updates, devices, packages }: RebuiltDirectory, label: string): string | null {
  const folded = foldedOf(updates)
  const unknown = devices.find(({ deviceId }) => !folded.has(deviceId))
  if (unknown) return `device ${unknown.deviceId}: no update`
  for (const [deviceId, device] of folded) {
    const row = devices.find((one) => one.deviceId === deviceId)
    const fault = row ? deviceFault(row, device, label) : 'missing'
    if (fault) return `device ${deviceId}: ${fault}`
  }
  for (const row of packages) {
    const update = folded.get(row.deviceId)?.packages.get(`${row.profile} ${row.suiteId}`)
    const { statement } = row.pair.credential
    const isSame = update && isPlaced(row, update, label) && statementHash(statement) === update.statementHash
    if (!isSame || row.version !== statement.version) return `package of device ${row.deviceId}`
  }
  return null
}

function foldedOf(updates: readonly StoredUpdate[]): Map<string, Folded> {
  const devices = new Map<string, Folded>()
  const of = (deviceId: string): Folded => {
    const device = devices.get(deviceId) ?? { version: 0, revocation: null, packages: new Map() }
    devices.set(deviceId, device)
    return device
  }
  for (const update of updates) {
    const published = deviceCredentialSchema.loose().safeParse(update.statement)
    if (published.success) {
      const { deviceId, profile, suiteId, version } = published.data
      const device = of(deviceId)
      device.version = version
      device.packages.set(`${profile} ${suiteId}`, update)
    }
    const revoked = packageRevocationSchema.loose().safeParse(update.statement)
    if (revoked.success) of(revoked.data.deviceId).revocation = update
  }
  return devices
}

function deviceFault(row: StoredDevice, device: Folded, label: string): string | null {
  if (row.version !== device.version) return 'version'
  if (device.revocation === null || row.revocation === null) {
    if (device.revocation !== null) return 'its revocation is missing'
    const isUnrevoked = row.revocation === null && row.revokedVersion === 0 && row.revokedAt === 0
    return isUnrevoked ? null : 'was not revoked'
  }
  const { statement } = row.revocation.revocation
  const isSame =
    isPlaced(row.revocation, device.revocation, label) &&
    statementHash(statement) === device.revocation.statementHash &&
    row.revokedVersion === statement.version &&
    row.revokedAt === statement.issuedAt
  return isSame ? null : 'revocation'
}

/** Whether the row of a package or a revocation names its update. */
function isPlaced({ seq, leafId }: Pick<PackageRow, 'seq' | 'leafId'>, update: StoredUpdate, label: string): boolean {
  return seq === update.seq && leafId === leafIdOf(label, update.statementHash)
}
