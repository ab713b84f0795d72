import { type DeviceRecord, deviceRecordSchema } from '@svc/protocol/device'
import { err, ok, type Result } from '@svc/protocol/result'
import type { InternalClient, InternalFailure } from '@svc/service'

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

/** What core says of a device: whether a root key has attested it and nothing has ended that since. */
export class AttestedDeviceClient {
  readonly #core: InternalClient

  constructor(core: InternalClient) {
    this.#core = core
  }

  /** The device of an account as it is in force now; `primary` sees a revocation at once, else within a minute. */
  async find(
    accountDid: string,
    deviceId: string,
    consistency: 'primary' | 'cached',
    now: number,
  ): Promise<Result<DeviceRecord, AttestationRefusal>> {
    const path = `/api/internal/device/${deviceId}${consistency === 'primary' ? '?consistency=primary' : ''}`
    const found = await this.#core.call({ method: 'GET', path }, deviceRecordSchema)
    if (!found.ok) return err({ reason: refusalOf(found.error) })
    const { value } = found
    // An answer about another device is no answer.
    if (value.deviceId !== deviceId) return err({ reason: 'dependency_unavailable' })
    if (value.did !== accountDid) return err({ reason: 'device_unattested' })
    if (value.status === 'revoked') return err({ reason: 'device_revoked' })
    const isOver = value.expiresAt !== null && value.expiresAt <= now
    return value.status === 'active' && !isOver ? ok(value) : err({ reason: 'device_unattested' })
  }
}

const FORWARDED = ['device_keys_disabled', 'attestation_unverifiable', 'device_index_unavailable'] as const

/** Document 1 section 4.11: what core names of a device is passed on; whatever is unclear is unavailable. */
function refusalOf(failure: InternalFailure): AttestationRefusal['reason'] {
  const forwarded = FORWARDED.find((name) => name === failure.error)
  if (forwarded) return forwarded
  if (failure.reason === 'unavailable') return 'dependency_unavailable'
  if (failure.error === 'did_deactivated') return 'did_deactivated'
  return failure.error === 'not_found' ? 'device_unattested' : 'dependency_unavailable'
}
