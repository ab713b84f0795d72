/** One game on the real service: signs what the players sign, sends it over HTTP, and reads what everybody can see. */
import { rotationIdOf, type SignedRotationRequest } from '@svc/protocol/chain/rotation'
import { type StandingChange, WATCH_HEADER } from '@svc/protocol/chain/watch'
import { callerOf, deviceOf, REALM, type TestCaller, type TestDevice } from '@svc/testing'
import { countWatched, standingChanges } from '../../../src/watch/changes.ts'
import { anonymous, call, freshCaller, send } from '../../harness.ts'
import { register } from '../../watch/watch.fixture.ts'
import {
  approvalOf,
  at,
  cancelBy,
  cosignBy,
  DAY_MS,
  freezeBy,
  type Identity,
  OPERATOR_SEED,
  requestBy,
  submit,
} from '../rotation.fixture.ts'
import { type KnownDevice, type KnownRequest, type Ledger, spansOf, unsent } from './ledger.ts'
import type { Player } from './model.ts'
import type { Act } from './referee.ts'
import { TIMES } from './times.ts'

/** A day is three ticks, as in the model. */
export const TICK_MS = DAY_MS / 3
const FREEZE = '/api/chain/rotation/freeze'
const COSIGN = '/api/chain/rotation/cosign'

export interface Held {
  readonly root: Readonly<Record<Player, boolean>>
  readonly devices: readonly { readonly holder: Player; readonly kind: 'old' | 'veto' | 'expired' | 'new' }[]
  /** The owner kept a version-2 and a version-1 request. */
  readonly keeps: boolean
}

/** Kinds of devices that have standing when the game begins. */
const STANDING: readonly Held['devices'][number]['kind'][] = ['old', 'veto']

interface Signed {
  readonly id: string
  readonly request: SignedRotationRequest | null
  readonly successor: Identity | null
}

export interface Answer {
  readonly status: number
  readonly error: string | null
}

/** What an answer to an act of the SDK says. */
export async function answerOf(work: Promise<unknown>): Promise<Answer> {
  try {
    await work
    return { status: 200, error: null }
  } catch (error) {
    const { status, error: name } = error as { status?: unknown; error?: unknown }
    if (typeof status !== 'number' || typeof name !== 'string') throw error
    return { status, error: name }
  }
}

export class Table {
  readonly #owner: TestCaller
  /** Lends assertions: the devices' own may be refused. */
  readonly #stranger: TestCaller
  readonly #devices: TestDevice[] = []
  /** Token with which the owner watches the identity. */
  #watchToken = ''
  readonly #signed: Signed[] = []

  private constructor(owner: TestCaller, stranger: TestCaller) {
    this.#owner = owner
    this.#stranger = stranger
  }

  /** Leaves the clock at the beginning of the game. */
  static async laid(held: Held, start: number): Promise<{ table: Table; ledger: Ledger }> {
    const table = new Table(await freshCaller(), await freshCaller())
    const devices = held.devices.map(({ holder, kind }): KnownDevice => {
      const [since, expiresAt] =
        kind === 'expired'
          ? [start - 33 * DAY_MS, start - 31 * DAY_MS]
          : [kind === 'new' ? start : start - DAY_MS, null]
      const cosigns = kind !== 'veto'
      // Older devices have standing when a new one is attested.
      const wait = kind === 'new' && held.devices.some((one) => STANDING.includes(one.kind)) ? 'standing' : 'window'
      return { holder, cosigns, revoked: false, expiresAt, spans: [{ since, until: null, cosigns, wait }] }
    })
    // In the order of time: an object refuses assertions of hours that it has forgotten.
    const begun = devices.map(({ spans, ...device }, i) => ({ ...device, i, since: spans[0]?.since ?? start }))
    for (const { i, since, cosigns, expiresAt } of begun.toSorted((a, b) => a.since - b.since)) {
      at(since)
      table.#devices[i] = await table.#attested(cosigns, expiresAt)
    }
    at(start)
    table.#watchToken = await register(table.#owner.identity)
    const requests: KnownRequest[] = []
    for (const version of held.keeps ? ([2, 1] as const) : []) {
      await table.#sign(version)
      requests.push(unsent('O', version))
    }
    return { table, ledger: { root: 'S', devices, requests, newest: null, held: false } }
  }

