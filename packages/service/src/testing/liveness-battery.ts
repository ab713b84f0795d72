import { describe, expect, it } from 'vitest'
import { Prober, type ProbeTarget } from './prober.ts'

export interface LivenessTarget extends ProbeTarget {
  /** The label, repeated here so that a change of it fails. */
  readonly version: string
  /** What it says besides. */
  readonly facts?: object
}

/** `bindings` are those of all Durable Object classes of the Worker. */
export function objectCommitsBattery(target: ProbeTarget & { readonly bindings: readonly string[] }): void {
  const { service } = target.service.description

  it(`asks one object of each class of ${service} for its commit`, async () => {
    const { body, headers } = await new Prober(target).send({ method: 'GET', path: '/health/objects' })
    const objects = Object.fromEntries(target.bindings.map((binding) => [binding, 'unknown']))
    expect(body).toEqual({ service, commit: 'unknown', objects })
    expect(headers.get('cache-control')).toBe('no-store')
  })
}

/** What a service with nothing of its own to say at `/health` says of itself. */
export function livenessBattery(target: LivenessTarget): void {
  const prober = new Prober(target)
  const { service: name } = target.service.description

  describe(`discovery of ${name}`, () => {
    it('is alive', async () => {
      const { body, headers } = await prober.send({ method: 'GET', path: '/health' })
      const { version } = target
      // Queues are told only if they are read in time.
      const { queues: _, ...facts } = body as { readonly queues?: object }
      expect(facts).toEqual({
        status: 'ok',
        service: name,
        version,
        commit: 'unknown',
        ...target.facts,
        timestamp: expect.any(Number) as unknown,
      })
      expect(headers.get('cache-control')).toBe('no-store')
    })
  })
}
