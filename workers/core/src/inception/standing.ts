import { type AttestDevice, type Device, type InceptionEvent, isAttestation } from '@svc/protocol/devices/inception'
import {
  hasStanding,
  type Span,
  type StandingTimes,
  type Wait,
  waitOf,
  waitsUntil,
} from '../rotation/standing-rules.ts'
import type { DeviceStore } from './device-store.ts'

/** The current standing of an identity's devices, read inside a transaction (rules R1, R3'). */
export class DeviceStanding {
  readonly #devices: DeviceStore
  readonly #epoch: number
  readonly #now: number
  readonly #times: StandingTimes

  constructor(devices: DeviceStore, { epoch, now, times }: { epoch: number; now: number; times: StandingTimes }) {
    this.#devices = devices
    this.#epoch = epoch
    this.#now = now
    this.#times = times
  }

  /** Returns whether the agreeing device has standing. An attestation without an agreement passes. */
  isAgreedWithStanding({ agreement }: AttestDevice): boolean {
    if (!agreement) return true
    return hasStanding(this.#spans().get(agreement.statement.signedBy) ?? [], this.#now, this.#times)
  }

  /** Returns how long the device waits for standing if the event begins a span. */
  waitAfter(event: InceptionEvent, { deviceId }: Device): Wait {
    const spans = this.#spans()
    const own = spans.get(deviceId) ?? []
    const others = [...spans].flatMap(([id, of]) => (id === deviceId ? [] : [of]))
    const attests = isAttestation(event)
    const isAgreed = attests && event.agreement !== undefined
    return waitOf({ isAttestation: attests, isAgreed, own, others }, this.#now, this.#times)
  }

  /** Lists the active devices without standing, and when each of them gains it. */
  waiting(): { deviceId: string; countsAt: number }[] {
    return [...this.#spans()].flatMap(([deviceId, spans]) => {
      const countsAt = waitsUntil(spans, this.#now, this.#times)
      return countsAt === null ? [] : [{ deviceId, countsAt }]
    })
  }

  #spans(): Map<string, Span[]> {
    return this.#devices.spans(this.#epoch, this.#now)
  }
}
