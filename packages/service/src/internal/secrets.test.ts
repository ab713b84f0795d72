import { describe, expect, it } from 'vitest'
import { internalSecretFields, internalSecretsOf, isInternalSecret } from './secrets.ts'

const OLD = 'the secret of the deployment before'
const NEW = 'the secret of the deployment by now'

describe('while a secret is being changed', () => {
  it.each([
    ['the new one where both are', NEW, { current: NEW, previous: OLD }, true],
    ['the old one where both are', OLD, { current: NEW, previous: OLD }, true],
    ['the old one where it is not kept', OLD, { current: NEW }, false],
    ['the new one where it has not come yet', NEW, { current: OLD }, false],
    ['a third one', 'the secret of the deployment of ano', { current: NEW, previous: OLD }, false],
    ['the start of one', NEW.slice(0, -1), { current: NEW, previous: OLD }, false],
    ['an empty one where the previous one is empty', '', { current: NEW, previous: '' }, false],
    ['the previous one where there is no current one', OLD, { current: undefined, previous: OLD }, false],
    ['the previous one where the current one is empty', OLD, { current: '', previous: OLD }, false],
    ['an empty one where none is set', '', { current: undefined }, false],
  ])('%s is accepted: %#', (_, presented, secrets, accepted) => {
    expect(isInternalSecret(presented, secrets)).toBe(accepted)
  })
})

it('reads both from the configuration, and neither may be short', () => {
  expect(internalSecretsOf({ SVC_INTERNAL_SECRET: NEW, SVC_INTERNAL_SECRET_PREVIOUS: OLD })).toEqual({
    current: NEW,
    previous: OLD,
  })
  for (const schema of Object.values(internalSecretFields)) {
    expect(schema.safeParse('x'.repeat(31)).success).toBe(false)
    expect([undefined, '', 'x'.repeat(32)].every((text) => schema.safeParse(text).success)).toBe(true)
  }
})
