import type { TrustStore } from '@svc/client'
import { databaseOf } from '../kept/database.ts'
import { type DraftDevice, openDraft, type SealedDraft, sealDraft } from './sealing.ts'

/**
 * What a person typed and did not save, by place: it is there again when the place is opened again, in this tab at once and
 * after the browser was closed from its database. Where that is blocked, for as long as the page is open.
 */
export class Drafts {
  readonly #device: DraftDevice
  readonly #database: Pick<TrustStore, 'get' | 'set' | 'delete'>
  /** What this page has read or kept; null where there is none. */
  readonly #known = new Map<string, unknown>()
  /** Places whose newest draft is not written yet. */
  readonly #waiting = new Set<string>()
  #writing: Promise<void> = Promise.resolve()

  constructor(device: DraftDevice, database: Pick<TrustStore, 'get' | 'set' | 'delete'>) {
    this.#device = device
    this.#database = database
  }

  /** Null if there is none. */
  async read(place: string): Promise<unknown> {
    if (!this.#known.has(place)) {
      const draft = await this.#stored(place)
      // Something may have been typed meanwhile.
      if (!this.#known.has(place)) this.#known.set(place, draft)
    }
    return this.#known.get(place)
  }

  /** Null forgets it. Resolves once it is written; what follows quickly is written once. */
  keep(place: string, draft: unknown): Promise<void> {
    this.#known.set(place, draft)
    if (!this.#waiting.has(place)) {
      this.#waiting.add(place)
      this.#writing = this.#writing.then(() => this.#write(place)).catch(console.warn)
    }
    return this.#writing
  }

  async #write(place: string): Promise<void> {
    this.#waiting.delete(place)
    const draft = this.#known.get(place)
    if (draft === null) await this.#database.delete(place)
    else await this.#database.set(place, await sealDraft(this.#device, place, draft))
  }

  async #stored(place: string): Promise<unknown> {
    try {
      const sealed = (await this.#database.get(place)) as SealedDraft | undefined
      return sealed === undefined ? null : await openDraft(this.#device, place, sealed)
    } catch {
      // Of another device that this browser was, or the database cannot be read: there is nothing to show.
      return null
    }
  }
}

const opened = new Map<string, Drafts>()
const nameOf = (did: string) => `console-drafts-${did}`

/** Those of an identity in this browser: one object, so that every page sees what another has just kept. */
export function draftsOf(device: DraftDevice): Drafts {
  const key = `${device.did} ${device.deviceId}`
  const drafts = opened.get(key) ?? new Drafts(device, databaseOf(nameOf(device.did)))
  opened.set(key, drafts)
  return drafts
}

export async function forgetDrafts(did: string): Promise<void> {
  for (const key of opened.keys()) if (key.startsWith(`${did} `)) opened.delete(key)
  const database = databaseOf(nameOf(did))
  for (const place of await database.keys()) await database.delete(place)
}
