import { describe, expect, it, vi } from 'vitest'
import type { Operation } from '../app/operation.ts'
import { ALLOWED_ORIGIN, type Prober } from './prober.ts'

/** What a request carries appears neither in a refusal nor in the log. */
export function secretBattery(prober: Prober): void {
  const routes = prober.service.routes.map(({ operation }) => ({
    operation,
    name: `${operation.method.toUpperCase()} ${operation.path}`,
  }))
  describe.each(routes)('$name', ({ operation }) => {
    it('keeps what a refused request carried to itself', async () => {
      const canary = `canary${crypto.randomUUID().replaceAll('-', '')}`
      const log = vi.spyOn(console, 'log').mockImplementation(() => {})
      const origin = { origin: ALLOWED_ORIGIN }
      const bodies = operation.body ? [canary, { [canary]: canary }, [canary]] : [undefined]
      for (const value of bodies) {
        const body = value === undefined ? undefined : JSON.stringify(value)
        const { headers } = await prober.callFor(operation)
        await expectSilence(operation, canary, { headers: { ...headers, 'x-canary': canary }, body })
        await expectSilence(operation, canary, { headers: { ...origin, authorization: `Bearer ${canary}` }, body })
        await expectSilence(operation, canary, {
          headers: { ...origin, authorization: `ServiceAssertion ${canary}.${canary}` },
          body,
        })
        await expectSilence(operation, canary, { headers: { origin: `https://${canary}.example` }, body })
      }
      await expectSilence(operation, canary, {
        headers: { ...origin, accept: canary, 'content-type': canary },
        body: operation.body ? canary : undefined,
      })
      expect(log).toHaveBeenCalled()
      for (const [line] of log.mock.calls) expect(String(line)).not.toContain(canary)
    })
  })

  it('keeps an unknown path to itself', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const canary = `canary${crypto.randomUUID().replaceAll('-', '')}`
    for (const method of ['GET', 'POST', 'DELETE']) {
      const exchange = await prober.send({
        method,
        path: `/${canary}?${canary}=${canary}`,
        headers: { origin: ALLOWED_ORIGIN },
      })
      expect(JSON.stringify([exchange.body, [...exchange.headers]])).not.toContain(canary)
    }
    for (const [line] of log.mock.calls) expect(String(line)).not.toContain(canary)
  })

  async function expectSilence(
    operation: Operation,
    canary: string,
    { headers, body }: { headers: Record<string, string>; body: string | undefined },
  ): Promise<void> {
    const filled = operation.namesWhatIsMissing
      ? prober.pathOf(operation)
      : operation.path.replaceAll(/\{\w+\}/g, canary)
    const exchange = await prober.send({
      method: operation.method.toUpperCase(),
      path: `${filled}?${canary}=${canary}`,
      headers,
      body,
    })
    if (exchange.status < 300) return
    expect(JSON.stringify([exchange.body, [...exchange.headers]])).not.toContain(canary)
  }
}
