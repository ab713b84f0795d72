import { bytesOf } from '#protocol/base/base64url'
import { userIdOfKey } from '#protocol/base/identity'
import { signStatement } from '#protocol/base/statement'
import { type RootAnswer, rootAnswerSchema } from '#protocol/chain/api'
import {
  type RotationRecord,
  rotationIdOf,
  rotationRecordSchema,
  type SignedRotationRequest,
} from '#protocol/chain/rotation'
import { checkForm } from '../arguments/check-form.ts'
import { checkRoot } from '../chain/answers.ts'
import type { KeyHistory } from '../chain/key-history.ts'
import { placed } from '../identity/signing.ts'
import { signerOf } from '../identity/signing-key.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import {
  completedRecovery,
  idsOf,
  type KeptRecovery,
  keptKeys,
  keptRecoverySchema,
  leadsTheSameWay,
  requestOf,
  sendable,
  verifyKept,
} from './kept-recovery.ts'
import type { RecoveringDevice, RootCopy, Successor } from './parties.ts'
import type { RecoverOptions, RecoveryProgress } from './recover.ts'
import { type RecoveryStatus, statusOf } from './stage.ts'

/**
 * Gives an identity back to its owner with a kept request. Everything is signed by the kept keys, so any client can send
 * it: one of the device, or of another identity if the thief revoked the device.
 */
export class Recovery {
  // As results: see `safely`.
  readonly safeStatus = safeTwin(this, 'status')

  readonly #transport: Transport
  readonly #core: string
  readonly #did: string
  readonly #keys: KeyHistory
  readonly #kept: KeptRecovery

  /** Throws an `ArgumentError` if `kept` is not the `kept` of `identity.prepareRecovery`. */
  constructor(
    transport: Transport,
    urls: { readonly core: string; readonly did: string },
    keys: KeyHistory,
    kept: unknown,
  ) {
    this.#transport = transport
    this.#core = urls.core
    this.#did = urls.did
    this.#keys = keys
    this.#kept = checkForm('client.recovery', 'kept', keptRecoverySchema, kept)
  }

  /** The DID of the identity that is recovered. */
  get did(): string {
    return this.#kept.did
  }

