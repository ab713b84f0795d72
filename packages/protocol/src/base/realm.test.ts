import { describe, expect, it } from 'vitest'
import { isRealm, realmSchema, realmsSchema } from './realm.ts'

describe('realmSchema', () => {
  it.each([
    'https://core.svc.example',
    'http://localhost:8787',
    'http://127.0.0.1:8787',
    'https://core-staging.example.com:8443',
    'svc.example',
    'a',
    `https://${'a'.repeat(247)}`,
  ])('accepts %s', (realm) => {
    expect(realmSchema.parse(realm)).toBe(realm)
    expect(isRealm(realm)).toBe(true)
  })

  it.each([
    '',
    'https://',
    'https://core.svc.example/',
    'https://core.svc.example/a',
    'https://Core.svc.example',
    'HTTPS://core.svc.example',
    'ftp://core.svc.example',
    'https://user@core.svc.example',
    'https://core.svc.example:',
    'https://core.svc.example:123456',
    'https://core.svc.example?a',
    'https://core.svc.example\n',
    ' https://core.svc.example',
    'https://kern.bücher.example',
    '.svc.example',
    'svc.example.',
    `https://${'a'.repeat(248)}`,
  ])('refuses %j', (realm) => {
    expect(realmSchema.safeParse(realm).success).toBe(false)
    expect(isRealm(realm)).toBe(false)
  })
})

describe('realmsSchema', () => {
  const [old, next] = ['https://core.old.example', 'https://core.svc.example']

  it('accepts one and several', () => {
    expect(realmsSchema.parse([next])).toEqual([next])
    expect(realmsSchema.parse([next, old])).toEqual([next, old])
  })

  it.each([[[]], [[next, next]], [[next, 'x y']], [next], [null]])('refuses %j', (realms) => {
    expect(realmsSchema.safeParse(realms).success).toBe(false)
  })
})
