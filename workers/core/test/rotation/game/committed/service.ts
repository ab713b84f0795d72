/** An identity with a commitment at the real service: signs what the players sign, and sends it over HTTP. */
import { signStatement } from '@svc/protocol/base/statement'
import { successorHash } from '@svc/protocol/chain/commitment'
import { rotationIdOf, type SignedRotationRequest } from '@svc/protocol/chain/rotation'
import { WATCH_HEADER } from '@svc/protocol/chain/watch'
import { callerOf, deviceOf, REALM, signerOf, type TestCaller, type TestDevice } from '@svc/testing'
import { anonymous, call, freshCaller, send } from '../../../harness.ts'
import { register } from '../../../watch/watch.fixture.ts'
import {
  approvalOf,
  at,
  cosignBy,
  DAY_MS,
  freezeBy,
  type Identity,
  internal,
  OPERATOR_SEED,
  requestBy,
} from '../../rotation.fixture.ts'
import type { Player } from '../model.ts'
import { type Answer, answerOf as answerOfWork } from '../table.ts'

/** Who signs a veto: a committed key, the root key, or a device. */
export type By = 'successor' | 'root' | number

export interface Dealt {
  readonly devices: readonly { readonly holder: Player; readonly signs: boolean }[]
  readonly isReplaceable: boolean
  /** The owner keeps a request by root key and committed key, signed ahead. */
  readonly keeps: boolean
}

/** What is pending, with the keys of its player. */
interface Sent {
  readonly id: string
  readonly request: SignedRotationRequest | null
}

const FREEZE = '/api/chain/rotation/freeze'
const COSIGN = '/api/chain/rotation/cosign'

export class CommittedService {
  readonly #owner: TestCaller
  /** Lends assertions. */
  readonly #stranger: TestCaller
  /** Owner and thief hold different sheets. */
  readonly #sheets: Readonly<Record<Player, Identity>>
  readonly #devices: TestDevice[] = []
  /** Token with which the owner watches devices. */
  #watchToken = ''
  #newest: Sent | null = null
  #kept: SignedRotationRequest | null = null

  private constructor(owner: TestCaller, stranger: TestCaller, sheets: Readonly<Record<Player, Identity>>) {
    this.#owner = owner
    this.#stranger = stranger
    this.#sheets = sheets
  }

  /** Devices count when this is done. */
  static async dealt({ devices, isReplaceable, keeps }: Dealt, start: number): Promise<CommittedService> {
    at(start - DAY_MS)
    const [owner, stranger] = [await freshCaller({ genesis: false }), await freshCaller()]
    const sheets = { O: await owner.identity.successor(), T: await owner.identity.successor() }
    const next = [sheets.O, sheets.T].map(({ publicKeyB64u }) => successorHash(publicKeyB64u))
    await owner.client.chain.genesis({ commitment: { next, replaceable: isReplaceable } })
    const service = new CommittedService(owner, stranger, sheets)
    for (const { signs } of devices) await service.attest(signs, null)
    if (keeps) service.#kept = await requestBy(owner.identity, sheets.O, { statement: { version: 2 } })
    at(start)
    service.#watchToken = await register(owner.identity)
    return service
  }

