import { hasPublishedForm } from '@svc/protocol/base/forms'
import { expect, it } from 'vitest'
import type * as z from 'zod'
import type { Operation } from '../app/operation.ts'
import { expectRefusal } from './credential-battery.ts'
import type { Prober } from './prober.ts'

/** No identifier of the platform is this. */
const NOBODY = '\0'

/** Whatever a path names and nothing has is 404; only an identifier with a published form can be malformed. */
export function pathBattery(prober: Prober): void {
  for (const { operation, gate } of prober.service.routes) {
    const method = operation.method.toUpperCase()
    // What is switched off is the same for every path.
    if (gate || !operation.params) continue
    for (const [name, schema] of Object.entries((operation.params as z.ZodObject).shape)) {
      // A handler reads these itself.
      if ((schema as z.ZodType).safeParse(NOBODY).success) continue
      const expected = refusalOf(operation, name, schema as z.ZodType)
      it(`${method} ${operation.path} is ${expected} where {${name}} cannot be one`, async () => {
        const { path, headers } = await prober.callFor(operation, { [name]: NOBODY })
        expect(path).toContain(encodeURIComponent(NOBODY))
        expectRefusal(await prober.send({ method, path, headers }), expected)
      })
    }
  }
}

function refusalOf({ owner, unknown = 'not_found' }: Operation, name: string, schema: z.ZodType) {
  if (owner === name) return 'owner_mismatch'
  return hasPublishedForm(schema) ? 'invalid_request' : unknown
}
