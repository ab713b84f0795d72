import * as z from 'zod'
import { hashSchema } from '#protocol/base/hash'
import { didSchema } from '#protocol/base/identity'
import { pure } from '#protocol/base/pure'
import { signStatement } from '#protocol/base/statement'
import type { Commitment } from '#protocol/chain/commitment'
import type { Kept } from '#protocol/chain/prospects'
import { type RehearsalAnswer, rehearsalAnswerSchema } from '#protocol/chain/rehearsal'
import {
  type CurrentRotation,
  currentRotationSchema,
  type RotationRecord,
  rotationIdOf,
  rotationRecordSchema,
  type SignedRotationRequest,
} from '#protocol/chain/rotation'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { placed } from '../identity/signing.ts'
import { signerOf } from '../identity/signing-key.ts'
import { signRotation } from '../recovery/sign-ahead.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import type { KeyHistory } from './key-history.ts'

export interface RotationOptions {
  /** 1 waits for an operator's approval, 2 for a public waiting period of 24 hours. */
  readonly version: 1 | 2
  /** Who may follow the successor: `commitmentOf(sheets, …)`. Default: any key that it names. */
  readonly commitment?: Commitment
}

export interface RehearsalOptions extends RotationOptions {
  /** What you keep apart from the root key. */
  readonly kept?: Kept
}

const notedSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    did: didSchema,
    rotationId: hashSchema,
    epoch: z.int(),
    recordedAt: z.number(),
  }),
)

/** Replaces the root key of an identity. */
export class Rotation {
  readonly #transport: Transport
  readonly #core: string
  readonly #did: string
  readonly #owner: Identity | Device

  readonly #keys: KeyHistory

  // As results: see `safely`.
  readonly safeNewest = safeTwin(this, 'newest')
  readonly safeCurrent = safeTwin(this, 'current')

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
   * Signs a request to rotate this identity to `successor`, without sending it. Keep it in case the root key is lost: a
   * device with `rotation:request` can still send it.
   */
  async makeRequest(successor: Identity, options: RotationOptions): Promise<SignedRotationRequest> {
    return this.#signByBoth('svc/rotation-request/v1', successor, options)
  }

  /**
   * Opens a rotation signed by both keys, or, for an identity that has committed to it, by the new key alone
   * (`signatureB64u` null). It is public at once. Anyone may send what a committed key has signed. Idempotent per request.
   */
  async request(signed: SignedRotationRequest): Promise<RotationRecord> {
    const record = await this.#resolver('POST', '/api/rotation/request', rotationRecordSchema, signed)
    return this.#keys.check(signed.statement.did, this.#same(record, rotationIdOf(signed.statement)))
  }

  /** This identity's newest rotation, whatever its outcome; throws 404 `not_found` if there is none. */
  async newest(): Promise<RotationRecord> {
    return this.#checked(await this.#resolver('GET', '/api/rotation/request', rotationRecordSchema))
  }

  /**
   * Proves that such a rotation would be accepted now, without performing it. Throws what the request would. `prospects`
   * of the answer say what a theft would come to today, and what to prepare, if you keep what is in `kept`: by default a
   * request of the version that you rehearse.
   */
  async rehearse(successor: Identity, { kept, ...options }: RehearsalOptions): Promise<RehearsalAnswer> {
    const signed = await this.#signByBoth('svc/rotation-rehearsal/v1', successor, options)
    return this.#post('/api/chain/rotation/rehearse', { ...signed, ...(kept && { kept }) }, rehearsalAnswerSchema)
  }

