import { encodeBase64url } from '@svc/protocol/base64url'
import { hashSchema } from '@svc/protocol/hash'
import { didSchema } from '@svc/protocol/identity'
import {
  type CurrentRotation,
  currentRotationSchema,
  type RehearsalAnswer,
  type RotationRecord,
  rehearsalAnswerSchema,
  rotationIdOf,
  rotationRecordSchema,
  type SignedRotationRequest,
} from '@svc/protocol/rotation'
import { signStatement } from '@svc/protocol/statement'
import * as z from 'zod'
import type { Device } from './device.ts'
import { Identity } from './identity.ts'
import type { KeyHistory } from './key-history.ts'
import type { Transport } from './transport.ts'

export interface RotationOptions {
  /** 1 waits for an operator's approval, 2 for the end of a public window of 24 hours. */
  readonly version: 1 | 2
}

const notedSchema = z.strictObject({
  did: didSchema,
  rotationId: hashSchema,
  epoch: z.int(),
  recordedAt: z.number(),
})

/** Handing an identity over to another root key (document 1 section 4.2, document 2 section 4.3). */
export class Rotation {
  readonly #transport: Transport
  readonly #core: string
  readonly #did: string
  readonly #owner: Identity | Device

  readonly #keys: KeyHistory

  constructor(
    transport: Transport,
    urls: { readonly core: string; readonly did: string },
    owner: Identity | Device,
    keys: KeyHistory,
  ) {
    this.#transport = transport
    this.#core = urls.core
    this.#did = urls.did
    this.#owner = owner
    this.#keys = keys
  }

  /**
   * Signs a request by which this identity is handed over to `successor`, and sends nothing: it may be kept for the day
   * on which the root key is lost, when a device with `rotation:request` can still send it.
   */
  async makeRequest(successor: Identity, { version }: RotationOptions): Promise<SignedRotationRequest> {
    return this.#signByBoth('svc/rotation-request/v1', successor, version)
  }

  /** Opens a rotation. It is public at once; the same request again gives the same rotation. Signed by both keys. */
  async request(signed: SignedRotationRequest): Promise<RotationRecord> {
    const record = await this.#resolver('POST', '/api/rotation/request', rotationRecordSchema, signed)
    if (record.rotationId !== rotationIdOf(signed.statement)) throw new Error('core answered for another rotation')
    return this.#checked(record)
  }

  /** This identity's newest rotation, whatever became of it; throws 404 `not_found` when there never was one. */
  async newest(): Promise<RotationRecord> {
    return this.#checked(await this.#resolver('GET', '/api/rotation/request', rotationRecordSchema))
  }

  /** Proves that such a rotation would be taken now, and performs nothing. What the rules would refuse throws. */
  async rehearse(successor: Identity, { version }: RotationOptions): Promise<RehearsalAnswer> {
    const signed = await this.#signByBoth('svc/rotation-rehearsal/v1', successor, version)
    return this.#post('/api/chain/rotation/rehearse', signed, rehearsalAnswerSchema)
  }

