/** What the owner of an identity with a commitment knows: what the root answer showed, with a watch token or without. */
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

  /** `dealt` are the devices of the beginning, a window old. With the view `rotations`, the owner has no token. */
  constructor(service: CommittedService, { devices }: Dealt, { view }: Scene, start: number) {
    const known = devices.map(({ holder, signs }): KnownDevice => {
      const span = { since: start - DAY_MS, until: null, cosigns: signs, wait: 'window' } as const
      return { holder, cosigns: signs, revoked: false, expiresAt: null, spans: [span] }
    })
    this.#service = service
    this.#watched = new WatchedDevices(new Map(service.deviceIds.map((id, i) => [id, known[i]!])), [])
    this.#watches = view !== 'rotations'
  }

  /** Whether anything has been seen that the owner did not do, as long as the owner has done nothing. */
  get hasSigns(): boolean {
    return this.#hasSigns
  }

  /** A root answer with a watch token. */
  see(answer: Record<string, unknown>): void {
    const changes = answer['changes'] as readonly StandingChange[] | undefined
    this.#watched.see(changes ?? [])
    this.#hasSigns ||= answer['rotation'] !== null || (this.#watches && (changes ?? []).length > 0)
  }

  /** The devices as the answers told of them. Who holds one is known after a first sign. */
  devices({ devices }: State, now: number): Device[] {
    const known = this.#watched.devices(this.#service.deviceIds)
    return known.map((one, i) => ({ ...tidied(deviceOf(one, now), BOOK.times), holder: devices[i]?.holder ?? 'T' }))
  }

  /** The state as an owner knows it who has seen a first sign, and then lists the devices. */
  stateOf(state: State, now: number): State {
    return this.#watches ? { ...state, devices: this.devices(state, now) } : state
  }
}
