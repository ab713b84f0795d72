import type { Caller } from '@svc/assertion'
import type { CapsuleSigner } from '@svc/protocol/capsules'
import { type DeviceRecord, deviceIdOf, deviceRecordSchema } from '@svc/protocol/device'
import { err, ok, type Result } from '@svc/protocol/result'
import type { InternalClient, InternalFailure } from '@svc/service'

/** What a device must be allowed to sign a capsule, as to send one. */
const NEEDED = 'provenance:write'

export type SignerRefusal =
  | { readonly reason: 'not_the_signer' | 'device_index_unavailable' | 'device_keys_disabled' }
  | { readonly reason: 'unavailable'; readonly detail: string }

const UNCERTAIN: SignerRefusal = { reason: 'unavailable', detail: 'core: device' }

/** Whether a key may sign capsules for the caller, by core's authority. */
export class SignerService {
  readonly #core: InternalClient

  constructor(core: InternalClient) {
    this.#core = core
  }

  /**
   * The current root key, which the gate has just had vouched for, or a device of this identity that may write capsules
   * now. Its record comes from the primary: a revocation is effective at once. What is not certain is refused.
   */
  async signerOf(caller: Caller, publicKeyB64u: string, now: number): Promise<Result<CapsuleSigner, SignerRefusal>> {
    const { scope, userId, epoch } = caller
    if (publicKeyB64u === caller.publicKeyB64u) return ok({ kind: 'root', scope, userId, epoch, deviceId: null })
    const deviceId = deviceIdOf(publicKeyB64u)
    const path = `/api/internal/device/${deviceId}?consistency=primary`
    const found = await this.#core.call({ method: 'GET', path }, deviceRecordSchema)
    if (!found.ok) return err(failureOf(found.error))
    const record = found.value
    if (record.deviceId !== deviceId || record.publicKeyB64u !== publicKeyB64u) return err(UNCERTAIN)
    if (!mayAct(record, caller, now)) return err({ reason: 'not_the_signer' })
    return ok({ kind: 'device', scope, userId, epoch, deviceId })
  }
}

/** Of this identity, in its current root epoch, in force now and allowed to. */
function mayAct(record: DeviceRecord, { did, scope, userId, epoch }: Caller, now: number): boolean {
  return (
    record.did === did &&
    record.scope === scope &&
    record.userId === userId &&
    record.rootEpoch === epoch &&
    record.currentEpoch === epoch &&
    record.status === 'active' &&
    (record.expiresAt === null || record.expiresAt > now) &&
    record.capabilities.includes(NEEDED)
  )
}

/** Only these refusals speak of the device; anything else says that core is not there. */
function failureOf({ reason, error }: InternalFailure): SignerRefusal {
  if (error === 'device_index_unavailable' || error === 'device_keys_disabled') return { reason: error }
  const speaksOfIt = error === 'not_found' || error === 'attestation_unverifiable' || error === 'did_deactivated'
  return reason === 'refused' && speaksOfIt ? { reason: 'not_the_signer' } : UNCERTAIN
}
