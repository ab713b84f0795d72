/**
 * The security battery: what must be true of every route of every service, driven from the live routes so that none
 * escapes it.
 *
 * @module
 */
import { describe } from 'vitest'
import { bodyBattery } from './body-battery.ts'
import { capabilityBattery } from './capability-battery.ts'
import { credentialBattery } from './credential-battery.ts'
import { documentBattery } from './document-battery.ts'
import { originBattery } from './origin-battery.ts'
import { Prober, type ProbeTarget } from './prober.ts'
import { routingBattery } from './routing-battery.ts'
import { secretBattery } from './secret-battery.ts'
import { shapeBattery } from './shapes/shape-battery.ts'
import { pathBattery, strictnessBattery } from './strictness-battery.ts'

export type BatteryTarget = ProbeTarget

/** Registers the battery's tests; called at the top of a Worker's `security.test.ts`. */
export function battery(target: BatteryTarget): void {
  const prober = new Prober(target)
  describe(`every route of ${target.service.description.service}`, () => {
    documentBattery(prober)
    strictnessBattery(prober)
    credentialBattery(prober)
    capabilityBattery(prober)
    originBattery(prober)
    bodyBattery(prober)
    shapeBattery(prober)
    routingBattery(prober)
    pathBattery(prober)
    secretBattery(prober)
  })
}
