import { expect, it } from 'vitest'
import { claimsOf, PEOPLE, personOf, subjectOf } from './people.ts'

const fields = (values: Record<string, string>) => new URLSearchParams(values)

it('a person is chosen by address, or typed', () => {
  expect(personOf(fields({ person: 'ada@example.org', email: 'other@example.org' }))).toEqual(PEOPLE[0])
  expect(personOf(fields({ person: '', name: ' Maria ', email: ' m@x.org ', verified: 'on' }))).toEqual({
    name: 'Maria',
    email: 'm@x.org',
    isVerified: true,
  })
  expect(personOf(fields({ person: '', name: '', email: 'm@x.org' }))).toEqual({
    name: 'm@x.org',
    email: 'm@x.org',
    isVerified: false,
  })
})

it.each(['', 'maria', 'maria@', '@x.org', 'a b@x.org'])('%j is not accepted as an address', (email) => {
  expect(personOf(fields({ person: '', email }))).toHaveProperty('fault')
})

it('has the same subject at every start, in any case of the address', () => {
  expect(subjectOf('Ada@Example.org ')).toBe(subjectOf('ada@example.org'))
  expect(subjectOf('ada@example.org')).not.toBe(subjectOf('ada@example.com'))
})

it('vouches for an address as each provider does', () => {
  const person = { name: 'x', email: 'x@x.org', isVerified: true }
  expect(claimsOf('google', 's', person)).toEqual({ sub: 's', email: 'x@x.org', email_verified: true })
  expect(claimsOf('microsoft', 's', person)).toEqual({ sub: 's', email: 'x@x.org', xms_edov: true })
})
