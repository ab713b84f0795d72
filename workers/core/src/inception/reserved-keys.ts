import type { Facts, ObjectStorage } from '@svc/objects'

const FACT = 'reservedKeys'

interface ReservedKey {
  readonly deviceId: string
  readonly epoch: number
  readonly at: number
}

/**
 * Device keys that core was asked to reserve, from before it does so. A reservation is permanent and in an object of its
 * own, so it counts towards the limit of new keys also if the attestation is not appended then: it lost a race, say.
 */
export class ReservedKeys {
  readonly #facts: Facts

  constructor(stored: ObjectStorage) {
    this.#facts = stored.facts
  }

  /** Those of a root epoch since a time. */
  since(time: number, epoch: number): string[] {
    return this.#all()
      .filter((one) => one.epoch === epoch && one.at > time)
      .map(({ deviceId }) => deviceId)
  }

  /** Forgets those of other epochs and from before `since`, which no longer count. */
  add(deviceIds: readonly string[], { epoch, now, since }: { epoch: number; now: number; since: number }): void {
    const kept = this.#all().filter((one) => one.epoch === epoch && one.at > since)
    const known = new Set(kept.map(({ deviceId }) => deviceId))
    const added = deviceIds.filter((deviceId) => !known.has(deviceId))
    if (added.length === 0) return
    this.#facts.put(FACT, [...kept, ...added.map((deviceId): ReservedKey => ({ deviceId, epoch, at: now }))])
  }

  #all(): readonly ReservedKey[] {
    return this.#facts.get<readonly ReservedKey[]>(FACT) ?? []
  }
}