  /** What is kept is sent as it is, as often as it is needed. A device brings a request with its signature. */
  async request(by: Player, signs: 'full' | 'successor' | 'replacement', device: number | null): Promise<Answer> {
    const kept = by === 'O' && signs === 'full' ? this.#kept : null
    const request = kept ?? (await this.#signed(by, signs))
    const id = rotationIdOf(request.statement)
    const answer = device === null ? await this.#submit(request) : await this.#carry(request, device)
    if (answer.status === 200) this.#newest = { id, request }
    return answer
  }

  async cosign(device: number): Promise<Answer> {
    const { device: keys } = this.#device(device)
    const signed = await cosignBy(keys, keys.deviceId, this.#owner.identity, this.#pending.id)
    return this.#send(COSIGN, signed)
  }

  async freeze(player: Player, by: By): Promise<Answer> {
    const { identity } = this.#owner
    const { id } = this.#pending
    if (by === 'root') return this.#send(FREEZE, await freezeBy(identity, 'root', identity, id))
    if (by !== 'successor') {
      const { device } = this.#device(by)
      return this.#send(FREEZE, await freezeBy(device, device.deviceId, identity, id))
    }
    const sheet = this.#sheets[player]
    const { did, scope } = identity
    const statement = {
      type: 'svc/rotation-freeze/v1' as const,
      realm: REALM,
      did,
      scope,
      rotationId: id,
      signedBy: 'successor' as const,
      successorPublicKeyB64u: sheet.publicKeyB64u,
      inception: null,
      issuedAt: Date.now(),
    }
    return this.#send(FREEZE, await signStatement(statement, signerOf(sheet)))
  }

  async activate(): Promise<Answer> {
    const { id, request } = this.#pending
    const path = request?.statement.version === 1 ? '/api/chain/rotation/activate' : '/api/chain/rotation/v2/activate'
    return this.#send(path, { rotationId: id, did: this.#owner.identity.did })
  }

  /** A committed key asks the operator, who approves. */
  async approve(by: Player): Promise<Answer> {
    const { identity } = this.#owner
    const signed = await requestBy(identity, this.#sheets[by], { statement: { version: 1 } })
    const request = { ...signed, signatureB64u: null }
    const id = rotationIdOf(request.statement)
    const act = await approvalOf(identity.did, id, OPERATOR_SEED, request)
    const answer = answerOf(await anonymous('POST', '/api/operator/acts', act))
    if (answer.status === 200) this.#newest = { id, request }
    return answer
  }

  async deactivate(by: Player, withSuccessor: boolean): Promise<Answer> {
    const { identity } = this.#owner
    const { did, scope, epoch } = identity
    const statement = {
      type: 'svc/did-deactivate/v1',
      realm: REALM,
      did,
      scope,
      epoch,
      inception: null,
      issuedAt: Date.now(),
    } as const
    const signed = await signStatement(statement, signerOf(identity))
    const sheet = this.#sheets[by]
    const { signatureB64u } = await signStatement(statement, signerOf(sheet))
    const second = { successorPublicKeyB64u: sheet.publicKeyB64u, successorSignatureB64u: signatureB64u }
    const body = withSuccessor ? { ...signed, ...second } : signed
    const { status, body: answer } = await call(this.#caller, 'POST', '/api/chain/deactivate', body)
    const { rotationId } = (answer['data'] ?? {}) as { rotationId?: string }
    if (rotationId !== undefined) this.#newest = { id: rotationId, request: null }
    return answerOf({ status, body: answer })
  }

  async attest(signs: boolean, agreedBy: number | null): Promise<Answer> {
    const capabilities = signs ? (['rotation:cosign'] as const) : []
    const agreed = agreedBy === null ? {} : { agreedBy: this.#device(agreedBy).device }
    return answerOfWork(
      deviceOf(this.#caller, { fetch: send, capabilities, ...agreed }).then((device) => this.#devices.push(device)),
    )
  }

  revoke(device: number): Promise<Answer> {
    return answerOfWork(this.#caller.client.devices.revoke(this.#device(device).device.deviceId))
  }

  /** Returns the device ids in the order of attestation. */
  get deviceIds(): string[] {
    return this.#devices.map(({ device }) => device.deviceId)
  }

  /** Returns the root response to the watch token. Without a token, `devices` and `changes` are missing. */
  async seen(): Promise<Record<string, unknown>> {
    const path = `/api/chain/root/${this.#owner.identity.did}`
    const { status, body } = await anonymous('GET', path, undefined, { [WATCH_HEADER]: this.#watchToken })
    if (status !== 200) throw new Error(`root: ${status}`)
    return body['data'] as Record<string, unknown>
  }

  userIdOf(by: Player): string {
    return this.#sheets[by].userId
  }

  get #pending(): Sent {
    if (!this.#newest) throw new Error('Nothing was asked for')
    return this.#newest
  }

  /** With an address of its own, so that no limiter counts the game. */
  get #caller(): TestCaller {
    return callerOf(this.#owner.identity, { fetch: send })
  }

  #device(i: number): TestDevice {
    const device = this.#devices[i]
    if (!device) throw new Error(`No device ${i}`)
    return device
  }

  async #signed(by: Player, signs: 'full' | 'successor' | 'replacement'): Promise<SignedRotationRequest> {
    const { identity } = this.#owner
    const to = signs === 'replacement' ? await identity.successor() : this.#sheets[by]
    const signed = await requestBy(identity, to, { statement: { version: 2 } })
    return signs === 'successor' ? { ...signed, signatureB64u: null } : signed
  }

  async #submit(request: SignedRotationRequest): Promise<Answer> {
    const { did } = this.#owner.identity
    const path = `/api/internal/rotation/${did}?caller=${this.#stranger.identity.did}`
    return answerOf(await internal('POST', path, { body: request }))
  }

  async #carry(request: SignedRotationRequest, i: number): Promise<Answer> {
    const { device } = this.#device(i)
    const id = rotationIdOf(request.statement)
    const signed = await cosignBy(device, device.deviceId, this.#owner.identity, id)
    return this.#send(COSIGN, { ...signed, request })
  }

  async #send(path: string, body: unknown): Promise<Answer> {
    return answerOf(await call(callerOf(this.#stranger.identity, { fetch: send }), 'POST', path, body))
  }
}

/** The named error, wherever the answer carries it. */
function answerOf({ status, body }: { readonly status: number; readonly body: Record<string, unknown> }): Answer {
  const { error, details } = body
  const named = (details as { error?: unknown } | undefined)?.error
  return { status, error: typeof error === 'string' ? error : typeof named === 'string' ? named : null }
}