  async perform(act: Act, ledger: Ledger): Promise<Answer> {
    const { identity } = this.#owner
    switch (act.do) {
      case 'request': {
        const { request } = await this.#known(act.request, act.version)
        if (!request) throw new Error('Only rotations can be requested again')
        const { status, body } = await submit(request)
        return { status, error: errorOf(body) }
      }
      case 'recover': {
        const { id, request } = await this.#known(act.request, 2)
        const { device } = this.#device(act.device)
        return this.#send(COSIGN, { ...(await cosignBy(device, device.deviceId, identity, id)), request })
      }
      case 'cosign': {
        const { device } = this.#device(act.device)
        return this.#send(COSIGN, await cosignBy(device, device.deviceId, identity, this.#id(act.request)))
      }
      case 'freeze': {
        const { device } = this.#device(act.device)
        return this.#send(FREEZE, await freezeBy(device, device.deviceId, identity, this.#id(act.request)))
      }
      case 'freeze as root':
        return this.#send(FREEZE, await freezeBy(identity, 'root', identity, this.#id(act.request)))
      case 'cancel':
        return this.#send(FREEZE, await cancelBy(identity, 'root', identity, this.#id(act.request)))
      case 'activate':
        return this.#activate(act.request, ledger, this.#owner, {})
      case 'activate for':
        return this.#activate(act.request, ledger, this.#stranger, { did: identity.did })
      case 'approve': {
        const { id, request } = this.#signedAt(act.request)
        const carried = act.carries && request ? request : undefined
        const approval = await approvalOf(identity.did, id, OPERATOR_SEED, carried)
        const { status, body } = await anonymous('POST', '/api/operator/acts', approval)
        return { status, error: errorOf(body) }
      }
      case 'deactivate': {
        const ending = this.#client.security.deactivate().then(({ rotationId }) => {
          if (rotationId !== null) this.#signed.push({ id: rotationId, request: null, successor: null })
        })
        return answerOf(ending)
      }
      case 'revoke':
        return answerOf(this.#client.devices.revoke(this.#device(act.device).device.deviceId))
      case 'renew': {
        const { device } = this.#device(act.device)
        const renewing = this.#client.devices.head().then(async (inception) => {
          const acceptance = await device.acceptance(identity.did, { realm: REALM, now: Date.now(), inception })
          return this.#client.devices.attest(acceptance, this.#agreedBy(act.agreedBy))
        })
        return answerOf(renewing)
      }
      case 'attest':
        return answerOf(this.#attest(act.cosigns, act.agreedBy))
      case 'hold':
        return answerOf(this.#client.security.placeHold())
      case 'lift':
        return answerOf(this.#client.security.liftHold())
    }
  }

  /** Forgets new requests that core refused. */
  keep({ requests }: Ledger): void {
    this.#signed.length = requests.length
  }

  /** Returns the device ids in the order of the ledger. */
  get deviceIds(): string[] {
    return this.#devices.map(({ device }) => device.deviceId)
  }

  /** Returns the root response to the watch token: the public members, and those that only the owner sees. */
  async seen(): Promise<Record<string, unknown>> {
    const path = `/api/chain/root/${this.#owner.identity.did}`
    const { status, body } = await anonymous('GET', path, undefined, { [WATCH_HEADER]: this.#watchToken })
    if (status !== 200) throw new Error(`root: ${status}`)
    return body['data'] as Record<string, unknown>
  }

  /** Returns the members of the response that only a watch token shows. */
  watched({ devices, changes }: Record<string, unknown>) {
    const { active, standing } = devices as { active: number; standing: number }
    return { devices: { active, standing }, changes: changes as readonly StandingChange[] }
  }

  /** Returns these members as the ledger has them. */
  expectedWatch({ devices }: Ledger, now: number) {
    const spans = new Map(devices.map((device, i) => [this.#device(i).device.deviceId, spansOf(device, now)]))
    return { devices: countWatched(spans, now, TIMES), changes: standingChanges(spans, now, TIMES) }
  }

  /** The same from the ledger. */
  expected({ root, requests, newest }: Ledger): Record<string, unknown> {
    const active = requests.findIndex(({ status, kind }) => status === 'active' && kind === 'rotation')
    const shown = newest === null ? null : requests[newest]
    return {
      userId: (this.#signed[active]?.successor ?? this.#owner.identity).userId,
      deactivated: root === 'X',
      rotation: shown && {
        rotationId: this.#id(newest ?? 0),
        kind: shown.kind,
        status: shown.status,
        version: shown.version,
        requestedAt: shown.requestedAt,
        deadline: shown.deadline,
        contestedAt: shown.contestedAt,
        requiredCosigners: shown.requiredCosigners,
        cosignatures: shown.cosigners.length,
        freezes: shown.freezes,
        cancels: shown.cancels,
        approvedAt: shown.approvedAt,
      },
    }
  }

  /** With an address of its own, so that no limiter counts the game. */
  get #client() {
    return callerOf(this.#owner.identity, { fetch: send }).client
  }

  async #attest(cosigns: boolean, agreedBy: number | null): Promise<void> {
    this.#devices.push(await this.#attested(cosigns, null, agreedBy))
  }

  #agreedBy(i: number | null): { readonly agreedBy?: TestDevice['device'] } {
    return i === null ? {} : { agreedBy: this.#device(i).device }
  }

  async #attested(cosigns: boolean, expiresAt: number | null, agreedBy: number | null = null): Promise<TestDevice> {
    const owner = callerOf(this.#owner.identity, { fetch: send })
    const capabilities = cosigns ? (['rotation:cosign'] as const) : []
    const expiry = expiresAt === null ? {} : { expiresAt }
    return deviceOf(owner, { fetch: send, capabilities, ...expiry, ...this.#agreedBy(agreedBy) })
  }

  async #sign(version: 1 | 2): Promise<Signed> {
    const { identity } = this.#owner
    const successor = await identity.successor()
    const request = await requestBy(identity, successor, { statement: { version } })
    const signed = { id: rotationIdOf(request.statement), request, successor }
    this.#signed.push(signed)
    return signed
  }

  /** Signs the request if it is a new one. */
  async #known(i: number, version: 1 | 2): Promise<Signed> {
    return this.#signed[i] ?? this.#sign(version)
  }

  #signedAt(i: number): Signed {
    const signed = this.#signed[i]
    if (!signed) throw new Error(`No request ${i}`)
    return signed
  }

  #id(i: number): string {
    return this.#signedAt(i).id
  }

  #device(i: number): TestDevice {
    const device = this.#devices[i]
    if (!device) throw new Error(`No device ${i}`)
    return device
  }

  async #activate(i: number, { requests }: Ledger, by: TestCaller, members: object): Promise<Answer> {
    const path = requests[i]?.version === 1 ? '/api/chain/rotation/activate' : '/api/chain/rotation/v2/activate'
    return this.#send(path, { rotationId: this.#id(i), ...members }, by)
  }

  async #send(path: string, body: unknown, by = this.#stranger): Promise<Answer> {
    const { status, body: answer } = await call(callerOf(by.identity, { fetch: send }), 'POST', path, body)
    return { status, error: errorOf(answer) }
  }
}

/** The named error, wherever the answer carries it. */
function errorOf(body: Record<string, unknown>): string | null {
  const { error, details } = body
  if (typeof error === 'string') return error
  const named = (details as { error?: unknown } | undefined)?.error
  return typeof named === 'string' ? named : null
}
