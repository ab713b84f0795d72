/** A dependency and its probe. The probe returns whether the dependency is available; throwing means that it is not. */
export type Check = () => Promise<boolean>

export type CheckResults = Record<string, { ok: boolean; milliseconds: number }>

/** Probes every dependency in parallel and times each one. */
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
