/** One dependency and how to ask it. Answers whether it is there; a throw says that it is not. */
export type Check = () => Promise<boolean>

export type CheckResults = Record<string, { ok: boolean; milliseconds: number }>

/** Asks every dependency at once, each with its own timing. */
export class HealthService {
  readonly #checks: Readonly<Record<string, Check>>
  readonly #now: () => number

  constructor(checks: Readonly<Record<string, Check>>, now: () => number) {
    this.#checks = checks
    this.#now = now
  }

  async check(): Promise<CheckResults> {
    const asked = Object.entries(this.#checks).map(async ([name, check]) => {
      const startedAt = this.#now()
      const ok = await check().catch(() => false)
      return [name, { ok, milliseconds: this.#now() - startedAt }] as const
    })
    return Object.fromEntries(await Promise.all(asked))
  }
}
