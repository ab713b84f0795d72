import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { type DeviceRecord, deviceKeyDid, deviceRecordSchema } from '@svc/protocol/base/device'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { AttestDevice } from '@svc/protocol/devices/inception'
import { verifyEventSignatures } from '@svc/protocol/devices/verifier'
import type { IdentityService } from '../identity/service.ts'

export interface AttestedDevice {
  readonly record: DeviceRecord
  /** The signed statement that the record is based on. */
  readonly attestation: AttestDevice
}

/** The shortest TTL of KV; a cached read may see a revocation this late. */
const CACHE_SECONDS = 60
/** Names of 64 characters that an isolate remembers: about 1 MB. */
const MAX_VERIFIED = 10_000

export type DeviceLookupRefusal = {
  readonly reason: 'not_found' | 'did_deactivated' | 'attestation_unverifiable' | 'device_index_unavailable'
}

/**
 * A device's record in force, for the other Workers. Answered from a cache of one minute unless the caller requires the
 * primary; a record from the primary is verified against the owner's current root key, once in the life of an isolate.
 */
export class DeviceService {
  readonly #identities: IdentityService
  readonly #cache: KVNamespace
  readonly #realms: Realms
  /** Attestations that were verified, by hash with the root key: a good signature stays good. */
  readonly #verified = new Set<string>()

  constructor(identities: IdentityService, cache: KVNamespace, realms: Realms) {
    this.#identities = identities
    this.#cache = cache
    this.#realms = realms
  }

  /** `ownerDid` is whose device it should be, if the caller knows; a device of another identity is not found then. */
  async find(
    deviceId: string,
    isPrimary: boolean,
    ownerDid: string | null,
  ): Promise<Result<DeviceRecord, DeviceLookupRefusal>> {
    const cached = isPrimary ? null : await this.#cached(deviceId)
    if (cached) return ownerDid === null || cached.did === ownerDid ? ok(cached) : err({ reason: 'not_found' })
    const found = await this.attested(deviceId, ownerDid)
    if (!found.ok) return found
    // Only cacheable reads fill the cache: mutations would exceed KV's limit of writes to one key.
    if (!isPrimary) await this.#remember(found.value.record)
    return ok(found.value.record)
  }

  /** A device with its attestation, read from its owner's object. */
  async attested(
    deviceId: string,
    ownerDid: string | null = null,
  ): Promise<Result<AttestedDevice, DeviceLookupRefusal>> {
    try {
      return await this.#read(deviceId, ownerDid ?? (await this.#ownerOf(deviceId)))
    } catch {
      return err({ reason: 'device_index_unavailable' })
    }
  }

  /** Call after a change to a device. Caches elsewhere may be a minute stale, which mutations never use. */
  async forget(deviceIds: readonly string[]): Promise<void> {
    await Promise.all(deviceIds.map((id) => orNull(() => this.#cache.delete(keyOf(id)))))
  }

  async forgetAll(did: string): Promise<void> {
    const ids = await this.#identities.ask(did, async (object) => object.deviceIds()).catch(() => [])
    await this.forget(ids)
  }

  async #ownerOf(deviceId: string): Promise<string | null> {
    const alias = await this.#identities.ask(deviceKeyDid(deviceId), async (object) => object.alias())
    return alias?.kind === 'device' ? alias.did : null
  }

  async #read(deviceId: string, did: string | null): Promise<Result<AttestedDevice, DeviceLookupRefusal>> {
    if (did === null) return err({ reason: 'not_found' })
    const reading = await this.#identities.ask(did, async (object) => object.device(deviceId))
    if (!reading) return err({ reason: 'not_found' })
    if (reading.deactivated) return err({ reason: 'did_deactivated' })
    const { record, attestation } = reading
    const { statement } = attestation
    // Status and capabilities may have changed since attestation; everything else must match.
    const holds =
      record.rootEpoch === record.currentEpoch &&
      statement.deviceId === deviceId &&
      statement.devicePublicKeyB64u === record.publicKeyB64u &&
      statement.scope === record.scope &&
      statement.origin === record.origin &&
      endsAsAttested(statement, record) &&
      (await this.#verifies(attestation, record.rootPublicKeyB64u))
    return holds ? ok({ record, attestation }) : err({ reason: 'attestation_unverifiable' })
  }

  /** Verifies each attestation once in the life of an isolate. */
  async #verifies(attestation: AttestDevice, rootPublicKeyB64u: string): Promise<boolean> {
    const bytes = new TextEncoder().encode(JSON.stringify([rootPublicKeyB64u, attestation]))
    const name = encodeBase64url(new Uint8Array(await crypto.subtle.digest('SHA-384', bytes)))
    if (this.#verified.has(name)) return true
    if (!(await verifyEventSignatures(attestation, bytesOf(rootPublicKeyB64u), this.#realms))) return false
    if (this.#verified.size >= MAX_VERIFIED) this.#verified.clear()
    this.#verified.add(name)
    return true
  }

  /** Treats an unreadable or malformed cache entry as a miss. */
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

/** As the attestation says, or until the device has confirmed it, no later than it has to. */
function endsAsAttested({ expiresAt, confirmBy }: AttestDevice['statement'], record: DeviceRecord): boolean {
  return record.expiresAt === expiresAt || (confirmBy !== undefined && record.expiresAt === confirmBy)
}

const keyOf = (deviceId: string) => `device:${deviceId}`

/** Treats any failure of the cache as a miss. */
async function orNull<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch {
    return null
  }
}
