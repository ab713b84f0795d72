import { expect, it } from 'vitest'
import { repaired } from './repaired.ts'

it('makes a nullable reference satisfiable, wherever it stands', () => {
  const next = { allOf: [{ $ref: '#/components/schemas/Hash' }, { type: ['string', 'null'] }] }
  expect(repaired({ properties: [{ next }], required: ['next'] })).toEqual({
    properties: [{ next: { anyOf: [{ $ref: '#/components/schemas/Hash' }, { type: 'null' }] } }],
    required: ['next'],
  })
})

it('lets a nullable literal be null', () => {
  expect(repaired({ noai: { type: ['string', 'null'], enum: ['noai'] } })).toEqual({
    noai: { type: ['string', 'null'], enum: ['noai', null] },
  })
  const plain = { type: 'string', enum: ['noai'] }
  expect(repaired(plain)).toEqual(plain)
})

it('drops a discriminator by number, and keeps one by name', () => {
  const byName = { discriminator: { propertyName: 'type', mapping: { a: '#/components/schemas/A' } }, oneOf: [] }
  expect(repaired({ discriminator: { propertyName: 'version', mapping: {} }, oneOf: [] })).toEqual({ oneOf: [] })
  expect(repaired(byName)).toEqual(byName)
})

it('shows a list of at least one as a list', () => {
  const realm = { $ref: '#/components/schemas/Realm' }
  expect(repaired({ type: 'array', prefixItems: [realm] })).toEqual({ type: 'array', items: realm, minItems: 1 })
})

it('keeps every other document as it is', () => {
  const document = { allOf: [{ $ref: '#/a' }, { $ref: '#/b' }], type: null, list: [1, 'a', null], deep: { allOf: [] } }
  expect(repaired(document)).toEqual(document)
})
