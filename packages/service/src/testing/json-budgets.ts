import { DEFAULT_MAX_BODY_BYTES, type Operation } from '../app/operation.ts'
import type { BodyExcess } from '../request/body.ts'
import { budgetOf, exceeded, JsonMeter } from '../request/json-budget.ts'

/** What a body exceeds: the operation's limit in bytes, or the unit of its budget; null if it is within all. */
export function excessOf({ maxBodyBytes, budget }: Operation, body: unknown): BodyExcess | null {
  const maxBytes = maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  if (bytes.length > maxBytes) return 'length'
  const meter = new JsonMeter()
  meter.take(bytes)
  return exceeded(meter.measure, budgetOf(maxBytes, budget))
}