  /** What it has come to, and the next step with its date. Needs no credential. */
  async status(): Promise<RecoveryStatus> {
    const root = await this.#root()
    return statusOf(this.#kept, root, { ids: await this.#ids(root), now: this.#transport.now() })
  }

  /**
   * Opens, reopens or co-signs the kept version-2 request with a device, in one act. Takes the place of a pending request
   * that is weaker. Throws `ServiceError` 403 `not_eligible` if the device has no standing to co-sign: give the operator
   * the version-1 request then. For a key that the identity has committed to, no device is needed; with one, the request
   * is stronger than a rival without.
   */
  async start(device?: RecoveringDevice): Promise<RotationRecord> {
    await this.#refuseVoid()
    const request = this.#request(2)
    if (!device) {
      const call = {
        method: 'POST',
        url: `${this.#did}/api/rotation/request`,
        audience: 'identity',
        body: request,
      } as const
      return this.#same(await this.#transport.json(call, rotationRecordSchema), rotationIdOf(request.statement))
    }
    const about = this.#about(rotationIdOf(request.statement), device)
    const statement = { type: 'svc/rotation-cosign/v1', ...about, signedBy: device.deviceId } as const
    const signed = await signStatement(statement, signerOf(device))
    return this.#post('/api/chain/rotation/cosign', { ...signed, request }, rotationIdOf(request.statement))
  }

  /**
   * Stops what somebody else has pending, with a device that had standing before. With a copy of the root key, stops it
   * if it is not co-signed, and otherwise moves its deadline once, to seven days after the request. With a key
   * that the identity has committed to, ends what goes on without one, and delays the rest once.
   */
  async contest(by: RecoveringDevice | RootCopy | Successor): Promise<RotationRecord> {
    const { rotation, isOurs } = await this.status()
    if (rotation?.status !== 'pending') throw new Error('Nothing is pending that could be contested')
    if (isOurs) throw new Error('The pending rotation is this recovery')
    const { rotationId } = rotation
    const signedBy = 'deviceId' in by ? by.deviceId : 'asSuccessor' in by ? 'successor' : 'root'
    const named = 'asSuccessor' in by ? { successorPublicKeyB64u: by.asSuccessor.publicKeyB64u } : {}
    const about = this.#about(rotationId, 'deviceId' in by ? by : null)
    const statement = { type: 'svc/rotation-freeze/v1', ...about, signedBy, ...named } as const
    const signed = await signStatement(statement, signerOf('asSuccessor' in by ? by.asSuccessor : by))
    return this.#post('/api/chain/rotation/freeze', signed, rotationId)
  }

  /**
   * What the operator needs: an approval can carry the request, also of a rotation that was stopped or never sent, and
   * nobody can veto it. Prove to the operator who you are.
   */
  async forOperator(): Promise<{
    readonly did: string
    readonly rotationId: string
    readonly request: SignedRotationRequest
  }> {
    const request = this.#request(1)
    return { did: this.#kept.did, rotationId: rotationIdOf(request.statement), request }
  }

  /**
   * Makes the new key the root key, once the recovery is `due`. Idempotent. Continue with a client of the new key:
   * `rotation.noteActivation(rotationId)`, `did.register()`, and attest the devices again.
   */
  async finish(): Promise<RotationRecord> {
    const { stage, rotation } = await this.status()
    if (stage === 'void') throw voided()
    if (!rotation || (stage !== 'due' && stage !== 'done'))
      throw new Error(`The recovery cannot be finished yet: it is ${stage}, see \`status\``)
    const { rotationId, version } = rotation
    const path = version === 1 ? '/api/chain/rotation/activate' : '/api/chain/rotation/v2/activate'
    return this.#post(path, { rotationId, did: this.#kept.did }, rotationId)
  }

  /**
   * Does what can be done now: starts the recovery, contests what stands in its way, and finishes it when it is due. Call
   * it again at `status.next.at`, and after what `needs` names. Signs with `successor` the requests that only the root
   * key has signed. Throws a `ConfigurationError`, and sends nothing, if the kept requests do not rotate to `successor`,
   * or if the recovery would end another one that may be your own: see `dispute`.
   */
  async recover({ successor, ...by }: RecoverOptions): Promise<RecoveryProgress> {
    const { recover } = await import('./recover.ts')
    const kept = await completedRecovery(this.#kept, successor)
    const urls = { core: this.#core, did: this.#did }
    return recover(new Recovery(this.#transport, urls, this.#keys, kept), kept, { successor, ...by })
  }

  /**
   * The rotations that lead to the key of this recovery: those of the kept requests, and a pending one that was requested
   * for the same key and the same sheets by other requests, such as those of an earlier recovery file.
   */
  async #ids({ did, commitment, rotation }: RootAnswer): Promise<readonly string[]> {
    const ids = idsOf(this.#kept)
    if (commitment.next.length === 0 || rotation?.status !== 'pending' || ids.includes(rotation.rotationId)) return ids
    if (
      !keptKeys(this.#kept)
        .map(userIdOfKey)
        .some((userId) => userId === rotation.newUserId)
    )
      return ids
    const record = await this.#keys.rotation(did)
    return record?.rotationId === rotation.rotationId && leadsTheSameWay(this.#kept, record)
      ? [...ids, rotation.rotationId]
      : ids
  }

  /** The root key now, verified, and that it is the one that signed the kept requests. */
  async #root(): Promise<RootAnswer> {
    const { did, epoch, requests } = this.#kept
    const keys = await this.#keys.of(did)
    const ending = keys[epoch - 1]
    for (const request of requests) {
      if (!ending || !(await verifyKept(request, bytesOf(ending.publicKeyB64u), this.#transport.realms)))
        throw unverified(
          'rotation',
          'invalid_signature',
          'The kept requests have an invalid signature of the root key of this identity or of the new key',
        )
    }
    const call = { method: 'GET', url: `${this.#core}/api/chain/root/${did}` } as const
    return checkRoot(did, await this.#transport.data(call, rootAnswerSchema), keys)
  }

  async #refuseVoid(): Promise<void> {
    if ((await this.status()).stage === 'void') throw voided()
  }

  #request(version: 1 | 2): SignedRotationRequest {
    const kept = requestOf(this.#kept, version)
    if (!kept) throw new Error(`No request of version ${version} is kept`)
    const request = sendable(kept)
    if (!request)
      throw new ConfigurationError(
        'kept',
        'The new key has not signed these requests: pass it to `recover`, or sign with `completedRecovery`',
      )
    return request
  }

  /** The client may belong to another identity, whose events the signer must not name. */
  #about(rotationId: string, device: RecoveringDevice | null) {
    const { did, scope } = this.#kept
    const { realm } = this.#transport
    const place = placed({ realm, now: this.#transport.now() }, device?.membership?.inception)
    return { ...place, did, scope, rotationId }
  }

  async #post(path: string, body: object, rotationId: string): Promise<RotationRecord> {
    const call = { method: 'POST', url: this.#core + path, audience: 'chain', body } as const
    return this.#same(await this.#transport.data(call, rotationRecordSchema), rotationId)
  }

  async #same(record: RotationRecord, rotationId: string): Promise<RotationRecord> {
    if (record.rotationId !== rotationId)
      throw unverified('rotation', 'different_answer', 'Core answered for a different rotation', { evidence: record })
    return this.#keys.check(this.#kept.did, record)
  }
}

function voided(): Error {
  return new Error(
    'The recovery is void: the root key was changed or the identity was deactivated after it was prepared',
  )
}
