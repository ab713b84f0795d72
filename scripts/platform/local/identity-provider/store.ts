interface Payload {
  readonly uid?: string
  readonly grantId?: string
  readonly [member: string]: unknown
}

/** What the provider has issued, until the platform stops. `oidc-provider` makes one for each kind of thing. */
export class ProviderStore {
  readonly #kept = new Map<string, Payload>()

  async upsert(id: string, payload: Payload): Promise<void> {
    this.#kept.set(id, payload)
  }

  async find(id: string): Promise<Payload | undefined> {
    return this.#kept.get(id)
  }

  async findByUid(uid: string): Promise<Payload | undefined> {
    return [...this.#kept.values()].find((payload) => payload.uid === uid)
  }

  async consume(id: string): Promise<void> {
    const payload = this.#kept.get(id)
    if (payload) this.#kept.set(id, { ...payload, consumed: Math.floor(Date.now() / 1000) })
  }

  async destroy(id: string): Promise<void> {
    this.#kept.delete(id)
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [id, payload] of this.#kept) if (payload.grantId === grantId) this.#kept.delete(id)
  }
}
