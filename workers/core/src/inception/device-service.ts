import { bytesOf } from '@svc/protocol/base64url'
import { type DeviceRecord, deviceKeyDid, deviceRecordSchema } from '@svc/protocol/device'
import { verifyEventSignatures } from '@svc/protocol/inception-verifier'
import { err, ok, type Result } from '@svc/protocol/result'
import type { IdentityService } from '../identity/identity-service.ts'

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
    try {
      const found = await this.#read(deviceId)
      if (found.ok) await this.#remember(found.value)
      return found
    } catch {
      return err({ reason: 'device_index_unavailable' })
    }
  }

  /** After a change to a device: a cache may still answer for a minute elsewhere, and never on a mutation. */
  async forget(deviceIds: readonly string[]): Promise<void> {
    await Promise.all(deviceIds.map((id) => this.#cache.delete(keyOf(id)).catch(() => undefined)))
  }

  async forgetAll(did: string): Promise<void> {
    const ids = await this.#identities.ask(did, async (object) => object.deviceIds()).catch(() => [])
    await this.forget(ids)
  }

  async #read(deviceId: string): Promise<Result<DeviceRecord, DeviceLookupRefusal>> {
    const alias = await this.#identities.ask(deviceKeyDid(deviceId), async (object) => object.alias())
    if (alias?.kind !== 'device') return err({ reason: 'not_found' })
    const reading = await this.#identities.ask(alias.did, async (object) => object.device(deviceId))
    if (!reading) return err({ reason: 'not_found' })
    if (reading.deactivated) return err({ reason: 'did_deactivated' })
    const { record, attestation } = reading
    const holds =
      record.rootEpoch === record.currentEpoch &&
      attestation.statement.deviceId === deviceId &&
      attestation.statement.devicePublicKeyB64u === record.publicKeyB64u &&
      attestation.statement.scope === record.scope &&
      (await verifyEventSignatures(attestation, bytesOf(record.rootPublicKeyB64u)))
    return holds ? ok(record) : err({ reason: 'attestation_unverifiable' })
  }

  /** A cache that cannot be read, or holds nonsense, is no answer. */
  async #cached(deviceId: string): Promise<DeviceRecord | null> {
    const stored = await this.#cache.get(keyOf(deviceId), 'json').catch(() => null)
    const parsed = deviceRecordSchema.safeParse(stored)
    return parsed.success && parsed.data.deviceId === deviceId ? parsed.data : null
  }

  async #remember(record: DeviceRecord): Promise<void> {
    await this.#cache
      .put(keyOf(record.deviceId), JSON.stringify(record), { expirationTtl: CACHE_SECONDS })
      .catch(() => undefined)
  }
}

const keyOf = (deviceId: string) => `device:${deviceId}`
