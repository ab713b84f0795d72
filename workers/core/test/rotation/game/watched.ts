/** The devices that the owner knows: the initial devices, and the changes that a watch token has shown since. */
import type { StandingChange } from '@svc/protocol/chain/watch'
import { ended, isActive, type KnownDevice, type Ledger } from './ledger.ts'
import { TIMES } from './times.ts'

const nameOf = ({ kind, deviceId, at }: StandingChange) => `${kind} ${deviceId} ${at}`

export class WatchedDevices {
  readonly #devices: Map<string, KnownDevice>
  readonly #seen = new Set<string>()

  /** `changes` made the devices what they are at the beginning. */
  constructor(known: ReadonlyMap<string, KnownDevice>, changes: readonly StandingChange[]) {
    this.#devices = new Map(known)
    for (const change of changes) this.#seen.add(nameOf(change))
  }

  /** Takes the changes of a response, oldest first. */
  see(changes: readonly StandingChange[]): void {
    for (const change of changes) {
      if (this.#seen.has(nameOf(change))) continue
      this.#seen.add(nameOf(change))
      this.#learn(change)
    }
  }

  /** Returns the devices with these ids. */
  devices(ids: readonly string[]): KnownDevice[] {
    return ids.map((id, i) => {
      const known = this.#devices.get(id)
      if (!known) throw new Error(`No change has shown device ${i}`)
      return known
    })
  }

  /**
   * Returns the ledger as the owner knows it. The holders of devices are known after the first sign of a theft. The
   * revocation of an expired device changes no standing, so a watch token does not show it: the inception log does.
   */
  ledger(ledger: Ledger, ids: readonly string[], now: number): Ledger {
    const known = this.devices(ids)
    const devices = ledger.devices.map(({ holder, revoked }, i): KnownDevice => {
      const device = known[i]!
      const isExpired = !device.revoked && !isActive(device, now)
      return { ...device, holder, revoked: isExpired ? revoked : device.revoked }
    })
    return { ...ledger, devices }
  }

  #learn({ kind, deviceId, cosigns, at, countsAt }: StandingChange): void {
    const known = this.#devices.get(deviceId)
    const before = known ? ended(known, at) : []
    if (kind === 'device_lost') {
      if (known) this.#devices.set(deviceId, { ...known, revoked: true, spans: before })
      return
    }
    const waitsForWindow = countsAt === null || countsAt - at === TIMES.windowMs
    const span = { since: at, until: null, cosigns, wait: waitsForWindow ? 'window' : 'standing' } as const
    const spans = [...before, span]
    this.#devices.set(deviceId, { holder: 'T', cosigns, revoked: false, expiresAt: null, spans })
  }
}
