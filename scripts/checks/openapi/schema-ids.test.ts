import { expect, it } from 'vitest'
import { recordSchemaIds } from './schema-ids.ts'

interface Registry {
  add(schema: { toJSONSchema: () => object }, meta: { id: string }): void
}

it('reports an id with two different schemas, not one used twice for the same schema', () => {
  const ids = recordSchemaIds()
  const shared = globalThis as unknown as { __zod_globalRegistry: Registry }
  shared.__zod_globalRegistry = { add: () => {} }
  const schema = (type: string) => ({ toJSONSchema: () => ({ type }) })
  shared.__zod_globalRegistry.add(schema('string'), { id: 'Name' })
  shared.__zod_globalRegistry.add(schema('string'), { id: 'Name' })
  shared.__zod_globalRegistry.add(schema('string'), { id: 'Note' })
  expect(ids.conflicts('core')).toEqual([])
  shared.__zod_globalRegistry.add(schema('object'), { id: 'Note' })
  expect(ids.conflicts('core')).toEqual([expect.stringMatching(/two different schemas have the id Note/)])
})