  /** The rotation that introduced the current root key, and the newest one; null if there is none. */
  async current(): Promise<CurrentRotation> {
    const url = `${this.#core}/api/chain/rotation/current`
    const { active, latest } = await this.#transport.data(
      { method: 'GET', url, audience: 'chain' },
      currentRotationSchema,
    )
    this.#transport.pending.seeNewest(latest)
    return { active: active && (await this.#checked(active)), latest: latest && (await this.#checked(latest)) }
  }

  /**
   * Vetoes a pending rotation: as the root key, an active device, or one that was active for a window and was lost less
   * than 30 days ago. A co-signed rotation ends only by a device that had this standing when it was requested; the root
   * key moves its deadline instead, once, to seven days after the request. As often as needed.
   */
  async freeze(rotationId: string): Promise<RotationRecord> {
    const about = await this.#about(rotationId)
    const statement = { type: 'svc/rotation-freeze/v1', ...about, signedBy: this.#signer } as const
    return this.#record('/api/chain/rotation/freeze', await this.#sign(statement), rotationId)
  }

  /**
   * As a key that the identity has committed to: ends what a successor asks for alone or what would replace one, and
   * delays, once, what root key and successor have signed. Any client can send it.
   */
  async freezeAs(successor: Identity, rotationId: string): Promise<RotationRecord> {
    const successorPublicKeyB64u = successor.publicKeyB64u
    const { did, scope } = successor
    // The client may belong to another identity, whose events the successor must not name.
    const { realm } = this.#transport
    const statement = {
      type: 'svc/rotation-freeze/v1',
      ...placed({ realm, now: this.#transport.now() }),
      did,
      scope,
      rotationId,
      signedBy: 'successor',
      successorPublicKeyB64u,
    } as const
    const signed = await signStatement(statement, signerOf(successor))
    const record = await this.#post('/api/chain/rotation/freeze', signed, rotationRecordSchema)
    return this.#keys.check(successor.did, this.#same(record, rotationId))
  }

  /** Cancels a pending rotation, or contests a co-signed one like `freeze`. Root key only. */
  async cancel(rotationId: string): Promise<RotationRecord> {
    const statement = { type: 'svc/rotation-cancel/v1', ...(await this.#about(rotationId)), signedBy: 'root' } as const
    return this.#record('/api/chain/rotation/freeze', await this.#sign(statement), rotationId)
  }

  /**
   * Co-signs a pending version-2 rotation, as a device with `rotation:cosign`, after checking the record and the new
   * key.
   */
  async cosign(pending: RotationRecord): Promise<RotationRecord> {
    const { rotationId } = await this.#checked(pending)
    return this.#record('/api/chain/rotation/cosign', await this.#cosignature(rotationId), rotationId)
  }

  /**
   * Opens a version-2 rotation with a request that the root key signed and this device's co-signature, in one act: the
   * root key can then only contest it. Also reopens a request that was stopped without a co-signature, and takes the
   * place of a pending one that is neither co-signed nor approved. Throws 403 `not_eligible` if the device has no
   * standing, and 409 `rotation_pending` beside a co-signed or approved rotation.
   */
  async recover(request: SignedRotationRequest): Promise<RotationRecord> {
    const rotationId = rotationIdOf(request.statement)
    const body = { ...(await this.#cosignature(rotationId)), request }
    return this.#record('/api/chain/rotation/cosign', body, rotationId)
  }

  async #cosignature(rotationId: string) {
    const about = await this.#about(rotationId)
    return this.#sign({ type: 'svc/rotation-cosign/v1', ...about, signedBy: this.#signer } as const)
  }

  /**
   * Activates the new key: an approved version 1, or a version 2 after its waiting period. This client's key is
   * superseded when this returns; continue with a client for the successor, and call `did.register` there.
   */
  activate({ rotationId, version }: Pick<RotationRecord, 'rotationId' | 'version'>): Promise<RotationRecord> {
    return this.#record(activationPath(version), { rotationId }, rotationId)
  }

  /**
   * Activates a co-signed or approved rotation of another identity, for an owner whose keys are all revoked. Returns
   * core's answer unverified: this client does not know the other identity's keys.
   */
  activateFor(
    did: string,
    { rotationId, version }: Pick<RotationRecord, 'rotationId' | 'version'>,
  ): Promise<RotationRecord> {
    return this.#post(activationPath(version), { rotationId, did }, rotationRecordSchema)
  }

  /** Tells the DID service that a rotation is active. Bookkeeping: resolution follows core either way. */
  noteActivation(rotationId: string): Promise<z.output<typeof notedSchema>> {
    return this.#resolver('POST', '/api/rotation/activated', notedSchema, { rotationId })
  }

  get #signer(): string {
    return this.#owner instanceof Identity ? 'root' : this.#owner.deviceId
  }

  async #about(rotationId: string) {
    const { did, scope } = this.#owner
    return { ...placed(await this.#transport.signing()), did, scope, rotationId }
  }

  #sign<S extends Parameters<typeof signStatement>[0]>(statement: S) {
    return signStatement(statement, signerOf(this.#owner))
  }

  async #signByBoth<T extends 'svc/rotation-request/v1' | 'svc/rotation-rehearsal/v1'>(
    type: T,
    successor: Identity,
    options: RotationOptions,
  ) {
    const root = this.#owner
    if (!(root instanceof Identity)) throw new TypeError('Only the root key can sign a rotation')
    return signRotation(type, { root, successor }, { ...options, ...placed(await this.#transport.signing()) })
  }

  async #record(path: string, body: unknown, rotationId: string): Promise<RotationRecord> {
    return this.#checked(this.#same(await this.#post(path, body, rotationRecordSchema), rotationId))
  }

  #same(record: RotationRecord, rotationId: string): RotationRecord {
    if (record.rotationId !== rotationId)
      throw unverified('rotation', 'different_answer', 'Core answered for a different rotation', { evidence: record })
    return record
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

function activationPath(version: 1 | 2): string {
  return version === 1 ? '/api/chain/rotation/activate' : '/api/chain/rotation/v2/activate'
}
