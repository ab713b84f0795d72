import { bytesOf } from '@svc/protocol/base64url'
import { type DeviceRecord, deviceKeyDid, deviceRecordSchema } from '@svc/protocol/device'
import type { AttestDevice } from '@svc/protocol/inception'
import { verifyEventSignatures } from '@svc/protocol/inception-verifier'
import { err, ok, type Result } from '@svc/protocol/result'
import type { IdentityService } from '../identity/identity-service.ts'

export interface AttestedDevice {
  readonly record: DeviceRecord
  /** What the record rests on. */
  readonly attestation: AttestDevice
}

/** The least that KV keeps; a read may see a revocation as late as this. */
const CACHE_SECONDS = 60

export type DeviceLookupRefusal = {
  readonly reason: 'not_found' | 'did_deactivated' | 'attestation_unverifiable' | 'device_index_unavailable'
}

/**
 * What is in force for a device, for the other Workers. Answered from a cache of a minute unless the caller asks for
 * the primary; verified against the owner's current root key whenever it is not.
 */
export class DeviceService {
  readonly #identities: IdentityService
  readonly #cache: KVNamespace

  constructor(identities: IdentityService, cache: KVNamespace) {
    this.#identities = identities
    this.#cache = cache
  }

  async find(deviceId: string, isPrimary: boolean): Promise<Result<DeviceRecord, DeviceLookupRefusal>> {
    const cached = isPrimary ? null : await this.#cached(deviceId)
    if (cached) return ok(cached)
    const found = await this.attested(deviceId)
    if (!found.ok) return found
    // Only a read that the cache may answer fills it: a mutation would write one key more often than KV takes.
    if (!isPrimary) await this.#remember(found.value.record)
    return ok(found.value.record)
  }

  /** A device with its attestation, from the object of its owner. */
  async attested(deviceId: string): Promise<Result<AttestedDevice, DeviceLookupRefusal>> {
    try {
      return await this.#read(deviceId)
    } catch {
      return err({ reason: 'device_index_unavailable' })
    }
  }

  /** After a change to a device: a cache may still answer for a minute elsewhere, and never on a mutation. */
  async forget(deviceIds: readonly string[]): Promise<void> {
    await Promise.all(deviceIds.map((id) => orNull(() => this.#cache.delete(keyOf(id)))))
  }

  async forgetAll(did: string): Promise<void> {
    const ids = await this.#identities.ask(did, async (object) => object.deviceIds()).catch(() => [])
    await this.forget(ids)
  }

  async #read(deviceId: string): Promise<Result<AttestedDevice, DeviceLookupRefusal>> {
    const alias = await this.#identities.ask(deviceKeyDid(deviceId), async (object) => object.alias())
    if (alias?.kind !== 'device') return err({ reason: 'not_found' })
    const reading = await this.#identities.ask(alias.did, async (object) => object.device(deviceId))
    if (!reading) return err({ reason: 'not_found' })
    if (reading.deactivated) return err({ reason: 'did_deactivated' })
    const { record, attestation } = reading
    const { statement } = attestation
    // Its status and capabilities may have changed since; nothing else of it can.
    const holds =
      record.rootEpoch === record.currentEpoch &&
      statement.deviceId === deviceId &&
      statement.devicePublicKeyB64u === record.publicKeyB64u &&
      statement.scope === record.scope &&
      statement.origin === record.origin &&
      statement.expiresAt === record.expiresAt &&
      (await verifyEventSignatures(attestation, bytesOf(record.rootPublicKeyB64u)))
    return holds ? ok({ record, attestation }) : err({ reason: 'attestation_unverifiable' })
  }

  /** A cache that cannot be read, or holds nonsense, is no answer. */
  async #cached(deviceId: string): Promise<DeviceRecord | null> {
    const stored = await orNull(() => this.#cache.get(keyOf(deviceId), 'json'))
    const parsed = deviceRecordSchema.safeParse(stored)
    return parsed.success && parsed.data.deviceId === deviceId ? parsed.data : null
  }

  async #remember(record: DeviceRecord): Promise<void> {
    const text = JSON.stringify(record)
    await orNull(() => this.#cache.put(keyOf(record.deviceId), text, { expirationTtl: CACHE_SECONDS }))
  }
}

const keyOf = (deviceId: string) => `device:${deviceId}`

/** A cache that fails, in whatever way, is one that knows nothing. */
async function orNull<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch {
    return null
  }
}
