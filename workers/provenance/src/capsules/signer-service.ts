import type { Caller } from '@svc/assertion'
import { type DeviceRecord, deviceIdOf, deviceRecordSchema } from '@svc/protocol/base/device'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { CapsuleSigner } from '@svc/protocol/provenance/capsules'
import type { InternalClient, InternalFault } from '@svc/service'

/** The capability a device needs to sign a capsule: the same as to send one. */
const NEEDED = 'provenance:write'

export type SignerRefusal =
  | { readonly reason: 'not_the_signer' | 'device_index_unavailable' | 'device_keys_disabled' }
  | { readonly reason: 'unavailable'; readonly detail: string }

const UNCERTAIN: SignerRefusal = { reason: 'unavailable', detail: 'core: device' }

/** Decides, with core as the authority, whether a key may sign capsules for the caller. */
export class SignerService {
  readonly #core: InternalClient

  constructor(core: InternalClient) {
    this.#core = core
  }

  /**
   * Accepts the current root key, which the gate has just verified at core, or a device of this identity that may write
   * capsules now. The device record is read from the primary, so a revocation takes effect at once. Refuses in doubt.
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

/** Of this identity, in its current root epoch, in force, and with the capability. */
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

/** Only these refusals are about the device. Any other error means that core is unavailable. */
function failureOf({ reason, error }: InternalFault): SignerRefusal {
  if (error === 'device_index_unavailable' || error === 'device_keys_disabled') return { reason: error }
  const speaksOfIt = error === 'not_found' || error === 'attestation_unverifiable' || error === 'did_deactivated'
  return reason === 'refused' && speaksOfIt ? { reason: 'not_the_signer' } : UNCERTAIN
}
