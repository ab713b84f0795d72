import { expect, it } from 'vitest'
import type * as z from 'zod'
import { knownInceptionSchema } from '../base/inception-head.ts'
import { STATEMENT_ORDER } from './order.ts'
import { OWNED_STATEMENTS, type OwnedStatement } from './owned.ts'

/**
 * The statements without `inception`. Add none: a statement without it cannot be shown to be older than the end of its
 * key. The interface fixes the records of the first four; the others are events of the log.
 */
const FIXED: readonly OwnedStatement[] = [
  'svc/anchor-submission/v1',
  'svc/asset-mint/v1',
  'svc/asset-transfer/v1',
  'svc/governance-policy/v1',
]
const EVENTS: readonly OwnedStatement[] = [
  'svc/device-attestation/v1',
  'svc/device-event/v1',
  'svc/org-inception/v1',
  'svc/org-officers/v1',
]

const owned = await Promise.all(
  Object.entries(OWNED_STATEMENTS).map(async ([type, load]) => {
    const { shape } = (await load()) as z.ZodObject
    return { type: type as OwnedStatement, shape }
  }),
)

it.each(owned)('$type names the event that its signer knew, or is listed', ({ type, shape }) => {
  const names = FIXED.includes(type) ? 'fixed' : EVENTS.includes(type) ? 'event' : 'inception'
  expect(STATEMENT_ORDER[type].names).toBe(names)
  expect('inception' in shape).toBe(names === 'inception')
  expect('previousHash' in shape && 'sequence' in shape).toBe(names === 'event' || type === 'svc/org-binding/v1')
})

it.each(owned)('$type says what follows it, as the rest of a sentence', ({ type }) => {
  expect(STATEMENT_ORDER[type].follows).toMatch(/^(?:a|an|the|nothing:) .*[^\s.]$/u)
})

it.each(owned.filter(({ shape }) => 'inception' in shape))('$type is refused without `inception`', ({ shape }) => {
  const { inception } = shape
  expect(inception).toBe(knownInceptionSchema)
  expect((inception as z.ZodType).safeParse(undefined).success).toBe(false)
  expect((inception as z.ZodType).safeParse(null).success).toBe(true)
})
