import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { Prober, type ProbeTarget } from './prober.ts'

const TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'"

/** `bindings` are those of all Durable Object classes of the Worker. */
export function objectCommitsBattery(target: ProbeTarget & { readonly bindings: readonly string[] }): void {
  const { bindings } = target
  const { service } = target.service.description

  it(`asks one object of each class of ${service} for its commit, and creates none`, async () => {
    const { body, headers } = await new Prober(target).send({ method: 'GET', path: '/health/objects' })
    const objects = Object.fromEntries(bindings.map((binding) => [binding, 'unknown']))
    expect(body).toEqual({ service, commit: 'unknown', objects })
    expect(headers.get('cache-control')).toBe('no-store')
    for (const binding of bindings) {
      const asked = (env as unknown as Record<string, DurableObjectNamespace>)[binding]?.getByName('health')
      if (!asked) throw new Error(`no binding ${binding}`)
      const kept = await runInDurableObject(asked, async (_, { storage }) => ({
        tables: storage.sql.exec(TABLES).toArray(),
        alarm: await storage.getAlarm(),
      }))
      expect(kept).toEqual({ tables: [], alarm: null })
    }
  })
}
