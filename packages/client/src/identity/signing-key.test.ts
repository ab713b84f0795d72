import { STATEMENT_TYPES } from '@svc/protocol/base/statement'
import { STATEMENT_RULES } from '@svc/protocol/statements/rules'
import { describe, expect, it } from 'vitest'
import { OWNERS_STATEMENTS, purposeOf } from './signing-key.ts'

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

describe('what an identity or a device signs', () => {
  it('are the statements whose signer is one, and no others', () => {
    const others = /deployment|receipt key|key of the log|list keys|witness|resolver|directory|snapshot key/
    const owners = STATEMENT_TYPES.filter((type) => !others.test(STATEMENT_RULES[type].signer))
    expect([...OWNERS_STATEMENTS]).toEqual(owners)
  })

  it.each([
    ['svc/message/v1', { type: 'svc/message/v1', realm: 'https://core.test' }, 'svc/message/v1'],
    ['a message without a realm', { type: 'svc/message/v1' }, null],
    ['an act of the operator', { type: 'svc/operator-epoch/v1', realm: 'https://core.test' }, null],
    ['a receipt', { type: 'svc/quota-receipt/v1', realm: 'https://core.test' }, null],
    ['an unknown type', { type: 'x', realm: 'https://core.test', previousHash: '', dataHash: '' }, null],
    ['a block', { previousHash: '', dataHash: '' }, 'block'],
    ['an assertion', { purpose: 'auth/chain-session' }, null],
    ['a list', [], null],
    ['a number', 1, null],
  ])('is read from the bytes: %s', (_, value, purpose) => {
    expect(purposeOf(bytesOf(value))).toBe(purpose)
  })

  it('is nothing for bytes that are not JSON', () => {
    for (const bytes of [new Uint8Array(), new Uint8Array([0xff]), bytesOf('text')]) expect(purposeOf(bytes)).toBeNull()
  })
})
