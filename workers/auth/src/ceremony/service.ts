import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import type { Keyring, Names } from '../keyring.ts'
import { isCeremonyId, mintCeremonyId } from './ceremony-id.ts'
import type { CeremonyObject } from './object.ts'
import { type Beneficiary, type CeremonyKind, type CeremonyStates, expiryOf } from './rules.ts'
import { type Opened, open, seal } from './sealed.ts'

export interface Begun {
  readonly ceremonyId: string
  readonly expiresAt: number
}

/** Those of strangers: each carries its own state. */
const SEALED: ReadonlySet<CeremonyKind> = new Set(['login', 'passkey-login'])
/** Objects that remember which of them were spent. */
const SHARES = 64

/** Starts and ends ceremonies. An id that was not issued here, or for another kind, never reaches an object. */
export class CeremonyService {
  readonly #objects: DurableObjectNamespace<CeremonyObject>
  readonly #keyring: Keyring

  constructor(objects: DurableObjectNamespace<CeremonyObject>, keyring: Keyring) {
    this.#objects = objects
    this.#keyring = keyring
  }

  async begin<K extends CeremonyKind>(kind: K, state: CeremonyStates[K], now: number): Promise<Begun> {
    const expiresAt = expiryOf(kind, now)
    const text = JSON.stringify(state)
    if (SEALED.has(kind))
      return { ceremonyId: await seal(this.#keyring.newest.sealingKey, kind, text, expiresAt), expiresAt }
    const ceremonyId = mintCeremonyId(this.#keyring.newest.ceremonyKey, kind)
    const begun = await this.#call(ceremonyId, async (object) => object.begin(kind, text, expiresAt))
    if (!begun) throw new DependencyFault('ceremony', { cause: new Error('the id is taken') })
    return { ceremonyId, expiresAt }
  }

  /** Lets a credential be registered. */
  beginGrant(beneficiary: Beneficiary, now: number): Promise<Begun> {
    return this.begin('grant', { ...beneficiary, seed: this.#keyring.newest.version, passkey: null }, now)
  }

  look<K extends CeremonyKind>(kind: K, id: string): Promise<CeremonyStates[K] | null> {
    return this.#read<K>(kind, id, async (object) => object.look(kind))
  }

  /** Single-use. */
  take<K extends CeremonyKind>(kind: K, id: string): Promise<CeremonyStates[K] | null> {
    return SEALED.has(kind) ? this.#open<K>(kind, id) : this.#read<K>(kind, id, async (object) => object.take(kind))
  }

  async amend<K extends CeremonyKind>(kind: K, id: string, state: CeremonyStates[K]): Promise<boolean> {
    if (!this.#isMinted(kind, id)) return false
    const text = JSON.stringify(state)
    return this.#call(id, async (object) => object.amend(kind, text))
  }

  /** A spent grant goes on as the confirmation of an address. */
  async turnIntoConfirmation(grant: string, state: CeremonyStates['confirmation'], now: number): Promise<boolean> {
    if (!this.#isMinted('grant', grant)) return false
    const text = JSON.stringify(state)
    return this.#call(grant, async (object) =>
      object.turn('grant', 'confirmation', text, expiryOf('confirmation', now)),
    )
  }

  async #open<K extends CeremonyKind>(kind: K, id: string): Promise<CeremonyStates[K] | null> {
    const opened = await this.#opened(kind, id)
    if (!opened) return null
    const { name, expiresAt, state } = opened
    const share = `spent-${(name[0] ?? 0) % SHARES}`
    const isFirst = await this.#call(share, async (object) => object.spend(name, expiresAt))
    return isFirst ? (JSON.parse(state) as CeremonyStates[K]) : null
  }

  async #opened(kind: CeremonyKind, id: string): Promise<Opened | null> {
    for (const { sealingKey } of this.#keyring.all) {
      const opened = await open(sealingKey, kind, id)
      if (opened) return opened
    }
    return null
  }

  /** Under any version of the seed: a ceremony goes on while the seed is changed. */
  #isMinted(kind: CeremonyKind, id: string): boolean {
    return this.#keyring.all.some(({ ceremonyKey }) => isCeremonyId(ceremonyKey, kind, id))
  }

  async #read<K extends CeremonyKind>(
    kind: K,
    id: string,
    ask: (object: DurableObjectStub<CeremonyObject>) => Promise<string | null>,
  ): Promise<CeremonyStates[K] | null> {
    if (!this.#isMinted(kind, id)) return null
    const text = await this.#call(id, ask)
    const state = text === null ? null : (JSON.parse(text) as CeremonyStates[K])
    return state && this.#hasEveryName(state) ? state : null
  }

  /**
   * Whether a person at a provider has a name under the newest version of the seed. Without it two ceremonies of one person,
   * of before and after a change of the seed, would give two accounts: the person comes from the provider again.
   */
  #hasEveryName(state: object): boolean {
    const { subject = null } = state as { subject?: Names | null }
    return subject === null || subject[0].version === this.#keyring.newest.version
  }

  #call<T>(id: string, ask: (object: DurableObjectStub<CeremonyObject>) => Promise<T>): Promise<T> {
    return reaching('ceremony', () => ask(this.#objects.getByName(id)))
  }
}
