/** The knowledge of an owner with a commitment, from the root response with or without a watch token. */
import type { StandingChange } from '@svc/protocol/chain/watch'
import { DAY_MS } from '../../rotation.fixture.ts'
import type { KnownDevice } from '../ledger.ts'
import { type Device, type Scene, type State, tidied } from '../model.ts'
import { deviceOf } from '../projection.ts'
import { WatchedDevices } from '../watched.ts'
import type { CommittedService, Dealt } from './service.ts'
import { BOOK } from './tries.ts'

export class OwnersView {
  readonly #service: CommittedService
  readonly #watched: WatchedDevices
  readonly #watches: boolean
  #hasSigns = false

  /** `dealt` has the initial devices, which are one window old. With the view `rotations`, the owner has no token. */
  constructor(service: CommittedService, { devices }: Dealt, { view }: Scene, start: number) {
    const known = devices.map(({ holder, signs }): KnownDevice => {
      const span = { since: start - DAY_MS, until: null, cosigns: signs, wait: 'window' } as const
      return { holder, cosigns: signs, revoked: false, expiresAt: null, spans: [span] }
    })
    this.#service = service
    this.#watched = new WatchedDevices(new Map(service.deviceIds.map((id, i) => [id, known[i]!])), [])
    this.#watches = view !== 'rotations'
  }

  /** Whether a response has shown an act of somebody else. Valid while the owner has not acted. */
  get hasSigns(): boolean {
    return this.#hasSigns
  }

  /** Takes a root response to a watch token. */
  see(answer: Record<string, unknown>): void {
    const changes = answer['changes'] as readonly StandingChange[] | undefined
    this.#watched.see(changes ?? [])
    this.#hasSigns ||= answer['rotation'] !== null || (this.#watches && (changes ?? []).length > 0)
  }

  /** Returns the devices that the responses have shown. Their holders are known after the first sign of a theft. */
  devices({ devices }: State, now: number): Device[] {
    const known = this.#watched.devices(this.#service.deviceIds)
    return known.map((one, i) => ({ ...tidied(deviceOf(one, now), BOOK.times), holder: devices[i]?.holder ?? 'T' }))
  }

  /** Returns the state as the owner knows it after the first sign of a theft, with the devices that they listed. */
  stateOf(state: State, now: number): State {
    return this.#watches ? { ...state, devices: this.devices(state, now) } : state
  }
}
