import { type Device, endingUnconfirmed } from '@svc/protocol/devices/inception'
import type { Roster } from '@svc/protocol/devices/officers'
import type { DeviceRow, RebuiltState } from './state.ts'

/** What in the devices does not follow from the log; null if all of it does. */
export function devicesFault({ devices, events }: RebuiltState, folded: readonly Device[]): string | null {
  const rows = new Map(devices.map((row) => [row.device.deviceId, row]))
  const missing = folded.find(({ deviceId }) => !rows.has(deviceId))
  if (missing) return `device ${missing.deviceId}: missing`
  for (const { deviceId } of folded) {
    const by = events.flatMap(({ event: { statement }, acceptedAt }) =>
      'deviceId' in statement && statement.deviceId === deviceId ? [{ sequence: statement.sequence, acceptedAt }] : [],
    )
    const row = rows.get(deviceId)
    if (row && row.changedBy !== by.at(-1)?.sequence) return `device ${deviceId}: newest event`
    // It is active from an event on: an earlier planted time would give it standing.
    if (row?.spans.some(({ since }) => !by.some(({ acceptedAt }) => acceptedAt === since)))
      return `device ${deviceId}: span`
  }
  const known = new Map(folded.map((device) => [device.deviceId, device]))
  for (const row of devices) {
    const device = known.get(row.device.deviceId)
    if (!device) return `device ${row.device.deviceId}: no event`
    const fault = deviceFault(row, device)
    if (fault) return `device ${device.deviceId}: ${fault}`
  }
  return null
}

function deviceFault({ device: stored, spans }: DeviceRow, folded: Device): string | null {
  // The log does not tell whether a device has confirmed.
  const hasConfirmed = stored.confirmBy === undefined
  const expected = hasConfirmed ? folded : endingUnconfirmed(folded)
  if (!hasConfirmed && stored.confirmBy !== folded.confirmBy) return 'confirmation'
  if (stored.status !== expected.status) return `is ${stored.status} and was ${expected.status}`
  if (stored.publicKeyB64u !== expected.publicKeyB64u) return 'key'
  if (stored.rootEpoch !== expected.rootEpoch) return 'epoch'
  if (stored.origin !== expected.origin) return 'origin'
  if (stored.expiresAt !== expected.expiresAt) return 'expiry'
  if (JSON.stringify(stored.capabilities) !== JSON.stringify(expected.capabilities)) return 'capabilities'
  return stored.status !== 'active' && spans.some(({ isOpen }) => isOpen) ? 'span' : null
}

/** What in the officers does not follow from the log; null if all of it does. */
export function rostersFault({ rosters, events }: RebuiltState, folded: Roster | null): string | null {
  const newest = rosters.at(-1)
  if ((newest?.version ?? 0) !== (folded?.version ?? 0)) return 'officers'
  for (const { version, officers, quorum, sequence } of rosters) {
    const statement = events[sequence - 1]?.event.statement
    const named = statement && 'officers' in statement ? statement : null
    const isSame = named && JSON.stringify(named.officers) === JSON.stringify(officers) && named.quorum === quorum
    if (!isSame) return `officers of version ${version}`
  }
  return null
}
