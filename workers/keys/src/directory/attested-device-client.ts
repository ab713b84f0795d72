import { type DeviceRecord, deviceRecordSchema } from '@svc/protocol/base/device'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { InternalClient, InternalFault } from '@svc/service'

export type AttestationRefusal = {
  readonly reason:
    | 'device_unattested'
    | 'device_revoked'
    | 'did_deactivated'
    | 'device_keys_disabled'
    | 'attestation_unverifiable'
    | 'device_index_unavailable'
    | 'dependency_unavailable'
}

/** Core's record of a device: whether a root key has attested it and whether it is still in force. */
export class AttestedDeviceClient {
  readonly #core: InternalClient

  constructor(core: InternalClient) {
    this.#core = core
  }

  /** The account's device if it is in force. `primary` sees a revocation at once, the cache within a minute. */
  async find(
    accountDid: string,
    deviceId: string,
    consistency: 'primary' | 'cached',
    now: number,
  ): Promise<Result<DeviceRecord, AttestationRefusal>> {
    const path = `/api/internal/device/${deviceId}?did=${accountDid}${consistency === 'primary' ? '&consistency=primary' : ''}`
    const found = await this.#core.call({ method: 'GET', path }, deviceRecordSchema)
    if (!found.ok) return err({ reason: refusalOf(found.error) })
    const { value } = found
    // Ignore an answer about another device.
    if (value.deviceId !== deviceId) return err({ reason: 'dependency_unavailable' })
    if (value.did !== accountDid) return err({ reason: 'device_unattested' })
    if (value.status === 'revoked') return err({ reason: 'device_revoked' })
    const isOver = value.expiresAt !== null && value.expiresAt <= now
    return value.status === 'active' && !isOver ? ok(value) : err({ reason: 'device_unattested' })
  }
}

const FORWARDED = ['device_keys_disabled', 'attestation_unverifiable', 'device_index_unavailable'] as const

/** Passes on the refusals by core that are about the device. Any other error means that core is unavailable. */
function refusalOf(failure: InternalFault): AttestationRefusal['reason'] {
  const forwarded = FORWARDED.find((name) => name === failure.error)
  if (forwarded) return forwarded
  if (failure.reason === 'unavailable') return 'dependency_unavailable'
  if (failure.error === 'did_deactivated') return 'did_deactivated'
  return failure.error === 'not_found' ? 'device_unattested' : 'dependency_unavailable'
}