  /** The rotation that brought the current root key, and the newest one; null where there is none. */
  async current(): Promise<CurrentRotation> {
    const url = `${this.#core}/api/chain/rotation/current`
    const { active, latest } = await this.#transport.data(
      { method: 'GET', url, audience: 'chain' },
      currentRotationSchema,
    )
    return { active: active && (await this.#checked(active)), latest: latest && (await this.#checked(latest)) }
  }

  /** Vetoes a pending rotation, for good. By the root key or any active device; three times in 30 days. */
  async freeze(rotationId: string): Promise<RotationRecord> {
    const statement = { type: 'svc/rotation-freeze/v1', ...this.#about(rotationId), signedBy: this.#signer } as const
    return this.#record('/api/chain/rotation/freeze', await this.#sign(statement), rotationId)
  }

  /** Takes a pending rotation back. By the root key alone. */
  async cancel(rotationId: string): Promise<RotationRecord> {
    const statement = { type: 'svc/rotation-cancel/v1', ...this.#about(rotationId), signedBy: 'root' } as const
    return this.#record('/api/chain/rotation/freeze', await this.#sign(statement), rotationId)
  }

  /**
   * Supports a pending version-2 rotation. By a device with `rotation:cosign`, which has looked at what it signs: the
   * record, and the key that it brings.
   */
  async cosign(pending: RotationRecord): Promise<RotationRecord> {
    const { rotationId } = await this.#checked(pending)
    const statement = { type: 'svc/rotation-cosign/v1', ...this.#about(rotationId), signedBy: this.#signer } as const
    return this.#record('/api/chain/rotation/cosign', await this.#sign(statement), rotationId)
  }

  /**
   * Makes the new key the root key: an approved version 1, or a version 2 whose window has ended. The key that asks is
   * superseded when this returns; go on with a client of the successor, and restate its key agreement by `did.register`.
   */
  activate({ rotationId, version }: Pick<RotationRecord, 'rotationId' | 'version'>): Promise<RotationRecord> {
    const path = version === 1 ? '/api/chain/rotation/activate' : '/api/chain/rotation/v2/activate'
    return this.#record(path, { rotationId }, rotationId)
  }

  /** Has the DID service note that a rotation is active. Bookkeeping: resolution follows core with or without it. */
  noteActivation(rotationId: string): Promise<z.output<typeof notedSchema>> {
    return this.#resolver('POST', '/api/rotation/activated', notedSchema, { rotationId })
  }

  /** What names a request: SHA3-384 hex over its canonical statement. */
  static idOf({ statement }: SignedRotationRequest): string {
    return rotationIdOf(statement)
  }

  get #signer(): string {
    return this.#owner instanceof Identity ? 'root' : this.#owner.deviceId
  }

  #about(rotationId: string) {
    const { did, scope } = this.#owner
    return { did, scope, rotationId, issuedAt: this.#transport.now() }
  }

  #sign<S extends Parameters<typeof signStatement>[0]>(statement: S) {
    return signStatement(statement, (message) => this.#owner.sign(message))
  }

  async #signByBoth<T extends 'svc/rotation-request/v1' | 'svc/rotation-rehearsal/v1'>(
    type: T,
    successor: Identity,
    version: 1 | 2,
  ) {
    const root = this.#owner
    if (!(root instanceof Identity)) throw new TypeError('a rotation is signed by the root key')
    const { did, scope } = root
    if (successor.scope !== scope || successor.epoch !== root.epoch + 1) {
      throw new TypeError('the successor is not of this identity: make it by identity.successor()')
    }
    const statement = {
      type,
      did,
      scope,
      version,
      epoch: root.epoch + 1,
      newPublicKeyB64u: successor.publicKeyB64u,
      nonce: encodeBase64url(crypto.getRandomValues(new Uint8Array(18))),
      issuedAt: this.#transport.now(),
    }
    const byRoot = await signStatement(statement, (message) => root.sign(message))
    const byNewKey = await signStatement(statement, (message) => successor.sign(message))
    return { ...byRoot, newKeySignatureB64u: byNewKey.signatureB64u }
  }

  async #record(path: string, body: unknown, rotationId: string): Promise<RotationRecord> {
    const record = await this.#post(path, body, rotationRecordSchema)
    if (record.rotationId !== rotationId) throw new Error('core answered for another rotation')
    return this.#checked(record)
  }

  #checked(record: RotationRecord): Promise<RotationRecord> {
    return this.#keys.check(this.#owner.did, record)
  }

  #post<S extends z.ZodType>(path: string, body: unknown, schema: S): Promise<z.output<S>> {
    return this.#transport.data({ method: 'POST', url: this.#core + path, audience: 'chain', body }, schema)
  }

  #resolver<S extends z.ZodType>(
    method: 'GET' | 'POST',
    path: string,
    schema: S,
    body?: unknown,
  ): Promise<z.output<S>> {
    const call = { method, url: this.#did + path, audience: 'identity', ...(body === undefined ? {} : { body }) }
    return this.#transport.json(call, schema)
  }
}
