import { CAPABILITIES, type Capability } from '@svc/protocol/base/device'
import { describe, expect, it } from 'vitest'
import { type AssertedOperation, takesAssertion } from '../app/operation.ts'
import { expectRefusal } from './credential-battery.ts'
import type { Exchange, Prober } from './prober.ts'

/** Every route takes a device with the capability that it declares, and none without it. */
export function capabilityBattery(prober: Prober): void {
  const { description, routes } = prober.service
  const { refusals } = description

  for (const { operation } of routes) {
    if (!takesAssertion(operation) || !refusals) continue
    const method = operation.method.toUpperCase()
    const required = operation.capability
    const isNamed = required !== 'root' && required !== 'any'

    describe(`${method} ${operation.path}`, () => {
      if (required !== 'any') {
        it(`takes no device without ${required}`, async () => {
          const others = CAPABILITIES.filter((name) => name !== required)
          expectRefusal(await presentBy(operation, others), 'capability_required')
          expectRefusal(await presentBy(operation, []), 'capability_required')
        })
      }
      if (required !== 'root') {
        it(`takes a device with ${isNamed ? required : 'none at all'}`, async () => {
          const { status, error } = await presentBy(operation, isNamed ? [required] : [])
          expect([401, 503]).not.toContain(status)
          expect(error).not.toBe('capability_required')
        })
      }
    })
  }

  async function presentBy(operation: AssertedOperation, capabilities: readonly Capability[]): Promise<Exchange> {
    const method = operation.method.toUpperCase()
    const path = prober.pathOf(operation)
    const [audience] = operation.audiences
    const authorization = await prober.deviceAuthorization(capabilities, audience)
    const headers = { ...prober.originFor(method, path), authorization }
    return prober.send({ method, path, headers, body: operation.body ? '{}' : undefined })
  }
}
